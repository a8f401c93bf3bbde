"""`lldpcli -f json` and `-f json0` `show neighbors` (lldpcli(8)).

`json` keys interfaces and systems by name and prints a lone one without its list; `json0`
always prints lists. Both are read.
"""

from __future__ import annotations

from inventory.reading.fields import Unreadable, document, mapping, needed, sequence, text_of
from switch_configs.answers.forms import Neighbour, Neighbours


def neighbours(text: str) -> Neighbours:
    """Local port -> the neighbours heard on it, sorted. Raises Unreadable."""
    root = mapping(document(text, "lldpcli"), "lldpcli's output")
    found: dict[str, set[Neighbour]] = {}
    for name, entry in _interfaces(needed(root, "lldp", "lldpcli's output")):
        found.setdefault(name, set()).add(_neighbour(entry, name))
    return {name: tuple(sorted(heard)) for name, heard in sorted(found.items())}


def _interfaces(lldp: object) -> list[tuple[str, dict[str, object]]]:
    made: list[tuple[str, dict[str, object]]] = []
    for part in _listed(lldp):
        for one in _listed(mapping(part, "lldp").get("interface", [])):
            fields = mapping(one, "interface")
            if isinstance(fields.get("name"), str):
                made.append((text_of(fields, "name", "interface"), fields))
            else:
                made += [(name, mapping(entry, name)) for name, entry in fields.items()]
    return made


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _neighbour(entry: dict[str, object], name: str) -> Neighbour:
    chassis = _only(needed(entry, "chassis", name), f"{name}: chassis")
    port = _only(needed(entry, "port", name), f"{name}: port")
    identity = _only(needed(port, "id", f"{name}: port"), f"{name}: port id")
    return Neighbour(_system(chassis, name), text_of(identity, "value", f"{name}: port id"))


def _only(value: object, what: str) -> dict[str, object]:
    if isinstance(value, list):
        if len(value) != 1:
            raise Unreadable(f"{what} is there {len(value)} times")
        value = value[0]
    return mapping(value, what)


def _system(chassis: dict[str, object], name: str) -> str:
    if "name" in chassis:
        named = chassis["name"]
        if isinstance(named, str):
            return named
        values = sequence(named, f"{name}: chassis name")
        return text_of(_only(values, f"{name}: chassis name"), "value", f"{name}: chassis name")
    if "id" in chassis:
        return ""
    if len(chassis) != 1:
        raise Unreadable(f"{name}: chassis is neither named nor identified")
    return next(iter(chassis))
