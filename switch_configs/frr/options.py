"""How one system's FRR differs from another's: its words, its release, what it adds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Profile = Literal["traditional", "datacenter"]


def _as_it_is(name: str) -> str:
    return name


@dataclass(frozen=True, slots=True)
class Names:
    """The system's words for the plan's, and back; each pair of functions undoes the other.

    `port` takes ports and subinterfaces (`swp1.300`), `vrf` never the default table.
    `map_suffix` ends the name of every route map.
    """

    port: Callable[[str], str] = _as_it_is
    plan_port: Callable[[str], str] = _as_it_is
    vrf: Callable[[str], str] = _as_it_is
    plan_vrf: Callable[[str], str] = _as_it_is
    map_suffix: str = ""


UNCHANGED = Names()
"""The plan's own names, as on Linux."""


@dataclass(frozen=True, slots=True)
class Printing:
    """What `frr_conf` prints differently for a system.

    `system` are lines after the host name, `instance` lines at the head of every BGP instance.
    `paths_built` is the `--enable-multipath` of the build: a width that FRR leaves out.
    `first_entry` is the number of a route map's first entry, where others write before it.
    """

    release: str
    profile: Profile = "traditional"
    names: Names = UNCHANGED
    system: tuple[str, ...] = ()
    instance: tuple[str, ...] = ()
    paths_built: int = 256
    first_entry: int = 10


@dataclass(frozen=True, slots=True)
class Reading:
    """What `read` must know of a system beside FRR itself.

    `system` and `instance` are lines that are understood there, each with what it means that
    it is missing: a hazard, or "" where that is no harm.
    """

    names: Names = UNCHANGED
    system: Mapping[str, str] = field(default_factory=dict)
    instance: Mapping[str, str] = field(default_factory=dict)
    paths_built: int = 256
