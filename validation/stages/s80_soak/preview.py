"""What stage 80 would run."""

from __future__ import annotations

from inventory.plan import Plan
from validation.probes.planned_load import MINUTE_S, TRIPS_S, Part

from .drills import drills
from .terms import drilling, soak
from .work import soaked, streamed_s


def parts(plan: Plan, configured: frozenset[str]) -> tuple[Part, ...]:
    """The parts of the stage, once `configured` is in place."""
    streams, asked, pull = soaked(plan, configured), soak(), drilling()
    nodes = len({node for probe in streams for node in (probe.sender, probe.receiver)})
    minutes = (asked.seconds + TRIPS_S) / MINUTE_S
    watched = Part(
        "flows, paced", len(streams), 1, nodes, 1, asked.source_ports, minutes, minutes + 1
    )
    mine = [drill for drill in drills(plan, configured) if not drill.refusal]
    each_s = streamed_s() + TRIPS_S
    drilled = Part(
        "drills under streams",
        len(mine),
        len(mine),
        nodes if mine else 0,
        1,
        pull.source_ports,
        len(mine) * each_s / MINUTE_S,
        len(mine) * (each_s + 2 * pull.restore_s) / MINUTE_S,
        "`railbed drill` says what would be pulled",
        "link flap",
    )
    return watched, drilled
