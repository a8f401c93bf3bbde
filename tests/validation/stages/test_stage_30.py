"""Stage 30: from the manifest's frames to findings that name the role and the thing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from ipaddress import IPv4Address, IPv4Network
from types import SimpleNamespace
from typing import Any, cast

import pytest

from inventory import open_site
from inventory.plan import HugePages, Plan
from inventory.reading.fields import Unreadable
from tests.validation.planned import says
from validation.evidence.trust import MissingEvidence
from validation.expect import expectations
from validation.expectation import Expectation
from validation.host_state.expect import (
    HardwareExpected,
    KernelExpected,
    SignalExpected,
    SoftwareExpected,
    VersionsExpected,
)
from validation.judging.gate import Word, decide
from validation.ladder import checks
from validation.manifest import ask_node, node_state
from validation.manifest.device import manifests
from validation.parse.host.node_tools import UNLIMITED
from validation.run import ValidationResult
from validation.stage import Fault, Faults
from validation.stages.s30_node_state import checks as stage
from validation.stages.s30_node_state.expect import (
    ClockExpected,
    MemlockExpected,
    RailExpected,
    RebootExpected,
    StateExpected,
    UnitsExpected,
    WayOut,
)
from validation.verdict import Finding, Verdict

PLAN = open_site("lab")
NODE = "node-p1-1"
OURS = tuple(one for one in expectations(PLAN, frozenset({NODE}), 30) if one.stage == 30)


def of(kind: type[Any]) -> tuple[Any, ...]:
    return tuple(one for one in OURS if isinstance(one, kind))


@dataclass
class Host:
    """Answers lines; a line that it does not know was not gathered."""

    said: dict[str, str]
    status: dict[str, int] = field(default_factory=dict)

    def run(self, line: str) -> SimpleNamespace:
        if line not in self.said:
            raise MissingEvidence(f"`{line}`: there is no evidence of it")
        text = self.said[line]
        status = self.status.get(line, 0)
        return SimpleNamespace(rc=status, stdout=text, stdout_bytes=text.encode(), stderr="")


def judge(check: Any, kind: type[Any], said: dict[str, str], **more: object) -> Faults:
    faults = Faults()
    check().test(host=cast("Any", Host(said)), expect=of(kind), faults=faults, **more)
    return faults


def the(found: dict[str, Fault]) -> Fault:
    (one,) = found.values()
    return one


# -- expectations ------------------------------------------------------------------------------


def test_one_expectation_for_each_role_of_each_configured_server():
    roles = manifests(PLAN).of(NODE).roles
    assert [one.id for one in of(StateExpected)] == sorted(f"state:{NODE}:{one}" for one in roles)
    assert [one.id for one in of(UnitsExpected)] == [f"units:{NODE}"]
    assert [one.id for one in of(RailExpected)] == [f"rail:{NODE}:rail0", f"rail:{NODE}:rail1"]
    assert {one.device for one in OURS} == {NODE}


def test_the_oob_server_is_asked_too():
    found = expectations(PLAN, frozenset({PLAN.oob.name}), 30)
    assert {f"state:{PLAN.oob.name}:oob_server", f"units:{PLAN.oob.name}"} <= {
        one.id for one in found
    }


# -- state -------------------------------------------------------------------------------------


def state(change: dict[str, str]) -> Faults:
    said = {**says(manifests(PLAN).of(NODE)), **change}
    return judge(stage.VerifyRolesOwnWhatTheySay, StateExpected, said, plan=PLAN)


def test_a_node_as_planned_passes():
    faults = state({})
    assert faults.by_id == {}
    assert faults.unknown_by_id == {}


def test_a_drift_names_role_and_thing_and_no_other_role():
    said = says(manifests(PLAN).of(NODE))[node_state.KERNEL]
    faults = state({node_state.KERNEL: said.replace("rail1/rp_filter:2", "rail1/rp_filter:1")})
    assert list(faults.by_id) == [f"state:{NODE}:roce_nic"]
    fault = the(faults.by_id)
    assert fault.suspect == f"role roce_nic on {NODE}"
    assert fault.found == "sysctl net.ipv4.conf.rail1.rp_filter: found 1, wanted 2"
    assert "railbed apply --only nodes" in fault.hint
    assert faults.unknown_by_id == {}


def test_many_drifts_are_counted_and_not_all_told():
    said = says(manifests(PLAN).of(NODE))[node_state.FILES].replace(
        "stat 644 root", "stat 600 root"
    )
    fault = state({node_state.FILES: said}).by_id[f"state:{NODE}:os_base"]
    assert fault.found.count("mode 0600") == 4
    assert "more" in fault.found


def test_a_stray_is_for_people():
    faults = state({node_state.STRAYS: "/etc/systemd/networkd.conf.d/z.conf\0\0\0"})
    fault = the(faults.by_id)
    assert fault.suspect == f"role roce_nic on {NODE}"
    assert "by hand" in fault.hint


def test_what_was_not_gathered_is_inconclusive_for_the_roles_that_own_such_things():
    said = says(manifests(PLAN).of(NODE))
    del said[node_state.PACKAGES]
    faults = judge(stage.VerifyRolesOwnWhatTheySay, StateExpected, said, plan=PLAN)
    owners = {one.role for one in manifests(PLAN).of(NODE).packages}
    assert faults.by_id == {}
    assert set(faults.unknown_by_id) == {f"state:{NODE}:{role}" for role in owners}


# -- kernel arguments --------------------------------------------------------------------------

WORDS = "hugepagesz=2M hugepages=16 hugepagesz=1G hugepages=8"
PAGES = (HugePages(2048, 16), HugePages(1 << 20, 8))


@pytest.fixture(scope="module")
def tuned() -> Plan:
    """The lab with huge pages of two sizes on one node."""
    node = PLAN.node[NODE]
    node = replace(node, tuning=replace(node.tuning, hugepages=PAGES))
    return replace(PLAN, nodes=tuple(node if one.name == NODE else one for one in PLAN.nodes))


def reboot(plan: Plan, **change: str) -> tuple[Faults, Faults]:
    """What the reboot check says, and the state check, of changed lines of the kernel's frame."""
    said = says(manifests(plan).of(NODE))
    lines = said[node_state.KERNEL].splitlines()
    for kind, rest in change.items():
        assert any(one.startswith(f"{kind} ") for one in lines)
        lines = [f"{kind} {rest}" if one.startswith(f"{kind} ") else one for one in lines]
    said[node_state.KERNEL] = "\n".join(lines) + "\n"
    due = judge(stage.VerifyThePlannedArgumentsRun, RebootExpected, said, plan=plan)
    return due, judge(stage.VerifyRolesOwnWhatTheySay, StateExpected, said, plan=plan)


def test_arguments_that_run_are_a_pass(tuned):
    (mine,) = manifests(tuned).of(NODE).arguments
    assert mine.words == f"default_hugepagesz=2M {WORDS}"
    for found in reboot(tuned):
        assert (found.by_id, found.unknown_by_id) == ({}, {})


def test_staged_and_not_running_is_a_reboot_that_is_due_and_no_fault_of_the_state(tuned):
    """The running kernel has each of the words, with the numbers exchanged."""
    swapped = "default_hugepagesz=2M hugepagesz=2M hugepages=8 hugepagesz=1G hugepages=16"
    due, found = reboot(tuned, cmdline=swapped)
    assert (due.by_id, found.by_id, found.unknown_by_id) == ({}, {}, {})
    assert list(due.unknown_by_id) == [f"reboot:{NODE}"]
    told = the(due.unknown_by_id).found
    assert "wanted, staged, not running" in told
    assert f"drain {NODE}, reboot it" in told


def test_not_staged_is_the_roles_to_mend(tuned):
    due, found = reboot(tuned, cmdline="quiet", staged="/etc/kernel/cmdline.d/90-railbed.conf|x")
    assert list(found.by_id) == [f"state:{NODE}:kernel_tuning"]
    assert "not staged, not running" in the(found.by_id).found
    assert "railbed apply" in the(found.by_id).hint
    assert list(due.unknown_by_id) == [f"reboot:{NODE}"]


def test_an_argument_that_was_taken_back_is_told(tuned):
    running = f"quiet nosmt default_hugepagesz=2M {WORDS}"
    due, found = reboot(tuned, cmdline=running, asked="nosmt")
    assert found.by_id == {}
    assert "nosmt: wanted no more, runs until" in the(due.unknown_by_id).found


@pytest.mark.parametrize(("check", "word"), [("reboot", Word.GO), ("units", Word.HOLD)])
def test_a_reboot_that_is_due_is_told_and_stops_no_rollout(check, word):
    name, verdict = f"{check}:{NODE}", Verdict.INCONCLUSIVE
    one = Finding(30, check, NODE, name, verdict, f"device {NODE}", "staged")
    result = ValidationResult("digest", 30, (one,), {}, ())
    told = decide(result, [name])
    assert told.word is word
    assert [reason.found for reason in told.reasons] == ["staged"]
    assert (decide(result, [name], [name]).word is Word.STOP) == (check == "units")


# -- what runs ---------------------------------------------------------------------------------

RULES = (
    '[{"priority":0,"src":"all","table":"local"},'
    '{"priority":1000,"src":"10.16.0.1","table":"100"},'
    '{"priority":1010,"src":"10.16.128.1","table":"101"},'
    '{"priority":32766,"src":"all","table":"main"}]'
)
ROUTES = (
    '[{"dst":"10.16.0.0/16","gateway":"10.16.0.0","dev":"rail0","table":"100"},'
    '{"dst":"10.16.0.0/16","gateway":"10.16.128.0","dev":"rail1","table":"101"},'
    '{"dst":"10.16.0.0/17","gateway":"10.16.0.0","dev":"rail0"},'
    '{"dst":"10.16.128.0/17","gateway":"10.16.128.0","dev":"rail1"}]'
)
FIRST_RULE = '{"priority":1000,"src":"10.16.0.1","table":"100"},'
RAIL_FAULTS = {
    "no rule": (FIRST_RULE, "", "no rule 1000 from 10.16.0.1 to table 100"),
    "another table": (
        FIRST_RULE, FIRST_RULE.replace('"100"', '"101"'), "no rule 1000 from 10.16.0.1"
    ),
    "a rule before": (
        FIRST_RULE, '{"priority":900,"src":"10.16.0.1","table":"main"},' + FIRST_RULE,
        "rule 900 sends 10.16.0.1 to table main before",
    ),
    "no route": (
        '{"dst":"10.16.0.0/16","gateway":"10.16.0.0","dev":"rail0","table":"100"},', "",
        "table 100 has no route to 10.16.0.0/16",
    ),
    "by another NIC": (
        '"10.16.0.0/17","gateway":"10.16.0.0","dev":"rail0"',
        '"10.16.0.0/17","gateway":"10.16.128.0","dev":"rail1"',
        "table main reaches 10.16.0.0/17 by rail1 through 10.16.128.0",
    ),
}  # fmt: skip


def rails(rules: str = RULES, routes: str = ROUTES) -> Faults:
    said = {ask_node.RULES: rules, ask_node.TABLES: routes}
    return judge(stage.VerifyEachRailHasItsOwnWayOut, RailExpected, said)


def test_rails_as_planned_pass():
    assert rails().by_id == {}


@pytest.mark.parametrize("name", RAIL_FAULTS)
def test_a_rail_that_would_leave_elsewhere_is_found_alone(name):
    old, new, found = RAIL_FAULTS[name]
    assert old in RULES + ROUTES
    faults = rails(RULES.replace(old, new), ROUTES.replace(old, new))
    assert list(faults.by_id) == [f"rail:{NODE}:rail0"]
    assert found in the(faults.by_id).found
    assert the(faults.by_id).suspect == f"role roce_nic on {NODE}"


def test_a_storage_nic_with_a_table_of_its_own_is_a_rail_too():
    """Those of bonds have none; the lab has none of both."""
    plan = open_site("pod-256")
    found = [
        one.way
        for one in expectations(plan, frozenset({"node-p1-01", "mgmt-01"}), 30)
        if isinstance(one, RailExpected)
    ]
    ways = {one.port: one for one in found}
    assert len(found) == len(ways) == 8 + 2 + 2
    assert ways["ens1f1np1"] == WayOut(
        "ens1f1np1",
        IPv4Address("10.32.104.1"),
        IPv4Address("10.32.104.0"),
        201,
        2010,
        IPv4Network("10.32.64.0/18"),
        IPv4Network("10.32.0.0/17"),
    )


def units(text: str) -> Faults:
    return judge(stage.VerifyNoUnitHasFailed, UnitsExpected, {ask_node.FAILED: text}, plan=PLAN)


def test_failed_units_name_the_role_that_owns_them():
    assert units("").by_id == {}
    assert the(units("x.mount loaded failed failed\n").by_id).suspect == f"device {NODE}"
    fault = the(units("chrony.service loaded failed failed NTP\n").by_id)
    assert fault.suspect == f"role os_base on {NODE}"
    assert "systemctl status chrony.service" in fault.hint


def clock(ahead: str, leap: str) -> Faults:
    said = f"0A580101,10.88.1.1,11,1.0,{ahead},0,0,0,0,0,0,0,64.2,{leap}\n"
    expect = ClockExpected(f"clock:{NODE}", NODE, "its clock is right", 0.1)
    faults = Faults()
    host = cast("Any", Host({ask_node.TRACKING: said}))
    stage.VerifyClockIsRight().test(host, (expect,), faults)
    return faults


def test_a_clock_must_be_synchronised_and_near():
    assert clock("0.01", "Normal").by_id == {}
    assert "not synchronised" in the(clock("0.0", "Not synchronised").by_id).found
    assert "+0.200 s from 10.88.1.1" in the(clock("-0.2", "Normal").by_id).found
    late = the(clock("-5.0", "Normal").by_id)
    assert (late.found, late.suspect) == (
        "the clock is +5.000 s from 10.88.1.1", f"role os_base on {NODE}",
    )  # fmt: skip


def memlock(wanted: int, login: str, service: str, cap: str, hard: str) -> Faults:
    said = {
        ask_node.LOGIN_LIMIT: login,
        ask_node.SERVICE_LIMIT: f"DefaultLimitMEMLOCK={service}\n",
        ask_node.FIRST_PROCESS: f"CapEff:\t{cap}\nMax locked memory  {hard}  {hard}  bytes\n",
    }
    expect = MemlockExpected(f"memlock:{NODE}", NODE, "may lock memory", wanted)
    faults = Faults()
    stage.VerifyMemoryMayBeLocked().test(cast("Any", Host(said)), (expect,), faults)
    return faults


ALL, FEW = "000001ffffffffff", "00000000fcecbfff"


def test_a_login_must_have_the_planned_limit():
    assert memlock(UNLIMITED, "unlimited", "infinity", ALL, "8388608").by_id == {}
    low = memlock(UNLIMITED, "8192", "infinity", ALL, "8388608")
    assert the(low.by_id).found == "logins may lock 8388608 bytes"
    service = memlock(UNLIMITED, "unlimited", "8388608", ALL, "8388608")
    assert the(service.by_id).found == "services may lock 8388608 bytes"


def test_a_container_that_may_not_raise_limits_has_what_there_is():
    assert memlock(UNLIMITED, "8192", "infinity", FEW, "8388608").by_id == {}
    assert memlock(UNLIMITED, "64", "infinity", FEW, "8388608").by_id != {}
    assert memlock(4 << 20, "4096", "4194304", FEW, "8388608").by_id == {}


def test_a_tool_that_fails_is_unreadable():
    host = Host({ask_node.FAILED: "Failed to connect to bus"}, {ask_node.FAILED: 1})
    with pytest.raises(Unreadable, match="ended with status 1"):
        stage.VerifyNoUnitHasFailed().test(cast("Any", host), PLAN, of(UnitsExpected), Faults())


def test_every_expectation_of_the_stage_has_a_check():
    found = {one.expects for one in checks(30)}
    of_state = (StateExpected, RebootExpected, UnitsExpected)
    of_hosts = (
        KernelExpected,
        SignalExpected,
        SoftwareExpected,
        HardwareExpected,
        VersionsExpected,
    )
    kinds = (*of_state, *of_hosts, RailExpected, ClockExpected, MemlockExpected)
    assert found == set(kinds)
    assert all(issubclass(one, Expectation) for one in kinds)
