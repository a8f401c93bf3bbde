"""Stage 40's check of PFC on a small fabric of each system: well, and with one port wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from testinfra.host import Host

from inventory import open_site
from inventory.reading.fields import Unreadable
from switch_configs.answers import answers
from switch_configs.answers.lossless import PortLossless, Room
from switch_configs.qos import port_qos
from tests.switch_configs import sites
from tests.validation.evidence.test_fail_closed import DAMAGE, lay
from tests.validation.healthy import Healthy, answered
from tests.validation.lossless_says import WELL, Told
from tests.validation.lossless_site import carrying, said
from validation.evidence.trust import MissingEvidence
from validation.expect import expectations as all_expectations
from validation.ladder import ladder, open_ends
from validation.run import validate
from validation.stage import Faults
from validation.stages.s40_lossless_mtu import ask
from validation.stages.s40_lossless_mtu import pfc as expect
from validation.stages.s40_lossless_mtu.expect import unasked
from validation.stages.s40_lossless_mtu.judge import judge
from validation.stages.s40_lossless_mtu.pfc import PfcExpected
from validation.verdict import Finding, Verdict

DIALECTS = ("nxos", "sonic")
LEAF = "leaf-p1-r0"
CONFIGURED = frozenset({LEAF, "spine-p1-1", "storage-leaf-b1-1"})
EVERY = tuple(range(8))
LOSSLESS = "pg_lossless_400000_30m_profile"
ONE = PfcExpected("pfc:d:p", "d", "says", "p", (3,), "dscp", (26,), 1000)
FOUND = PortLossless("p", (3,), (3,), "dscp", (26,), (26,), (Room(3, "large", 1000),))


plan_of = sites.small


def case(dialect: str, changes: Mapping[str, Told] | None = None) -> Healthy:
    """The fabric, with some of the leaf's ports otherwise."""
    plan = plan_of(dialect)
    told = {device: dict.fromkeys(carrying(plan, device), WELL) for device in sorted(CONFIGURED)}
    told[LEAF] |= changes or {}
    texts = {device: said(dialect, ports) for device, ports in told.items()}
    return Healthy(40, plan, CONFIGURED, answered(plan, texts))


def findings(one: Healthy) -> dict[str, Finding]:
    """Of the check alone: the stage's other checks have no evidence here."""
    others = frozenset(ladder()) - {40}
    found = validate(one.plan, 40, one.store, None, one.configured, leave_out=others)
    return {each.expectation: each for each in found.findings if each.check == "pfc"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_lossless_port_of_a_healthy_fabric_passes(dialect):
    plan, found = plan_of(dialect), findings(case(dialect))
    ports = {f"pfc:{name}:{port}" for name in CONFIGURED for port in carrying(plan, name)}
    assert set(found) == ports
    assert len(ports) > len(CONFIGURED)
    assert {one.verdict for one in found.values()} == {Verdict.PASS}


ALL, SONIC = DIALECTS, ("sonic",)
WRONG = {
    "off": (ALL, Told(obeys=(), asks=()), "has PFC off"),
    "another priority": (
        ALL, Told((2,), (2,), priority_of={26: 2, 48: 6}, groups={"2": LOSSLESS}),
        "pauses priority 2",
    ),
    "one priority more": (ALL, Told((0, 3), (0, 3)), "pauses priority 0, 3"),
    "receive only": (SONIC, Told(asks=()), "obeys pauses of priority 3 and asks for those of no"),
    "send only": (SONIC, Told(obeys=()), "obeys pauses of no priority and asks for those of pri"),
    "trust CoS": (SONIC, Told(trust="pcp"), "trusts the tag's priority and not DSCP"),
    "trust both": (SONIC, Told(trust="both"), "trusts DSCP and the tag's priority"),
    "trust nothing": (SONIC, Told(trust="none"), "trusts no marking"),
    "a DSCP more": (SONIC, Told(priority_of={24: 3, 26: 3}), "puts DSCP 24 into it unplanned"),
    "the DSCP lost": (SONIC, Told(priority_of={26: 1}), "leaves DSCP 26 out of the paused class"),
    "pause of another queue": (
        SONIC, Told(stops={3: 5}), "stops no queue of DSCP 26 when it is paused",
    ),
    "data in another queue": (
        SONIC, Told(queue_of={3: 4}), "stops no queue of DSCP 26 when it is paused",
    ),
    "two classes in the queue": (
        SONIC, Told(queue_of={3: 3, 6: 3}), "stops that of DSCP 48 with it",
    ),
    "no profile": (
        SONIC, Told(groups={"0": "ingress_lossy_profile"}),
        "has no buffer profile for priority 3",
    ),
    "lossy profile": (
        SONIC, Told(groups={"0-7": "ingress_lossy_profile"}),
        "has profile ingress_lossy_profile for priority 3, which keeps no headroom",
    ),
    "small profile": (
        SONIC, Told(groups={"3": "pg_lossless_400000_1m_profile"}),
        "has profile pg_lossless_400000_1m_profile for priority 3: 1024 bytes of headroom, planned",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("dialect", "name"), [(one, name) for name in WRONG for one in WRONG[name][0]]
)
def test_one_wrong_port_fails_by_name_and_no_other(dialect, name):
    _, told, sentence = WRONG[name]
    port = carrying(plan_of(dialect), LEAF)[1]
    found = findings(case(dialect, {port: told}))
    (bad,) = [one for one in found.values() if one.verdict is not Verdict.PASS]
    assert (bad.verdict, bad.expectation) == (Verdict.FAIL, f"pfc:{LEAF}:{port}")
    assert bad.suspect == f"port {LEAF}:{port}"
    assert bad.found.startswith(f"{LEAF}:{port} {sentence}"), bad.found
    assert bad.expected.startswith("pauses priority 3 alone, both ways")
    assert port in bad.hint


@pytest.mark.parametrize("dialect", DIALECTS)
def test_where_every_port_is_wrong_the_switch_is_the_suspect(dialect):
    ports = carrying(plan_of(dialect), LEAF)
    found = findings(case(dialect, dict.fromkeys(ports, Told(obeys=(), asks=()))))
    bad = [one for one in found.values() if one.verdict is Verdict.FAIL]
    assert len(bad) == len(ports)
    assert {one.suspect for one in bad} == {f"device {LEAF}"}
    found = findings(case(dialect, dict.fromkeys(ports[1:], Told(obeys=(), asks=()))))
    assert f"device {LEAF}" not in {one.suspect for one in found.values()}


def test_a_bitmap_of_which_nobody_knows_the_base_is_never_agreement():
    port = carrying(plan_of("nxos"), LEAF)[0]
    found = findings(case("nxos", {port: Told(asks=(4,))}))
    bad = found.pop(f"pfc:{LEAF}:{port}")
    assert bad.verdict is Verdict.INCONCLUSIVE
    assert "does not tell which pauses it obeys" in bad.found
    assert {one.verdict for one in found.values()} == {Verdict.PASS}


@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_damaged_answer_passes_no_port_that_needs_it(dialect, how, tmp_path: Path):
    whole = case(dialect)
    lines = [one.command for one in whole.store if one.device == LEAF]
    assert lines
    for at, line in enumerate(lines):
        folder = tmp_path / str(at)
        folder.mkdir()
        store = lay(folder, whole, (LEAF, line), how)
        found = findings(replace(whole, store=store))
        mine = [one for name, one in found.items() if name.startswith(f"pfc:{LEAF}:")]
        assert mine
        assert Verdict.PASS not in {one.verdict for one in mine}, line
        elsewhere = [one for one in found.values() if one.device != LEAF]
        assert {one.verdict for one in elsewhere} == {Verdict.PASS}


def test_nothing_is_asked_where_nothing_can_be_told_or_nothing_is_paused():
    assert not any(answers(name).lossless for name in ("cumulus", "eos"))
    for plan in (plan_of("cumulus"), plan_of("eos"), open_site("lab")):
        made = all_expectations(plan, frozenset(plan.devices), through=40)
        assert not [one for one in made if one.check == "pfc"]
    assert list(expect.expectations(plan_of("sonic"), frozenset())) == []


def test_ports_of_users_are_not_asked():
    plan = plan_of("sonic")
    users = {
        f"pfc:{one.name}:{port.name}"
        for one in plan.switches
        for port in one.ports
        if port.plane == "business"
    }
    asked = {one.id for one in expect.expectations(plan, frozenset(plan.switch))}
    assert asked
    assert users
    assert users.isdisjoint(asked)


class Silent:
    """A host that answers nothing and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def run(self, line: str) -> None:
        """No evidence of any line."""
        self.asked.append(line)
        raise MissingEvidence(line)


@pytest.mark.parametrize(("dialect", "lines"), [("nxos", 1), ("sonic", 5)])
def test_all_that_is_missing_is_asked_for_in_one_trip(dialect, lines):
    host = Silent()
    with pytest.raises(MissingEvidence):
        ask.seen(cast("Host", host), dialect, ("a", "b", "c"))
    assert len(set(host.asked)) == lines


def test_a_dialect_without_a_reader_is_unreadable():
    with pytest.raises(Unreadable, match="eos"):
        ask.seen(cast("Host", Silent()), "eos", ("a",))


@pytest.mark.parametrize(
    ("changes", "left_open"),
    [
        ({"obeys": None}, "which pauses it obeys"),
        ({"asks": None}, "for which priorities it asks for pauses"),
        ({"trust": None}, "what it trusts"),
        ({"dscps": None}, "where its DSCPs end"),
        ({"stopped": None}, "whose queue a pause stops"),
        ({"rooms": None}, "its headroom"),
        ({"rooms": ()}, "its headroom"),
    ],
)
def test_what_is_not_told_is_inconclusive_unless_nobody_asked_for_it(changes, left_open):
    faults = Faults()
    judge("sonic", [ONE], {"p": replace(FOUND, **changes)}, faults)
    assert not faults.by_id
    assert faults.unknown_by_id["pfc:d:p"].found == f"the switch does not tell {left_open}"
    unasked = replace(ONE, trust=None, dscps=None, xoff_bytes=None)
    faults = Faults()
    judge("sonic", [unasked], {"p": replace(FOUND, **changes)}, faults)
    assert bool(faults.unknown_by_id) == (
        left_open in {"which pauses it obeys", "for which priorities it asks for pauses"}
    )


def test_one_way_told_wrong_fails_though_the_other_is_left_open():
    faults = Faults()
    judge("sonic", [ONE], {"p": replace(FOUND, obeys=None, asks=EVERY)}, faults)
    assert faults.by_id["pfc:d:p"].found.startswith("d:p asks for those of priority 0, 1")
    assert faults.by_id["pfc:d:p"].suspect == "port d:p"


def test_several_differences_are_counted_behind_the_first():
    faults = Faults()
    judge("sonic", [ONE], {"p": replace(FOUND, obeys=(), asks=(), trust="pcp", dscps=())}, faults)
    assert faults.by_id["pfc:d:p"].found == "d:p has PFC off, and 2 more"
    assert "show pfc priority p" in faults.by_id["pfc:d:p"].hint


def test_headroom_may_be_larger_and_not_smaller():
    for size, verdict in ((999, True), (1000, False), (1001, False)):
        faults = Faults()
        judge("sonic", [ONE], {"p": replace(FOUND, rooms=(Room(3, "x", size),))}, faults)
        assert bool(faults.by_id) is verdict


def test_each_system_is_asked_for_what_it_tells_and_its_sentence_says_no_more():
    made = {one: _first(one) for one in DIALECTS}
    sonic_port = made["sonic"]
    switch = plan_of("sonic").switch[LEAF]
    qos = port_qos(switch, plan_of("sonic").lossless, switch.ports[0])
    assert qos
    assert qos.headroom
    assert sonic_port.xoff_bytes == qos.headroom.xoff_bytes
    assert (sonic_port.priorities, sonic_port.trust, sonic_port.dscps) == ((3,), "dscp", (26,))
    assert str(qos.headroom.xoff_bytes) in sonic_port.says
    assert (made["nxos"].trust, made["nxos"].dscps, made["nxos"].xoff_bytes) == (None, None, None)
    assert made["nxos"].says == "pauses priority 3 alone, both ways"


def _first(dialect: str) -> PfcExpected:
    made = expect.expectations(plan_of(dialect), frozenset({LEAF}))
    return next(one for one in made if isinstance(one, PfcExpected))


def test_a_port_without_planned_numbers_is_asked_all_the_same():
    """Where the plan has no buffers for a port, any headroom will do, and none will not."""
    plan = plan_of("sonic")
    switch = plan.switch[LEAF]
    bare = replace(switch, buffers=replace(switch.buffers, ports=()))  # type: ignore[type-var]
    changed = replace(plan, switches=(bare,))
    made = list(expect.expectations(changed, frozenset({LEAF})))
    assert len(made) == len(switch.ports)
    assert {one.xoff_bytes for one in made} == {1}  # type: ignore[attr-defined]


def test_images_that_find_less_headroom_are_said_before_anything_is_measured():
    """Of the planned release only: a later one has no such image, and no table is computed."""
    plan = plan_of("sonic")
    assert {one.release for one in plan.switches if one.buffers} == {"202405"}
    (said,) = (one for one in open_ends(plan) if one.startswith("stage 40"))
    assert "before 2 November 2024" in said
    first = plan.switch[LEAF]
    assert first.buffers
    other = replace(first, buffers=replace(first.buffers, asic="spectrum3"))
    assert first.buffers.asic == "spectrum4"
    mixed = replace(plan, switches=(*plan.switches, other))
    assert [*unasked(mixed)] == [*unasked(plan)]  # said once, of however many ASICs
    later = tuple(replace(one, release="202411") for one in plan.switches)
    assert not [*unasked(replace(plan, switches=later))]
    assert not [one for one in open_ends(plan_of("nxos")) if one.startswith("stage 40")]
