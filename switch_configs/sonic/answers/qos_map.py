"""Maps of SAI as ASIC_DB holds them: from DSCP to class, from class or priority to group.

`SAI_QOS_MAP_ATTR_MAP_TO_VALUE_LIST` is a JSON object of `count` and `list`; each entry has every
possible name in `key` and `value`, of which the map's kind says the two that count (sonic-swss,
orchagent/qosorch.cpp and tests/test_qos_map.py; opencomputeproject/SAI-Challenger,
common/sai_client/sai_thrift_client/sai_thrift_utils.py, which has a recorded one).
"""

from __future__ import annotations

from collections.abc import Mapping

from inventory.reading.fields import Unreadable, document, mapping, needed, sequence
from inventory.reading.numbers import Whole

from .redis_dump import row

_ENTRIES = Whole("entries of a map", "1", 0, 1 << 16)
_END = Whole("end of a map", "1", 0, 255)  # SAI: sai_qos_map_params_t has bytes
_KIND, _LIST = "SAI_QOS_MAP_ATTR_TYPE", "SAI_QOS_MAP_ATTR_MAP_TO_VALUE_LIST"


def numbers(told: Mapping[str, str], kind: str, ends: tuple[str, str]) -> dict[int, int]:
    """A map of one kind, by its two names. Raises Unreadable where it is another or not whole."""
    if row(told, _KIND, kind) != f"SAI_QOS_MAP_TYPE_{kind}":
        raise Unreadable(f"a map of {kind} is of {told[_KIND]}")
    said = mapping(document(row(told, _LIST, kind), "ASIC_DB"), kind)
    entries = sequence(needed(said, "list", kind), kind)
    if len(entries) != _ENTRIES.of(said, "count", kind):
        raise Unreadable(f"a map of {kind} has not as many entries as it says")
    found: dict[int, int] = {}
    for entry in (mapping(one, kind) for one in entries):
        here, there = (
            _END.of(mapping(needed(entry, side, kind), kind), name, kind)
            for side, name in zip(("key", "value"), ends, strict=True)
        )
        if here in found:
            raise Unreadable(f"a map of {kind} has {here} twice")
        found[here] = there
    return found
