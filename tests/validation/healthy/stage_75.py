"""Stage 75: five nodes on one mount, alone, two, four and all at once."""

from __future__ import annotations

from validation.stages.s75_storage.work import gds_command

from .. import storage_says
from . import Healthy, answered


def healthy() -> Healthy:
    """Each gets its part, all at once."""
    plan = storage_says.plan()
    said = {name: {gds_command(storage_says.MOUNT): storage_says.gdsio(110)} for name in _names()}
    for group in storage_says.steps():
        for node in group.nodes:
            said[node][group.command] = storage_says.fio(group, node)
    return Healthy(75, plan, storage_says.configured(), answered(plan, said))


def _names() -> list[str]:
    return sorted(storage_says.configured())
