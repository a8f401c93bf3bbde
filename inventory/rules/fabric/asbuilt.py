"""Rules for as-built data: it may only speak of devices and ports that the site has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inventory.model import Fabric
from inventory.oob import plane as oob
from inventory.problems import Problem, few_hints, one_of
from inventory.schema import NodeProfile, SwitchProfile
from inventory.topology.asbuilt import Built
from inventory.topology.racks import layout

_LATER = "not built yet: raise the counts in topology"
_ABSENT = "topology.absent says that it is not built"


def devices_are_known(fabric: Fabric) -> Iterator[Problem]:
    """A row of a mistyped device would leave the real one without its identity."""
    known = known_ports(fabric)
    later: frozenset[str] | None = None
    of_devices, of_ports = few_hints(), few_hints()
    for device, port, built in _rows(fabric):
        if device not in known:
            later = fabric.names_at_maxima if later is None else later
            hint = _LATER if device in later else ""
            hint = _ABSENT if device in fabric.population.absent else hint
            hint = hint or of_devices(device, known)
            yield built.row.problem(0, f"`{device}`", "a device of this site", hint)
        elif port is not None and port not in known[device]:
            ports = known[device]
            few = one_of(sorted(ports)) if len(ports) <= 4 else f"a port of {device}"
            yield built.row.problem(1, f"`{port}`", few, of_ports(port, ports))


def serials_are_unique(fabric: Fabric) -> Iterator[Problem]:
    """One serial number on two devices: one of the rows is from another machine."""
    owners: dict[str, str] = {}
    for device, _, built in _rows(fabric):
        owner = owners.setdefault(built.serial, device)
        if owner != device:
            found, hint = f"the serial {built.serial} again", f"{owner} has it"
            yield built.row.problem(3, found, "each serial on one device", hint)


def _rows(fabric: Fabric) -> Iterator[tuple[str, str | None, Built]]:
    """Every row: device, port (None for the chassis), and what was built."""
    for (device, port), built in fabric.asbuilt.ports.items():
        yield device, port, built
    for device, built in fabric.asbuilt.chassis.items():
        yield device, None, built


def known_ports(fabric: Fabric) -> Mapping[str, frozenset[str]]:
    """Return the ports that a row may name, by device: all those its profile has."""
    said = fabric.intent.oob
    trunk = {said.ports.trunk} if said.switches else set[str]()
    out = {said.server: frozenset({said.ports.access, *trunk})}
    switches = {name: _switch_ports(one) for name, one in fabric.switch_profiles.items()}
    out |= {name: switches[one] for name, one in fabric.profile_of_switch.items()}
    nodes = {name: node_ports(one) for name, one in fabric.node_profiles.items()}
    population = fabric.population
    out |= {name: nodes[population.profile_of(at)] for name, at in population.nodes.items()}
    places = layout(fabric)
    if places is not None:
        seats = oob.seats(fabric, places)
        for seat in (*seats.pdus.values(), *seats.seats.values()):
            out.setdefault(seat.device, frozenset({seat.device_port}))
    return out


def node_ports(profile: NodeProfile) -> frozenset[str]:
    """Return the ports of a kind of server: management, BMC, and the NICs of every plane."""
    nics = (*profile.rails, *profile.storage, *profile.business)
    bmc = (profile.bmc.port,) if profile.bmc else ()
    return frozenset({profile.management_port, *bmc, *(nic.port for nic in nics)})


def _switch_ports(profile: SwitchProfile) -> frozenset[str]:
    return frozenset({profile.management_port, *profile.port_names})
