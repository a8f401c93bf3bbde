"""JSON that lists cables: NetBox and Nautobot exports, and what a switch hears by LLDP.

NetBox 3.3 and later have lists `a_terminations`, `b_terminations` (netboxlabs.com/docs, "Cables");
before it, and in Nautobot, `termination_a` and `termination_b` are one record each
(docs.nautobot.com, "Cables"). LLDP: `lldpcli -f json` (lldpcli(8)), and EOS's
`show lldp neighbors | json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inventory.imports.lldp import read_neighbours

Pair = tuple[tuple[str, str], tuple[str, str]]


def of_records(value: object, text: str, file: str, switch: str) -> Iterator[Pair]:
    """The cables of a JSON document; `switch` is who hears, where it is LLDP."""
    if isinstance(value, Mapping) and "lldp" in value:
        for one in read_neighbours(text, file, switch)[0]:
            if one.at is not None:
                yield (one.at.device, one.at.port), (one.system, one.port)
        return
    if isinstance(value, Mapping) and "lldpNeighbors" in value:
        for record in _records(value["lldpNeighbors"]):
            far = _text(record, "neighborDevice").partition(".")[0]
            yield (switch, _text(record, "port")), (far, _text(record, "neighborPort"))
        return
    if isinstance(value, Mapping):
        value = next((value[key] for key in ("results", "cables", "data") if key in value), value)
    for record in _records(value):
        a, b = (_end(record, side) for side in "ab")
        yield a, b


def _records(value: object) -> Iterator[Mapping[str, object]]:
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, Mapping):
            yield one


def _end(record: Mapping[str, object], side: str) -> tuple[str, str]:
    """The one interface at an end; two empty names where there is none, or several."""
    several = record.get(f"{side}_terminations")
    one = record.get(f"termination_{side}")
    if isinstance(several, list) and len(several) == 1 and isinstance(several[0], Mapping):
        one = several[0].get("object", several[0])
    if not isinstance(one, Mapping):
        return "", ""
    device = one.get("device")
    name = _text(device, "name") if isinstance(device, Mapping) else ""
    return name, _text(one, "name")


def _text(record: object, key: str) -> str:
    value = record.get(key) if isinstance(record, Mapping) else None
    return value if isinstance(value, str) else ""
