"""Rules for as-built data: it may only speak of devices and ports that the site has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .asbuilt import Built
from .model import Fabric
from .oob import ACCESS_PORT
from .problems import Problem, close_to, one_of
from .schema import NodeProfile, SwitchProfile

# A guess costs a comparison with every name of the site.
_MOST_HINTS = 50


def devices_are_known(fabric: Fabric) -> Iterator[Problem]:
    """A row of a mistyped device would leave the real one without its identity."""
    known = known_ports(fabric)
    later = _later(fabric)
    hints = 0
    for device, port, built in _rows(fabric):
        if device not in known:
            hint = "not built yet: raise the counts in topology" if device in later else ""
            if not hint and hints < _MOST_HINTS:
                hint, hints = close_to(device, known), hints + 1
            yield built.row.problem(0, f"`{device}`", "a device of this site", hint)
        elif port is not None and port not in known[device]:
            ports = known[device]
            few = one_of(sorted(ports)) if len(ports) <= 4 else f"a port of {device}"
            yield built.row.problem(1, f"`{port}`", few, close_to(port, ports))


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
    shape = fabric.shape
    return {
        fabric.intent.oob.server: frozenset({ACCESS_PORT}),
        **dict.fromkeys(shape.leaves, _switch_ports(fabric.leaf_profile)),
        **dict.fromkeys(shape.spine_numbers, _switch_ports(fabric.spine_profile)),
        **dict.fromkeys(shape.nodes, node_ports(fabric.node_profile)),
    }


def node_ports(profile: NodeProfile) -> frozenset[str]:
    """Return the ports of a kind of server: management, BMC, and the NICs of every plane."""
    nics = (*profile.rails, *profile.storage, *profile.business)
    bmc = {profile.bmc.port} if profile.bmc else set()
    return frozenset({profile.management_port, *bmc, *(nic.port for nic in nics)})


def _switch_ports(profile: SwitchProfile) -> frozenset[str]:
    return frozenset({profile.management_port, *profile.port_names})


def _later(fabric: Fabric) -> set[str]:
    grown = fabric.shape.at_maxima
    return {*grown.leaves, *grown.spine_numbers, *grown.nodes}
