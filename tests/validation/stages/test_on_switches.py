"""Stages 10, 20 and 40 on fabrics of EOS and of NX-OS: healthy, and with one thing broken each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from ipaddress import IPv4Network
from typing import cast

import pytest
from testinfra.host import Host

from deploy.measuring.cabling import cabling, gathered
from inventory.plan import Plan, PortRef
from tests.switch_configs.sites import small, small_with
from tests.validation.shows import nxos
from tests.validation.shows.fabric import evidence
from tests.validation.shows.state import Device, Route, cut, healthy, swap, unused
from validation.evidence import ask
from validation.evidence.gather import Reply
from validation.evidence.store import EvidenceStore, Frame
from validation.evidence.trust import Trust
from validation.judging.gate import Word, decide
from validation.run import ValidationResult, validate
from validation.stage import Faults
from validation.stages.s10_oob.checks import VerifyDevicesAnswerAtTheirPlannedAddress
from validation.stages.s10_oob.expect import AnswersExpected
from validation.verdict import Verdict

pytestmark = pytest.mark.instances(
    keep=12, of="one thing broken on a fabric of switches", but="no_answer|healthy"
)

SYSTEMS = ("eos", "nxos")
CHECKS = frozenset({"answers", "bgp", "lldp", "mtu", "route", "routes", "up"})
OTHER_STAGES = frozenset({15, 25, 30})
ROUTES = {"eos": "hardware routes", "nxos": "forwarding routes"}
LEAF, SPINE = "leaf-p1-r0", "spine-p1-1"

State = dict[str, Device]


@cache
def numbered(system: str) -> Plan:
    """The same fabric with addresses on the links of its default table."""

    def change(site: dict[str, object]) -> None:
        site["topology"]["fabric_links"] = "numbered"  # type: ignore[index]

    return small_with(system, change)


def uplink(plan: Plan) -> PortRef:
    """The leaf's first port towards the first spine: one of several."""
    return ends(plan, SPINE, LEAF)[0]


def other(plan: Plan, here: PortRef) -> PortRef:
    cable = plan.cable_at[here]
    return cable.b if cable.a == here else cable.a


def ends(plan: Plan, spine: str, leaf: str) -> list[PortRef]:
    """The ports of a leaf towards a spine."""
    mine = [PortRef(leaf, one.name) for one in plan.fabric_ports[leaf]]
    return [one for one in mine if other(plan, one).device == spine]


def judged(plan: Plan, store: EvidenceStore, through: int = 40) -> ValidationResult:
    devices = frozenset(plan.switch) | frozenset(plan.node) | {plan.oob.name}
    configured = devices - {plan.oob.name}
    return validate(plan, through, store, None, configured, leave_out=OTHER_STAGES, checks=CHECKS)


def blamed(plan: Plan, state: State, *, through: int = 20) -> dict[str, str]:
    """Suspects with what was found of the first; the gate stops."""
    result = judged(plan, evidence(plan, state), through)
    decision = decide(result, [one.expectation for one in result.findings])
    assert decision.word is Word.STOP
    assert not result.having(Verdict.INCONCLUSIVE)
    return {one.suspect: f"{one.found}; {one.hint}" for one in decision.reasons}


def fabrics() -> list[object]:
    ways = (("", small), ("-numbered", numbered))
    return [
        pytest.param(partial(way, one), id=f"{one}{word}") for one in SYSTEMS for word, way in ways
    ]


@pytest.mark.parametrize("fabric", fabrics())
def test_a_healthy_fabric_passes(fabric):
    plan = fabric()
    result = judged(plan, evidence(plan, healthy(plan)))
    assert [one for one in result.findings if one.verdict is not Verdict.PASS] == []
    assert {one.check for one in result.findings} == CHECKS - {"answers"}


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_management_address_is_read(system):
    """Stage 10 counts once the OOB server is configured; nobody asks its plane here."""
    plan, state = small(system), healthy(small(system))
    port, _ = state[SPINE].management
    state[SPINE].management = (port, "172.16.9.9/20")
    configured = frozenset(plan.devices)
    only = frozenset({"answers"})
    store = evidence(plan, state)
    found = validate(plan, 10, store, None, configured, leave_out=OTHER_STAGES, checks=only)
    (bad,) = found.having(Verdict.FAIL)
    assert (bad.suspect, "172.16.9.9/20" in bad.found) == (f"port {SPINE}:{port}", True)
    unasked = {one.device for one in found.having(Verdict.INCONCLUSIVE)}
    assert unasked == {plan.oob.name, *plan.oob_switch}


@pytest.mark.parametrize("said", ["vlan10", "Vlan10"])
def test_an_address_in_band_is_known_by_the_name_that_each_system_gives_it(monkeypatch, said):
    monkeypatch.setattr(ask, "ipv4", lambda *_: {said: ("172.16.0.21/24",)})
    plan, faults = small("eos"), Faults()
    name = min(plan.oob_switch)
    one = AnswersExpected("answers", name, "it answers", (("vlan10", "172.16.0.21/24"),))
    other = replace(one, addresses=(("vlan10", "172.16.0.22/24"),))
    check = VerifyDevicesAnswerAtTheirPlannedAddress()
    check.test(cast("Host", None), plan, (one,), faults)
    assert not faults.by_id
    check.test(cast("Host", None), plan, (other,), faults)
    assert len(faults.by_id) == 1


@pytest.mark.parametrize("fabric", fabrics())
def test_a_link_without_signal_is_its_cable(fabric):
    plan = fabric()
    state, here = healthy(plan), uplink(plan)
    cut(plan, state, here)
    assert set(blamed(plan, state)) == {f"cable {plan.cable_at[here]}"}


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_port_that_was_shut_is_named_with_what_to_type(system):
    plan = small(system)
    state, here = healthy(plan), uplink(plan)
    cut(plan, state, here, by_hand=True)
    ((suspect, said),) = blamed(plan, state).items()
    assert suspect == f"port {here}"
    assert f"`interface {here.port}`, `no shutdown` on {LEAF}" in said


@pytest.mark.parametrize("system", SYSTEMS)
def test_swapped_cables_are_a_pair(system):
    plan = small(system)
    here = uplink(plan)
    there = ends(plan, SPINE, "leaf-p1-r1")[0]
    state = healthy(plan)
    swap(plan, state, here, there)
    pair = " and ".join(sorted(str(plan.cable_at[one]) for one in (here, there)))
    assert set(blamed(plan, state)) == {f"swapped cables {pair}"}


@pytest.mark.parametrize("silent", range(4))
def test_swapped_cables_are_a_pair_though_one_end_has_heard_nobody_yet(silent):
    plan = small("eos")
    ends_of = [uplink(plan), ends(plan, SPINE, "leaf-p1-r1")[0]]
    state = healthy(plan)
    swap(plan, state, *ends_of)
    late = [*ends_of, *(other(plan, one) for one in ends_of)][silent]
    state[late.device].ports[late.port].heard = []
    pair = " and ".join(sorted(str(plan.cable_at[one]) for one in ends_of))
    assert set(blamed(plan, state)) == {f"swapped cables {pair}"}


def test_one_plug_moved_into_the_place_of_another_is_no_pair():
    """The cable that had the place is out: its far end is down, and nobody is heard there."""
    plan = small("eos")
    here = uplink(plan)
    there = ends(plan, SPINE, "leaf-p1-r1")[0]
    state = healthy(plan)
    swap(plan, state, here, there)
    for end in (there, other(plan, here)):
        port = state[end.device].ports[end.port]
        port.signal, port.heard = False, []
    cables = {f"cable {plan.cable_at[one]}" for one in (here, there)}
    assert set(blamed(plan, state)) == cables


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_session_that_is_down_over_a_good_link_is_the_session(system):
    plan = small(system)
    state, here = healthy(plan), uplink(plan)
    for end in (here, other(plan, here)):
        unused(state[end.device], end.port, "Active")
    ((suspect, said),) = blamed(plan, state).items()
    assert suspect == f"BGP over {plan.cable_at[here]}"
    assert "is Active" in said
    assert "vtysh" not in said


@pytest.mark.parametrize("system", SYSTEMS)
def test_another_asn_is_the_device(system):
    plan, state = small(system), healthy(small(system))
    state[LEAF].asn = 64512
    assert f"device {LEAF}" in blamed(plan, state)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_neighbour_of_another_asn_is_no_pass(system):
    plan = small(system)
    state, here = healthy(plan), uplink(plan)
    next(one for one in state[LEAF].sessions if one.at == here.port).peer_asn = 64512
    assert set(blamed(plan, state)) == {f"BGP over {plan.cable_at[here]}"}


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_path_that_is_not_used_is_no_pass(system):
    plan = small(system)
    state, here = healthy(plan), uplink(plan)
    (prefix, route) = _learnt(state[LEAF])
    route.ports.remove(here.port)
    ((suspect, said),) = blamed(plan, state).items()
    assert (suspect, str(prefix) in said) == (f"device {LEAF}", True)


def _learnt(device: Device) -> tuple[IPv4Network, Route]:
    """A route over all uplinks."""
    return max(
        ((key, one) for key, one in device.routes.items() if one.client == "bgp"),
        key=lambda pair: len(pair[1].ports),
    )


@pytest.mark.parametrize("fabric", fabrics())
def test_a_route_that_is_selected_and_not_programmed_is_no_pass(fabric):
    plan = fabric()
    state = healthy(plan)
    dialect = plan.switch[LEAF].dialect
    prefix, route = _learnt(state[LEAF])
    route.held = [] if dialect == "eos" else route.ports[1:]
    ((suspect, said),) = blamed(plan, state).items()
    assert suspect == f"{ROUTES[dialect]} of {LEAF}"
    assert str(prefix) in said
    assert "did not program it" in said
    assert "FRR" not in said
    assert "frr.conf" not in said


def test_a_path_that_a_line_card_has_and_routing_has_not_is_no_pass():
    plan, state = small("nxos"), healthy(small("nxos"))
    _, route = _learnt(state[LEAF])
    route.held = [*route.ports, plan.switch[LEAF].ports[0].name]
    assert set(blamed(plan, state)) == {f"forwarding routes of {LEAF}"}


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_route_that_somebody_put_there_is_the_device(system):
    plan = small(system)
    state, here = healthy(plan), uplink(plan)
    state[LEAF].routes[IPv4Network("10.16.0.64/26")] = Route("static", [here.port])
    ((suspect, said),) = blamed(plan, state).items()
    assert (suspect, "10.16.0.64/26" in said) == (f"device {LEAF}", True)
    assert "`show ip route`" in said


def test_a_route_that_only_a_line_card_has_is_the_device():
    plan = small("nxos")
    state, here = healthy(plan), uplink(plan)
    state[LEAF].stray[IPv4Network("10.16.0.64/26")] = [here.port]
    assert set(blamed(plan, state)) == {f"device {LEAF}"}


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_route_that_a_leaf_leaks_is_followed_to_it(system):
    plan, state = small(system), healthy(small(system))
    leaked = IPv4Network("10.16.0.64/26")
    port = other(plan, uplink(plan)).port
    state[SPINE].routes[leaked] = Route("bgp", [port])
    assert set(blamed(plan, state)) == {f"device {LEAF}"}


@pytest.mark.parametrize("system", SYSTEMS)
def test_another_mtu_is_its_port_with_what_to_type(system):
    plan = small(system)
    state, here = healthy(plan), uplink(plan)
    planned = state[LEAF].ports[here.port].mtu
    state[LEAF].ports[here.port].mtu = 1500
    ((suspect, said),) = blamed(plan, state, through=40).items()
    assert suspect == f"port {here}"
    assert f"`interface {here.port}`, `mtu {planned}` on {LEAF}" in said


def test_a_switched_port_of_eos_may_carry_more_and_not_less():
    plan, state = small("eos"), healthy(small("eos"))
    device, name = next(
        (one, name)
        for one in plan.switch
        for name, port in state[one].ports.items()
        if port.switched
    )
    state[device].ports[name].mtu = 10178
    result = judged(plan, evidence(plan, state))
    assert not result.having(Verdict.FAIL)
    state[device].ports[name].mtu = 1500
    assert set(blamed(plan, state, through=40)) == {f"port {device}:{name}"}


@pytest.mark.parametrize("system", SYSTEMS)
def test_lldp_that_is_off_is_the_device_and_not_its_cables(system):
    plan, state = small(system), healthy(small(system))
    state[LEAF].runs_lldp = False
    for one in state.values():
        for port in one.ports.values():
            port.heard = [who for who in port.heard if who[0] != LEAF]
    ((suspect, said),) = blamed(plan, state).items()
    assert suspect == f"device {LEAF}"
    assert "LLDP is switched off" in said


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_switch_without_bgp_is_the_device(system):
    plan, state = small(system), healthy(small(system))
    state[LEAF].runs_bgp = False
    for name, port in [(LEAF, one.name) for one in plan.fabric_ports[LEAF]]:
        for end in (PortRef(name, port), other(plan, PortRef(name, port))):
            unused(state[end.device], end.port)
    assert f"device {LEAF}" in blamed(plan, state)


Damage = Callable[[Frame], bytes]
DAMAGE: dict[str, Damage] = {
    "nothing at all": lambda _: b"",
    "cut": lambda frame: frame.payload[: len(frame.payload) // 2],
    "an error with status 0": lambda _: b"% Internal error\n",
    "an empty document": lambda _: b"{}\n",
    "an error in the document": lambda _: b'{"errors": ["Internal error"]}\n',
}


def _told(frame: Frame, payload: bytes) -> Frame:
    digest = hashlib.sha256(payload).hexdigest()
    return replace(frame, payload=payload, byte_length=len(payload), sha256=digest)


@pytest.mark.instances(keep=1)
@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("system", SYSTEMS)
def test_what_is_no_answer_is_no_pass(system, how):
    """Each line that the healthy fabric read, told otherwise, leaves its checks inconclusive."""
    plan = small(system)
    whole = evidence(plan, healthy(plan))
    needing = {
        (item.device, line): item.expectations
        for item in judged(plan, whole).items
        for device, line in item.frames
        if device == item.device == LEAF
    }
    lines = {line for _, line in needing}
    assert len(lines) == {"eos": 4, "nxos": 5}[system]
    store = EvidenceStore()
    store.add(
        _told(frame, DAMAGE[how](frame)) if (frame.device, frame.command) in needing else frame
        for frame in whole
    )
    found = {one.expectation: one for one in judged(plan, store).findings}
    asked = {name for names in needing.values() for name in names}
    assert asked
    assert {found[name].verdict for name in asked} == {Verdict.INCONCLUSIVE}


def test_a_flow_is_not_asked_of_a_kernel_that_does_not_forward():
    """An `ip route get` there would name the wrong uplink."""
    from inventory.reading.fields import Unreadable
    from validation.evidence import ask

    class Never:
        def run(self, line: str) -> None:
            raise AssertionError(line)

    for system in SYSTEMS:
        with pytest.raises(Unreadable, match="hardware"):
            ask.port_taken(Never(), None, "Ethernet1/1", 49152, system)  # type: ignore[arg-type]


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_cabling_report_reads_these_switches(system):
    """Two plugs to exchange are one step, and each switch is asked in its own words."""
    plan = small(system)
    here = uplink(plan)
    there = ends(plan, SPINE, "leaf-p1-r1")[0]
    state = healthy(plan)
    found = cabling(plan, evidence(plan, state), Trust.of(plan, {}))
    assert (found.exit_code, found.steps, found.unknown) == (0, (), ())
    swap(plan, state, here, there)
    found = cabling(plan, evidence(plan, state), Trust.of(plan, {}))
    assert found.exit_code == 1
    assert len(found.steps) == 1, "two plugs change places"
    asked: dict[str, str] = {}
    gathered(plan, Listener(asked))
    assert all(
        ("show lldp neighbors detail" in asked[one]) == (one in plan.switch) for one in asked
    )
    assert all(("lldpcli" in asked[one]) == (one in plan.node) for one in asked)


class Listener:
    """Notes what each device is asked, and does not answer."""

    def __init__(self, asked: dict[str, str]) -> None:
        self.asked = asked

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        framed = script.partition("begin-")[2].partition("frame 1")[2]
        self.asked[device] = framed or script
        return Reply(b"", 255, "no route to host")


def test_documents_are_as_their_switches_print_them():
    """Lone rows are objects, several are lists, none leave the table out."""
    one, two = nxos.table("x", [{"a": 1}]), nxos.table("x", [{"a": 1}, {"a": 2}])
    assert json.dumps(one) == '{"TABLE_x": {"ROW_x": {"a": 1}}}'
    assert isinstance(two["TABLE_x"]["ROW_x"], list)  # type: ignore[index]
    assert nxos.table("x", []) == {}
