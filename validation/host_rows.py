"""All rows of one node: its NICs, then its software, then what waits for a reboot."""

from __future__ import annotations

from collections.abc import Sequence

from inventory.plan import Plan

from .expectation import Expectation
from .host_facts import HostFacts, known
from .host_kernel_rows import kernel_rows
from .host_software import parts, software_rows
from .host_wanted import Row, Rows, nic_rows, roce_nics
from .stage import Faults

SIGNALS = "signals"


def asks(plan: Plan, device: str) -> bool:
    """Whether the plan wants anything of this device that only its host state shows."""
    node = plan.node.get(device)
    return node is not None and bool(parts(node))


def rows(plan: Plan, device: str, found: HostFacts) -> tuple[Row, ...]:
    """Wanted, staged and running, in a fixed order; nothing for what the plan does not ask."""
    node = plan.node[device]
    made = [row for planned in roce_nics(node) for row in nic_rows(plan, node, planned, found)]
    made += software_rows(plan, node, found)
    if parts(node):
        made += kernel_rows(node, found)
        signals = Rows(SIGNALS, f"device {device}")
        made.append(signals.row("asked for a reboot", "nobody", lambda: _signals(found)))
    return tuple(made)


def _signals(found: HostFacts) -> str:
    told = known(found.signals)
    return "; ".join(f"{who}: {why}" for who, why in sorted(told.items())) or "nobody"


_MOST = 4


def judge(one: Expectation, mine: Sequence[Row], faults: Faults) -> None:
    """One expectation by its rows: what differs fails it, what is not known leaves it open.

    No row at all leaves it open, too: nothing was compared.
    """
    wrong = [row for row in mine if row.judged == "differs"]
    open_ones = [row for row in mine if row.judged in ("waits", "not known")]
    if wrong:
        hint = f"`railbed node {one.device}` shows all that is wanted and found"
        faults.add(one, wrong[0].suspect, _joined(wrong), hint=hint)
    elif open_ones or not mine:
        suspect = open_ones[0].suspect if open_ones else f"device {one.device}"
        faults.unknown(one, suspect, _joined(open_ones) or "nothing of it was compared")


def _joined(some: Sequence[Row]) -> str:
    shown = [_says(row) for row in some[:_MOST]]
    shown += [f"and {len(some) - _MOST} more"] if len(some) > _MOST else []
    return "; ".join(shown)


def _says(row: Row) -> str:
    return f"{row.what} is not known: {row.running}" if row.judged == "not known" else str(row)
