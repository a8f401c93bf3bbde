"""What GPU nodes of a plan do without: their profile does not ask for it, or it is not locked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from inventory.plan import Node, Plan, Waiting
from inventory.software.locked import names_of
from inventory.software.systems import is_rpm


@dataclass(frozen=True, slots=True)
class _Item:
    """One thing: what it is called, the words of a profile that ask for it."""

    name: str
    option: str
    is_off: Callable[[Node], bool]


_ITEMS = (
    _Item("DOCA", "nics.stack", lambda one: one.software.nics.stack != "doca"),
    _Item("GPU driver", "gpu_driver", lambda one: one.software.gpu is None),
    _Item("GPUDirect Storage", "gpu_storage", lambda one: one.software.gds is None),
    _Item("containers", "containers", lambda one: one.software.containers is None),
    _Item("NCCL", "collectives", lambda one: not one.software.collectives),
    _Item("huge pages", "tuning.hugepages", lambda one: not one.tuning.hugepages),
    _Item(
        "CPU clocks and idle states",
        "tuning.cpu",
        lambda one: one.tuning.cpu.governor is None and one.tuning.cpu.idle_exit_us is None,
    ),
    _Item("DCGM", "acceptance.dcgm_level", lambda one: one.acceptance.dcgm_level is None),
    _Item("burn", "acceptance.burn", lambda one: one.acceptance.burn is None),
    _Item("nccl-tests", "acceptance.all_reduce", lambda one: one.acceptance.all_reduce is None),
)
# What no public repository has.
_BUILT = frozenset({"gpu_burn", "nccl_tests"})
_NAMES = {one.option: one.name for one in _ITEMS}


def left_out(plan: Plan) -> tuple[str, ...]:
    """A sentence for each profile of GPU nodes that does not ask for something."""
    return tuple(_unasked(plan))


def not_locked(plan: Plan) -> tuple[str, ...]:
    """What profiles ask for and nodes do without: a line for each, and last how to lock it."""
    return tuple(_waits(plan))


def _kinds(plan: Plan) -> list[tuple[str, Node]]:
    return sorted({one.profile: one for one in plan.nodes}.items())


def _unasked(plan: Plan) -> Iterator[str]:
    for profile, node in _kinds(plan):
        waiting = {one.option for one in node.software.waiting}
        off = [one for one in _ITEMS if one.is_off(node) and one.option not in waiting]
        if node.gpus and off:
            named = ", ".join(f"{one.name} (`{one.option}`)" for one in off)
            yield f"profile {profile} does not request: {named}"


def _waits(plan: Plan) -> Iterator[str]:
    missing: set[str] = set()
    for profile, node in _kinds(plan):
        waiting = {one.option: one for one in node.software.waiting}
        if waiting:
            named = ", ".join(_waits_for(waiting[one]) for one in _NAMES if one in waiting)
            yield f"profile {profile} (its nodes run without until then): {named}"
            missing.update(part for one in waiting.values() for part in one.components)
    if missing:
        lock = plan.packages
        names = names_of(lock.os)
        built = set() if is_rpm(lock.os) else missing & _BUILT
        named = ", ".join(name for one in sorted(missing - built) for name in names.get(one, ()))
        if named:
            yield (
                f"`railbed packages refresh --write` locks for {lock.os} {lock.arch}, in "
                f"{lock.origin}, what the repositories of versions/sources.yml offer of: {named}"
            )
        if built:
            named = ", ".join(name for one in sorted(built) for name in names[one])
            yield (
                "`railbed packages build --write` builds and locks, from the sources that the "
                f"site's versions/builds.yml names: {named}"
            )
        if chosen := ", ".join(sorted(missing - names.keys())):
            yield (
                f"name the packages of {chosen} under `components` in {lock.origin} first: "
                "their release is yours to choose"
            )


def _waits_for(one: Waiting) -> str:
    return f"{_NAMES[one.option]} ({', '.join(one.components)})"
