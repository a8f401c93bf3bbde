"""Sites that `init` makes, from check to the ladder: how far each climbs on healthy evidence.

Switch profiles (so all systems) x GPU profiles x storage x business x OOB switches. Each site is
checked, planned, rendered and proved; host variables and manifests are made; then every stage
judges what a healthy site answers (`tests/validation/stock`), made of the plan in the forms of the
tools. A contradiction is whatever is not as said: a site of ours that does not open, a render or a
proof that does not hold, an expectation that fails, or one that stays inconclusive and of which
`railbed check` did not say so on the first day.

`python -m tests.bench.stock_sites [COUNT] [--seed N]`; without a count all of them.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from deploy.switches.printable import unprintable
from inventory import InventoryError, open_site
from inventory.nodes.hostvars import vars_for
from inventory.plan import Plan
from inventory.schema.topology import Kind
from inventory.starter import (
    ASBUILT_CSV,
    BusinessWish,
    CannotBuildError,
    StorageWish,
    Wish,
    starter_text,
)
from tests.generated.sites import make_up_asbuilt
from tests.validation.stock import SAYS, evidence
from validation.ladder import ladder, open_ends
from validation.manifest.device import manifests
from validation.run import validate
from validation.verdict import Verdict

from .init_space import shelf
from .results import result

PLANES: tuple[tuple[StorageWish, BusinessWish], ...] = (
    ("none", "none"),
    ("tcp", "none"),
    ("roce", "none"),
    ("none", "own"),
    ("tcp", "own"),
    ("roce", "own"),
    ("tcp", "storage"),
    ("roce", "storage"),
)
# Two shapes take turns: each rail has one leaf; and two pods of leaves that all rails share, so
# that flows of a rail cross spines.
SHAPES: tuple[tuple[int, Kind | None], ...] = ((4, None), (20, "two-tier"))


@dataclass(frozen=True, slots=True)
class Rung:
    """One stage of one site: verdicts, and why what did not pass did not (check, reason)."""

    stage: int
    verdicts: tuple[tuple[str, int], ...]
    why: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Climbed:
    """What became of one wish; `wrong` is what contradicts, `refused` why there is no site.

    `said` are the stages of which `check` says that they leave something open.
    """

    wish: Wish
    refused: str = ""
    wrong: str = ""
    system: str = ""
    rungs: tuple[Rung, ...] = ()
    said: frozenset[int] = frozenset()

    @property
    def untold(self) -> tuple[int, ...]:
        """The stages that stay inconclusive, and of which `check` said nothing."""
        open_ = (one.stage for one in self.rungs if worst(one) == "inconclusive")
        return tuple(one for one in open_ if one not in self.said)


def wishes() -> list[Wish]:
    """Every combination, in an order that stays."""
    known = shelf()
    nodes = sorted(name for name, one in known.nodes.items() if one.rails and one.gpus)
    switches = sorted(name for name, one in known.switches.items() if one.ports.rate_gbps >= 400)
    axes = product(nodes, switches, PLANES, (None, True))
    made = []
    for at, (node, switch, (storage, business), oob) in enumerate(axes):
        count, kind = SHAPES[at % len(SHAPES)]
        made.append(Wish("stock", count, node, switch, kind, storage, business, oob, 1.0))
    return made


def climbed(wish: Wish) -> Climbed:
    """One site, from its text to the top of the ladder."""
    try:
        return climbed_by(wish, starter_text(wish, shelf()))
    except CannotBuildError as error:
        return Climbed(wish, refused=error.flag)


def climbed_by(wish: Wish, text: str) -> Climbed:
    """As `climbed`, of the wish's text as a person has changed it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "fabric.yml").write_text(text, encoding="utf-8")
        (folder / "asbuilt.csv").write_text(ASBUILT_CSV, encoding="utf-8")
        try:
            make_up_asbuilt(folder)
            plan = open_site(folder)
        except InventoryError as error:
            return Climbed(wish, wrong=f"check: {error.problems[0]}")
    system = shelf().switches[wish.switch_profile].dialect
    wrong = next(_contradictions(plan), "")
    said = frozenset(int(one.split()[1]) for one in open_ends(plan))
    return Climbed(wish, "", wrong, system, () if wrong else rungs(plan), said)


def _contradictions(plan: Plan) -> Iterator[str]:
    """What does not hold before anything is measured."""
    yield from unprintable(plan)
    known = manifests(plan)
    for node in plan.nodes:
        if not vars_for(plan, node.name):
            yield f"{node.name} has no variables"
        if not known.of(node.name).files:
            yield f"{node.name} has an empty manifest"


def rungs(plan: Plan) -> tuple[Rung, ...]:
    """Each stage by itself, on what a healthy site answers to it."""
    return tuple(_rung(plan, stage) for stage in sorted(SAYS))


def _rung(plan: Plan, stage: int) -> Rung:
    others = frozenset(ladder()) - {stage}
    everything = frozenset(plan.devices)
    done = validate(plan, stage, evidence(plan, stage), None, everything, leave_out=others)
    verdicts = Counter(one.verdict.value for one in done.findings)
    why = {
        (one.check, one.found or one.hint) for one in done.findings if one.verdict != Verdict.PASS
    }
    return Rung(stage, tuple(sorted(verdicts.items())), tuple(sorted(why)))


def table(every: list[Climbed]) -> Iterator[str]:
    """By stage and system: sites in which it passed, was inconclusive, failed, asked nothing."""
    systems = sorted({one.system for one in every if one.rungs})
    yield "stage  " + "".join(f"{name:>22}" for name in systems)
    yield " " * 7 + "".join(f"{'pass/incl/fail/none':>22}" for _ in systems)
    for stage in sorted(SAYS):
        row = (_counted(every, system, stage) for system in systems)
        yield f"{stage:<7}" + "".join(f"{one:>22}" for one in row)


def _counted(every: list[Climbed], system: str, stage: int) -> str:
    words = [
        worst(rung)
        for one in every
        if one.system == system
        for rung in one.rungs
        if rung.stage == stage
    ]
    return "/".join(str(words.count(word)) for word in ("pass", "inconclusive", "fail", ""))


def worst(rung: Rung) -> str:
    """The verdict of a stage; "" where nothing was asked."""
    found = dict(rung.verdicts)
    return next((word for word in ("fail", "inconclusive", "pass") if found.get(word)), "")


def reasons(every: list[Climbed]) -> Iterator[str]:
    """Why stages did not pass, each once, with a site that shows it."""
    seen: dict[tuple[int, str, str], int] = {}
    for one in every:
        for rung in one.rungs:
            for check, why in dict(rung.why).items():
                key = (rung.stage, one.system, f"{check}: {why[:140]}")
                seen[key] = seen.get(key, 0) + 1
    for (stage, system, why), count in sorted(seen.items()):
        yield f"{stage} {system}: {count} sites: {why}"


def main() -> int:
    """All combinations, or a sample by a seed that is printed."""
    asked = argparse.ArgumentParser()
    asked.add_argument("count", nargs="?", type=int)
    asked.add_argument("--seed", type=int, default=1)
    said = asked.parse_args()
    every = wishes()
    if said.count:
        every = random.Random(said.seed).sample(every, min(said.count, len(every)))
        print(f"seed {said.seed}")
    with ProcessPoolExecutor() as pool:
        found = list(pool.map(climbed, every, chunksize=4))
    sites = [one for one in found if not one.refused]
    for one in sites:
        if one.wrong:
            print(f"{one.wish}: {one.wrong}")
    print(f"{len(found):,} wishes, {len(found) - len(sites):,} refused, {len(sites):,} sites")
    print("\n".join([*table(sites), *reasons(sites)]))
    wrong = sum(bool(one.wrong) for one in sites)
    failed = sum(any(worst(rung) == "fail" for rung in one.rungs) for one in sites)
    untold = [one for one in sites if one.untold]
    for one in untold:
        print(f"{one.wish}: check says nothing of stages {one.untold}")
    print(result("stock sites that contradict", wrong, "sites", 0))
    print(result("stock sites with a failed stage", failed, "sites", 0))
    print(result("stock sites with a stage left open untold", len(untold), "sites", 0))
    return 1 if wrong or failed or untold else 0


if __name__ == "__main__":
    sys.exit(main())
