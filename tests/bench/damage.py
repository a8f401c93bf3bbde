"""Whether damaged evidence still passes: python -m tests.bench.damage [TRIES] [SEED]

Of the healthy evidence of every stage, lines are removed, cut and doubled, and numbers replaced by
what is none (`nan`, `-nan`, `1e309`, `1,5`, nothing, a cut), each time in one answer of one device.

What the stage *asks* is found by trial: a token is asked where some other value of it (a number one
higher, a thousand times as high, negative; a word of another kind) ends a pass. Counted as short is
a damage that takes an asked token away, or makes it no number, while everything passes still. A
line that is doubled takes nothing away and is counted as tried only.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import ModuleType

from tests.validation import healthy
from tests.validation.healthy import Healthy
from validation.evidence import EvidenceStore, Frame
from validation.ladder import ladder
from validation.run import validate
from validation.verdict import Verdict

from .results import result

TRIES = 20_000
NO_NUMBER = ("nan", "-nan", "1e309", "1,5", "")
# A number, or a word; digits within a name belong to it.
_TOKEN = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w])|[A-Za-z_][\w-]+")
_MOST_LINES = 40  # of one answer: the rest of a long one is like these


@dataclass(frozen=True)
class Damage:
    """One damaged answer. `takes`: whether it takes the token away, or makes it no number."""

    how: str
    text: str
    takes: bool


@dataclass(frozen=True)
class Short:
    """A damage that nobody saw."""

    stage: str
    device: str
    command: str
    line: str
    how: str


def main() -> None:
    tries = int(sys.argv[1]) if len(sys.argv) > 1 else TRIES
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(10**6)
    print(f"seed {seed}")
    began, tried, short = time.perf_counter(), Counter[str](), list[Short]()
    cases = healthy.modules()
    for at, module in enumerate(cases):
        due = (tries - tried.total()) // (len(cases) - at)
        done, found = of_stage(module, due, random.Random(seed))
        tried += done
        short += found
        name = module.__name__.rpartition(".")[2]
        print(f"{name}: {done.total()} tries, {len(found)} short", flush=True)
    for one in short:
        print(
            f"  {one.stage} {one.device} `{one.command[:60]}`: {one.how}: {one.line.strip()[:80]}"
        )
    kinds = dict(sorted(tried.items()))
    print(f"{tried.total()} tries in {time.perf_counter() - began:.0f} s: {kinds}")
    print(result("damage_short", len(short), "damages", 0))


def of_stage(
    module: ModuleType, tries: int, draw: random.Random
) -> tuple[Counter[str], list[Short]]:
    """At least `tries` of one stage, as far as it has so many, and those that came short."""
    case: Healthy = module.healthy()
    tried, short = Counter[str](), list[Short]()
    for frame, at in lines_of(case, draw):
        if tried.total() >= tries:
            break
        text = frame.payload.decode()
        rows = text.splitlines(keepends=True)
        tokens = list(_TOKEN.finditer(rows[at]))
        if not tokens:
            continue
        token = draw.choice(tokens)
        asked = False
        for other in others_of(token[0]):
            tried["asked"] += 1
            text_with_it = swapped(rows, at, token, other)
            if is_json(text) == is_json(text_with_it):
                asked = asked or not passes(case, frame, text_with_it)
        for one in damages(rows, at, token, draw):
            tried[one.how.split(" ")[0]] += 1
            if asked and one.takes and passes(case, frame, one.text):
                name = module.__name__.rpartition(".")[2]
                short.append(Short(name, frame.device, frame.command, rows[at], one.how))
    return tried, short


def is_json(text: str) -> bool:
    """A value that makes JSON unreadable tells nothing of who asks for it."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def lines_of(case: Healthy, draw: random.Random) -> Iterator[tuple[Frame, int]]:
    """Answers and the numbers of lines in them, the same question of another device last."""
    by_command: dict[str, list[Frame]] = {}
    for frame in case.store:
        if b"\n" in frame.payload or frame.payload:
            by_command.setdefault(re.sub(r"\d+", "N", frame.command), []).append(frame)
    drawn: list[tuple[float, Frame, int]] = []
    for frames in by_command.values():
        draw.shuffle(frames)
        for turn, frame in enumerate(frames[:4]):
            many = len(frame.payload.decode(errors="replace").splitlines())
            chosen = sorted(draw.sample(range(many), min(many, _MOST_LINES)))
            drawn += [(turn + draw.random(), frame, at) for at in chosen]
    yield from ((frame, at) for _, frame, at in sorted(drawn, key=lambda one: one[0]))


def others_of(token: str) -> tuple[str, ...]:
    """Values that could stand in its place."""
    try:
        number = float(token)
    except ValueError:
        return (f"{token[:-1]}q", "down")
    if number.is_integer() and abs(number) < 1e15:
        return (str(int(number) + 1), str(int(number) * 1000 + 7), "0")
    return (str(number * 1000), str(-number), "0.0")


def damages(
    rows: list[str], at: int, token: re.Match[str], draw: random.Random
) -> Iterator[Damage]:
    """What a bad line, a full disk or a tool's crash makes of an answer."""
    yield Damage("removed", "".join(rows[:at] + rows[at + 1 :]), takes=True)
    yield Damage("doubled", "".join(rows[: at + 1] + rows[at:]), takes=False)
    before = rows[at][: draw.randint(0, token.start())]
    yield Damage("cut", "".join(rows[:at]) + before, takes=True)
    yield Damage("shortened", "".join([*rows[:at], f"{before}\n", *rows[at + 1 :]]), takes=True)
    if re.fullmatch(r"-?[\d.eE+-]+", token[0]):
        for word in NO_NUMBER:
            yield Damage(f"number {word!r}", swapped(rows, at, token, word), takes=True)


def swapped(rows: list[str], at: int, token: re.Match[str], word: str) -> str:
    row = rows[at][: token.start()] + word + rows[at][token.end() :]
    return "".join([*rows[:at], row, *rows[at + 1 :]])


def passes(case: Healthy, frame: Frame, text: str) -> bool:
    """Whether everything passes where this is the answer."""
    data = text.encode()
    store = EvidenceStore()
    store.add(case.store)
    sealed = hashlib.sha256(data).hexdigest()
    store.add([replace(frame, payload=data, byte_length=len(data), sha256=sealed)])
    others = frozenset(ladder()) - {case.stage}
    found = validate(case.plan, case.stage, store, None, case.configured, leave_out=others)
    return all(one.verdict is Verdict.PASS for one in found.findings)


if __name__ == "__main__":
    main()
