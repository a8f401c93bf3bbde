"""`cabling`: what LLDP shows of the whole fabric, and which plugs to move. Changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from deploy.context import no_journal
from deploy.errors import RailbedError
from deploy.record.history import is_there
from deploy.record.journal import Record
from deploy.rollout.preconditions import deployable
from deploy.session import Selection, open_context, open_offline
from deploy.switches.typed_run import way
from inventory.plan import Plan
from validation.evidence.gather import Ask, Transport, gather
from validation.evidence.lookup import Book
from validation.evidence.store import EvidenceStore
from validation.evidence.trust import Trust
from validation.locating.view import View
from validation.miscabling.seen import look, wanted_of
from validation.miscabling.solve import Cabling, solve
from validation.routing.systems import dialect_of, system


def cabling(plan: Plan, store: EvidenceStore, trust: Trust) -> Cabling:
    """What the evidence in the store says about the cables."""
    return solve(plan, look(View(plan, Book(store, trust), ()), deployable(plan)))


def gathered(plan: Plan, transport: Transport) -> EvidenceStore:
    """One trip to every device with a data cable that can be asked; kept in memory."""
    devices = {end.device for end in wanted_of(plan)} & deployable(plan)
    store = EvidenceStore()
    found = gather(plan, transport, {device: _asks(plan, device) for device in devices})
    store.add(found.frames)
    store.silent.update(found.errors)
    return store


def _asks(plan: Plan, device: str) -> tuple[Ask, ...]:
    return tuple(map(Ask.line, system(dialect_of(plan, device)).cables))


def cabling_of_site(
    selection: Selection, saved: Path | None, say: Callable[[str], None]
) -> Cabling:
    """Ask the devices now, or judge a run's evidence folder as `validate` would."""
    if saved is None:
        context = open_context(selection, say, no_journal)
        store = gathered(context.plan, way(context))
        return cabling(context.plan, store, Trust.of(context.plan, {}))
    if not saved.is_dir():
        hint = "a run's evidence folder: .railbed/.../evidence/run-N/validate"
        raise RailbedError(f"{saved}: no such folder", hint=hint)
    context = open_offline(selection, say, no_journal)
    trust = Trust.of(context.plan, {})
    path = context.state_dir / "record.sqlite"
    if is_there(path):
        record = Record(path)
        trust = Trust.of(context.plan, record.last_changed(), record.since())
        record.close()
    return cabling(context.plan, EvidenceStore.load(saved), trust)
