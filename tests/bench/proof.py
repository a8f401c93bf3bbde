"""Proof of a whole site: seconds and memory to render, read back and judge it, and its failures.

Every switch of superpod-10k and its nodes are rendered, read back, proved against the plan and
judged together, as `railbed prove` does, on all processors; then each kind of single failure. The
same for half of its pods says how the seconds of processors grow with the number of cables: with
twice the pods a site has no more superspines, but each has twice the ports and lines to prove.

Run as `python -m tests.bench.proof`; ends with RESULT lines.
"""

from __future__ import annotations

import math
import os
import resource
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from deploy.switches.site_proof import site_proof
from inventory import open_site
from inventory.plan import Plan
from validation.proof.failures import losses

from .results import result


@dataclass(frozen=True, slots=True)
class Proved:
    """What one site took."""

    switches: int
    nodes: int
    cables: int
    proof_s: float
    processors_s: float
    failures_s: float
    findings: int
    kinds: int


def proved(plan: Plan) -> Proved:
    """Prove a site, then ask its failures."""
    begin, used = time.perf_counter(), _processors_s()
    found = site_proof(plan, Console(quiet=True), failures=False)
    middle, used = time.perf_counter(), _processors_s() - used
    lost = losses(plan, found.audit.network)
    end = time.perf_counter()
    switches = len(found.audit.network.boxes)
    return Proved(
        switches,
        len(plan.nodes),
        len(plan.cables),
        middle - begin,
        used,
        end - middle,
        len(found.audit.problems),
        len(lost),
    )


def _processors_s() -> float:
    """Of this process and of workers that have ended."""
    return sum(os.times()[:4])


def growth(small: Proved, large: Proved, size: str) -> float:
    """The exponent by which the seconds of processors grow with `switches` or `cables`."""
    times = math.log(large.processors_s / small.processors_s)
    return times / math.log(getattr(large, size) / getattr(small, size))


def half(folder: Path) -> Plan:
    """superpod-10k with half of its pods; its racks are left out, as their rows would not fit."""
    text = (Path("inventory/sites/superpod-10k/fabric.yml")).read_text(encoding="utf-8")
    made = text.replace("  pods: 20\n", "  pods: 10\n", 1)
    if made == text:
        raise ValueError("superpod-10k no longer says `pods: 20`")
    (folder / "fabric.yml").write_text(made, encoding="utf-8")
    (folder / "asbuilt.csv").write_text("device,port,mac,serial\n", encoding="utf-8")
    return open_site(folder)


def main() -> None:
    """Print what both took."""
    with tempfile.TemporaryDirectory() as folder:
        small = proved(half(Path(folder)))
    large = proved(open_site("superpod-10k"))
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    for one in (small, large):
        print(
            f"{one.switches} switches, {one.nodes} nodes, {one.cables} cables: proved in "
            f"{one.proof_s:.1f} s ({one.processors_s:.1f} s of processors), {one.findings} "
            f"findings; {one.kinds} kinds of failures in {one.failures_s:.1f} s"
        )
    print(f"memory: {own / 1024:.0f} MiB, and {child / 1024:.0f} MiB a worker at most")
    print(f"growth exponent over switches: {growth(small, large, 'switches'):.2f}")
    print(result("superpod-10k proved", large.proof_s, "s", 60))
    print(result("growth with cables", growth(small, large, "cables"), "exponent", 1.2))
    print(result("single failures", large.failures_s, "s", 120))
    print(result("findings", large.findings, "findings", 0))


if __name__ == "__main__":
    main()
