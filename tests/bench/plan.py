"""How long load, check and plan take on 10,240 and on 102,400 GPUs, and in how much memory.

Every port of both sites is as built. Each run is a process of its own, which does all three;
its seconds begin before it imports anything of ours. Prints its figures and ends with RESULT
lines; run as `python -m tests.bench.plan`.
"""

from __future__ import annotations

import json
import math
import resource
import shutil
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from .results import compiled, result, run

ROOT = Path(__file__).parents[2]
SMALL, LARGE, QUARTER = "superpod-10k", "large", "quarter"
_GPUS_PER_NODE = 8
_MIB_PER_GIB = 1024
_KIB_PER_MIB = 1024


@dataclass(frozen=True, slots=True)
class Measured:
    """One process: seconds from its first line, and from when our modules were there."""

    wall_s: float
    cpu_s: float
    open_wall_s: float
    open_cpu_s: float
    gpus: int
    devices: int
    cables: int
    rows: int
    peak_mib: float


def make(site: str, folder: Path) -> None:
    """Write one of the sites, with an invented MAC for each of its ports."""
    from inventory.load.site import site_folder
    from tests.generated.large_site import LARGE_PODS, large_site
    from tests.generated.sites import make_up_asbuilt

    if site == SMALL:
        shutil.copytree(site_folder(site), folder)
        make_up_asbuilt(folder)
    else:
        large_site(folder, LARGE_PODS if site == LARGE else LARGE_PODS // 4)


def measure(folder: Path) -> Measured:
    """Open a site in this process, which has done nothing else before."""
    begin, begin_cpu = time.perf_counter(), time.process_time()
    from inventory import open_site

    ready, ready_cpu = time.perf_counter(), time.process_time()
    plan = open_site(folder)
    end, end_cpu = time.perf_counter(), time.process_time()
    return Measured(
        wall_s=end - begin,
        cpu_s=end_cpu - begin_cpu,
        open_wall_s=end - ready,
        open_cpu_s=end_cpu - ready_cpu,
        gpus=_GPUS_PER_NODE * sum(1 for one in plan.nodes if one.kind == "gpu"),
        devices=len(plan.devices),
        cables=len(plan.cables),
        rows=len((folder / "asbuilt.csv").read_text().splitlines()) - 1,
        peak_mib=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KIB_PER_MIB,
    )


def fresh(site: str, times: int) -> Measured:
    """The quickest of several processes; the site is made by another one."""
    with tempfile.TemporaryDirectory() as name:
        folder, env = Path(name) / site, compiled(Path(name))
        ask = [sys.executable, "-m", "tests.bench.plan"]
        run([*ask, "make", site, str(folder)], ROOT, env)
        outs = (run([*ask, "measure", str(folder)], ROOT, env).out for _ in range(times))
        found = min((Measured(**json.loads(out)) for out in outs), key=lambda one: one.wall_s)
    print(
        f"{site}: {found.gpus:,} GPUs, {found.devices:,} devices, {found.cables:,} cables, "
        f"{found.rows:,} rows as built: {found.wall_s:.2f} s ({found.cpu_s:.2f} s of processor), "
        f"{found.open_wall_s:.2f} s ({found.open_cpu_s:.2f} s) without imports, "
        f"{found.peak_mib:.0f} MiB"
    )
    return found


def exponent(small: Measured, large: Measured, size: str) -> float:
    """k where time grows as size to the power of k; processor time, without imports."""
    sizes = math.log(getattr(large, size) / getattr(small, size))
    return math.log(large.open_cpu_s / small.open_cpu_s) / sizes


def main() -> None:
    """Measure all sizes."""
    small, quarter, large = fresh(SMALL, 5), fresh(QUARTER, 2), fresh(LARGE, 2)
    for one, name in ((small, SMALL), (quarter, QUARTER)):
        over = ", ".join(
            f"{exponent(one, large, of):.2f} over {of}" for of in ("cables", "devices")
        )
        print(f"growth exponent, {name} to {LARGE}: {over}")
    print("All superspines stand from the first pod on, so devices grow slower than cables.")
    growth = max(exponent(one, large, "cables") for one in (small, quarter))
    print(result("plan_10k_gpus", small.wall_s, "s", 3))
    print(result("plan_100k_gpus", large.wall_s, "s", 40))
    print(result("plan_growth_exponent", growth, "power", 1.1))
    print(result("plan_100k_memory", large.peak_mib / _MIB_PER_GIB, "GiB", 4))


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        make(sys.argv[2], Path(sys.argv[3]))
    elif sys.argv[1:2] == ["measure"]:
        print(json.dumps(asdict(measure(Path(sys.argv[2])))))
    else:
        main()
