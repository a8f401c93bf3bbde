"""What a node's operating system is told: the profile's tuning, and the roles' variables."""

from __future__ import annotations

from inventory.plan import CpuTuning, HugePages, Node, OobSwitch, Plan, Switch, Tuning
from inventory.schema import TuningFile
from inventory.schema.tuning import HugePagesFile
from inventory.software.kernels import AMD_PSTATE_STATUS, is_at_least
from inventory.software.systems import SYSTEMS

from .kernel_arguments import arguments

# A row of pages that the kernel may take from every NUMA node.
_ALL_NODES = "all"


def tuning(file: TuningFile) -> Tuning:
    """Return a profile's tuning for the plan; sysctls sorted by name, all else as written."""
    return Tuning(
        clock=file.clock,
        boot=file.boot,
        kernel_arguments=tuple(file.kernel_arguments),
        hugepages=tuple(map(_pages, file.hugepages)),
        cpu=CpuTuning(
            vendor=file.cpu.vendor,
            max_cstate=file.cpu.max_cstate,
            pstate=file.cpu.pstate,
            governor=file.cpu.governor,
            energy_preference=file.cpu.energy_preference,
            idle_exit_us=file.cpu.idle_exit_us,
            isolated=file.cpu.isolated,
            tickless=file.cpu.tickless,
        ),
        thp=file.thp,
        numa_balancing=file.numa_balancing,
        iommu=file.iommu,
        pci_realloc=file.pci_realloc,
        acs=file.acs,
        memlock_kib=file.limits.memlock_kib,
        open_files=file.limits.open_files,
        sysctls=tuple((name, str(value)) for name, value in sorted(file.sysctls.items())),
        modules=tuple(file.modules),
    )


def _pages(file: HugePagesFile) -> HugePages:
    per_numa = tuple(file.per_numa or ())
    return HugePages(file.size_kib, file.count or sum(per_numa), per_numa, file.at)


def node_vars(plan: Plan, node: Node) -> dict[str, object]:
    """What the roles os_base and kernel_tuning, and modules that ofed loads, need on one node."""
    asked, system = node.tuning, SYSTEMS[node.software.os]
    return {
        **kernel_vars(asked, node.software.os),
        "os_base_clock": asked.clock,
        "os_base_lldp_ports": sorted(
            [*(nic.port for nic in node.rails), *(nic.port for nic in node.nics)]
        ),
        "os_base_name": node.name,
        "os_base_ssh_unit": system.ssh_unit,
        "os_base_time_file": system.time_file,
        "os_base_time_unit": system.time_unit,
        "os_base_domain": plan.oob.domain,
        "os_base_time_servers": [str(node.management.gateway)],
        **_limits(asked),
    }


def kernel_vars(asked: Tuning, os: str) -> dict[str, object]:
    """The variables of the role kernel_tuning; an empty text leaves it to the system."""
    cpu = asked.cpu
    return {
        "kernel_tuning_acs": asked.acs,
        "kernel_tuning_arguments": list(arguments(asked)),
        "kernel_tuning_boot": asked.boot,
        "kernel_tuning_energy_preference": cpu.energy_preference or "",
        "kernel_tuning_governor": cpu.governor or "",
        "kernel_tuning_hugepages": [row for pages in asked.hugepages for row in _rows(pages)],
        # A negative number, because 0 is a wish: nothing but polling.
        "kernel_tuning_idle_exit_us": -1 if cpu.idle_exit_us is None else cpu.idle_exit_us,
        "kernel_tuning_pstate": _pstate(cpu, os),
        "kernel_tuning_sysctls": _sysctls(asked),
        "kernel_tuning_thp": asked.thp or "",
    }


def _rows(pages: HugePages) -> list[dict[str, object]]:
    counts = [(str(node), count) for node, count in enumerate(pages.per_numa)]
    return [
        {"size_kib": pages.size_kib, "node": node, "count": count}
        for node, count in counts or [(_ALL_NODES, pages.count)]
    ]


def _pstate(cpu: CpuTuning, os: str) -> str:
    """Vendor and mode where the mode can also be set at run time, else nothing.

    A driver that is told not to load has no such file.
    """
    if not cpu.vendor or not cpu.pstate or cpu.pstate == "disable":
        return ""
    has_file = cpu.vendor == "intel" or is_at_least(os, AMD_PSTATE_STATUS)
    return f"{cpu.vendor} {cpu.pstate}" if has_file else ""


def _sysctls(asked: Tuning) -> dict[str, str]:
    """The profile's own, and those that say at run time what an argument says at boot."""
    made = {}
    if asked.numa_balancing is not None:
        made["kernel.numa_balancing"] = str(int(asked.numa_balancing))
    return dict(sorted({**dict(asked.sysctls), **made}.items()))


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
