"""Racks and OOB switches of a new site: from heights, powers and ports of the profiles."""

from __future__ import annotations

from dataclasses import dataclass

from inventory.topology.racks import OOB_SWITCH_UNITS

from ..schema import SwitchProfile
from .box import ceil_div
from .wish import CannotBuildError, Shelf, Wish

UNITS, POWER_W, PDUS, PDU_POWER_W = 48, 44_000, 4, 17_200
SERVERS_PER_RACK, SWITCHES_PER_RACK = 16, 16
_PORTS_OF_NODE = 2
ACCESS = "sn2201-cumulus"
# What joins the switches of racks, the smallest first, and how its cages are split.
_ABOVE = (("sn2700-frr", 2), ("sn4700-cumulus", 4), ("sn5600-cumulus", 4))


@dataclass(frozen=True, slots=True)
class Hall:
    """How a rack is filled; `power_of` are budgets where the makers publish none."""

    nodes_per_rack: int
    switches_per_rack: int
    power_of: dict[str, int]


@dataclass(frozen=True, slots=True)
class Above:
    """What the racks' switches hang on; `core` says whether several are joined."""

    profile: str
    breakout: int
    aggregations: int
    core: bool


def budget_w(profile: SwitchProfile) -> int:
    """A cautious budget: 200 W, and 50 W for each Tb/s, modules included; whole hundreds."""
    terabits = profile.ports.count * profile.ports.rate_gbps / 1000
    return 100 * ceil_div(200 + 50 * terabits, 100)


def hall(wish: Wish, shelf: Shelf) -> Hall | None:
    """How racks are filled; None for nodes without a known power, like the lab's."""
    node, switch = shelf.nodes[wish.node_profile], shelf.switches[wish.switch_profile]
    if node.power_w is None:
        return None
    own = shelf.switches[ACCESS].power_w or 0
    units, power_w = UNITS - OOB_SWITCH_UNITS, POWER_W - own
    ports = (shelf.switches[ACCESS].ports.count - PDUS) // _PORTS_OF_NODE
    per_rack = min(units // node.rack_units, power_w // node.power_w, ports, SERVERS_PER_RACK)
    if not per_rack:
        found = f"`{wish.node_profile}`, {node.rack_units} units and {node.power_w} W"
        raise CannotBuildError("--node-profile", found, f"{units} units and {power_w} W at most")
    known_w = switch.power_w or budget_w(switch)
    switches = min(SWITCHES_PER_RACK, units // switch.rack_units, power_w // known_w)
    budgets = {} if switch.power_w else {wish.switch_profile: known_w}
    return Hall(per_rack, switches, budgets)


def above(shelf: Shelf, racks: int) -> Above:
    """The smallest switches that join those of so many racks."""
    for name, ways in _ABOVE:
        ports = shelf.switches[name].ports.count
        count = ceil_div(racks, (ports - 1) * ways)
        if count == 1 or count + 1 <= ports:
            return Above(name, ways, count, count > 1)
    found = f"{racks:,} racks after growth"
    expected = f"fewer, joined by {_ABOVE[-1][0]}"
    raise CannotBuildError("--oob-switches", found, expected, "--no-oob-switches")
