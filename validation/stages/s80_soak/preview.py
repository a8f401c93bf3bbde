"""What stage 80 would run."""

from __future__ import annotations

from collections.abc import Iterable

from inventory.plan import Plan
from validation.probes.planned_load import MINUTE_S, TRIPS_S, Part

from .drills import drills
from .lengths import length_in
from .terms import Length, drilling, lengths, soak
from .work import soaked, streamed_s


def parts(plan: Plan, configured: frozenset[str], words: Iterable[str] = ()) -> tuple[Part, ...]:
    """The parts of the stage, once `configured` is in place. `words` say how long it watches."""
    length = length_in(words)
    streams, asked, pull = soaked(plan, configured), soak(), drilling()
    nodes = len({node for probe in streams for node in (probe.sender, probe.receiver)})
    minutes = length.slices * (length.seconds + TRIPS_S) / MINUTE_S
    watched = Part(
        f"flows, paced for {length.says} ({length.name})", len(streams), length.slices, nodes, 1,
        asked.source_ports, minutes, minutes + length.slices, _others(length),
    )  # fmt: skip
    mine = [drill for drill in drills(plan, configured) if not drill.refusal]
    each_s = sum(streamed_s(one) + TRIPS_S for one in mine)
    drilled = Part(
        "drills under streams",
        len(mine),
        len(mine),
        nodes if mine else 0,
        1,
        max((one.crossing.source_ports for one in mine), default=pull.source_ports),
        each_s / MINUTE_S,
        (each_s + 2 * len(mine) * pull.restore_s) / MINUTE_S,
        "`railbed drill` says what would be pulled",
        "link flap",
    )
    return watched, drilled


def _others(length: Length) -> str:
    """What else could be asked."""
    rest = [f"`--soak {one.name}`: {one.says}" for one in lengths().values() if one != length]
    return ", ".join(rest)
