"""What `./railbed test --changed` would have cost: its choice for each of the last commits.

    python -m tests.bench.changed [--last 100]

Seconds are those of tests/impact/seconds.csv, added up as if tests ran one after another.
"""

from __future__ import annotations

import argparse
from statistics import median, quantiles

from tests.bench.results import result
from tests.impact.change import git, tree_of
from tests.impact.choose import Choice, choose
from tests.impact.graph import Graph
from tests.plugins.seconds import kept


def main() -> None:
    """One line a commit, then the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--last", type=int, default=100, help="how many commits, merges left out")
    seconds, spent, all_of = kept(), [], 0
    for commit in git("rev-list", "--no-merges", f"-{parser.parse_args().last}", "HEAD").split():
        choice = choice_of(commit, seconds)
        spent.append(choice.seconds)
        all_of += bool(choice.everything)
        print(f"{commit[:8]} {choice.seconds:6.0f} s  {choice.everything or choice.why}")
    tenths = quantiles(spent, n=10)
    print(f"commits {len(spent)}, of which {all_of} need every test; seconds by tenths:")
    print(" ".join(f"{one:.0f}" for one in tenths))
    print(result("changed_median", median(spent), "s", 120))


def choice_of(commit: str, seconds: dict[str, float]) -> Choice:
    """The choice for what one commit changed, by its own tree."""
    new, old = tree_of(commit), tree_of(f"{commit}~1")
    before = {
        path: old.get(path, "")
        for path in sorted(new.keys() | old.keys())
        if new.get(path) != old.get(path)
    }
    return choose(Graph(new), before, seconds)


if __name__ == "__main__":
    main()
