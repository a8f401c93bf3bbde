"""One mistake is one finding, however many ports it is on. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from inventory.exports.view import natural
from validation.audit.rule import SEVERITIES, Problem, Rule, Severity
from validation.audit.rules import rules

_MOST_FORMS = 5
# How a link was known, how many more there are and on which line are no part of what is wrong.
_BESIDE = re.compile(r" \(one link by [^)]*\)| and \d+ more\b| \(?\blines? \d+\)?")
_LINE = re.compile(r"(\.[a-z]{2,5}):\d+\b")
_WORD = re.compile(r"[\w./:-]+")
# A name with a number (`Ethernet1/1`), or an address.
_NAME = re.compile(
    r"[A-Za-z][\w./:-]*\d[\w./:-]*|\d+\.\d+\.\d+\.\d+(/\d+)?|[\da-fA-F]*:[\da-fA-F:/]+"
)
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Place:
    """Where: `at` is `file:line`, and the first of all `lines` that the finding speaks of.

    The fingerprint is the same when lines move.
    """

    subject: str
    at: str
    lines: tuple[str, ...]
    found: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One mistake, and every place of it; `says` is what must hold."""

    rule: str
    severity: Severity
    says: str
    why: str
    fix: str
    places: tuple[Place, ...]

    @property
    def found(self) -> str:
        """What is wrong at the first place."""
        return self.places[0].found

    def other(self, place: Place) -> str:
        """What is wrong there, where it is not the same but for the port's own name."""
        own, first = (one.subject.partition(":")[2] for one in (place, self.places[0]))
        same = place.found.replace(own, first) if own and first else place.found
        return "" if same == self.found else place.found

    @property
    def told(self) -> str:
        """`mtu-ends, 2 places`."""
        return f"{self.rule}, {len(self.places):,} places" if self.places[1:] else self.rule


def findings(problems: Iterable[Problem], names: Collection[str] = ()) -> tuple[Finding, ...]:
    """Worst first; of one severity boxes before links before paths, and what is on most first.

    What is wrong inside a box is mostly why its links differ. `names` are those of boxes: what
    differs by a name alone is one mistake.
    """
    made = [_finding(group) for group in _grouped(tuple(problems), names)]
    return tuple(sorted(made, key=_order))


def fingerprint(problem: Problem) -> str:
    """32 hex digits of rule, subject and what was found: the same when lines move."""
    said = " ".join(_plain(problem.found).split()).casefold()
    return sha256("\0".join((problem.rule, problem.subject, said)).encode()).hexdigest()[:32]


@cache
def known_rules() -> dict[str, Rule]:
    """Every rule by its id."""
    return {rule.id: rule for rule in rules()}


def says(rule: Rule) -> str:
    """What must hold: the first line of its docstring."""
    return (rule.__doc__ or "").strip().partition("\n")[0]


def _order(one: Finding) -> tuple[int, int, int, str, str]:
    rule = known_rules()[one.rule]
    return (SEVERITIES.index(one.severity), _reach(rule), -len(one.places), one.rule, one.found)


def _reach(rule: Rule) -> int:
    """0 of a rule of boxes, 1 of both ends of cables, 2 of the network."""

    def has(name: str) -> bool:
        return getattr(type(rule), name, None) is not getattr(Rule, name, None)

    return 2 if has("of_network") else int(has("of_link") or has("of_nic"))


def is_of_links(rule: str) -> bool:
    """Whether a rule compares both ends of a cable."""
    return _reach(known_rules()[rule]) == 1


def _grouped(problems: Sequence[Problem], names: Collection[str]) -> Iterator[list[Problem]]:
    """By what is said, without names; without numbers, too, where they alone make many groups."""
    forms = {found: _form(found, names) for found in {one.found for one in problems}}
    alike = defaultdict[tuple[str, ...], list[Problem]](list)
    for one in problems:
        form = _NUMBER.sub("#", forms[one.found])
        alike[one.rule, one.severity, one.why, one.fix, form].append(one)
    for group in alike.values():
        group.sort(key=lambda one: natural(one.subject))
        count = Counter(forms[one.found] for one in group)
        if len(count) > _MOST_FORMS:
            # What few places say is what a reader would miss.
            yield sorted(group, key=lambda one: count[forms[one.found]])
        else:
            yield from ([one for one in group if forms[one.found] == form] for form in count)


def _form(found: str, names: Collection[str]) -> str:
    def word(match: re.Match[str]) -> str:
        is_name = match[0].partition(":")[0] in names or _NAME.fullmatch(match[0].rstrip(".:"))
        return "*" if is_name else match[0]

    return _WORD.sub(word, _plain(found))


def _plain(found: str) -> str:
    return _LINE.sub(r"\1", _BESIDE.sub("", found))


def _finding(group: Sequence[Problem]) -> Finding:
    first = group[0]
    return Finding(
        first.rule,
        first.severity,
        says(known_rules()[first.rule]),
        first.why,
        first.fix,
        tuple(map(_place, group)),
    )


def _place(one: Problem) -> Place:
    lines = getattr(one, "lines", ()) or (one.place,)
    return Place(one.subject, one.place, tuple(lines), one.found, fingerprint(one))
