"""`node`: what one node's NICs and software really are, beside what the plan wants. Read-only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deploy.context import no_journal
from deploy.errors import RailbedError
from deploy.session import Selection, open_context, open_offline
from deploy.transport.ssh_run import SshTransport
from inventory.plan import Plan
from inventory.problems import close_to
from inventory.reading.fields import Unreadable
from validation.evidence import age
from validation.evidence.backend import host
from validation.evidence.gather import gather
from validation.evidence.lookup import Book
from validation.evidence.store import EvidenceStore
from validation.evidence.trust import MissingEvidence, Trust, utc_now
from validation.host_state import ask as host_ask
from validation.host_state import rows as host_rows
from validation.host_state.wanted import HostRow

from .saved_states import host_states


@dataclass(frozen=True, slots=True)
class NodeLook:
    """The rows of one node; `unread` says why there are none, `notes` what has to be known."""

    node: str
    rows: tuple[HostRow, ...]
    unread: str = ""
    notes: tuple[str, ...] = ()

    @property
    def hint(self) -> str:
        """What to do where something waits; empty where nothing does."""
        waits = any(row.judged == "waits" for row in self.rows)
        return f"waits: {host_rows.reboot_hint(self.node)}" if waits else ""

    @property
    def exit_code(self) -> int:
        """0 all as planned, 1 something differs, 3 something waits or is not known."""
        if any(row.judged == "differs" for row in self.rows):
            return 1
        return 3 if self.unread or any(row.judged != "as planned" for row in self.rows) else 0


def look_at_node(selection: Selection, node: str, saved: Sequence[str]) -> NodeLook:
    """Ask a node in one trip, or read its saved host state. RailbedError for no such node."""
    opener = open_offline if saved else open_context
    context = opener(selection, lambda _: None, no_journal)
    plan = context.plan
    if node not in plan.node:
        hint = close_to(node, plan.node) or f"like {', '.join(sorted(plan.node)[:4])}"
        raise RailbedError(f"{node} is no node of {plan.site}", hint=hint)
    states = host_states(plan, saved) if saved else None
    if saved and (states is None or node not in states.nodes):
        said = "; ".join(states.notes) if states else ""
        raise RailbedError(f"--from-evidence: no saved host state of {node}", hint=said)
    if not host_rows.asks(plan, node):
        note = "the plan asks nothing of it that needs this look: see `railbed drift`"
        return NodeLook(node, (), notes=(note,))
    if states:
        notes = (*states.notes, *age.notes(states.store, utc_now()))
        return _look(plan, node, Book(states.store, states.trust), notes)
    book = Book(EvidenceStore(), Trust.of(plan, {}))
    book.add(
        gather(plan, SshTransport(context.ssh_config), {node: [host_ask.ask(plan.node[node])]})
    )
    return _look(plan, node, book)


def _look(plan: Plan, node: str, book: Book, notes: tuple[str, ...] = ()) -> NodeLook:
    try:
        found = host_ask.read(host(node, book), plan, node)
    except (MissingEvidence, Unreadable) as why:
        return NodeLook(node, (), str(why), notes)
    return NodeLook(node, host_rows.rows(plan, node, found), "", notes)
