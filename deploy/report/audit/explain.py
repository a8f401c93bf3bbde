"""A rule for people: what must hold, why, what it needs, where it can be judged, an example."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from deploy.errors import RailbedError
from inventory.own_yaml import own_yaml
from inventory.problems import close_to
from switch_configs import dialects
from switch_configs.readback.spoken import spoken
from validation.audit.known import SERVERS, known
from validation.audit.rule import SEVERITIES, Rule, Severity

from .findings import known_rules, says

_EXAMPLES = Path(__file__).with_name("examples.yml")


@dataclass(frozen=True, slots=True)
class Example:
    """What the rule says of a configuration that breaks it."""

    subject: str
    found: str
    fix: str


@dataclass(frozen=True, slots=True)
class Explained:
    """`judged` says by system and of servers how far it is, `fixes` the fix in its own words."""

    rule: str
    severity: Severity
    says: str
    more: str
    why: str
    needs: tuple[str, ...]
    judged: Mapping[str, str]
    fixes: Mapping[str, str]
    example: Example | None


def explained(name: str) -> Explained:
    """One rule; RailbedError with the nearest names where there is none."""
    if name not in known_rules():
        near = close_to(name, known_rules())
        hint = "; ".join(filter(None, (near, "`railbed audit --rules` lists them")))
        raise RailbedError(f"--explain: there is no rule {name!r}", hint)
    rule = known_rules()[name]
    first, _, more = (rule.__doc__ or "").strip().partition("\n")
    return Explained(
        rule=name,
        severity=rule.severity,
        says=first,
        more=" ".join(more.split()),
        why=rule.why,
        needs=tuple(sorted(rule.needs)),
        judged={system: _judged(rule, system) for system in (*dialects(), SERVERS)},
        fixes={system: fix for system in dialects() if (fix := _fix(rule, system))},
        example=_examples().get(name),
    )


def all_rules() -> tuple[tuple[str, Severity, str], ...]:
    """Each rule's id, severity and first line, worst first."""
    found = [(one.id, one.severity, says(one)) for one in known_rules().values()]
    return tuple(sorted(found, key=lambda one: (SEVERITIES.index(one[1]), one[0])))


def _fix(rule: Rule, system: str) -> str:
    """In the system's own words; "" where only the finding says it."""
    return spoken(system).fixes.get(rule.id) or rule.fixes.get(system, "")


def _judged(rule: Rule, system: str) -> str:
    one = known(rule, system)
    by = "asks nothing of it" if one.how == "-" else f"by its {one.how}"
    return f"{one.how}: {one.why}" if one.why else by


@cache
def _examples() -> Mapping[str, Example]:
    return {name: Example(**one) for name, one in own_yaml(_EXAMPLES).items()}
