"""`railbed bios`: read whole or not known, never written, its password kept."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from deploy.commands.main import app
from deploy.errors import RailbedError
from deploy.servers.bios import BiosOptions, BiosReport, bios_of_site
from deploy.servers.redfish_run import BmcAccess
from deploy.session import Selection
from inventory.load.site import SITES
from tests.deploy.fake_bmc import ROOT, FakeBmc
from validation.verdict import Verdict

NODE = "node-p1-1"
WANTED = {"ProcCStates": "Disabled", "NumaNodesPerSocket": 1, "SriovEnabled": True}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The lab's site with wishes for its nodes' BIOS, and where the credentials are."""
    folder = tmp_path / "site-with-bios"
    shutil.copytree(SITES / "lab", folder, ignore=shutil.ignore_patterns("wiring.csv"))
    fabric = folder / "fabric.yml"
    wishes = json.dumps({"bios": {"lab-node": WANTED}})
    text = fabric.read_text().replace(
        "credentials:\n",
        "credentials:\n  bmc_user: env:RAILBED_TEST_USER\n  bmc_password: env:RAILBED_TEST_PASS\n",
    )
    fabric.write_text(f"{text}\nversions: {wishes}\n")
    monkeypatch.setenv("RAILBED_TEST_USER", "operator")
    monkeypatch.setenv("RAILBED_TEST_PASS", "s3cret-of-the-bmc")
    return folder


@pytest.fixture
def bmc() -> FakeBmc:
    """A BMC whose BIOS is as wanted, with attributes that are nobody's business."""
    fake = FakeBmc()
    fake.runs(**WANTED, QuietBoot=True, AdminPassword="hunter2")
    return fake


class Asked:
    """A site and the one BMC of it that is there."""

    def __init__(self, site: Path, folder: Path, address: str) -> None:
        self.site, self.folder, self.address = site, folder, address

    def report(self, **more: Any) -> BiosReport:
        options: dict[str, Any] = {"trust": str(self.folder / "bmc.pem"), "timeout_s": 5.0, **more}
        at = {NODE: self.address}
        return bios_of_site(Selection(str(self.site), "x"), [NODE], BiosOptions(at=at, **options))

    def said(self, **more: Any) -> str:
        """Why nothing is known of the node."""
        [one] = self.report(**more).nodes
        assert one.verdict is Verdict.INCONCLUSIVE
        return one.unread

    def rows(self, **more: Any) -> dict[str, tuple[str, str, str, str, str]]:
        [one] = self.report(**more).nodes
        assert not one.unread
        return {
            row.attribute: (row.wanted, row.pending, row.running, str(row.verdict), row.says)
            for row in one.rows
        }


@pytest.fixture
def asked(site: Path, bmc: FakeBmc, tmp_path: Path) -> Iterator[Asked]:
    with bmc.serving(tmp_path) as address:
        yield Asked(site, tmp_path, address)


# -- what is read ------------------------------------------------------------------------------


@pytest.mark.parametrize("auth", ["session", "basic"])
def test_a_bios_that_is_as_wanted(asked, bmc, auth):
    report = asked.report(auth=auth)
    assert report.exit_code == 0
    assert [row.verdict for row in report.nodes[0].rows] == [Verdict.PASS] * 3
    assert bmc.kinds == {auth}
    assert bmc.tokens == {}


def test_nothing_is_written_but_a_session_that_is_closed_again(asked, bmc):
    asked.report()
    methods = [one.split()[0] for one in bmc.asked]
    assert methods.count("POST") == methods.count("DELETE") == 1
    assert set(methods) == {"GET", "POST", "DELETE"}
    assert bmc.asked[0] == f"GET {ROOT}"
    bmc.fault[bmc.bios] = "error"
    asked.report()
    assert bmc.tokens == {}


@pytest.mark.parametrize(
    "names",
    [
        ("System.Embedded.1", "Bios", "Settings"),
        ("Self", "Bios", "SD"),
        ("437XR1138R2", "BIOS", "Settings"),
    ],
)
def test_systems_are_found_by_their_links(site, tmp_path, names):
    fake = FakeBmc(*names)
    fake.runs(**WANTED)
    with fake.serving(tmp_path) as address:
        assert Asked(site, tmp_path, address).report().exit_code == 0


def test_a_bmc_without_sessions_is_asked_by_name_and_password(site, tmp_path):
    fake = FakeBmc(sessions=False)
    fake.runs(**WANTED)
    with fake.serving(tmp_path) as address:
        assert Asked(site, tmp_path, address).report().exit_code == 0
    assert fake.kinds == {"basic"}


def test_sessions_that_are_promised_and_absent_are_none(asked, bmc):
    bmc.fault[f"{ROOT}/SessionService/Sessions"] = "absent"
    assert asked.report().exit_code == 0
    assert bmc.kinds == {"basic"}


@pytest.mark.parametrize("bios", [True, False])
def test_a_baseboard_beside_the_system_is_not_taken_for_it(asked, bmc, bios):
    bmc.baseboard(bios=bios)
    assert asked.report().exit_code == 0


def test_systems_come_in_pages(asked, bmc):
    more = f"{ROOT}/Systems/page2"
    bmc.resources[more] = bmc.resources[f"{ROOT}/Systems"]
    bmc.resources[f"{ROOT}/Systems"] = {"Members": [], "Members@odata.nextLink": more}
    assert asked.report().exit_code == 0
    bmc.resources[more]["Members@odata.nextLink"] = more
    assert asked.said() == "its list of systems does not end"


# -- what it means -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("running", "pending", "verdict", "says"),
    [
        ({}, {}, "pass", ""),
        ({}, {"ProcCStates": "Disabled"}, "pass", ""),
        ({}, {"ProcCStates": "Enabled"}, "fail", "the next reboot takes it away"),
        ({"ProcCStates": "Enabled"}, {}, "fail", "it has another value"),
        (
            {"ProcCStates": "Enabled"},
            {"ProcCStates": "Disabled"},
            "inconclusive",
            "a reboot is required: it is pending",
        ),
        (
            {"ProcCStates": "Enabled"},
            {"ProcCStates": "Auto"},
            "fail",
            "it has another value",
        ),
        (
            {"ProcCStates": "disabled"},
            {},
            "fail",
            'it has another value (write it in fabric.yml as the BMC does: "disabled")',
        ),
        ({"ProcCStates": None}, {}, "inconclusive", "the BMC does not say its value"),
        ({"ProcCStates": ["Disabled"]}, {}, "inconclusive", "the BMC does not say its value"),
    ],
)
def test_three_columns(asked, bmc, running, pending, verdict, says):
    bmc.runs(**{**WANTED, **running})
    bmc.waits(**pending)
    rows = asked.rows()
    shown = {**WANTED, **running}["ProcCStates"]
    waits = json.dumps(pending["ProcCStates"]) if pending else "-"
    assert rows["ProcCStates"] == ('"Disabled"', waits, json.dumps(shown), verdict, says)
    exits = {"pass": 0, "fail": 1, "inconclusive": 3}
    assert asked.report().exit_code == exits[verdict]


@pytest.mark.parametrize(
    ("attribute", "running", "verdict"),
    [
        ("NumaNodesPerSocket", 1.0, "pass"),
        ("NumaNodesPerSocket", "1", "fail"),
        ("NumaNodesPerSocket", True, "fail"),
        ("SriovEnabled", 1, "fail"),
        ("SriovEnabled", "True", "fail"),
    ],
)
def test_kinds_of_values_are_kept_apart(asked, bmc, attribute, running, verdict):
    bmc.runs(**{**WANTED, attribute: running})
    assert asked.rows()[attribute][3] == verdict


def test_an_attribute_that_the_bios_does_not_have_is_no_pass(asked, bmc):
    bmc.runs(ProcCStates="Disabled", SriovEnabled=True)
    row = asked.rows()["NumaNodesPerSocket"]
    assert (row[2], row[3]) == ("-", "fail")
    assert "no such attribute" in row[4]


@pytest.mark.parametrize("shape", ["no resource", "no link", "no attributes"])
def test_a_bmc_without_pending_settings(asked, bmc, shape):
    """AMI's shows the resource only while something waits."""
    if shape == "no resource":
        del bmc.resources[bmc.settings]
    elif shape == "no link":
        del bmc.resources[bmc.bios]["@Redfish.Settings"]
    else:
        bmc.resources[bmc.settings] = {"Attributes": None}
    assert asked.report().exit_code == 0


# -- what cannot be read -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("html", "is no JSON: is this a BMC?"),
        ("list", "is no JSON object"),
        ("error", "it answers 500 to"),
        ("redirect", "it answers 302 to"),
        ("slow", "no answer within 0.2 s"),
        ("cut", "a reply was cut short"),
    ],
)
def test_a_broken_reply_is_never_taken_for_an_answer(asked, bmc, fault, said):
    waits_s = 0.2 if fault == "slow" else 5.0
    bmc.fault[bmc.bios] = fault
    assert said in asked.said(timeout_s=waits_s)
    bmc.fault = {bmc.settings: fault}
    assert said in asked.said(timeout_s=waits_s)
    assert bmc.tokens == {}


def test_a_system_without_a_bios_is_not_known(asked, bmc):
    del bmc.resources[bmc.bios]
    assert asked.said() == "none of its systems has a Bios resource"
    del bmc.resources[bmc.system]["Bios"]
    assert asked.said() == "none of its systems has a Bios resource"


def test_two_systems_of_which_either_may_be_meant(asked, bmc):
    bmc.baseboard(bios=True)
    bmc.resources[f"{ROOT}/Systems/HGX_Baseboard_0/Bios"]["Attributes"] = dict(WANTED)
    assert "several systems have a BIOS" in asked.said()


def test_a_link_to_another_server_is_not_followed(asked, bmc):
    bmc.resources[bmc.system]["Bios"] = {"@odata.id": "https://192.0.2.1/redfish/v1/x"}
    assert asked.said() == "it sends us on to another server"


@pytest.mark.parametrize("auth", ["session", "basic"])
def test_a_wrong_password_is_told_and_not_shown(asked, monkeypatch, auth):
    monkeypatch.setenv("RAILBED_TEST_PASS", "not-the-password")
    assert asked.said(auth=auth) == "it refuses the user or the password (401)"


def test_a_bmc_that_has_no_session_left_says_so(asked, bmc):
    bmc.most_sessions = 0
    assert asked.said() == "it answers 503 to a session"


def test_a_certificate_that_nobody_trusts(asked):
    assert "its certificate is not trusted" in asked.said(trust=True)
    assert asked.report(trust=False).exit_code == 0


def test_a_bmc_that_is_not_there(site, tmp_path):
    assert "it cannot be reached" in Asked(site, tmp_path, "127.0.0.1:1").said(trust=True)


def test_the_password_is_in_no_text_of_ours():
    assert "x1y2z3" not in repr(BmcAccess("h", "u", "x1y2z3"))


# -- evidence, and the verb --------------------------------------------------------------------


def test_evidence_holds_what_was_asked_and_nothing_else_and_judges_the_same(asked, bmc, tmp_path):
    bmc.runs(**{**WANTED, "ProcCStates": "Enabled"}, AdminPassword="hunter2")
    saved = tmp_path / "evidence"
    before = asked.report(save=saved)
    text = (saved / f"{NODE}.bios.json").read_text()
    assert "hunter2" not in text
    assert "s3cret" not in text
    assert json.loads(text)["running"] == {**WANTED, "ProcCStates": "Enabled"}
    assert json.loads(text)["serial"] == "SYS-1"
    assert json.loads(text)["etag"].startswith('W/"')
    count = len(bmc.asked)
    assert asked.report(evidence=saved) == before
    assert len(bmc.asked) == count


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "this is no evidence of a BIOS in format 1"),
        ("nonsense", "the evidence printed no JSON but: nonsense"),
        ("\udcff", "codec can't decode"),
    ],
)
def test_evidence_that_is_none(asked, tmp_path, text, said):
    file = tmp_path / f"{NODE}.bios.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert said in asked.said(evidence=tmp_path)
    file.unlink()
    assert "there is no evidence of it" in asked.said(evidence=tmp_path)


def test_evidence_of_another_node_is_not_taken(asked, tmp_path):
    asked.report(save=tmp_path)
    file = tmp_path / f"{NODE}.bios.json"
    file.write_text(file.read_text().replace(NODE, "node-p1-2"))
    assert asked.said(evidence=tmp_path) == "this is the evidence of node-p1-2"


def verb(site: Path, *words: str) -> Result:
    return CliRunner().invoke(app, ["bios", "--site", str(site), *words])


def test_the_verb_says_what_differs_and_how_many(asked, bmc, site):
    bmc.runs(**{**WANTED, "ProcCStates": "Enabled"})
    words = (NODE, "--at", f"{NODE}={asked.address}", "--ca", str(asked.folder / "bmc.pem"))
    done = verb(site, *words)
    assert done.exit_code == 1
    line = '  ProcCStates: wanted "Disabled", pending -, running "Enabled"; it has another value'
    assert line in done.stdout
    assert "0 as wanted, 1 not, 0 not known or waiting for a reboot; 3 settings" in done.stdout
    shown = json.loads(verb(site, *words, "--json").stdout)
    assert (shown["exit_code"], shown["nodes"][0]["verdict"]) == (1, "fail")
    assert len(shown["nodes"][0]["attributes"]) == 3


def test_every_node_is_asked_and_one_that_is_silent_holds_nobody_up(asked, site):
    options = BiosOptions(
        trust=str(asked.folder / "bmc.pem"),
        at={f"node-p{pod}-{node}": asked.address for pod in (1, 2) for node in (1, 2)}
        | {"node-p2-2": "127.0.0.1:1"},
    )
    report = bios_of_site(Selection(str(site), "x"), ["kind_node"], options)
    assert [one.node for one in report.nodes] == [
        "node-p1-1", "node-p1-2", "node-p2-1", "node-p2-2",
    ]  # fmt: skip
    verdicts = [one.verdict for one in report.nodes]
    assert verdicts == [Verdict.PASS] * 3 + [Verdict.INCONCLUSIVE], report.nodes
    assert report.exit_code == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("no-such-node",), "no-such-node: no node of lab is meant"),
        (("--at", "x"), "found no NODE=HOST[:PORT]"),
        (("--ca", "/nonexistent/ca.pem"), "ca.pem is not there"),
        (("--ca", "x", "--insecure"), "found both, expected one"),
    ],
)
def test_slips_are_told(site, words, said):
    done = verb(site, *words)
    assert isinstance(done.exception, RailbedError)
    assert said in str(done.exception)
    assert done.exception.exit_code == 2


def test_a_site_that_wants_nothing_is_told_where_to_write_it():
    with pytest.raises(RailbedError, match="no BIOS settings are wanted") as raised:
        bios_of_site(Selection("lab", "x"), [], BiosOptions())
    assert "versions.bios.PROFILE" in raised.value.hint


def test_a_node_whose_profile_has_no_bmc_is_not_known(site):
    report = bios_of_site(Selection(str(site), "x"), [NODE], BiosOptions())
    assert report.nodes[0].unread == "its profile has no BMC"
    assert report.exit_code == 3
