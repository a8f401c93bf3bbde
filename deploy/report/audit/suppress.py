"""Findings that somebody answers for: a file of rules and subjects, each with a reason and an end.

The file is looked for where the command runs and never in what is audited: a configuration by
somebody else must not acquit itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path

from deploy.errors import RailbedError
from inventory.load.yaml_positions import Marked, parse
from inventory.problems import InventoryError, Problem, close_to, shown
from validation.audit import rule as audit_rule

DEFAULT = Path(".railbed-audit.yml")
_FIELDS = ("rule", "subject", "reason", "until")
_EXAMPLE = (
    'suppress: a list of {rule: mtu-ends, subject: "leaf1:*", reason: ..., until: 2027-01-31}'
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?![\w:-])")
_MOST_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class Suppression:
    """One entry: `subject` is a glob, `until` the last day on which it holds; `at` is where."""

    rule: str
    subject: str
    reason: str
    until: date
    at: str

    def covers(self, problem: audit_rule.Problem) -> bool:
        """Whether this is of the problem."""
        return self.rule == problem.rule and fnmatchcase(problem.subject, self.subject)


@dataclass(frozen=True, slots=True)
class Sorted:
    """Problems that count and those that somebody answers for; `notes` on entries to look at."""

    counted: tuple[audit_rule.Problem, ...]
    suppressed: tuple[tuple[audit_rule.Problem, Suppression], ...]
    notes: tuple[str, ...]


def sort_out(
    problems: Iterable[audit_rule.Problem],
    entries: Iterable[Suppression],
    today: date,
    known: Iterable[str],
) -> Sorted:
    """By entry; `known` are the ids of all rules. The first entry that covers a problem has it."""
    every, names = tuple(problems), tuple(known)
    left, taken, notes = list(every), list[tuple[audit_rule.Problem, Suppression]](), list[str]()
    for one in entries:
        mine = [problem for problem in every if one.covers(problem)]
        if one.rule not in names:
            hint = close_to(one.rule, names)
            notes.append(f"{one.at}: there is no rule {one.rule!r}{f'; {hint}' if hint else ''}")
        elif not mine:
            notes.append(f"{one.at}: {one.rule} finds nothing at {one.subject!r}: take it away")
        elif one.until < today:
            places = f"{len(mine):,} places count" if mine[1:] else "1 place counts"
            notes.append(f"{one.at}: {one.rule} at {one.subject!r} ended on {one.until}: {places}")
        else:
            now = [problem for problem in left if one.covers(problem)]
            taken += [(problem, one) for problem in now]
            left = [problem for problem in left if not one.covers(problem)]
    return Sorted(tuple(left), tuple(taken), tuple(notes))


def read_suppressions(path: Path | None) -> tuple[Suppression, ...]:
    """The entries of a file; without a path those of `.railbed-audit.yml` here, if it is there.

    InventoryError with every problem of the file, RailbedError where there is none.
    """
    if path is None and not DEFAULT.is_file():
        return ()
    file = path or DEFAULT
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise RailbedError(f"{file}: over {_MOST_BYTES // 2**20} MiB", _EXAMPLE)
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise RailbedError(f"{file}: cannot be read: {error.strerror}", _EXAMPLE) from None
    except UnicodeDecodeError:
        raise RailbedError(f"{file}: found no text in UTF-8", _EXAMPLE) from None
    marked = parse(text, str(file))
    days = _days(marked, text)
    problems = [one for one in marked.problems if one.path not in days]
    entries = list(_entries(marked, days, problems))
    if problems:
        raise InventoryError(problems)
    return tuple(entries)


def _days(marked: Marked, text: str) -> dict[str, str]:
    """Plain dates, which the reader of YAML refuses: here a date is what is wanted."""
    lines, found = text.splitlines(), dict[str, str]()
    for one in marked.problems:
        if one.path.endswith("].until") and one.found == "a date":
            day = _DAY.match(lines[one.line - 1], one.column - 1)
            found |= {one.path: day[0]} if day else {}
    return found


def _entries(
    marked: Marked, days: dict[str, str], problems: list[Problem]
) -> Iterator[Suppression]:
    top = marked.value
    if top is None and not marked.problems:
        return
    entries = top.get("suppress") if isinstance(top, dict) else None
    if not isinstance(top, dict) or not isinstance(entries, list):
        if not marked.problems:
            problems.append(marked.problem((), shown(top), "`suppress` with a list", _EXAMPLE))
        return
    problems += [
        marked.key_problem((name,), f"`{name}`", "`suppress` alone")
        for name in top.keys() - {"suppress"}
    ]
    for number, entry in enumerate(entries):
        before = len(problems)
        until = days.get(f"suppress[{number}].until")
        problems += _wrong(marked, number, entry, until)
        if len(problems) == before and isinstance(entry, dict):
            at = f"{marked.file}:{marked.value_place(('suppress', number)).line}"
            rule, subject, reason = (str(entry[one]).strip() for one in _FIELDS[:3])
            day = date.fromisoformat(until or entry["until"])
            yield Suppression(rule, subject, reason, day, at)


def _wrong(marked: Marked, number: int, entry: object, until: str | None) -> Iterator[Problem]:
    here = ("suppress", number)
    if not isinstance(entry, dict):
        yield marked.problem(here, shown(entry), "a mapping", f"with {', '.join(_FIELDS)}")
        return
    for name in entry.keys() - set(_FIELDS):
        hint = close_to(name, _FIELDS)
        yield marked.key_problem((*here, name), f"`{name}`", f"one of {', '.join(_FIELDS)}", hint)
    for name in _FIELDS:
        value = until if name == "until" and until else entry.get(name)
        where = (*here, name)
        if name not in entry:
            yield marked.problem(where, "nothing", f"`{name}`", _EXAMPLE)
        elif not isinstance(value, str) or not value.strip():
            if not any(one.path == f"suppress[{number}].{name}" for one in marked.problems):
                yield marked.problem(where, shown(value), "text")
        elif name == "until" and not _is_day(value):
            yield marked.problem(where, shown(value), "a day, as 2027-01-31")


def _is_day(text: str) -> bool:
    try:
        return bool(_DAY.fullmatch(text)) and bool(date.fromisoformat(text))
    except ValueError:
        return False
