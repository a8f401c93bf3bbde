"""The pair schedule at ten thousand NICs: uplinks really loaded, by their counters, in few rounds.

The site is superpod-10k: 1,280 nodes with 8 rails, three tiers, 10,240 uplinks. Switches hash with
seeds that the planner is not told, NICs draw their UDP source ports, counters carry other jobs'
traffic. An uplink counts when some round brought it half its rate, each way. Fault location over
the same fabrics is in `schedule_faults`.

Run as `python -m tests.bench.schedule`; takes some minutes.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from inventory import open_site, site_folder
from inventory.plan import Plan, PortRef
from switch_configs.answers.carried import Carried
from tests.bench.results import result
from tests.simulated.paths import Fabric, Flow
from tests.simulated.traffic import Traffic
from validation.pairing import schedule
from validation.pairing.coverage import CoverageExpected, Lane, Rounds, coverages, lanes, loaded
from validation.pairing.loads import LoadProbe
from validation.pairing.top_up import top_up

FAULTS = "tests.bench.schedule_faults"
WORLDS = [("mixed", 11), ("mixed", 12), ("crc", 13), ("crc", 14)]
COVERED_PERCENT = 99.0
ROUNDS_OVER_BOUND = 1.2
PLANNING_S = 20.0
_FIRST_DRAWN = 49152  # RoCEv2 source ports are 0xC000 to 0xFFFF (rdma_core, kernel ib_verbs.h)


@dataclass(frozen=True)
class Bound:
    """The least rounds that could do, after the largest leaf and the leaf pairs."""

    inside: int
    leaf_pairs: int
    nic_pairs: int

    @property
    def rounds(self) -> int:
        """All pairs inside the largest leaf, and the leaf pairs over the NIC pairs of a round."""
        return self.inside + -(-self.leaf_pairs // self.nic_pairs)


@dataclass(frozen=True)
class Covered:
    """One world: the share of uplinks seen loaded after each round, and what planning cost."""

    percent: tuple[float, ...]
    planning_s: float


def site(name: str = "superpod-10k") -> Plan:
    """The plan as if every device's as-built row were there."""
    return replace(open_site(site_folder(name)), undeployable=())


def bound(plan: Plan) -> Bound:
    """From the plan alone: n NICs of a leaf need n - 1 rounds, or n where n is odd."""
    on_leaf = Counter((one.rail, one.leaf) for one in schedule.seats(plan))
    largest = max(on_leaf.values())
    leaves = Counter(rail for rail, _ in on_leaf)
    pairs = sum(count * (count - 1) // 2 for count in leaves.values())
    return Bound(largest - 1 + largest % 2, pairs, sum(on_leaf.values()) // 2)


class World:
    """A simulated fabric under the production judge: flows in, lanes that were loaded out."""

    def __init__(self, fabric: Fabric, seed: int, wanted: Sequence[CoverageExpected]) -> None:
        self.traffic, self.wanted = Traffic(fabric, seed), wanted
        self._random, self._uptime = Random(seed), 1e5
        self._peer = {one.a: one.b for one in fabric.plan.cables}
        self._peer |= {b: a for a, b in self._peer.items()}

    def run(self, flows: Sequence[LoadProbe]) -> frozenset[Lane]:
        """One round with counters read before and after."""
        before = self._counters()
        self.traffic.run([self._flow(one) for one in flows], flows[0].terms.seconds)
        self._uptime += flows[0].terms.seconds + 2
        after = self._counters()
        both = ((one, before[one.device], after[one.device]) for one in self.wanted)
        return frozenset().union(*(loaded(*three) for three in both))

    def _flow(self, one: LoadProbe) -> Flow:
        ports = [self._random.randrange(_FIRST_DRAWN, 65536) for _ in range(one.terms.streams)]
        ends = PortRef(one.sender, one.sender_port), PortRef(one.receiver, one.receiver_port)
        return Flow(*ends, tuple(ports), one.rate_gbps)

    def _counters(self) -> Mapping[str, Carried]:
        sent = self.traffic.sent_bytes()
        return {
            one.device: Carried(
                self._uptime,
                {
                    port.port: (sent[self._peer[ref]], sent[ref])
                    for port in one.uplinks
                    for ref in [PortRef(one.device, port.port)]
                },
            )
            for one in self.wanted
        }


def cover(
    plan: Plan, rounds: Rounds, world: World, wanted: Sequence[CoverageExpected], most: int
) -> Covered:
    """Run the rounds, then top-ups until all is seen loaded or `most` rounds are used up.

    Rounds inside leaves send nothing up: they count, and are not simulated.
    """
    every, configured = lanes(wanted), frozenset(plan.devices)
    seen: frozenset[Lane] = frozenset()
    percent, planning = [], 0.0
    for row in rounds:
        crossing = [one for one in row if one.leaves[0] != one.leaves[1]]
        seen |= world.run(crossing) if crossing else frozenset()
        percent.append(_percent(every, seen))
    while len(percent) < most and every - seen:
        begin = time.process_time()
        row = top_up(plan, configured, every - seen, len(percent))
        planning += time.process_time() - begin
        seen |= world.run(row)
        percent.append(_percent(every, seen))
    return Covered(tuple(percent), planning)


def _percent(every: frozenset[Lane], seen: frozenset[Lane]) -> float:
    uplinks, missing = {ref for ref, _ in every}, {ref for ref, _ in every - seen}
    return 100 * (1 - len(missing) / len(uplinks))


def main() -> int:
    """Plan, run in every world, print; then the faults, where that bench is there."""
    plan = site()
    begin = time.process_time()
    rounds = schedule.loads(plan, frozenset(plan.devices))
    wanted = tuple(coverages(plan, frozenset(plan.devices), rounds))
    planning_s = time.process_time() - begin
    least = bound(plan)
    most = int(least.rounds * ROUNDS_OVER_BOUND)
    show_plan(plan, rounds, wanted, least, most, planning_s)
    fabric = Fabric(plan, 0)
    covered = []
    for hashing, seed in WORLDS:
        world = World(fabric.reseeded(seed, hashing), seed, wanted)
        one = cover(plan, rounds, world, wanted, most)
        covered.append(one)
        after = ", ".join(f"{share:.2f}" for share in one.percent[least.inside :])
        numbers = f"{least.inside + 1} to {len(one.percent)}"
        print(f"{hashing} hashing, seed {seed}: {after} % of uplinks after rounds {numbers}")
    lines = [
        result("uplink_coverage", min(c.percent[-1] for c in covered), "%", COVERED_PERCENT,
               most=False),
        result("rounds_over_bound", max(enough(c) for c in covered) / least.rounds, "x",
               ROUNDS_OVER_BOUND),
        result("planning", planning_s + max(c.planning_s for c in covered), "s", PLANNING_S),
    ]  # fmt: skip
    print("\n".join(lines))
    short = any(line.endswith("short") for line in lines)
    if importlib.util.find_spec(FAULTS):
        short |= bool(importlib.import_module(FAULTS).main())
    return int(short)


def enough(one: Covered) -> int:
    """The first round after which the target is met; one more than all where it is not."""
    met = (number for number, share in enumerate(one.percent, 1) if share >= COVERED_PERCENT)
    return next(met, len(one.percent) + 1)


def show_plan(
    plan: Plan,
    rounds: Rounds,
    wanted: Sequence[CoverageExpected],
    least: Bound,
    most: int,
    planning_s: float,
) -> None:
    """What is asked of whom."""
    terms, count = rounds[0][0].terms, sum(len(one.uplinks) for one in wanted)
    print(
        f"{plan.site}: {sum(map(len, rounds)) // 2} NIC pairs in {len(rounds)} rounds, planned in "
        f"{planning_s:.1f} processor seconds, every command included\n"
        f"lower bound: {least.inside} rounds inside the largest leaf + {least.leaf_pairs} leaf "
        f"pairs over {least.nic_pairs} NIC pairs of a round, rounded up = {least.rounds}; "
        f"x {ROUNDS_OVER_BOUND} = {most} rounds at most\n"
        f"a pair has {terms.streams} QPs each way, {terms.top_up_streams} in top-up rounds, each "
        "with a UDP source port of its own that the NIC draws\n"
        f"{count} uplinks of {len(wanted)} switches; one is loaded when a round brings it "
        f"{terms.loaded_share:.0%} of its rate, each way"
    )


if __name__ == "__main__":
    sys.exit(main())
