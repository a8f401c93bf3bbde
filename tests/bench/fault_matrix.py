"""Every fault of `tests/faults`, made in a lab, and healthy runs between: who is blamed.

Run as `python -m tests.bench.fault_matrix [--lab NAME] [--healthy N] [FAULT ...]`; needs root. It
builds a lab and takes it down, or with `--lab` uses one that is up and as planned.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from deploy import lab
from deploy.measuring.stages import LOADED_STAGE, QUIET_STAGE
from deploy.rollout.change import apply_site
from deploy.session import Selection
from inventory import site_folder
from tests.faults.drive import FAULTS, LAST_STAGE, Driver
from tests.faults.judge import Outcome, line
from validation.judging.advisory import is_advisory
from validation.verdict import Finding, Verdict

from .results import result

NAME = "bfaults"
HEALTHY_RUNS = 20
LOADED_EVERY = 5  # of the healthy runs, so many are with loads: one with all of the rails'


@contextmanager
def standing(name: str) -> Iterator[Selection]:
    """A lab brought to its plan; gone afterwards. RuntimeError where the plan does not hold."""
    lab.down(name)
    try:
        lab.up(site_folder("lab"), name, say=lambda _: None)
        done = apply_site(Selection("lab", name), "", dry_run=False, say=lambda _: None)
        if done.exit_code:
            raise RuntimeError(done.outcome)
        yield Selection("lab", name)
    finally:
        lab.down(name)


def blamed(findings: Sequence[Finding]) -> list[str]:
    """What a healthy run says is not well."""
    bad = [one for one in findings if one.verdict is not Verdict.PASS and not is_advisory(one)]
    return [f"{one.expectation}: {one.verdict}: {one.suspect}: {one.found}" for one in bad]


def healthy(driver: Driver, runs: int) -> list[list[str]]:
    """Healthy runs; every fifth also loads the rails, the first of them through collectives."""
    found = []
    for number in range(runs):
        loaded = number % LOADED_EVERY == 0
        last = LAST_STAGE if number == 0 else LOADED_STAGE
        found.append(blamed(driver.look(last if loaded else QUIET_STAGE)))
        said = "; ".join(found[-1]) or "nobody is blamed"
        _say(f"healthy run {number + 1}{', loaded' if loaded else ''}: {said}")
    return found


def report(outcomes: Sequence[Outcome], well: Sequence[list[str]]) -> list[str]:
    """The RESULT lines."""
    count = max(1, len(outcomes))
    caught = 100 * sum(one.caught for one in outcomes) / count
    right = 100 * sum(one.right for one in outcomes) / count
    placed = 100 * sum(one.in_place for one in outcomes) / count
    wrong = sum(bool(one) for one in well)
    return [
        result("fault_matrix.faults", len(outcomes), "faults", 20, most=False),
        result("fault_matrix.not_passed", caught, "%", 100, most=False),
        result("fault_matrix.right_suspect", right, "%", 95, most=False),
        result("fault_matrix.stage_and_verdict", placed, "%", 95, most=False),
        result(f"fault_matrix.blamed_of_{len(well)}_healthy", wrong, "runs", 0),
    ]


def matrix(driver: Driver, names: Sequence[str], runs: int) -> list[str]:
    """Faults by name (none: all), then healthy runs."""
    chosen = [FAULTS[name] for name in names or FAULTS]
    outcomes = []
    for one in driver.run(chosen):
        outcomes.append(one)
        _say(f"{line(one)}  {one.seconds:.0f} s")
    return report(outcomes, healthy(driver, runs))


def main(words: Sequence[str]) -> int:
    """The whole matrix; 0 where every figure is met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lab", default="")
    parser.add_argument("--healthy", type=int, default=HEALTHY_RUNS)
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args(words)
    begin = time.monotonic()
    if asked.lab:
        lines = matrix(Driver(Selection("lab", asked.lab), _say), asked.names, asked.healthy)
    else:
        with standing(NAME) as selection:
            lines = matrix(Driver(selection, _say), asked.names, asked.healthy)
    for one in lines:
        _say(one)
    _say(f"{time.monotonic() - begin:.0f} s in all")
    return 0 if all(one.endswith(" ok") for one in lines) else 1


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
