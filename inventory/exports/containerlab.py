"""A containerlab topology (`*.clab.yml`) of the data planes.

The OOB plane is left out: there eth0 of every device belongs to containerlab's own management
network (containerlab.dev, "Network wiring concepts").
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..plan import Plan, Plane, PortRef
from ..switches.abilities import Containerlab, of
from .cables import in_order
from .view import ExportError, natural

# linux/if.h, IFNAMSIZ; containerlab makes Linux interfaces of these names.
_MAX_NAME = 15


def _as_named(ports: list[str]) -> dict[str, str]:
    """Linux names, as they are."""
    return {port: port.replace("/", "-")[:_MAX_NAME] for port in ports}


def _counted(ports: list[str]) -> dict[str, str]:
    """eth1 is the first cabled port: the image has its own ports, at its own lanes."""
    return {port: f"eth{at}" for at, port in enumerate(sorted(ports, key=natural), start=1)}


def _matched(pattern: str, ports: list[str]) -> dict[str, str]:
    """What the pattern's group holds, behind `eth`; where a port is of another form, all counted.

    kind arista_ceos, "Additional interface naming considerations": Ethernet5/1 is eth5_1.
    """
    found = {port: re.fullmatch(pattern, port) for port in ports}
    named = {port: f"eth{one[1]}".replace("/", "_") for port, one in found.items() if one}
    return named if len(named) == len(ports) else _counted(ports)


# containerlab's documentation, manual/kinds, as all kinds and interface names.
_LINUX = Containerlab(kind="linux", image="${RAILBED_LINUX_IMAGE:=debian:12}", ports="as named")


def _named(how: str, ports: list[str]) -> dict[str, str]:
    match how:
        case "as named":
            return _as_named(ports)
        case "counted":
            return _counted(ports)
        case pattern:
            return _matched(pattern, ports)


def containerlab_yaml(plan: Plan, plane: Plane | None = None) -> str:
    """The text of a `*.clab.yml`.

    A comment says what the plan calls the ports of a link where containerlab renames them.
    """
    if plane == "oob":
        raise ExportError("containerlab has a management network of its own; name a data plane")
    links = [
        (lower, upper) for cable, lower, upper in in_order(plan, plane) if cable.plane != "oob"
    ]
    ports: dict[str, list[str]] = defaultdict(list)
    for end in (end for link in links for end in link):
        ports[end.device].append(end.port)
    kinds = {device: kind_of(plan, device) for device in ports}
    named = {device: _named(kinds[device].ports, them) for device, them in ports.items()}
    _no_clash(named)
    lines = [f"name: {plan.site}", "topology:", *_kinds(kinds), "  nodes:", *_nodes(kinds)]
    lines += ["  links:", *(_link(ends, named) for ends in links)]
    return "\n".join([*lines, ""])


def kind_of(plan: Plan, device: str) -> Containerlab:
    """A switch's kind follows from its dialect; everything else is Linux."""
    switch = plan.switch.get(device)
    if switch is None:
        return _LINUX
    kind = of(switch.dialect).containerlab
    if kind is None:
        raise ExportError(f"{device}: we know no containerlab kind for dialect {switch.dialect}")
    return kind


def _link(ends: tuple[PortRef, PortRef], named: dict[str, dict[str, str]]) -> str:
    theirs = [named[end.device][end.port] for end in ends]
    there = ", ".join(f'"{end.device}:{name}"' for end, name in zip(ends, theirs, strict=True))
    same = theirs == [end.port for end in ends]
    return f"    - endpoints: [{there}]" + ("" if same else f"  # {ends[0]} {ends[1]}")


def _kinds(kinds: dict[str, Containerlab]) -> Iterator[str]:
    yield "  kinds:"
    for name, image in sorted({(kind.kind, kind.image) for kind in kinds.values()}):
        yield f"    {name}:"
        yield f'      image: "{image}"'


def _nodes(kinds: dict[str, Containerlab]) -> Iterator[str]:
    for device in sorted(kinds, key=natural):
        yield f"    {device}:"
        yield f"      kind: {kinds[device].kind}"


def _no_clash(named: dict[str, dict[str, str]]) -> None:
    for device, ports in named.items():
        if "eth0" in ports.values() or len(set(ports.values())) != len(ports):
            raise ExportError(f"{device}: two ports, or management and a port, share a name")
