"""All rows of one node: its NICs, then its software, then what waits for a reboot."""

from __future__ import annotations

from collections.abc import Sequence

from inventory.plan import Plan
from validation.expectation import Expectation
from validation.stage import Faults

from .facts import HostFacts, known
from .hardware import hardware_rows
from .kernel_rows import kernel_rows
from .software import parts, software_rows
from .wanted import HostRow, Rows, nic_rows, roce_nics

SIGNALS = "signals"
_ASKED = "asked for a reboot"


def asks(plan: Plan, device: str) -> bool:
    """Whether the plan wants anything of this device that only its host state shows."""
    node = plan.node.get(device)
    return node is not None and bool(parts(node))


_latest: dict[str, tuple[Plan, HostFacts, tuple[HostRow, ...]]] = {}


def rows(plan: Plan, device: str, found: HostFacts) -> tuple[HostRow, ...]:
    """Wanted, staged and running, in a fixed order; nothing for what the plan does not ask.

    A device's latest are kept: several checks of a node judge the same facts.
    """
    kept = _latest.get(device)
    if kept is None or kept[0] is not plan or kept[1] is not found:
        kept = _latest[device] = (plan, found, _rows(plan, device, found))
    return kept[2]


def _rows(plan: Plan, device: str, found: HostFacts) -> tuple[HostRow, ...]:
    node = plan.node[device]
    made = [row for planned in roce_nics(node) for row in nic_rows(plan, node, planned, found)]
    made += software_rows(plan, node, found)
    if parts(node):
        made += kernel_rows(node, found)
        made += hardware_rows(plan, node, found)
        signals = Rows(SIGNALS, f"device {device}")
        made.append(signals.row(_ASKED, "nobody", lambda: _signals(found)))
        # A unit that failed may have failed before it could ask.
        made.append(signals.row("failed units of roles", "none", lambda: _failed(found)))
    return tuple(made)


def _signals(found: HostFacts) -> str:
    told = known(found.signals)
    return "; ".join(f"{who}: {why}" for who, why in sorted(told.items())) or "nobody"


def _failed(found: HostFacts) -> str:
    mine = sorted(one for one in known(found.failed) if one.startswith("railbed-"))
    return ", ".join(mine) or "none"


def is_asked(row: HostRow) -> bool:
    """Whether this row was read, and says that a role asks for a reboot."""
    return row.part == SIGNALS and row.what == _ASKED and row.judged == "differs"


def signal_says(row: HostRow, device: str) -> str:
    """An open row of `SIGNALS`, and what to do about it."""
    if row.judged == "not known":
        return f"{row.what}: not known: {row.running}"
    if is_asked(row):
        return f"{row.running}; {reboot_hint(device)}"
    return f"failed: {row.running}; on {device}: systemctl status {row.running.replace(',', '')}"


def reboot_hint(device: str) -> str:
    """What to do where something waits; nothing here does it."""
    return f"drain {device}, reboot it, and ask again"


_MOST = 4


def judge(one: Expectation, mine: Sequence[HostRow], faults: Faults) -> None:
    """One expectation by its rows: what differs fails it, what is not known leaves it open.

    No row at all leaves it open, too: nothing was compared.
    """
    wrong = [row for row in mine if row.judged == "differs"]
    waiting = [row for row in mine if row.judged == "waits"]
    open_ones = [*waiting, *(row for row in mine if row.judged == "not known")]
    if wrong:
        hint = f"`railbed node {one.device}` shows all that is wanted and found"
        faults.add(one, wrong[0].suspect, _joined([_says(row) for row in wrong]), hint=hint)
    elif open_ones or not mine:
        suspect = open_ones[0].suspect if open_ones else f"device {one.device}"
        told = [_says(row) for row in open_ones] or ["nothing of it was compared"]
        if waiting:
            told[0] = _awaited(waiting[0], one.device)
        hint = f"; {reboot_hint(one.device)}" if waiting else ""
        faults.unknown(one, suspect, f"{_joined(told)}{hint}", waits=bool(waiting))


def _joined(told: Sequence[str]) -> str:
    more = [f"and {len(told) - _MOST} more"] if len(told) > _MOST else []
    return "; ".join([*told[:_MOST], *more])


def _awaited(row: HostRow, device: str) -> str:
    """In plain words: what follows may be a lot that tools say while they wait for it."""
    return f"{row.what}: {row.running} runs until {device} boots, {row.staged} is staged"


def _says(row: HostRow) -> str:
    if row.judged != "not known":
        return str(row)
    if row.running == row.wanted:
        return f"what the next boot brings of {row.what} is not known: {row.staged}"
    return f"{row.what} is not known: {row.running}"
