"""Evidence under which a stage passes, one module a stage: what the fail-closed matrix damages."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from inventory.plan import Plan
from validation.evidence.store import EvidenceStore, Frame, Identity

TIME = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)


class Refused(str):
    """What a command line says of a line that it does not take; there is no answer then."""

    __slots__ = ()


@dataclass(frozen=True)
class Healthy:
    """A plan, the devices that are configured, and evidence that answers `stage` whole.

    A check may judge several expectations of one device from several answers. `spares` tells, of
    a command and an expectation, that this one does not rest on that answer at all.
    """

    stage: int
    plan: Plan
    configured: frozenset[str]
    store: EvidenceStore
    spares: Callable[[str, str], bool] = lambda *_: False


def answered(plan: Plan, said: Mapping[str, Mapping[str, str]]) -> EvidenceStore:
    """A store in which each device (of the plan, by its MAC) answered these commands."""
    store = EvidenceStore()
    store.add(
        frame(plan, device, command, text)
        for device, texts in sorted(said.items())
        for command, text in sorted(texts.items())
    )
    return store


def frame(plan: Plan, device: str, command: str, text: str) -> Frame:
    """One answer, as whole as a device sends it."""
    status, why = (1, text) if isinstance(text, Refused) else (0, "")
    data, mac = b"" if status else text.encode(), plan.management_mac[device] or ""
    who = Identity(device, mac, f"boot-of-{device}", int(TIME.timestamp()))
    sha256 = hashlib.sha256(data).hexdigest()
    return Frame(device, command, plan.digest, TIME, who, status, len(data), sha256, data, why)


def modules() -> tuple[ModuleType, ...]:
    """Every module of this folder, by stage."""
    names = sorted(one.name for one in iter_modules(__path__))
    return tuple(import_module(f"{__name__}.{name}") for name in names)
