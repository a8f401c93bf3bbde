"""All kernel arguments of a kind of server, in their order: the one place that makes them.

Words and meanings: kernel-parameters.txt, hugetlbpage.rst, intel_pstate.rst and amd-pstate.rst of
the kernel's admin guide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inventory.plan import HugePages, Tuning

_KIB_PER_GIB = 1 << 20
_KIB_PER_MIB = 1 << 10

# By option, every argument whose meaning it decides: nobody may also write one by hand.
# `idle=poll` and `idle=halt` switch off the drivers of which the C-state options speak.
OWNED_BY: dict[str, frozenset[str]] = {
    "hugepages": frozenset({"default_hugepagesz", "hugepages", "hugepagesz"}),
    "iommu": frozenset({"amd_iommu", "intel_iommu", "iommu", "iommu.passthrough"}),
    "pci_realloc": frozenset({"pci"}),
    "cpu.max_cstate": frozenset({"idle", "intel_idle.max_cstate", "processor.max_cstate"}),
    "cpu.idle_exit_us": frozenset({"cpuidle.off", "idle"}),
    "cpu.pstate": frozenset({"amd_pstate", "intel_pstate"}),
    "cpu.governor": frozenset({"cpufreq.default_governor", "cpufreq.off"}),
    "cpu.isolated": frozenset({"isolcpus", "nohz_full", "rcu_nocbs"}),
    "thp": frozenset({"transparent_hugepage"}),
    "numa_balancing": frozenset({"numa_balancing"}),
}


def arguments(asked: Tuning) -> tuple[str, ...]:
    """Return what the command line of the kernel must hold, one after another.

    Those that the profile wrote itself come first, in its order. A count of huge pages belongs
    to the size before it, so the order is part of what they say.
    """
    made = (word for one in _MAKERS for word in one(asked))
    return (*asked.kernel_arguments, *made)


def _iommu(asked: Tuning) -> Iterator[str]:
    """Intel's is switched on by name, AMD's is on wherever it is found.

    `iommu=` goes first: an early grubby took a key for the end of a longer one.
    """
    vendor = asked.cpu.vendor
    if asked.iommu == "disabled" and vendor:
        yield f"{vendor}_iommu=off"
    elif asked.iommu:
        yield "iommu=pt" if asked.iommu == "passthrough" else "iommu=nopt"
        if vendor == "intel":
            yield "intel_iommu=on"


def _pci(asked: Tuning) -> Iterator[str]:
    if asked.pci_realloc is not None:
        yield "pci=realloc" if asked.pci_realloc else "pci=realloc=off"


def _idle(asked: Tuning) -> Iterator[str]:
    """Intel has a driver of its own, and the general one where that is not loaded."""
    if asked.cpu.max_cstate is not None:
        if asked.cpu.vendor == "intel":
            yield f"intel_idle.max_cstate={asked.cpu.max_cstate}"
        yield f"processor.max_cstate={asked.cpu.max_cstate}"


def _pstate(asked: Tuning) -> Iterator[str]:
    if asked.cpu.pstate and asked.cpu.vendor:
        yield f"{asked.cpu.vendor}_pstate={asked.cpu.pstate}"


def _memory(asked: Tuning) -> Iterator[str]:
    if asked.thp:
        yield f"transparent_hugepage={asked.thp}"
    if asked.numa_balancing is not None:
        yield f"numa_balancing={'enable' if asked.numa_balancing else 'disable'}"


def _isolation(asked: Tuning) -> Iterator[str]:
    """`managed_irq`: no interrupt of a multi-queue device either, where another CPU has it."""
    if asked.cpu.isolated:
        yield f"isolcpus=managed_irq,domain,{asked.cpu.isolated}"
        if asked.cpu.tickless:
            yield f"nohz_full={asked.cpu.isolated}"
            yield f"rcu_nocbs={asked.cpu.isolated}"


def _hugepages(asked: Tuning) -> Iterator[str]:
    at_boot = [pages for pages in asked.hugepages if pages.at == "boot"]
    if at_boot:
        yield f"default_hugepagesz={_size(at_boot[0].size_kib)}"
    for one in at_boot:
        yield f"hugepagesz={_size(one.size_kib)}"
        yield f"hugepages={_count(one)}"


def _count(pages: HugePages) -> str:
    """A number, or a number by NUMA node: since Linux 5.16 (commit b5389086ad7b)."""
    nodes = [f"{node}:{count}" for node, count in enumerate(pages.per_numa) if count]
    return ",".join(nodes) or str(pages.count)


def _size(kib: int) -> str:
    whole = kib // _KIB_PER_GIB
    return f"{whole}G" if whole else f"{kib // _KIB_PER_MIB}M"


_MAKERS: tuple[Callable[[Tuning], Iterator[str]], ...] = (
    _iommu,
    _pci,
    _idle,
    _pstate,
    _memory,
    _isolation,
    _hugepages,
)
