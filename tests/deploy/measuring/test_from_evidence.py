"""`validate --from-evidence` and `node` with host states, and what they refuse."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from deploy import show
from deploy.commands.main import app
from deploy.context import Context, no_journal
from deploy.errors import RailbedError
from deploy.measuring import measure
from deploy.measuring.measure import validate_site
from deploy.servers import node_look
from deploy.servers.node_look import look_at_node
from deploy.session import Selection
from inventory.plan.versions import BiosSetting
from tests.validation import host_machine
from validation.evidence.store import EvidenceStore
from validation.host_state import archives
from validation.host_state.bios import findings
from validation.verdict import Verdict

SITE = Selection("pod-256", "lab")
NODE = host_machine.gpu_node().name


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The site of `host_machine`, its state in a folder that goes away."""
    state_dir = tmp_path / "state"
    state_dir.mkdir()

    def opened(selection: Selection, say: Any, journal: Any) -> Context:
        known = state_dir / "known_hosts"
        return Context(
            host_machine.site(), selection.site, state_dir, known, known, say, no_journal
        )

    monkeypatch.setattr(measure, "open_offline", opened)
    monkeypatch.setattr(node_look, "open_offline", opened)


def saved(folder: Path, data: bytes) -> str:
    path = folder / "node.state"
    path.write_bytes(data)
    return str(path)


def silent(_: str) -> None:
    pass


def test_a_host_state_is_judged_and_the_answer_says_what_it_is(tmp_path):
    found = validate_site(SITE, 40, [saved(tmp_path, host_machine.state())], silent)
    open_ones = {one.check for one in found.findings if one.verdict is not Verdict.PASS}
    assert open_ones == {"clock", "memlock"}
    assert found.exit_code == 3
    assert f"judged against plan {host_machine.site().digest[:12]}" in found.notes[0]
    assert show.validate_json(found)["notes"] == list(found.notes)
    page = io.StringIO()
    show.validate_text(found, Console(file=page, width=200))
    assert "not judged: files, packages and units" in page.getvalue()


@pytest.mark.parametrize(
    ("hours", "told"), [(0.1, ""), (20, ""), (47, "47 hours"), (9000, "375 days")]
)
def test_a_file_of_the_day_is_judged_and_an_older_one_is_told_with_its_age(
    tmp_path, monkeypatch, hours, told
):
    """No second clock can be held against it: the notes say that, and the report its age."""
    now = datetime.fromisoformat(host_machine.TIME) + timedelta(hours=hours)
    monkeypatch.setattr(measure, "utc_now", lambda: now)
    path = saved(tmp_path, host_machine.state())
    found = validate_site(SITE, 40, [path], silent)
    assert {one.check for one in found.findings if one.verdict is not Verdict.PASS} == {
        "clock",
        "memlock",
    }
    said = "\n".join(found.notes)
    assert f"no second clock bears out when this was gathered: {NODE}" in said
    assert (f"up to {told} old" in said) == bool(told)
    assert found.report is not None
    assert ("by evidence up to" in found.report.read_text()) == bool(told)
    monkeypatch.setattr(node_look, "utc_now", lambda: now)
    notes = "\n".join(look_at_node(SITE, NODE, [path]).notes)
    assert (f"up to {told} old" in notes) == bool(told)


def test_a_run_of_old_is_told_with_its_age_and_a_spoiled_file_by_name(tmp_path):
    """No change on record and no clock kept: nothing else says that it is of long ago."""
    store = EvidenceStore(tmp_path / "kept")
    shown = archives.read(
        host_machine.site(), [archives.Source(Path(saved(tmp_path, host_machine.state())))]
    )
    store.add(replace(one, time=one.time - timedelta(days=3650)) for one in shown.store)
    store.save()
    (tmp_path / "kept" / "spine1.frames").write_text("words of a person\n")
    found = validate_site(SITE, 40, [str(tmp_path / "kept")], silent)
    said = "\n".join(found.notes)
    assert re.search(r"this evidence is up to \d+ days old", said)
    assert "its evidence file spine1.frames no frame begins at byte 0" in said
    assert found.report is not None
    assert "by evidence up to" in found.report.read_text()


def test_a_fault_in_it_fails(tmp_path):
    port = host_machine.gpu_node().rails[0].port
    changed = {f"ethtool -a {port}": (0, f"Pause parameters for {port}:\nRX:\t\ton\nTX:\t\ton\n")}
    found = validate_site(SITE, 40, [saved(tmp_path, host_machine.state(changed))], silent)
    assert (found.verdict, found.exit_code) == (Verdict.FAIL, 1)


def test_what_leads_nowhere_is_refused(tmp_path):
    with pytest.raises(RailbedError, match="no such file"):
        validate_site(SITE, 40, [str(tmp_path / "nothing")], silent)
    with pytest.raises(RailbedError, match="no host state is of a node"):
        validate_site(SITE, 40, [saved(tmp_path, b"nothing")], silent)
    (tmp_path / "empty").mkdir()
    with pytest.raises(RailbedError, match="found several"):
        validate_site(SITE, 40, [str(tmp_path / "empty")] * 2, silent)


WISH = BiosSetting(f"node {host_machine.gpu_node().profile}", "ProcCStates", "Disabled")


def bios_file(folder: Path, **running: object) -> None:
    told = {"tool": "redfish-bios", "format": 1, "node": NODE, "plan_digest": "", "time": "",
            "running": running, "pending": None}  # fmt: skip
    (folder / f"{NODE}.bios.json").write_text(json.dumps(told))


BIOS: dict[str, tuple[dict[str, object], Verdict, str]] = {
    "as wanted": ({"ProcCStates": "Disabled"}, Verdict.PASS, ""),
    "another": ({"ProcCStates": "Enabled"}, Verdict.FAIL, 'ProcCStates: found "Enabled"'),
    "not said": ({"ProcCStates": None}, Verdict.INCONCLUSIVE, "the BMC does not say"),
}


@pytest.mark.parametrize("name", BIOS)
def test_saved_bios_beside_a_host_state_is_judged(name, tmp_path, monkeypatch):
    site = replace(host_machine.site(), bios=(WISH,))
    monkeypatch.setattr(host_machine, "site", lambda: site)
    running, verdict, words = BIOS[name]
    (tmp_path / "saved").mkdir()
    state = saved(tmp_path / "saved", host_machine.state())
    nobody = validate_site(SITE, 40, [state], silent)
    assert "bios" not in {one.check for one in nobody.findings}
    bios_file(tmp_path / "saved", **running)
    for given in ([str(tmp_path / "saved")], [state, f"{tmp_path}/saved/{NODE}.bios.json"]):
        found = validate_site(SITE, 40, given, silent)
        [one] = [one for one in found.findings if one.check == "bios"]
        assert (one.stage, one.expectation, one.verdict) == (10, f"bios:{NODE}", verdict)
        assert words in one.found


def test_bios_that_is_missing_damaged_or_another_s_is_not_known(tmp_path):
    site = replace(host_machine.site(), bios=(WISH,))
    others = sorted(
        one.name for one in site.nodes if one.profile == host_machine.gpu_node().profile
    )
    bios_file(tmp_path, ProcCStates="Disabled")
    text = (tmp_path / f"{NODE}.bios.json").read_text()
    other = next(one for one in others if one != NODE)
    for texts in ({other: text}, {NODE: text[:-9]}, {NODE: text.replace(NODE, other)}):
        found = {one.device: one.verdict for one in findings(site, texts, frozenset({NODE}))}
        assert found[NODE] is Verdict.INCONCLUSIVE
    assert findings(site, {}, frozenset({NODE})) == ()
    assert findings(host_machine.site(), {NODE: text}, frozenset({NODE})) == ()


def test_node_shows_wanted_staged_and_running(tmp_path):
    look = look_at_node(SITE, NODE, [f"{NODE}={saved(tmp_path, host_machine.state())}"])
    assert (look.exit_code, look.unread) == (0, "")
    told = show.node_json(look)
    assert json.loads(json.dumps(told))["rows"][0]["part"] == "nic enp24s0np0"
    page = io.StringIO()
    show.node_text(look, Console(file=page, width=200))
    assert "driver version" in page.getvalue()
    assert f"{len(look.rows)} as planned, 0 differs" in page.getvalue()


def test_node_says_what_differs_what_waits_and_what_is_not_known(tmp_path):
    pci = str(host_machine.gpu_node().rails[0].pci)
    text = host_machine.mlxconfig(pci)
    old, new = f"{'ETH(2)':<20}{'ETH(2)':<20}", f"{'IB(1)':<20}{'ETH(2)':<20}"
    waits = {f"mlxconfig -d {pci} -e q": (0, text.replace(old, new))}
    look = look_at_node(SITE, NODE, [saved(tmp_path, host_machine.state(waits))])
    (row,) = [one for one in look.rows if one.judged == "waits"]
    assert (row.wanted, row.staged, row.running, look.exit_code) == ("2", "2", "1", 3)
    page = io.StringIO()
    show.node_text(look, Console(file=page, width=200))
    assert f"waits: drain {NODE}, reboot it, and ask again" in page.getvalue()
    cut = look_at_node(SITE, NODE, [f"{NODE}={saved(tmp_path, host_machine.state()[:-9])}"])
    assert (cut.rows, cut.exit_code) == ((), 3)
    assert "cut short" in cut.unread


def test_node_of_a_profile_that_asks_nothing_says_so(tmp_path, monkeypatch):
    site = host_machine.site()
    node = host_machine.gpu_node()
    path = saved(tmp_path, host_machine.state())  # of the whole site: it is kept for others
    bare = replace(
        node, rails=(), nics=(), software=replace(
            node.software, gpu=None, gds=None, containers=None, collectives=False)
    )  # fmt: skip
    nodes = tuple(bare if one.name == node.name else one for one in site.nodes)
    monkeypatch.setattr(host_machine, "site", lambda: replace(site, nodes=nodes))
    look = look_at_node(SITE, NODE, [path])
    assert (look.exit_code, look.rows) == (0, ())
    assert "railbed drift" in look.notes[0]
    other = next(one.name for one in site.nodes if one.kind == node.kind and one != node)
    with pytest.raises(RailbedError, match=f"no saved host state of {other}"):
        look_at_node(SITE, other, [path])


def test_node_refuses_a_name_that_is_none(tmp_path):
    with pytest.raises(RailbedError, match="is no node"):
        look_at_node(SITE, "nobody", [saved(tmp_path, host_machine.state())])


def test_the_commands_take_a_named_file(tmp_path):
    path = f"{NODE}={saved(tmp_path, host_machine.state())}"
    told = CliRunner().invoke(
        app, ["node", NODE, "--site", "pod-256", "--from-evidence", path, "--json"]
    )
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["exit_code"] == 0
    told = CliRunner().invoke(
        app, ["validate", "--site", "pod-256", "--from-evidence", path, "--json"]
    )
    assert told.exit_code == 3, told.output
    assert json.loads(told.stdout)["verdict"] == "inconclusive"
