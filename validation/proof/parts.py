"""What of a site can fail as one: power strips, racks, feeds and planes, as switches and nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from inventory.plan import Plan


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """Something that fails as one, and the switches and nodes that are gone with it, sorted."""

    kind: str
    name: str
    devices: tuple[str, ...]


def parts(plan: Plan) -> tuple[Part, ...]:
    """Every part that takes more with it than one cable or one switch, sorted.

    With a power strip lost the others of its rack carry it (`check` holds that against their
    limit), so only the last one of a rack takes devices with it.
    """
    return tuple(sorted(one for one in (*_racks(plan), *_planes(plan)) if one.devices))


def _racks(plan: Plan) -> Iterator[Part]:
    known = {*plan.switch, *plan.node}
    feeds: dict[str, list[str]] = defaultdict(list)
    for rack in plan.racks:
        held = _known((one.device for one in rack.devices), known)
        yield Part("rack", rack.name, held)
        feeds[rack.row] += held
        if rack.pdus:
            yield Part("pdu", rack.pdus[0].name, held if len(rack.pdus) == 1 else ())
    yield from (Part("feed", row, _known(held, known)) for row, held in feeds.items())


def _planes(plan: Plan) -> Iterator[Part]:
    of_plane: dict[str, set[str]] = defaultdict(set)
    of_nics: dict[str, set[str]] = defaultdict(set)
    for switch in plan.switches:
        of_plane[switch.plane].add(switch.name)
        if switch.tier == "leaf":
            of_nics[f"{switch.plane} NIC plane {switch.nic_plane}"].add(switch.name)
    yield from (Part("plane", name, tuple(sorted(held))) for name, held in of_plane.items())
    several = {name: held for name, held in of_nics.items() if name.endswith((" 1", " 0"))}
    both = {name.rpartition(" ")[0] for name in several if name.endswith(" 1")}
    for name, held in several.items():
        if name.rpartition(" ")[0] in both:
            yield Part("plane", name, tuple(sorted(held)))


def _known(names: Iterable[str], known: set[str]) -> tuple[str, ...]:
    return tuple(sorted(known.intersection(names)))
