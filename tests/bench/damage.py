"""Whether damaged evidence still passes: python -m tests.bench.damage [TRIES] [SEED]

Of the healthy evidence of every stage, and of the text of every parser alone, lines are removed,
blanked, cut and doubled, and numbers replaced by what is none (`nan`, `-nan`, `1e309`, `1,5`,
nothing), each time in one answer of one device.

A damage that takes a token away, or makes it no number, is short where everything passes still (a
parser: reads the same) and the token is *asked*: some other value in its place (a number one
higher, a thousand times as high, nought; a word of another kind) ends that. These trials are no
damages and are not counted. A doubled line takes nothing away: it is tried, and may pass.

Damages of asked tokens that change nothing are in damage_excused.csv, each with its reason, which
is tried, too: where another stage sees them, it has to; where other lines say the same, those do.
Ends with RESULT lines; exit 1 where one is short.
"""

from __future__ import annotations

import csv
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from .damaged import Subject, Text, subjects
from .results import result

TRIES = 20_000
NO_NUMBER = ("nan", "-nan", "1e309", "1,5", "")
EXCUSED = Path(__file__).with_name("damage_excused.csv")
# A number, or a word; digits within a name belong to it.
_TOKEN = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w])|[A-Za-z_][\w-]+")
_MOST_LINES = 60  # of one text: the rest of a long one is like these


@dataclass(frozen=True)
class Damage:
    """One damaged text. `takes`: whether it takes the token away, or makes it no number."""

    how: str
    text: str
    takes: bool


@dataclass(frozen=True)
class Short:
    """A damage that nobody saw, and why it is excused, if it is."""

    subject: str
    where: str
    line: str
    how: str
    excused: str

    def __str__(self) -> str:
        return f"{self.subject} {self.where[:70]}: {self.how}: {self.line.strip()[:80]}"


@dataclass(frozen=True)
class Excuse:
    """Patterns of a subject, a line and a kind of damage, and why that changes nothing.

    What it says is tried: `seen_by` names the stage that sees the damage in the same answer; lines
    whose group `same` has one word tell one thing, which is missed where all of them are gone.
    """

    subject: re.Pattern[str]
    line: re.Pattern[str]
    how: re.Pattern[str]
    seen_by: str
    reason: str

    def covers(self, subject: str, line: str, how: str) -> bool:
        """Whether it names this one."""
        return bool(
            self.subject.fullmatch(subject) and self.line.search(line) and self.how.fullmatch(how)
        )

    def holds(
        self,
        subject: Subject,
        text: Text,
        rows: list[str],
        at: int,
        damaged: str,
        others: Mapping[str, Subject],
    ) -> bool:
        """Whether it is as it says, of this damage."""
        if self.seen_by:
            other = others.get(self.seen_by)
            return other is not None and other.sees(text, damaged)
        if "same" not in self.line.groupindex:
            return True
        words = [found["same"] if (found := self.line.search(row)) else None for row in rows]
        left = [row for row, word in zip(rows, words, strict=True) if word != words[at]]
        return len(left) + 1 < len(rows) and not subject.stays(text, "".join(left))


def excuses() -> tuple[Excuse, ...]:
    """The list that people wrote."""
    with EXCUSED.open(newline="", encoding="utf-8") as lines:
        return tuple(
            Excuse(
                re.compile(row["subject"]),
                re.compile(row["line"]),
                re.compile(row["how"]),
                row["seen_by"],
                row["reason"],
            )
            for row in csv.DictReader(lines)
        )


def main() -> int:
    """Try, tell what came short, end with the results."""
    tries = int(sys.argv[1]) if len(sys.argv) > 1 else TRIES
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(10**6)
    print(f"seed {seed}")
    began, tried, found = time.perf_counter(), Counter[str](), list[Short]()
    every = subjects()
    others = {one.name: one for one in every}
    refused = [one for one in every if one.refused]
    for one in refused:
        print(f"refused: {one.name}: {one.refused}")
    for at, subject in enumerate(every):
        due = -(-(tries - tried.total()) // (len(every) - at))
        drawn = random.Random(f"{seed} {subject.name}")
        done, short = of_subject(subject, due, drawn, excuses(), others)
        tried += done
        found += short
        print(f"{subject.name}: {done.total()} tries, {len(short)} passed over", flush=True)
    for why in sorted({one.excused for one in found if one.excused}):
        print(f"excused {sum(one.excused == why for one in found)}: {why}")
    wrong = [one for one in found if not one.excused]
    print(*(f"  {one}" for one in wrong), sep="\n")
    took = time.perf_counter() - began
    print(f"{tried.total()} tries in {took:.0f} s: {dict(sorted(tried.items()))}")
    return report(tried.total(), len(wrong), len(refused), tries)


def report(tried: int, short: int, refused: int, tries: int) -> int:
    """The results; 1 where one is short."""
    lines = [
        result("damage_tries", tried, "damages", tries, most=False),
        result("damage_short", short, "damages", 0),
        result("damage_healthy_refused", refused, "samples", 0),
    ]
    print(*lines, sep="\n")
    return int(any(one.endswith("short") for one in lines))


def of_subject(
    subject: Subject,
    tries: int,
    draw: random.Random,
    listed: Sequence[Excuse],
    others: Mapping[str, Subject] = MappingProxyType({}),
) -> tuple[Counter[str], list[Short]]:
    """At least `tries` of one subject, as far as it has so many, and those that nobody saw."""
    tried, short = Counter[str](), list[Short]()
    if subject.refused:
        return tried, short
    for text, at in lines_of(subject.texts(), draw):
        if tried.total() >= tries:
            break
        rows = text.text.splitlines(keepends=True)
        tokens = list(_TOKEN.finditer(rows[at]))
        if not tokens:
            continue
        token, asked = draw.choice(tokens), None
        for one in damages(rows, at, token, draw):
            tried[one.how.split(" ")[0]] += 1
            if not (subject.stays(text, one.text) and one.takes):
                continue
            asked = is_asked(subject, text, rows, at, token) if asked is None else asked
            if asked:
                why = (
                    o.reason
                    for o in listed
                    if o.covers(subject.name, rows[at], one.how)
                    and o.holds(subject, text, rows, at, one.text, others)
                )
                short.append(Short(subject.name, text.where, rows[at], one.how, next(why, "")))
    return tried, short


def is_asked(subject: Subject, text: Text, rows: list[str], at: int, token: re.Match[str]) -> bool:
    """Whether another value of a token is seen, and not by the form of the text alone."""
    others = (swapped(rows, at, token, other) for other in others_of(token[0]))
    json_before = is_json(text.text)
    return any(is_json(one) == json_before and not subject.stays(text, one) for one in others)


def is_json(text: str) -> bool:
    """A value that makes JSON unreadable tells nothing of who asks for it."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def lines_of(texts: Sequence[Text], draw: random.Random) -> Iterator[tuple[Text, int]]:
    """Texts and the numbers of lines in them, in an order that is drawn."""
    drawn = []
    for one in texts:
        many = len(one.text.splitlines())
        drawn += [(one, at) for at in draw.sample(range(many), min(many, _MOST_LINES))]
    draw.shuffle(drawn)
    yield from drawn


def others_of(token: str) -> tuple[str, ...]:
    """Values that could stand in its place."""
    try:
        number = float(token)
    except ValueError:
        words = (f"{token[:-1]}q", "down")
        return tuple(map(str.upper, words)) if token.isupper() else words
    if number.is_integer() and abs(number) < 1e15:
        return (str(int(number) + 1), str(int(number) * 1000 + 7), "0")
    return (str(number * 1000), str(-number), "0.0")


def damages(
    rows: list[str], at: int, token: re.Match[str], draw: random.Random
) -> Iterator[Damage]:
    """What a bad line, a full disk or a tool's crash makes of an answer."""
    yield Damage("removed", "".join(rows[:at] + rows[at + 1 :]), takes=True)
    yield Damage("blanked", "".join([*rows[:at], "\n", *rows[at + 1 :]]), takes=True)
    yield Damage("doubled", "".join(rows[: at + 1] + rows[at:]), takes=False)
    before = rows[at][: draw.randint(0, token.start())]
    yield Damage("cut", "".join(rows[:at]) + before, takes=True)
    yield Damage("shortened", "".join([*rows[:at], f"{before}\n", *rows[at + 1 :]]), takes=True)
    if re.fullmatch(r"-?[\d.eE+-]+", token[0]):
        for word in NO_NUMBER:
            yield Damage(f"number {word!r}", swapped(rows, at, token, word), takes=True)


def swapped(rows: list[str], at: int, token: re.Match[str], word: str) -> str:
    """The text with another word in the token's place."""
    row = rows[at][: token.start()] + word + rows[at][token.end() :]
    return "".join([*rows[:at], row, *rows[at + 1 :]])


if __name__ == "__main__":
    sys.exit(main())
