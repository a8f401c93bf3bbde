"""A containerlab topology (`*.clab.yml`) of the data planes.

The OOB plane is left out: there eth0 of every device belongs to containerlab's own management
network (containerlab.dev, "Network wiring concepts").
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..plan import Plan, Plane, PortRef
from .cables import in_order
from .view import ExportError, natural

_SIMPLE = re.compile(r"Ethernet(?:1/)?(\d+)")
_EOS = re.compile(r"Ethernet\d+(?:/\d+)*")
# linux/if.h, IFNAMSIZ; containerlab makes Linux interfaces of these names.
_MAX_NAME = 15


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of containerlab node, and what it calls the ports of our plan.

    `image` takes the value of an environment variable, so that the file names no registry's tag.
    """

    name: str
    image: str
    ports: Callable[[list[str]], dict[str, str]]


def _as_named(ports: list[str]) -> dict[str, str]:
    """Linux names, as they are."""
    return {port: port.replace("/", "-")[:_MAX_NAME] for port in ports}


def _counted(ports: list[str]) -> dict[str, str]:
    """eth1 is the first cabled port: the image has its own ports, at its own lanes."""
    return {port: f"eth{at}" for at, port in enumerate(sorted(ports, key=natural), start=1)}


def _eos(ports: list[str]) -> dict[str, str]:
    """Ethernet5/1 is eth5_1 (kind arista_ceos, "Additional interface naming considerations")."""
    if not all(map(_EOS.fullmatch, ports)):
        return _counted(ports)
    return {port: port.replace("Ethernet", "eth").replace("/", "_") for port in ports}


def _nxos(ports: list[str]) -> dict[str, str]:
    """Ethernet1/5 is eth5; a broken-out port has no name of its own, so then all are counted."""
    found = {port: _SIMPLE.fullmatch(port) for port in ports}
    plain = {port: f"eth{one[1]}" for port, one in found.items() if one}
    return plain if len(plain) == len(ports) else _counted(ports)


_LINUX = Kind("linux", "${RAILBED_LINUX_IMAGE:=debian:12}", _as_named)
_SONIC = Kind("sonic-vs", "${RAILBED_SONIC_IMAGE:=docker-sonic-vs:latest}", _counted)
_CUMULUS = Kind("nvidia_cumulusvx", "${RAILBED_CUMULUS_IMAGE:=cumulus_vx:latest}", _as_named)
_CEOS = Kind("arista_ceos", "${RAILBED_CEOS_IMAGE:=ceos:latest}", _eos)
_N9KV = Kind("cisco_n9kv", "${RAILBED_N9KV_IMAGE:=cisco_n9kv:latest}", _nxos)
# By the first word of a dialect's name; the names are those of containerlab's documentation,
# manual/kinds, as are the interface names above.
KINDS = {
    "linux": _LINUX,
    "sonic": _SONIC,
    "cumulus": _CUMULUS,
    "nvue": _CUMULUS,
    "arista": _CEOS,
    "eos": _CEOS,
    "cisco": _N9KV,
    "nxos": _N9KV,
}


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
    named = {device: kinds[device].ports(them) for device, them in ports.items()}
    _no_clash(named)
    lines = [f"name: {plan.site}", "topology:", *_kinds(kinds), "  nodes:", *_nodes(kinds)]
    lines += ["  links:", *(_link(ends, named) for ends in links)]
    return "\n".join([*lines, ""])


def kind_of(plan: Plan, device: str) -> Kind:
    """A switch's kind follows from its dialect; everything else is Linux."""
    switch = plan.switch.get(device)
    if switch is None:
        return _LINUX
    kind = KINDS.get(switch.dialect.partition("_")[0])
    if kind is None:
        raise ExportError(f"{device}: we know no containerlab kind for dialect {switch.dialect}")
    return kind


def _link(ends: tuple[PortRef, PortRef], named: dict[str, dict[str, str]]) -> str:
    theirs = [named[end.device][end.port] for end in ends]
    there = ", ".join(f'"{end.device}:{name}"' for end, name in zip(ends, theirs, strict=True))
    same = theirs == [end.port for end in ends]
    return f"    - endpoints: [{there}]" + ("" if same else f"  # {ends[0]} {ends[1]}")


def _kinds(kinds: dict[str, Kind]) -> Iterator[str]:
    yield "  kinds:"
    for name, image in sorted({(kind.name, kind.image) for kind in kinds.values()}):
        yield f"    {name}:"
        yield f'      image: "{image}"'


def _nodes(kinds: dict[str, Kind]) -> Iterator[str]:
    for device in sorted(kinds, key=natural):
        yield f"    {device}:"
        yield f"      kind: {kinds[device].name}"


def _no_clash(named: dict[str, dict[str, str]]) -> None:
    for device, ports in named.items():
        if "eth0" in ports.values() or len(set(ports.values())) != len(ports):
            raise ExportError(f"{device}: two ports, or management and a port, share a name")
