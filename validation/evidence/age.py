"""How old evidence is, and by whose clock: what has to be known beside a verdict on it. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from .store import EvidenceStore
from .trust import in_words, outliers

OLD = timedelta(days=1)  # the day on which a person brings a file, or judges a run again
_NAMED = 5


def words(store: EvidenceStore, now: datetime) -> str:
    """`up to 366 days old`; empty where nothing in the store is older than `OLD`."""
    oldest = now - min((frame.time for frame in store), default=now)
    return f"up to {in_words(oldest)} old" if oldest > OLD else ""


def notes(store: EvidenceStore, now: datetime) -> tuple[str, ...]:
    """What is to be told of saved evidence: its age, whether that is sure, and wrong clocks.

    The age is what the frames say. Those of a run were dated by its controller, whose clock the
    devices' own bear out; nothing bears out a host state, which its node dated, nor frames of old.
    """
    told = []
    if old := words(store, now):
        told.append(
            f"this evidence is {old}: what was changed since is not in it, and only what railbed "
            "changed is on record"
        )
    clocks = store.clocks()
    if alone := sorted({frame.device for frame in store} - set(clocks)):
        more = f" and {len(alone) - _NAMED} more" if alone[_NAMED:] else ""
        told.append(
            f"no second clock bears out when this was gathered: {', '.join(alone[:_NAMED])}{more}: "
            "its date is one clock's word"
        )
    if wrong := outliers(clocks):
        told.append(f"beside the clock of the host that gathered this, {wrong}")
    return tuple(told)
