"""Frames that Linux counts of a port: `ip -s -s -j link show`, the kernel's rtnl_link_stats64.

Lost are (Documentation/networking/statistics.rst of the kernel): `errors` both ways, which came or
left broken; `dropped` both ways; `missed_errors`, for which the device had no room. What a kernel
dropped of what it received has also what nobody there listens to: so these are read only where a
switch's daemon brings the counters of an ASIC.
"""

from __future__ import annotations

from inventory.reading.fields import Unreadable, document, mapping, sequence, text_of
from inventory.reading.numbers import count
from switch_configs.answers.frames import Counted, Frames

LINKS = "ip -s -s -j link show"
_FRAMES = count("frames of a port")
_BROKEN = (("rx", "errors"), ("tx", "errors"))
_THROWN = (("rx", "missed_errors"), ("rx", "dropped"), ("tx", "dropped"))


def asic(text: str) -> Counted:
    """Every port, of an ASIC's counters. Raises Unreadable."""
    made: dict[str, Frames] = {}
    for entry in sequence(document(text, "ip"), "links"):
        one = mapping(entry, "link")
        name = text_of(one, "ifname", "link")
        if name in made:
            raise Unreadable(f"ip tells {name} twice")
        told = mapping(one.get("stats64"), f"{name}: stats64")
        ways = {way: mapping(told.get(way), f"{name}: {way}") for way in ("rx", "tx")}
        sent, received = (_FRAMES.of(ways[way], "packets", name) for way in ("tx", "rx"))
        broken, thrown = (
            {f"{way} {key}": _FRAMES.of(ways[way], key, name) for way, key in keys}
            for keys in (_BROKEN, _THROWN)
        )
        made[name] = Frames(sent, received, broken, thrown)
    return made
