"""How well faults are located on a site of 10,240 NICs that exists only as numbers.

    python -m tests.bench.schedule_faults [single] [several] [healthy]

So many cases with one fault, with two to five at once, and without any; seeds are fixed and were
not used to tune the locator. It sees the rates of the flows that it asked for and the counters of
switch ports, with noise; it is told neither paths, nor hash seeds, nor faults. A case counts as
located when for every fault there is a suspect that is exactly the smallest nameable set, and no
other suspect beside them.
"""

from __future__ import annotations

import gc
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from inventory import open_site, site_folder
from inventory.plan import Plan, PortRef
from tests.bench.results import result
from tests.simulated.faults import Culprit, Drawer, together
from tests.simulated.paths import Fabric
from tests.simulated.runner import Healthy, World
from tests.simulated.traffic import Noise
from validation.locating.extra import MOST_EXTRA_ROUNDS, Planner
from validation.locating.ground import Ground
from validation.locating.located import Located, locate
from validation.locating.seen import Seen
from validation.pairing.coverage import Lane
from validation.pairing.loads import LoadProbe
from validation.pairing.schedule import loads
from validation.pairing.top_up import top_up
from validation.stages.s15_optics.batch import Piece

SEED = 70000


@dataclass(frozen=True)
class Site:
    """All that does not change from case to case."""

    plan: Plan
    fabric: Fabric
    healthy: Healthy
    across: tuple[tuple[LoadProbe, ...], ...]

    @property
    def planned(self) -> int:
        """The rounds of the plan."""
        return len(self.healthy.seen) + len(self.across)


@dataclass(frozen=True)
class Case:
    """What came of one case."""

    culprits: tuple[Culprit, ...]
    located: Located
    extra: int
    seconds: float

    @property
    def right(self) -> int:
        """The culprits that are named by a set of just their unit."""
        named = {one.units for one in self.located.suspects}
        return sum((one.unit,) in named for one in self.culprits)

    @property
    def false(self) -> list[str]:
        """Suspects that hold no culprit."""
        guilty = {one.unit for one in self.culprits}
        return [one.name for one in self.located.suspects if not guilty & set(one.units)]

    @property
    def is_located(self) -> bool:
        """Every culprit, and nobody else."""
        return self.right == len(self.culprits) and not self.false


@dataclass
class Tally:
    """Many cases of one sort."""

    name: str
    cases: list[Case] = field(default_factory=list)

    @property
    def located_percent(self) -> float:
        """Of the cases."""
        return 100 * sum(one.is_located for one in self.cases) / max(1, len(self.cases))

    def says(self) -> Iterator[str]:
        """Figures, and the cases that were not located."""
        sizes = Counter(len(one.units) for case in self.cases for one in case.located.suspects)
        extra = sorted(one.extra for one in self.cases)
        yield (
            f"{self.name}: {len(self.cases)} cases, {self.located_percent:.1f} % located, sizes of "
            f"suspects {dict(sorted(sizes.items()))}, extra rounds median {extra[len(extra) // 2]}"
            f" most {extra[-1]}, {sum(one.seconds for one in self.cases) / len(self.cases):.1f} s"
        )
        for one in self.cases:
            if not one.is_located:
                wanted = ", ".join(f"{c.kind}: {c.unit}" for c in one.culprits)
                found = "; ".join(f"{s.name} {s.told}" for s in one.located.suspects)
                yield f"  not located: {wanted} | found: {found or 'nothing'}"


def site_of(plan: Plan, rounds: Sequence[tuple[LoadProbe, ...]]) -> Site:
    """The plan's rounds, those inside leaves with their noise drawn once."""
    inside = [row for row in rounds if all(one.leaves[0] == one.leaves[1] for one in row)]
    across = tuple(row for row in rounds if row not in inside)
    return Site(plan, Fabric(plan, SEED), Healthy(inside, SEED, Noise()), across)


def superpod() -> Plan:
    """superpod-10k with every machine delivered."""
    return replace(open_site(site_folder("superpod-10k")), undeployable=())


def run_case(site: Site, culprits: Sequence[Culprit], drawer: Drawer, seed: int) -> Case:
    """Run the planned rounds, then what the locator asks for, and take its last word."""
    ground = Ground(site.plan, _pieces(drawer))
    world = World(site.fabric.reseeded(seed), together(culprits), seed)
    seen: list[Seen] = world.inside(site.healthy)
    seen += [world.run(row) for row in site.across]
    seen += _topped_up(site, ground, world, seen)
    extra: list[Seen] = []
    begin = time.perf_counter()
    planner = Planner(ground, site.planned)
    while asked := planner.next_round(seen, extra):
        extra.append(world.run(asked))
    located = locate(ground, [*seen, *extra])
    return Case(tuple(culprits), located, len(extra), time.perf_counter() - begin)


def _pieces(drawer: Drawer) -> dict[PortRef, Piece]:
    return {port: Piece(name, f"S-{port}") for port, name in drawer.batches.items()}


def _topped_up(site: Site, ground: Ground, world: World, seen: Sequence[Seen]) -> list[Seen]:
    """The schedule's own rounds for uplinks that were not loaded yet, as its runner adds them."""
    terms = site.across[0][0].terms
    hops = {hop for some in ground.hops.values() for hop in some}
    missing, found = hops, [one for one in seen if one.sent_gbit]
    added: list[Seen] = []
    for number in range(terms.top_up_rounds + 1):
        for one in (*found, *added)[-1:] if added else found:
            missing = {
                hop
                for hop in missing
                if one.sent_gbit[hop]
                < ground.cable(hop).rate_gbps * terms.loaded_share * terms.seconds
            }
        if not missing or number == terms.top_up_rounds:
            break
        lanes = {_lane(ground, hop) for hop in missing}
        flows = top_up(site.plan, frozenset(site.plan.devices), lanes, 400 + number)
        if not flows:
            break
        added.append(world.run(flows, judged=False))
    return added


def _lane(ground: Ground, hop: PortRef) -> Lane:
    """A hop as coverage names it: by the lower end of its cable."""
    far = ground.far(hop)
    lower = len(ground.below[hop.device]) <= len(ground.below[far.device])
    lower = lower and ground.plan.switch[hop.device].tier != "superspine"
    return (hop, "up") if lower else (far, "down")


def cases(site: Site, name: str, counts: Sequence[int], first: int) -> Tally:
    """One case for each count of faults."""
    tally = Tally(name)
    for number, count in enumerate(counts):
        seed = SEED + first + number
        drawer = Drawer(site.fabric, seed)
        kind = drawer.kinds[number % len(drawer.kinds)] if count == 1 else ""
        tally.cases.append(run_case(site, drawer.draw(count, kind), drawer, seed))
    return tally


def main(single: int = 100, several: int = 60, healthy: int = 100) -> int:
    """Run everything and print it; 1 where a target is missed."""
    plan = superpod()
    site = site_of(plan, loads(plan, frozenset(plan.devices)))
    gc.freeze()
    one = cases(site, "one fault", [1] * single, 0)
    many = cases(site, "two to five faults", [2 + at % 4 for at in range(several)], 10000)
    none = cases(site, "healthy", [0] * healthy, 20000)
    for tally in (one, many, none):
        print(*tally.says(), sep="\n")
    blamed = sum(bool(case.located.suspects) for case in none.cases)
    most = max(case.extra for tally in (one, many, none) for case in tally.cases)
    lines = [
        result("located_one", one.located_percent, "%", 99, most=False),
        result("located_two_to_five", many.located_percent, "%", 95, most=False),
        result("healthy_with_a_suspect", blamed, "sites", 0),
        result("extra_rounds", most, "rounds", MOST_EXTRA_ROUNDS),
    ]
    print("\n".join(lines))
    return int(any(line.endswith("short") for line in lines))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
