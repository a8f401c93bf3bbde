"""A second hand's reader: what a text does to packets, written from makers' pages alone.

It shares no line with `switch_configs` or `validation`. A fact's key begins with its family;
names are followed to what they mean, so that a name by itself is no fact, and what nothing
refers to is none. Two texts do the same exactly where their facts are equal. The family "refused"
is of a whole file that its system does not load.
"""

from __future__ import annotations

from collections.abc import Mapping

from . import cumulus, eos, linux, nxos, sonic

Facts = dict[tuple[object, ...], object]
FAMILIES = (
    "refused", "marking", "buffers", "ecn/watchdog", "mtu", "routing", "tables/leaks",
    "services/other",
)  # fmt: skip
_READERS = {
    "cumulus": cumulus.read, "eos": eos.read, "linux_frr": linux.read, "nxos": nxos.read,
    "sonic": sonic.read,
}  # fmt: skip


def facts(system: str, texts: Mapping[str, str]) -> Facts:
    """What the files of one switch do, by path. A file that its system refuses does nothing."""
    return _READERS[system](texts)


def changed(before: Facts, after: Facts) -> tuple[str, ...]:
    """The families of facts that differ, in their order."""
    keys = {*before, *after}
    found = {str(key[0]) for key in keys if before.get(key) != after.get(key)}
    return tuple(one for one in FAMILIES if one in found)
