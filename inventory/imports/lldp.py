"""What switches hear by LLDP: `lldpcli -f json show neighbors` (lldpcli(8)), a file a switch.

`json` keys interfaces and systems by name and prints a lone one without its list; `json0`
always prints lists. Both are read. A port id of the type `mac` is the MAC of the port that
speaks (IEEE 802.1AB, 8.5.3); a chassis id of that type is one of some port of the device.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from inventory.topology.asbuilt import plain_mac

from ..plan import PortRef
from ..problems import Problem
from .sightings import Sighting

Fields = dict[str, object]


def read_neighbours(
    text: str, file: str, switch: str
) -> tuple[tuple[Sighting, ...], tuple[Problem, ...]]:
    """Return all that one switch hears. Never raises; what is no such output is a problem."""
    try:
        lldp = json.loads(text)["lldp"]
    except (ValueError, KeyError, TypeError, RecursionError):
        expected = "the output of `lldpcli -f json show neighbors`"
        return (), (Problem(file, 1, 1, "", "something else", expected),)
    return tuple(_sightings(lldp, file, switch)), ()


def _sightings(lldp: object, file: str, switch: str) -> Iterator[Sighting]:
    for name, entry in _interfaces(lldp):
        system, chassis = _chassis(entry.get("chassis"))
        kind, value = _identity(_first(entry.get("port")))
        yield Sighting(
            at=PortRef(switch, name),
            mac=plain_mac(value) if kind == "mac" else None,
            system=system,
            port=value if kind in ("ifname", "local") else "",
            near=chassis,
            file=file,
        )


def _interfaces(lldp: object) -> Iterator[tuple[str, Fields]]:
    for part in _listed(lldp):
        for one in _listed(part.get("interface") if isinstance(part, dict) else None):
            if isinstance(one, dict) and isinstance(one.get("name"), str):
                yield str(one["name"]), one
            elif isinstance(one, dict):
                yield from ((name, entry) for name, entry in one.items() if isinstance(entry, dict))


def _listed(value: object) -> list[object]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _first(value: object) -> Fields:
    first = next(iter(_listed(value)), None)
    return first if isinstance(first, dict) else {}


def _chassis(value: object) -> tuple[str, str | None]:
    """The system's name ("" if it sent none) and a MAC of it, if its chassis id is one."""
    chassis = _first(value)
    name = ""
    if "id" not in chassis and len(chassis) == 1:  # keyed by the system's name
        name, inner = next(iter(chassis.items()))
        chassis = inner if isinstance(inner, dict) else {}
    named = chassis.get("name")
    name = name or (named if isinstance(named, str) else str(_first(named).get("value", "")))
    kind, identity = _identity(chassis)
    return name, plain_mac(identity) if kind == "mac" else None


def _identity(fields: Fields) -> tuple[str, str]:
    identity = _first(fields.get("id"))
    return str(identity.get("type", "")), str(identity.get("value", ""))
