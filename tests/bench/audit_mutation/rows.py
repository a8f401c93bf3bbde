"""Mutants drawn, labelled and asked about: one row each, and what families of rows come to."""

from __future__ import annotations

import csv
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .second_reader import FAMILIES
from .site import Site, labels, told_by_proof, told_near
from .tokens import Mutant, Text, kinds_of_lines, mutant, mutants

HERE = Path(__file__).parent
# So many of each family of each system, where so many different ones can be drawn.
ENOUGH = 40


@dataclass(frozen=True, slots=True)
class Row:
    """A mutant; `family` is "" where nothing changes; `audit` and `proof` are what they say."""

    system: str
    mutant: Mutant
    family: str
    audit: tuple[str, ...]
    proof: tuple[str, ...]

    @property
    def kind(self) -> str:
        """What the line looks like, and what it stands below."""
        return kind_of(self.mutant.of, self.mutant.line - 1)

    @property
    def change(self) -> str:
        """The first word that another stands for, and the one before it."""
        before, after = self.mutant.before.split(), self.mutant.after.split()
        for at, (one, other) in enumerate(zip(before, after, strict=False)):
            if one != other:
                return f"{before[at - 1] if at else ''} {one} -> {other}"
        return ""

    @property
    def alarms(self) -> tuple[str, ...]:
        """What the audit says is wrong; that it did not understand a line is no alarm."""
        return tuple(one for one in self.audit if "are not understood here" not in one)

    @property
    def false(self) -> tuple[str, ...]:
        """Alarms that say what is not so: neither a change nor true of the text."""
        return tuple(one for one in self.alarms if not true_of_text(one))

    @property
    def excuse(self) -> str:
        """Why no audit of these texts alone can know of it; "" where one could."""
        return next(
            (
                why
                for family, pattern, why in excuses("survived")
                if family in {"", self.family}
                and re.search(pattern, f"{self.kind} > {self.change}")
            ),
            "",
        )


def true_of_text(alarm: str) -> str:
    """Why an alarm is right although nothing is treated otherwise; "" where it is not."""
    found = (why for _, pattern, why in excuses("told") if re.search(pattern, alarm))
    return next(found, "")


def kind_of(text: Text, at: int) -> str:
    """The kind of a line, as it is drawn by."""
    return next((kind for kind, lines in kinds_of_lines(text).items() if at in lines), "")


@cache
def excuses(what: str) -> tuple[tuple[str, str, str], ...]:
    """Family, pattern and reason: of what `survived` by `kind > change`, of what was `told`."""
    with (HERE / "audit_excused.csv").open(newline="") as file:
        return tuple(
            (row["family"], row["pattern"], row["reason"])
            for row in csv.DictReader(file) if row["what"] == what
        )  # fmt: skip


def drawn(of: Site, count: int, seed: int) -> Iterator[tuple[Mutant, str]]:
    """Mutants of a site with their families, before any rule has run.

    Each kind of line has its turn; then kinds whose families have too few have more turns.
    """
    rng = random.Random(f"{seed} {of.system}")
    had, kinds = Counter[str](), defaultdict[str, set[tuple[Text, int]]](set)
    seen = set[tuple[str, str, str]]()
    for one in mutants(of.mutable(), count, rng):
        family = _family(of, one)
        had[family] += 1
        kinds[family] |= {(one.of, at) for at in kinds_of_lines(one.of)[
            kind_of(one.of, one.line - 1)]}  # fmt: skip
        seen.add((one.of.device, one.of.path, one.text))
        yield one, family
    for family in FAMILIES:
        places = sorted(kinds[family], key=lambda at: (at[0].device, at[0].path, at[1]))
        for _ in range(ENOUGH * 8 if places else 0):
            more = mutant(*rng.choice(places), rng)
            if had[family] >= ENOUGH or more is None:
                continue
            key = (more.of.device, more.of.path, more.text)
            if key not in seen and _family(of, more) == family:
                seen.add(key)
                had[family] += 1
                yield more, family


def _family(of: Site, one: Mutant) -> str:
    found = {str(key[0]) for key in labels(of, one)}
    return next((family for family in FAMILIES if family in found), "")


def rows(of: Site, count: int, seed: int) -> Iterator[Row]:
    """The same, asked about."""
    for one, family in drawn(of, count, seed):
        yield Row(of.system, one, family, tuple(sorted(told_near(of, one))),
                  told_by_proof(of, one))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Share:
    """Of the changed mutants of a family of a system: how many, and who told of how many."""

    system: str
    family: str
    changed: int
    audit: int
    excused: int
    proof: int

    @property
    def known(self) -> float:
        """Percent that the audit tells, of those that texts alone can tell."""
        can = self.changed - self.excused
        return 100 * self.audit / can if can else 100.0


def shares(every: Iterable[Row]) -> list[Share]:
    """One for each family of each system."""
    groups = defaultdict[tuple[str, str], list[Row]](list)
    for one in every:
        if one.family:
            groups[one.system, one.family].append(one)
    order = {family: at for at, family in enumerate(FAMILIES)}
    return [
        Share(system, family, len(mine), sum(bool(one.audit) for one in mine),
              sum(bool(not one.audit and one.excuse) for one in mine),
              sum(bool(one.proof) for one in mine))
        for (system, family), mine in sorted(groups.items(),
                                             key=lambda item: (item[0][0], order[item[0][1]]))
    ]  # fmt: skip


def by_hand() -> Iterator[tuple[dict[str, str], Mutant | None]]:
    """Labels that a person gave by reading, with the change each is of, made again."""
    from .site import site  # only this needs the sites

    with (HERE / "hand_labels.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            texts = {(one.device, one.path): one for one in site(row["system"]).mutable()}
            text = texts.get((row["device"], row["path"]))
            yield row, _again(row, text) if text else None


def _again(row: dict[str, str], text: Text) -> Mutant | None:
    lines, at, after = text.text.splitlines(), int(row["line"]) - 1, row["after"]
    first, _, second = after.partition(" | ")
    before = row["before"].partition(" | ")[0] if row["kind"] in {"moved", "swapped"} else row[
        "before"]  # fmt: skip
    if at >= len(lines) or lines[at] != before:
        return None
    if row["kind"] == "lost":
        del lines[at]
        if text.form == "json" and not before.endswith(",") and lines[at - 1].endswith(","):
            lines[at - 1] = lines[at - 1][:-1]
    elif row["kind"] == "doubled":
        lines.insert(at, before)
    elif row["kind"] == "moved":
        lines[at], lines[at + 1] = first, second
    elif row["kind"] == "swapped":
        lines[at], lines[int(row["other"]) - 1] = first, second
    else:
        lines[at] = after
    return Mutant(text, row["kind"], at + 1, before, after, "\n".join(lines) + "\n")
