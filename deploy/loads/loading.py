"""What a runner of a stage may use, and how it is found.

A stage that loads has a module here of its folder's name (`s75_storage_run.py`) with
`load(loading)`, which leaves results as evidence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module

from deploy.context import Context
from validation.evidence.gather import Transport
from validation.evidence.store import EvidenceStore
from validation.judging.past import Past
from validation.ladder import folders, number_of


@dataclass(frozen=True)
class Loading:
    """The context, the way to devices, where evidence goes, and which devices are in place.

    `past` has the figures of earlier runs.
    """

    context: Context
    transport: Transport
    store: EvidenceStore
    configured: frozenset[str]
    past: Past = field(default_factory=dict)


def runner(number: int) -> Callable[[Loading], None]:
    """What gets a stage its evidence."""
    (name,) = (path.name for path in folders() if number_of(path) == number)
    load: Callable[[Loading], None] = import_module(f"{__package__}.{name}_run").load
    return load
