"""What `./railbed test` is expected to take, by the seed that draws it.

    python -m tests.bench.draws [--seeds 10] [--files]

Seconds are those of tests/impact/seconds.csv, added up as if tests ran one after another; four
workers share two cores. `--files` says of the first seed what each file takes.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from tests.bench.results import result
from tests.tree import ROOT

# What fits into 15 minutes, less what starts the workers and collects the tests.
TARGET_S = 3500


@dataclass(eq=False)
class Collected:
    """All tests of both tiers, as pytest collects them."""

    items: list[pytest.Item] = field(default_factory=list)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.items = list(session.items)


def main() -> None:
    """One line a seed, then the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="how many")
    parser.add_argument("--files", action="store_true", help="the files of the first seed")
    asked = parser.parse_args()
    found = Collected()
    pytest.main(
        ["--collect-only", "-qq", "--full", "--no-header", "--no-summary", str(ROOT / "tests")],
        plugins=[found],
    )
    quick = [one for one in found.items if not one.get_closest_marker("full")]
    every = []
    for seed in range(asked.seeds):
        files = files_of(seed, quick)
        every.append(sum(files.values()))
        print(f"seed {seed}: {every[-1]:.0f} s")
        if asked.files and not seed:
            for file, seconds in sorted(files.items(), key=lambda one: (-one[1], one[0])):
                print(f"{seconds:8.1f} s  {file}")
    print(result("seconds_of_a_draw", max(every), "s", TARGET_S))


def files_of(seed: int, items: Sequence[pytest.Item]) -> dict[str, float]:
    """What each file takes that this seed draws."""
    # Plugins are pytest's to import first: it rewrites their assertions.
    from tests.plugins.instances import Draw
    from tests.plugins.order import file_of
    from tests.plugins.seconds import UNKNOWN_S, function_of, shipped

    out = Draw(seed).left_out(items)
    files: dict[str, float] = defaultdict(float)
    for item in items:
        if item not in out:
            took = shipped().get(function_of(item.nodeid))
            files[file_of(item.nodeid)] += took.each_s if took else UNKNOWN_S
    return files


if __name__ == "__main__":
    main()
