"""What a node's operating system is told: the profile's tuning, and the roles' variables."""

from __future__ import annotations

from .plan import HugePages, Node, OobSwitch, Plan, Switch, Tuning
from .schema import TuningFile

_KIB_PER_GIB = 1 << 20
_KIB_PER_MIB = 1 << 10


def tuning(file: TuningFile) -> Tuning:
    """Return a profile's tuning for the plan; sysctls sorted by name, all else as written."""
    return Tuning(
        clock=file.clock,
        boot=file.boot,
        kernel_arguments=tuple(file.kernel_arguments),
        hugepages=tuple(HugePages(one.size_kib, one.count) for one in file.hugepages),
        governor=file.cpu.governor,
        idle_exit_us=file.cpu.idle_exit_us,
        memlock_kib=file.limits.memlock_kib,
        open_files=file.limits.open_files,
        sysctls=tuple((name, str(value)) for name, value in sorted(file.sysctls.items())),
        modules=tuple(file.modules),
    )


def node_vars(plan: Plan, node: Node) -> dict[str, object]:
    """What the roles os_base and kernel_tuning, and modules that ofed loads, need on one node."""
    asked = node.tuning
    return {
        "kernel_tuning_arguments": [*asked.kernel_arguments, *_hugepage_arguments(asked)],
        "kernel_tuning_boot": asked.boot,
        "kernel_tuning_governor": asked.governor or "",
        "kernel_tuning_hugepages": [
            {"size_kib": one.size_kib, "count": one.count} for one in asked.hugepages
        ],
        # A negative number, because 0 is a wish: nothing but polling.
        "kernel_tuning_idle_exit_us": -1 if asked.idle_exit_us is None else asked.idle_exit_us,
        "kernel_tuning_sysctls": dict(asked.sysctls),
        "os_base_clock": asked.clock,
        "os_base_domain": plan.oob.domain,
        "os_base_time_servers": [str(node.management.gateway)],
        "ofed_modules": list(asked.modules),
        "ofed_tos": plan.lossless.tos,
        **_limits(asked),
    }


def _limits(asked: Tuning) -> dict[str, object]:
    limits: dict[str, object] = {}
    if asked.memlock_kib is not None:
        limits["os_base_memlock"] = str(asked.memlock_kib)
    if asked.open_files is not None:
        limits["os_base_open_files"] = asked.open_files
    return limits


def site_vars(plan: Plan) -> dict[str, object]:
    """What every node is told alike."""
    return {"os_base_hosts": _names(plan)}


def _names(plan: Plan) -> list[dict[str, str]]:
    zones = {zone.name: zone.server_address.ip for zone in plan.oob.zones}
    reached: tuple[Switch | OobSwitch | Node, ...]
    reached = (*plan.switches, *plan.oob_switches, *plan.nodes)
    known = {one.name: one.management.address.ip for one in reached}
    # Nodes reach the OOB server in their own zone.
    zone = plan.nodes[0].management.zone if plan.nodes else next(iter(zones))
    known[plan.oob.name] = zones[zone]
    return [{"name": name, "address": str(known[name])} for name in sorted(known)]


def _hugepage_arguments(asked: Tuning) -> list[str]:
    """Size and count in pairs: the order is what the kernel reads (kernel-parameters.txt)."""
    pairs = [
        part
        for one in asked.hugepages
        for part in (f"hugepagesz={_size(one.size_kib)}", f"hugepages={one.count}")
    ]
    default = [f"default_hugepagesz={_size(one.size_kib)}" for one in asked.hugepages[:1]]
    return [*default, *pairs]


def _size(kib: int) -> str:
    whole = kib // _KIB_PER_GIB
    return f"{whole}G" if whole else f"{kib // _KIB_PER_MIB}M"
