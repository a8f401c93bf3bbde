"""A switch of the OOB plane: one bridge, a VLAN for each zone, its address on an SVI or eth0.

That access ports do not see each other is said in a file of ACL rules (`isolation`): NVUE has
no private VLANs and no word for isolated ports.
"""

from __future__ import annotations

from inventory.plan import OobPort
from switch_configs.errors import DialectError
from switch_configs.intent import OobIntent

from .. import values
from ..tree import Tree, put
from ..words import Words, words
from .bridging import BRIDGE, vlan
from .interfaces import breakouts, in_vrf, management, physical


def oob(intent: OobIntent, tree: Tree) -> None:
    """Ports, VLANs and the switch's own address."""
    switch, tongue = intent.switch, words(intent.switch.release)
    numbers = {zone.name: zone.vlan for zone in intent.zones}
    for number in numbers.values():
        vlan(switch.name, tree, number)
    for port in switch.ports:
        _port(switch.name, port, numbers, tree)
    breakouts(switch.name, tree, _ways(intent), switch.hardware.lanes)
    if switch.management.port.startswith("vlan"):
        _svi(intent, numbers, tongue, tree)
    else:
        management(switch.name, switch.management, tongue, tree)
    put(tree, "qos", "mapping", "default-global", "trust", value="port")
    put(tree, "qos", "mapping", "default-global", "port-default-sp", value=0)


def _port(device: str, port: OobPort, numbers: dict[str, int], tree: Tree) -> None:
    at = values.name(device, port.name, "port")
    physical(device, at, port.rate_gbps, port.description, tree)
    above = ("interface", at, "bridge", "domain", BRIDGE)
    if port.isolated:
        if len(port.zones) != 1:
            raise DialectError(f"{device}: {at} is isolated and in {len(port.zones)} zones")
        put(tree, *above, "access", value=numbers[port.zones[0]])
        return
    put(tree, *above, "untagged", value="none")
    for zone in port.zones:
        put(tree, *above, "vlan", numbers[zone])


def _ways(intent: OobIntent) -> dict[str, int]:
    """How cages are split: all alike, because the plan does not say it of each."""
    split = {port.name: values.cage(port.name) for port in intent.switch.ports}
    most = max((found[1] for found in split.values() if found), default=0)
    ways = next(one for one in (2, 4, 8) if one > most)
    return {name: ways if found else 1 for name, found in split.items()}


def _svi(intent: OobIntent, numbers: dict[str, int], tongue: Words, tree: Tree) -> None:
    own = intent.switch.management
    at = own.port
    if at != f"vlan{numbers[own.zone]}":
        raise DialectError(f"{intent.switch.name}: {at} is not the VLAN of zone {own.zone}")
    put(tree, "interface", at, "type", value="svi")
    put(tree, "interface", at, "vlan", value=numbers[own.zone])
    put(tree, "interface", at, tongue.ipv4, "address", own.address)
    put(tree, "interface", at, tongue.ipv4, "gateway", own.gateway)
    in_vrf(tree, at, "mgmt", tongue)
