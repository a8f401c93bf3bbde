"""What GPU nodes of a plan do without, because their profile does not ask for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from inventory.plan import Node, Plan


@dataclass(frozen=True, slots=True)
class _Item:
    """One thing: what it is called, the words of a profile that ask for it, and its packages."""

    name: str
    option: str
    is_off: Callable[[Node], bool]
    components: tuple[str, ...] = ()


_ITEMS = (
    _Item("DOCA", "nics.stack", lambda one: one.software.nics.stack != "doca", ("doca_ofed",)),
    _Item(
        "GPU driver",
        "gpu_driver",
        lambda one: one.software.gpu is None,
        ("nvidia_driver", "fabric_manager"),
    ),
    _Item("GPUDirect Storage", "gpu_storage", lambda one: one.software.gds is None, ("gds",)),
    _Item(
        "containers",
        "containers",
        lambda one: one.software.containers is None,
        ("containerd", "container_toolkit"),
    ),
    _Item("NCCL", "collectives", lambda one: not one.software.collectives, ("nccl", "nccl_tests")),
    _Item("huge pages", "tuning.hugepages", lambda one: not one.tuning.hugepages),
    _Item(
        "CPU clocks and idle states",
        "tuning.cpu",
        lambda one: one.tuning.cpu.governor is None and one.tuning.cpu.idle_exit_us is None,
    ),
)


def left_out(plan: Plan) -> tuple[str, ...]:
    """A sentence for each profile of GPU nodes that leaves something out, and one for the lock."""
    kinds = {one.profile: one for one in plan.nodes if one.gpus}
    lacking = {
        name: [item for item in _ITEMS if item.is_off(kinds[name])] for name in sorted(kinds)
    }
    return (*_profiles(lacking), *_unlocked(plan, lacking))


def _profiles(lacking: dict[str, list[_Item]]) -> Iterator[str]:
    for profile, items in lacking.items():
        if items:
            named = ", ".join(f"{one.name} (`{one.option}`)" for one in items)
            yield f"profile {profile} asks for none of: {named}"


def _unlocked(plan: Plan, lacking: dict[str, list[_Item]]) -> Iterator[str]:
    known = {name for name, packages in plan.packages.components if packages}
    wanted = {
        component for items in lacking.values() for item in items for component in item.components
    }
    if missing := sorted(wanted - known):
        lock = plan.packages
        yield (
            f"not locked for {lock.os} {lock.arch}: {', '.join(missing)}; name their packages "
            f"under `components` in {lock.origin}, then `railbed packages refresh`"
        )
