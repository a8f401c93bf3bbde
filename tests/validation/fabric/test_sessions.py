"""Sessions come up where both ends agree, and nothing is said of ends that were not read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from switch_configs.readback.facts import PortFacts
from validation.fabric.sessions import cable_port, sessions

from .made import Made, clos


def ends(made: Made, without: tuple[str, ...] = ()) -> tuple[int, list[str], int]:
    found = sessions(made.network(without))
    return (
        len(found.up),
        [f"{one.box.name}: {one.why}" for one in found.unmatched],
        len(found.open_ended),
    )


def numbered() -> Made:
    """Two boxes over one cable with addresses."""
    made = clos(1, 1)
    for (name, port), mine, far in (
        (made.wires[0].low, "10.254.0.0/31", "10.254.0.1"),
        (made.wires[0].high, "10.254.0.1/31", "10.254.0.0"),
    ):
        _port(made, name, port, addresses=(mine,), description="")
        made.session((name, port), key=far)
    return made


def _port(made: Made, name: str, port: str, **changes: object) -> None:
    kept = made.facts[name].ports
    some = (replace(one, **changes) if one.name == port else one for one in kept)  # type: ignore[arg-type]
    made.change(name, ports=tuple(some))


def test_ports_and_addresses_both_lead_to_the_other_end():
    assert ends(clos(2, 2)) == (4, [], 0)
    assert ends(numbered()) == (1, [], 0)


def test_an_end_by_port_meets_one_by_address():
    made = numbered()
    made.session(("spine0", "10.254.0.0"), key="swp0")
    assert ends(made) == (1, [], 0)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (1, "spine0 expects AS 1, and leaf0 is AS 65100"),
        ("internal", "spine0 expects AS internal, and leaf0 is AS 65100"),
        (None, "spine0 expects AS of nobody: none is said, and leaf0 is AS 65100"),
    ],
)
def test_another_as_than_expected_is_refused_at_both_ends(asked, why):
    made = clos(1, 1)
    made.session(made.wires[0].high, peer_asn=asked)
    assert ends(made) == (0, [f"leaf0: {why}", f"spine0: {why}"], 0)


def test_external_is_any_other_as():
    made = clos(1, 1)
    made.session(made.wires[0].high, peer_asn="external")
    made.session(made.wires[0].low, peer_asn="external")
    assert ends(made) == (1, [], 0)
    made.change("leaf0", asn=65000)
    assert ends(made)[0] == 0


def test_one_end_is_none():
    made = clos(1, 1)
    made.change("spine0", sessions=())
    assert ends(made) == (0, ["leaf0: no session there leads here"], 0)
    made.change("spine0", asn=None)
    assert ends(made) == (0, ["leaf0: no BGP there"], 0)


def test_addresses_must_meet():
    made = numbered()
    made.session(("spine0", "10.254.0.0"), key="10.254.9.9")
    up, why, _ = ends(made)
    assert (up, why) == (0, ["leaf0: no session there leads here"])


def test_a_port_in_another_table_carries_no_session_of_this_one():
    made = clos(1, 1)
    _port(made, "leaf0", "swp0", vrf="users")
    up, why, _ = ends(made)
    assert up == 0
    assert why[0] == "leaf0: the port is in table users"


def test_what_was_not_read_is_not_judged():
    assert ends(clos(2, 2), without=("spine1",)) == (2, [], 2)


def test_a_subinterface_is_on_the_cable_of_its_port():
    made = clos(1, 1)
    for name, port in (made.wires[0].low, made.wires[0].high):
        tagged = PortFacts(f"{port}.300", 9216, (), "", vrf="users")
        made.change(name, ports=(*made.facts[name].ports, tagged))
        made.session((name, port), key=f"{port}.300", vrf="users")
    found = sessions(made.network())
    assert [(one.a.cable, one.b.cable) for one in found.up] == [("leaf0:swp0", "spine0:swp0")]
    assert [cable_port(one) for one in ("swp1.300", "swp1", "Ethernet1/1.2", "eth1.x")] == [
        "swp1",
        "swp1",
        "Ethernet1/1",
        "eth1.x",
    ]


def test_a_session_over_loopbacks_is_not_judged():
    made = clos(1, 1)
    made.session(made.wires[0].low, key="10.255.1.2")
    found = sessions(made.network())
    assert (len(found.open_ended), len(found.remote)) == (0, 1)
