"""What one frr.conf says, in the words of `switch_configs.readback.facts`."""

from __future__ import annotations

from dataclasses import dataclass, field

from switch_configs.readback.facts import Hazard, HazardKind, PolicyFacts, SessionFacts, TableFacts


@dataclass(frozen=True, slots=True)
class FrrFacts:
    """All sorted; `unread` in the order of the file. Names are the plan's."""

    hostname: str | None
    release: str | None
    asn: int | None
    router_id: str | None
    sessions: tuple[SessionFacts, ...]
    policies: tuple[PolicyFacts, ...]
    originates: tuple[str, ...]
    discards: tuple[str, ...]
    ecmp_width: int | None
    ebgp_requires_policy: bool
    drained: bool
    tables: tuple[TableFacts, ...]
    hazards: tuple[Hazard, ...]
    unread: tuple[str, ...]


@dataclass
class FrrReading:
    """Filled by the readers of this folder; then made into FrrFacts."""

    hazards: list[Hazard] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def hazard(self, sentence: str, kind: HazardKind = "other", about: str = "") -> None:
        """Say it once, however often it is met; one that has its kind keeps it."""
        if sentence not in self.hazards:
            made = sentence if isinstance(sentence, Hazard) else Hazard(sentence, kind, about)
            self.hazards.append(made)
