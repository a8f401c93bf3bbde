"""`show interface | json` of Cisco NX-OS: ports, their MTU and their IPv4 addresses.

Form: napalm's recorded data (napalm-automation/napalm, test/nxos/mocked_data/test_get_facts/N9000
and test_get_interfaces). `eth_mtu` counts no Ethernet header: `show ip interface` has the same
figure as IP MTU (test_get_interfaces_ip there).
"""

from __future__ import annotations

from collections.abc import Iterator

from inventory.reading.fields import Unreadable, text_of
from switch_configs.answers.forms import Link, Links
from switch_configs.answers.linux.iproute import BITS, MTU
from switch_configs.answers.said import Said, count

from .cli import rows, shown

_READ = ("Ethernet", "mgmt")
_STATES = {"up": True, "down": False}


def ports(said: Said) -> Links:
    """The switch's ports. Raises Unreadable."""
    return {name: _link(name, row) for name, row in interfaces(said)}


def addresses(said: Said) -> dict[str, tuple[str, ...]]:
    """The IPv4 addresses of each port, as `address/bits`. Raises Unreadable."""
    return {name: _address(name, row) for name, row in interfaces(said)}


def interfaces(said: Said) -> Iterator[tuple[str, dict[str, object]]]:
    """The rows of ports, of the front and of management. Raises Unreadable."""
    seen: set[str] = set()
    for row in rows(shown(said), "interface"):
        name = text_of(row, "interface", "interface")
        if name in seen:
            raise Unreadable(f"NX-OS tells {name} twice")
        seen.add(name)
        if name.startswith(_READ):
            yield name, row


def _link(name: str, row: dict[str, object]) -> Link:
    wanted, state = _STATES.get(text_of(row, "admin_state", name)), text_of(row, "state", name)
    if wanted is None:
        raise Unreadable(f"{name}: {row['admin_state']!r} is neither up nor down")
    return Link(name, count(row, "eth_mtu", name, MTU), wanted, wanted and state == "up")


def _address(name: str, row: dict[str, object]) -> tuple[str, ...]:
    if "eth_ip_addr" not in row:
        return ()
    return (f"{text_of(row, 'eth_ip_addr', name)}/{count(row, 'eth_ip_mask', name, BITS)}",)
