"""What one frr.conf says, in the words of `switch_configs.readback.facts`."""

from __future__ import annotations

from dataclasses import dataclass, field

from switch_configs.readback.facts import PolicyFacts, SessionFacts, TableFacts


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
    hazards: tuple[str, ...]
    unread: tuple[str, ...]


@dataclass
class FrrReading:
    """Filled by the readers of this folder; then made into FrrFacts."""

    hazards: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def hazard(self, sentence: str) -> None:
        """Say it once, however often it is met."""
        if sentence not in self.hazards:
            self.hazards.append(sentence)
