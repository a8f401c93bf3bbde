"""How long `open_site` takes on a fabric of 1,000 switches, and whether that is linear.

Prints its figures and ends with RESULT lines; run as `python -m tests.bench.plan`.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from inventory import open_site
from inventory.generate import Size, generated_site

# 936 leaves + 64 spines, 3,744 nodes of 8 rail NICs, about 95,000 cables.
LARGE = Size(pods=117, spines=64, rails=8, nodes_per_pod=32, max_pods=128, site="bench")
# A quarter of the pods: about a quarter of the links.
QUARTER = Size(pods=29, spines=64, rails=8, nodes_per_pod=32, max_pods=128, site="bench")


def seconds(size: Size) -> tuple[float, int]:
    """Best of three, and the number of cables."""
    with tempfile.TemporaryDirectory() as folder:
        site = generated_site(Path(folder), size)
        best, cables = float("inf"), 0
        for _ in range(3):
            begin = time.perf_counter()
            plan = open_site(site)
            best, cables = min(best, time.perf_counter() - begin), len(plan.cables)
        return best, cables


def result(name: str, value: float, unit: str, target: float) -> str:
    """One RESULT line."""
    met = "ok" if value < target else "short"
    return f"RESULT {name} {value:.2f} {unit} target <{target:g} {met}"


def main() -> None:
    """Measure both sizes."""
    quarter_s, quarter_cables = seconds(QUARTER)
    large_s, large_cables = seconds(LARGE)
    print(f"{quarter_cables} cables in {quarter_s:.2f} s, {large_cables} cables in {large_s:.2f} s")
    growth = (large_s / large_cables) / (quarter_s / quarter_cables)
    print(result("plan_seconds", large_s, "s", 5))
    print(result("plan_time_per_cable_growth", growth, "x", 1.5))


if __name__ == "__main__":
    main()
