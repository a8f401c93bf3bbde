"""`show interfaces | json` of Arista EOS: ports, their MTU and their IPv4 addresses.

Form: ANTA's and napalm's recorded data (aristanetworks/anta,
tests/units/anta_tests/test_interfaces.py; napalm, test/eos/mocked_data/test_get_interfaces). `mtu`
of a routed port is its IP MTU, of a switched one what a frame may hold beside its header: ANTA
judges them apart (VerifyL3MTU, VerifyL2MTU). A port that was shut down is `disabled` (EOS User
Manual, Ethernet Ports).
"""

from __future__ import annotations

from collections.abc import Iterator

from inventory.reading.fields import mapping, needed, sequence, text_of
from switch_configs.answers.forms import Link, Links
from switch_configs.answers.linux.iproute import BITS, MTU
from switch_configs.answers.said import Said

from .cli import shown

_READ = ("Ethernet", "Management", "Port-Channel")
_NO_ADDRESS = "0.0.0.0"  # noqa: S104 # how EOS prints that there is none


def ports(said: Said) -> Links:
    """The switch's ports. Raises Unreadable."""
    return {name: _link(name, one) for name, one in interfaces(said)}


def addresses(said: Said) -> dict[str, tuple[str, ...]]:
    """The IPv4 addresses of each port, as `address/bits`. Raises Unreadable."""
    found: dict[str, tuple[str, ...]] = {}
    for name, one in interfaces(said):
        held: set[str] = set()
        for entry in sequence(needed(one, "interfaceAddress", name), name):
            told = mapping(entry, name)
            more = sequence(told.get("secondaryIpsOrderedList", []), name)
            rows = [mapping(row, name) for row in (needed(told, "primaryIp", name), *more)]
            held |= {_address(row, name) for row in rows} - {""}
        found[name] = tuple(sorted(held))
    return found


def interfaces(said: Said) -> Iterator[tuple[str, dict[str, object]]]:
    """The entries of ports, of the front and of management. Raises Unreadable."""
    told = mapping(needed(shown(said), "interfaces", "EOS"), "interfaces")
    for name, entry in sorted(told.items()):
        if name.startswith(_READ):
            yield name, mapping(entry, name)


def _link(name: str, one: dict[str, object]) -> Link:
    status, line = text_of(one, "interfaceStatus", name), text_of(one, "lineProtocolStatus", name)
    is_routed = text_of(one, "forwardingModel", name) == "routed"
    is_up = status == "connected" and line == "up"
    return Link(name, MTU.of(one, "mtu", name), status != "disabled", is_up, not is_routed)


def _address(row: dict[str, object], name: str) -> str:
    address = text_of(row, "address", name)
    return "" if address == _NO_ADDRESS else f"{address}/{BITS.of(row, 'maskLen', name)}"
