"""Stages 25 and 42: each thing that differs fails with its switch or cable as the suspect."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inventory.reading.fields import Unreadable
from switch_configs.answers.linux import routing
from switch_configs.answers.linux import state as switch_state
from tests.validation.healthy import Healthy, answered, stage_25, stage_42
from validation.evidence.store import EvidenceStore
from validation.ladder import ladder
from validation.run import validate
from validation.stages.s25_switch_state import ask
from validation.stages.s42_loss.wire import command, terms
from validation.verdict import Finding, Verdict

LEAF = "leaf-p1-r0"


def bad(case: Healthy, changed: dict[str, str], device: str = LEAF) -> list[Finding]:
    """What does not pass when one device answers otherwise."""
    said = {name: dict[str, str]() for name in sorted(case.configured)}
    for frame in case.store:
        said[frame.device][frame.command] = frame.payload.decode()
    said[device].update(changed)
    return judged(case, answered(case.plan, said))


def judged(case: Healthy, store: EvidenceStore) -> list[Finding]:
    others = frozenset(ladder()) - {case.stage}
    found = validate(case.plan, case.stage, store, None, case.configured, leave_out=others)
    return [one for one in found.findings if one.verdict is not Verdict.PASS]


def frr_file(text: str) -> str:
    lines = stage_25.files(stage_25.healthy().plan, LEAF).splitlines(keepends=True)
    return "".join(text if line.startswith("/etc/frr/frr.conf ") else line for line in lines)


OWN = ask.files_of(stage_25.healthy().plan, LEAF)
FILES, FRR = ask.files_line(OWN), ask.frr_line(OWN)
CASES = {
    "files": ({FILES: frr_file("/etc/frr/frr.conf -\n")}, "is missing"),
    "mode": ({FILES: frr_file(f"/etc/frr/frr.conf 666 frr:frr {'0' * 64}\n")}, "other content"),
    "frr": ({FRR: "\nLines To Add\n====\nno ip prefix-list X\nend\n"}, "no ip prefix-list X"),
    "services": ({ask.FAILED: "lldpd.service loaded failed failed LLDP\nend\n"}, "lldpd.service"),
    "filters": ({ask.FILTERS: stage_25.RULES.replace("drop", "accept")}, "-tcp dport 22 drop"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_differs_is_said_and_its_switch_is_the_suspect(name):
    changed, words = CASES[name]
    (found,) = bad(stage_25.healthy(), changed)
    assert (found.verdict, found.suspect) == (Verdict.FAIL, f"device {LEAF}")
    assert words in found.found.replace("- ", "-")


def test_a_setting_by_hand_is_named_with_both_values():
    case = stage_25.healthy()
    line = next(one.command for one in case.store if one.command.startswith("sysctl "))
    text = stage_25.switch_says(case.plan, LEAF)[line]
    (found,) = bad(case, {line: text.replace("hash_policy = 1", "hash_policy = 0", 1)})
    assert "hash_policy is 0, not 1" in found.found


@pytest.mark.parametrize("head", ["Delete", "Add"])
def test_the_name_before_the_lease_is_no_difference_and_any_other_is(head):
    """After a power cycle FRR is there before the lease, and shows the name of then."""
    case = stage_25.healthy()
    nameless = "no hostname localhost\n" if head == "Add" else "hostname localhost\n"
    other = nameless.replace("localhost", "localhost2")
    said = f"\nLines To {head}\n====\n{nameless}"
    assert bad(case, {FRR: f"{said}end\n"}) == []
    (found,) = bad(case, {FRR: f"{said}{other}end\n"})
    assert other.strip() in found.found
    assert found.suspect == f"device {LEAF}"


def test_a_secret_that_frr_shows_is_masked():
    text = "\nLines To Delete\n====\nneighbor swp5 password s3cret\nend\n"
    (found,) = bad(stage_25.healthy(), {FRR: text})
    assert "s3cret" not in found.found


def bfd(case: Healthy, device: str, **changes: object) -> dict[str, str]:
    peers = json.loads(stage_25.bfd(case.plan, device))
    peers[0].update(changes)
    return {ask.BFD: json.dumps(peers)}


def test_bfd_that_is_not_there_names_the_end_without_it():
    """The other end has it and says down: the end without it is the suspect of both."""
    case = stage_25.healthy()
    said = {name: dict[str, str]() for name in sorted(case.configured)}
    for frame in case.store:
        said[frame.device][frame.command] = frame.payload.decode()
    said[LEAF][ask.BFD] = json.dumps(json.loads(stage_25.bfd(case.plan, LEAF))[1:])
    said["spine1"].update(bfd(case, "spine1", status="down"))
    found = judged(case, answered(case.plan, said))
    assert {one.check for one in found} == {"bfd"}
    assert {one.suspect for one in found} == {f"device {LEAF}"}


@pytest.mark.parametrize("way", ["", "remote-"])
def test_slow_bfd_names_the_end_that_is_slow(way):
    case = stage_25.healthy()
    found = bad(case, bfd(case, LEAF, **{f"{way}detect-multiplier": 10}))
    assert {one.suspect for one in found} == {"device spine1" if way else f"device {LEAF}"}


def test_what_is_read_of_bfd_is_what_frr_prints():
    """Captured on a leaf of the lab: two sessions on unnumbered ports."""
    case = stage_25.healthy()
    text = (Path(__file__).parents[2] / "evidence/frr/bfd_peers.json").read_text()
    found = switch_state.bfd_peers(text)
    assert sorted(found) == ["swp5", "swp6"]
    made = switch_state.bfd_peers(stage_25.bfd(case.plan, LEAF))
    assert list(found.values()) == list(made.values())


def test_a_session_that_is_down_and_of_no_port_is_passed_over():
    """As bfdd prints what a neighbour left that was plugged elsewhere; an up one is no answer."""
    text = (Path(__file__).parents[2] / "evidence/frr/bfd_peers.json").read_text()
    stale = {**json.loads(text)[0], "peer": "fe80::413:7fff:fe2f:620a", "status": "down"}
    del stale["interface"]
    known = switch_state.bfd_peers(text)
    assert switch_state.bfd_peers(json.dumps([stale, *json.loads(text)])) == known
    with pytest.raises(Unreadable, match="interface"):
        switch_state.bfd_peers(json.dumps([{**stale, "status": "up"}, *json.loads(text)]))


def test_one_lost_packet_is_let_go_and_two_are_not():
    case = stage_42.healthy()
    some = stage_42.mine(case.plan, case.configured, LEAF)
    most = terms().most_lost
    assert bad(case, stage_42.leaf_says(some, most)) == []
    found = bad(case, stage_42.leaf_says(some, most + 1))
    assert {one.suspect for one in found} == {
        f"cable {case.plan.cable_at[one.here]}" for one in some
    }
    assert {one.verdict for one in found} == {Verdict.FAIL}


def links(device: str, port: str, mtu_bytes: int) -> str:
    """What ip(8) of iproute2 prints of one device's port; of its others nothing is known."""
    flags = ["BROADCAST", "UP", "LOWER_UP"]
    return json.dumps([{"ifname": port, "mtu": mtu_bytes, "flags": flags, "of": device}])


@pytest.mark.parametrize("end", ["switch", "NIC"])
@pytest.mark.parametrize(("mtu_bytes", "is_blamed"), [(1300, True), (1427, True), (1428, False)])
def test_a_port_whose_own_mtu_explains_the_loss_takes_its_cable_off_the_list(
    end, mtu_bytes, is_blamed
):
    """1,400 bytes, 8 of ICMP and 20 of IPv4: what carries these loses none for its MTU."""
    case = stage_42.healthy()
    some = stage_42.mine(case.plan, case.configured, LEAF)
    wire = next(one for one in some if one.there.device in case.plan.node)
    blamed = wire.here if end == "switch" else wire.there
    said = {name: dict[str, str]() for name in sorted(case.configured)}
    said[LEAF] |= stage_42.leaf_says(some, terms().most_lost + 1)
    said[blamed.device][routing.LINKS] = links(blamed.device, blamed.port, mtu_bytes)
    found = {one.expectation: one for one in judged(case, answered(case.plan, said))}
    one = found[f"wire:{wire.here}"]
    cable = f"cable {case.plan.cable_at[wire.here]}"
    assert one.verdict is Verdict.FAIL
    assert one.suspect == (f"port {blamed}" if is_blamed else cable)
    assert ("reseat the cable" in one.hint) is not is_blamed
    assert (f"{blamed} has IP MTU {mtu_bytes}" in one.found) is is_blamed
    others = {other.suspect for name, other in found.items() if name != f"wire:{wire.here}"}
    assert others
    assert all(name.startswith("cable ") for name in others if LEAF in name)


def test_a_ping_of_another_size_or_count_is_no_answer():
    """More packets than asked, another target, a port twice: inconclusive or unreadable."""
    case = stage_42.healthy()
    some = stage_42.mine(case.plan, case.configured, LEAF)
    text = stage_42.leaf_says(some)[command(some)]
    for changed in (text.replace("50 packets", "60 packets"), text.replace("swp5", "swp4")):
        found = bad(case, {command(some): changed})
        assert found
        assert {one.verdict for one in found} == {Verdict.INCONCLUSIVE}
    with pytest.raises(Unreadable, match="twice"):
        switch_state.wires(text.replace("swp2", "swp1"))
