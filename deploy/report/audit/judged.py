"""Which rules could be judged of which systems: not where a configuration never says a fact."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from switch_configs import dialect
from validation.audit.box import Box
from validation.audit.rule import Rule

from .findings import known_rules


@dataclass(frozen=True, slots=True)
class Known:
    """How a rule is known of a system, and why not by its configuration ("" where it is)."""

    how: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class NotJudged:
    """A rule that says nothing of some boxes of a system, and why."""

    rule: str
    system: str
    how: str
    why: str
    boxes: tuple[str, ...]


def known(rule: Rule, system: str) -> Known:
    """How a rule is known of a system."""
    unsaid = dialect(system).unsaid
    silent = {fact for fact in rule.needs if {fact, fact.partition(".")[0]} & unsaid}
    if not silent:
        return Known("configuration")
    return Known("unknowable", f"its configuration never says {', '.join(sorted(silent))}")


def not_judged(boxes: Iterable[Box]) -> Iterator[NotJudged]:
    """What no rule could say, by rule and system."""
    systems: dict[str, list[str]] = {}
    for box in boxes:
        systems.setdefault(box.system, []).append(box.name)
    for rule in known_rules().values():
        for system, names in sorted(systems.items()):
            one = known(rule, system)
            if one.how != "configuration":
                yield NotJudged(rule.id, system, one.how, one.why, tuple(names))
