"""Rows of a node's kernel: arguments, huge pages, CPU states, THP and ACS as they are now. Pure.

Asked only of nodes that are asked for NICs or GPUs as well: what a container or virtual machine
shows of these is its host's. What needs a boot waits while the role says that one is due.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from inventory.nodes.kernel_arguments import arguments
from inventory.plan import HugePages, Node
from inventory.reading.fields import Unreadable

from .facts import HostFacts, known
from .wanted import HostRow, Rows

PART = "kernel"
HIDDEN = "(hidden)"
"""What host_state.sh writes in place of a value that it does not tell."""
_ROLE = "kernel_tuning"


def asks_kernel(node: Node) -> bool:
    """Whether the node's profile asks anything of its kernel that is seen here."""
    tuned, cpu = node.tuning, node.tuning.cpu
    runtime = (cpu.governor, cpu.idle_exit_us, tuned.thp)
    return bool(
        arguments(tuned)
        or tuned.hugepages
        or tuned.acs == "disabled"
        or any(one is not None for one in runtime)
    )


def kernel_rows(node: Node, found: HostFacts) -> Iterator[HostRow]:
    """What the profile asks, and what the kernel shows."""
    tuned, cpu = node.tuning, node.tuning.cpu
    make = Rows(PART, f"role {_ROLE} on {node.name}")
    if words := arguments(tuned):
        wanted = " ".join(words)
        yield make.staged(
            "arguments",
            wanted,
            partial(_arguments, found, words),
            partial(_after_boot, found, wanted),
        )
    for pages in tuned.hugepages:
        wanted = _wanted_pages(pages)
        later = partial(_after_boot, found, wanted) if pages.at == "boot" else str
        yield make.staged(
            f"pages of {pages.size_kib} KiB", wanted, partial(_pages, found, pages), later
        )
    if cpu.governor is not None:
        yield make.row("CPU governor", cpu.governor, partial(_governor, found))
    if cpu.idle_exit_us is not None:
        yield make.row(
            f"idle states over {cpu.idle_exit_us} us",
            "none",
            partial(_idle, found, cpu.idle_exit_us),
        )
    if tuned.thp is not None:
        yield make.row("transparent huge pages", tuned.thp, lambda: known(found.thp))
    if tuned.acs == "disabled":
        yield make.row("access control of PCIe", "off on all devices", partial(_acs, found))


def _after_boot(found: HostFacts, wanted: str) -> str:
    """What the next boot brings: the role says so as long as it does not run."""
    return wanted if _ROLE in known(found.signals) else ""


def _arguments(found: HostFacts, words: tuple[str, ...]) -> str:
    """Those of the running arguments that have a planned name, in their order.

    A script that ran alone does not know every name that a plan may have.
    """
    names = {word.partition("=")[0] for word in words}
    running = [word for word in known(found.arguments) if word.partition("=")[0] in names]
    unnamed = HIDDEN in known(found.arguments) and any("=" not in word for word in words)
    if any(word.endswith(f"={HIDDEN}") for word in running) or (unnamed and running != list(words)):
        raise Unreadable("the machine was not asked for the values of all planned arguments")
    return " ".join(running) or "none of them"


def _wanted_pages(pages: HugePages) -> str:
    if pages.per_numa:
        return ", ".join(f"{count} on node {node}" for node, count in enumerate(pages.per_numa))
    return f"{pages.count} in all"


def _pages(found: HostFacts, pages: HugePages) -> str:
    """By NUMA node where the plan says so, else their sum: the kernel splits it as it can."""
    told = {node: count for (node, size), count in known(found.hugepages).items()
            if size == pages.size_kib}  # fmt: skip
    if not told:
        return "no pages of this size"
    if pages.per_numa:
        return ", ".join(f"{told[node]} on node {node}" for node in sorted(told))
    return f"{sum(told.values())} in all"


def _governor(found: HostFacts) -> str:
    return ", ".join(name for name, _ in known(found.cpus).governors) or "none"


def _idle(found: HostFacts, exit_us: int) -> str:
    deep = [state for state in known(found.cpus).idle if state.allowed and state.exit_us > exit_us]
    names = sorted({state.name for state in deep})
    if not deep and not known(found.cpus).idle:
        raise Unreadable("the kernel shows no idle state")
    return ", ".join(names) or "none"


def _acs(found: HostFacts) -> str:
    on = sorted(device.pci for device in known(found.pci).values() if device.acs)
    more = f" and {len(on) - 3} more" if len(on) > 3 else ""
    return f"on at {', '.join(on[:3])}{more}" if on else "off on all devices"
