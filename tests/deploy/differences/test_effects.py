"""What a change does and why: of everything that a role writes, and of an MTU in every command."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
import yaml
from rich.console import Console
from typer.testing import CliRunner

from deploy import show
from deploy.commands.main import app
from deploy.context import Context, no_journal
from deploy.differences import effects, keep
from deploy.differences.file_lines import MOST_BYTES, _ask, lines
from deploy.differences.inventory import Causes
from deploy.rollout import runbook, saved_plan
from deploy.rollout.survey import explained as survey_explained
from deploy.rollout.survey import survey
from deploy.servers.drift import drift, explained
from deploy.switches.compare import compare, compared_text
from inventory import open_site
from inventory.load.site import SITES
from inventory.plan import Plan
from switch_configs import dialect, render
from switch_configs.intent import Impact
from switch_configs.shown.foreign import Showing
from tests.secrets import PLANTED, filled
from tests.switch_configs.test_fetch import answer
from tests.validation.planned import Servers, says
from validation.evidence.gather import Reply
from validation.manifest import node_state
from validation.manifest.contract import ROLES
from validation.manifest.device import manifests
from validation.manifest.differences import Drift
from validation.manifest.drift import _FIELDS

NODE, SWITCH = "node-p1-1", "leaf-p1-r0"
LINK = "/etc/systemd/network/50-railbed-rail0.network"


def owned(kind: str) -> Iterator[tuple[str, dict[str, object]]]:
    """Rows of all roles' contracts, as written."""
    for path in sorted(ROLES.glob("*/meta/owns.yml")):
        rows = yaml.safe_load(path.read_text())
        yield from ((path.parents[1].name, row) for row in rows.get(kind, []))


FILES = sorted({(role, str(row["path"])) for role, row in owned("files")})


@pytest.mark.parametrize(("role", "template"), FILES)
def test_every_file_that_a_role_writes_has_an_impact_with_its_reason(role, template):
    path = re.sub(r"\{\{.+?\}\}", "rail0", template)
    assert effects.of_file(path) != effects._NOT_KNOWN, (
        f"{role}: nobody said what reads {path}: deploy/differences"
    )
    impact, reason = effects.of_file(path)
    assert impact in get_args(Impact)
    assert 10 < len(reason) < 80


def test_a_file_that_nobody_described_is_told_as_the_worst():
    assert effects.of_file("/etc/odd").impact == "reboot"
    assert effects.of_file("/etc/odd") == effects._NOT_KNOWN


# Every kind of thing that drift knows, with the words of validation/drift*.py.
WORDS = {
    "file": ("a regular file", "mode 0644", "owner root:root", "content 0123"),
    "folder": ("a folder", "mode 0755", "owner root:root"),
    "package": ("1.2-3", "installed", "on hold", "not on hold"),
    "unit": ("a unit", "masked", "enabled", "disabled", "active", "inactive", "loaded as on disk"),
    "sysctl": ("1",),
    "kernel arguments": ("staged in /x and running",),
    "sshd option": ("no",),
    "stray": ("no file that nobody owns",),
}
ROLE_NAMES = sorted(path.parents[1].name for path in ROLES.glob("*/meta/owns.yml"))


def test_the_kinds_are_those_that_drift_knows():
    assert set(WORDS) == set(_FIELDS) - {"port"}  # a port that is taken is a stray


@pytest.mark.parametrize("kind", WORDS)
@pytest.mark.parametrize("role", ROLE_NAMES)
def test_every_kind_of_thing_of_every_role_has_one(role, kind):
    for wanted in WORDS[kind]:
        found = effects.of_drift(Drift("n", role, kind, "/etc/sysctl.d/x", wanted, "other"))
        assert found.impact in get_args(Impact)
        assert found.reason


@pytest.mark.parametrize("impact", get_args(Impact))
def test_every_impact_of_a_switch_has_a_reason(impact):
    assert effects.of_switch(impact).reason


def test_options_of_a_module_are_told_by_its_name():
    lines = ("- options mlx5_core num_vfs=1", "+ options mlx5_core num_vfs=0")
    told = effects.of_file("/etc/modprobe.d/90-railbed-x.conf", lines)
    assert told == ("driver reload", "options of mlx5_core are read when the module loads")


def test_the_kernel_command_line_is_read_at_boot():
    one = Drift(NODE, "kernel_tuning", "kernel arguments", "iommu=pt", "staged", "not staged")
    assert effects.of_drift(one) == ("reboot", "the kernel command line is read at boot")


# -- an MTU from 9000 to 4200, in every command ------------------------------------------


class Site(Servers):
    """A site whose devices are as an earlier plan wants them."""

    def __init__(self, plan: Plan) -> None:
        self.scripts: dict[str, str] = {}
        self.of = manifests(plan)
        super().__init__(plan, self.told)
        self.own: dict[tuple[str, str], str] = {}

    def told(self, device: str) -> dict[str, str]:
        mine = self.of.of(device)
        return {line: text for line, text in says(mine).items() if line in node_state.lines(mine)}

    def _answers(self, device: str) -> list[str]:
        if not (paths := re.findall(r"exec head -c \d+ -- (\S+?)'", self.scripts[device])):
            return super()._answers(device)
        held = [(self.of.text(device, path) or b"").decode() for path in paths]
        return [self.own.get((device, path), text) for path, text in zip(paths, held, strict=True)]

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        if device in self.plan.switch:
            runs = render(self.plan, device)
            assert script == dialect(runs.dialect).fetch_command()
            frr = next(one.text for one in runs.files if one.path.endswith("frr.conf"))
            return Reply(answer(runs, frr).encode(), 0, "")
        self.scripts[device] = script
        return super().run(device, script, timeout_s)


def rewritten(folder: Path, *pairs: tuple[str, str]) -> Path:
    shutil.copytree(SITES / "lab", folder)
    text = (folder / "fabric.yml").read_text()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    (folder / "fabric.yml").write_text(text)
    return folder


def line_of(folder: Path, words: str) -> int:
    lines = (folder / "fabric.yml").read_text().splitlines()
    return next(number for number, line in enumerate(lines, start=1) if words in line)


@pytest.fixture(scope="module")
def before() -> Plan:
    return open_site("lab")


@pytest.fixture
def smaller(tmp_path, monkeypatch, before) -> tuple[Context, Site]:
    """Today's inventory wants 4200; the last apply wanted 9000, and all devices have that."""
    monkeypatch.setattr(runbook, "pending", lambda _: "")
    folder = rewritten(tmp_path / "site", ("hosts: 9000", "hosts: 4200"))
    state = tmp_path / "state"
    state.mkdir()
    plan = open_site(folder)
    nowhere = tmp_path / "none"
    context = Context(plan, str(folder), state, nowhere, nowhere, lambda _: None, no_journal)
    return context, Site(before)


def said(call: Callable[..., None], *told: object) -> str:
    out = Console(file=io.StringIO(), width=80, highlight=False)
    call(*told, out)
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


def of_drift(context: Context, site: Site, _: Path) -> str:
    report = drift(context, site, [NODE])
    return said(show.drift_text, explained(context, site, report))


def of_diff(context: Context, site: Site, _: Path) -> str:
    found = survey(context, site)
    return said(show.survey_text, survey_explained(context, site, found))


def of_dry_run(context: Context, site: Site, _: Path) -> str:
    return said(show.apply_text, runbook.preview(context, site, ""))


def of_plan(context: Context, site: Site, path: Path) -> str:
    found = survey_explained(context, site, survey(context, site))
    made = saved_plan.saved_plan("lab", "lab", "", found)
    saved_plan.write(made, path)
    saved_plan.refuse_drifted(saved_plan.read(path), survey(context, site))
    assert saved_plan.read(path) == made
    return said(show.saved_text, made, path)


def of_show(context: Context, site: Site, path: Path) -> str:
    of_plan(context, site, path)
    return CliRunner().invoke(app, ["plan", "--show", str(path)]).output


COMMANDS = (of_drift, of_diff, of_dry_run, of_plan, of_show)


@pytest.mark.parametrize("ask", COMMANDS)
def test_another_mtu_is_told_with_both_numbers_its_cause_and_what_it_does(ask, smaller, tmp_path):
    context, site = smaller
    keep("lab", context.state_dir, site.plan.digest)
    text = ask(context, site, tmp_path / "plan")
    long = [line for line in text.splitlines() if len(line) > 80 and str(tmp_path) not in line]
    assert long == []
    whole = " ".join(text.split())
    number = line_of(tmp_path / "site", "hosts: 4200")
    cause = f"cause fabric.yml:{number} lossless.ip_mtu_bytes.hosts: 9000 -> 4200"
    assert (
        f"file {LINK} - MTUBytes=9000 + MTUBytes=4200 impact link flap: the port is configured "
        f"again; a new MTU takes its link down and up {cause}"
    ) in whole
    assert "content " not in text


@pytest.mark.parametrize("ask", COMMANDS)
def test_without_an_earlier_inventory_the_value_is_named(ask, smaller, tmp_path):
    context, site = smaller
    whole = " ".join(ask(context, site, tmp_path / "plan").split())
    number = line_of(tmp_path / "site", "hosts: 4200")
    assert f"cause fabric.yml:{number} lossless.ip_mtu_bytes.hosts is 4200" in whole


@pytest.mark.parametrize("ask", COMMANDS)
def test_a_line_of_nobody_is_told_without_its_words(ask, smaller, tmp_path):
    context, site = smaller
    keep("lab", context.state_dir, site.plan.digest)
    text = (site.of.text(NODE, LINK) or b"").decode()
    site.own[NODE, LINK] = text + "# hunter2\nPassword=Xq9\npin Xq9hunter\n"
    whole = ask(context, site, tmp_path / "plan")
    assert len(re.findall(r"^ +- \S.+ #[0-9a-f]{8}$", whole, re.MULTILINE)) == 3
    assert "Xq9" not in whole
    assert "hunter" not in whole


SERVERS = (NODE, "node-p1-2", "oob1")


@pytest.mark.parametrize("device", SERVERS)
def test_no_secret_in_a_line_of_nobody_is_told(device, before):
    """In each file, with each of a hundred secrets below the plan's own lines."""
    mine, more = manifests(before), "\n".join(filled())
    for one in mine.of(device).files:
        text = (mine.text(device, one.path) or b"").decode()
        told = repr(lines(f"{text}{more}\n", text, Showing(b"k" * 32)))
        assert [kind for kind, secret in PLANTED.items() if secret in told] == [], one.path


def test_what_no_plan_wanted_was_changed_on_the_device(smaller, tmp_path):
    context, site = smaller
    keep("lab", context.state_dir, site.plan.digest)
    held = site.told

    def changed(device: str) -> dict[str, str]:
        told: dict[str, str] = held(device)
        told[node_state.KERNEL] = told[node_state.KERNEL].replace("arp_ignore:1", "arp_ignore:7")
        return told

    site.said = changed
    whole = " ".join(of_drift(context, site, tmp_path).split())
    assert "arp_ignore wanted 1 found 7 impact runtime: the kernel takes it at once cause" in whole
    assert "not known: the device does not hold what the last apply wanted" in whole


def test_the_inventory_of_the_apply_before_is_kept_and_its_secrets_are_not_shown(tmp_path):
    state = tmp_path / "state"
    state.mkdir()
    new = rewritten(
        tmp_path / "new",
        ("hosts: 9000", "hosts: 4200"),
        ("file:id_ed25519", "file:other"),
    )
    for site, digest in (("lab", "a"), ("lab", "a"), (str(new), "b")):
        keep(site, state, digest)
    causes = Causes(str(new), state, "b")
    told = [str(one) for one in causes.moved or ()]
    assert any("hosts: 9000 -> 4200" in one for one in told)
    assert any(one.endswith("ssh_key: (not shown) -> (not shown)") for one in told)
    assert causes.plan is not None
    assert causes.plan.digest == open_site("lab").digest
    assert Causes(str(new), tmp_path / "none", "b").moved is None


def test_a_switch_tells_the_cause_too(smaller, tmp_path, before):
    context, site = smaller
    folder = rewritten(tmp_path / "other", ("switches: 9216", "switches: 9100"))
    keep("lab", context.state_dir, before.digest)
    context = replace(context, plan=open_site(folder), site=str(folder))
    whole = of_diff(context, site, tmp_path)
    mine = " ".join(whole.partition(f"{SWITCH} would change")[2].split())
    ports = "swp1, swp2, swp5, swp6"
    stays = "the traffic of its own nodes stays (node-p1-1, node-p1-2); the jobs on them are to be"
    drain = f"is not drained: {stays} drained, or lose packets"
    means = f"forwarding {ports}: IP MTU: 9216 -> 9100 bytes does packets of more than 9100 bytes"
    assert mine.startswith(f", impact: link flap {drain} {means} are dropped")
    assert " /etc/network/interfaces" in mine
    assert "- mtu 9216 + mtu 9100 impact link flap: the port goes down and comes up with it" in mine
    assert "switches: 9216 -> 9100" in mine


def test_a_folder_beside_the_plan_tells_the_cause(smaller, tmp_path, before):
    context, _ = smaller
    folder = rewritten(tmp_path / "other", ("switches: 9216", "switches: 9100"))
    keep("lab", context.state_dir, before.digest)
    plan, held = open_site(folder), tmp_path / "held"
    for file in render(before, SWITCH).files:
        path = held / SWITCH / file.path.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text)
    causes = Causes(str(folder), context.state_dir, plan.digest)
    found = compare(plan, held, None, Showing(), causes)
    whole = " ".join(said(compared_text, found).split())
    assert "- mtu 9216 + mtu 9100 impact link flap: the port goes down and comes up" in whole
    assert "switches: 9216 -> 9100" in whole


@pytest.mark.parametrize(
    ("gone", "come", "is_earlier", "expected"),
    [
        ("a=9000", "a=4200", True, "hosts: 9000 -> 4200"),
        ("a=9000", "a=4200", None, "hosts: 9000 -> 4200"),
        # The device has something else in the same place, and the value that changed.
        ("a=9000 x", "a=4200", False, "hosts: 9000 -> 4200"),
        ("a=1500", "a=4200", False, "not known: the device does not hold"),
        ("p=3", "p=4", True, "priority: 3 -> 4"),
        ("p=3", "p=4", False, "not known: the device does not hold"),
        ("b=5", "b=6", True, "one of 2 changed values of the inventory"),
    ],
)
def test_the_cause_is_the_value_whose_words_changed(tmp_path, gone, come, is_earlier, expected):
    state, pairs = (
        tmp_path / "state",
        [("hosts: 9000", "hosts: 4200"), ("  priority: 3", "  priority: 4")],
    )
    state.mkdir()
    site = rewritten(tmp_path / "new", *pairs)
    keep("lab", state, "a")
    assert expected in Causes(str(site), state, "b").of([gone], [come], is_earlier)


@pytest.mark.parametrize("size", [0, 5, MOST_BYTES, MOST_BYTES + 9])
def test_a_file_is_read_whole_or_seen_to_be_too_large(tmp_path, size):
    """By the shell that a server runs."""
    path = tmp_path / "a file's"
    path.write_bytes(b"x" * size)
    done = subprocess.run(["sh", "-c", _ask(str(path)).shell], capture_output=True, check=True)
    assert len(done.stdout) == min(size, MOST_BYTES + 1)
