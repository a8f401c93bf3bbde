"""How much of a fabric `railbed audit --learn` says in a site of ours.

The configurations of the shipped sites and of some that `init` makes are rendered, read back as
anybody's and learned: of how many facts does the proposed plan say the same? Again with names that
say nothing, in no order, and of a random 60 % of the switches. The plan's own names are left out
there, for a site names its switches itself. With `AVD` naming a folder that holds checked-out
configurations (`*/intended/configs/*.cfg` of github.com/aristanetworks/avd), these fabrics too:
they are EVPN with 2-byte AS numbers, which no site says, so the figure is small; what counts is
that all of it is answered. Ends with RESULT lines. Run as `python -m tests.bench.audit_learn`.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from inventory.starter import Wish
from tests.bench.results import result
from tests.validation.audit.learn.networks import (
    boxes,
    learned,
    other_names,
    plan_of,
    plan_of_wish,
)
from validation.audit.box import Box, box
from validation.audit.learn.learn import Learned
from validation.audit.learn.measure import Measured

_SHIPPED = ("lab", "pod-256", "superpod-10k")
_TRIES = 8
_SEED = 20_260
_WISHES = {
    "init-cumulus": Wish("one", 40, "dgx-a100", "sn4700-cumulus", storage="roce",
                         business="storage", growth=3.0),
    "init-sonic": Wish("one", 24, "hgx-b300-dual-plane", "sn5600-sonic", storage="roce",
                       business="own", growth=2.0),
    "init-eos": Wish("one", 256, "hgx-h200", "arista-7060x6-64pe-eos", storage="roce",
                     business="own", growth=2.0),
    "init-nxos": Wish("one", 96, "hgx-b200", "nexus-9364e-sg2-nxos",
                      kind="rail-optimized-three-tier", growth=2.0),
    "init-frr": Wish("one", 20, "hgx-h100", "whitebox-64x800-frr", storage="tcp", business="own",
                     oob_switches=False, growth=2.0),
}  # fmt: skip


def main() -> int:
    """Print a line a fabric, then the results."""
    lines = [*_whole(), *_scrambled(), *_foreign()]
    print("\n".join(lines))
    return int(any(line.endswith("short") for line in lines))


def _whole() -> Iterator[str]:
    for name in (*_SHIPPED, *_WISHES):
        every = boxes(plan_of(name) if name in _SHIPPED else plan_of_wish(_WISHES[name]))
        begin = time.process_time()
        found = learned(every)
        seconds = time.process_time() - begin
        measured = _measured(found)
        print(f"{name}: {measured.reproduced} of {measured.facts} facts, {seconds:.1f} s CPU")
        print(f"  not expressed: {'; '.join(found.unsaid) or 'nothing'}")
        yield result(f"learned_{name}", measured.percent, "%", 95, most=False)


def _scrambled() -> Iterator[str]:
    plan, shares = plan_of("pod-256"), []
    for seed in range(_SEED, _SEED + _TRIES):
        rng, every = random.Random(seed), boxes(plan, other_names(plan, seed))
        whole, part = learned(every), learned(tuple(b for b in every if rng.random() < 0.6))
        shares.append((_but_names(whole), _but_names(part)))
        print(f"seed {seed}: without names {shares[-1][0]:.2f} %, of 60 % {shares[-1][1]:.2f} %")
    yield result("learned_without_names", min(one for one, _ in shares), "%", 95, most=False)
    mean = sum(part for _, part in shares) / len(shares)
    yield result("learned_of_60_percent_mean", mean, "%", 80, most=False)


def _foreign() -> Iterator[str]:
    folder = os.environ.get("AVD")
    if not folder:
        return
    answered = 0
    folders = sorted({path.parent for path in Path(folder).glob("**/intended/configs/*.cfg")})
    for one in folders:
        read = (box(path.name, {path.name: path.read_text()}) for path in sorted(one.glob("*.cfg")))
        some = {each.name: each for each in read if isinstance(each, Box)}
        found = learned(tuple(some.values()))
        measured = found.measured
        told = f"{measured.reproduced} of {measured.facts}" if measured else "no plan"
        name = one.parents[1].name
        print(f"{name}: {len(some)} read, {told}, {len(found.unsaid)} not expressed")
        answered += bool(measured or found.problems)
    yield result("foreign_answered", 100 * answered / max(len(folders), 1), "%", 100, most=False)


def _measured(found: Learned) -> Measured:
    assert found.measured is not None, found.problems
    return found.measured


def _but_names(found: Learned) -> float:
    measured = _measured(found)
    names = sum(count for (_, kind), count in measured.missed.items() if kind == "hostname")
    return 100 * measured.reproduced / (measured.facts - names)


if __name__ == "__main__":
    sys.exit(main())
