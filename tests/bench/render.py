"""Switch configurations: devices a second, proof included, for superpod-10k in each dialect.

One process renders every data switch; then it proves what it rendered, by the grammar of its
language and by reading it back against the plan; then all processors do both, as `railbed render`
does. Programs of a switch (vtysh and others) are not asked here: they are processes of their own.

Run as `python -m tests.bench.render [DIALECT ...]`; ends with RESULT lines.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import yaml

from deploy.switches.render import proved
from inventory.load.site import SITES
from inventory.plan import Plan
from switch_configs import dialects, intent, render
from tests.switch_configs.sites import in_dialect, shipped
from validation.proof.configuration import proof

from .results import result

# A fabric of 1,000 switches in ten seconds: to render on one processor, to render and prove on all.
_TARGET = 100


def eos_site(folder: Path) -> Path:
    """32 spines and 128 leaves of EOS, numbered links, a few nodes, the whole lossless class."""
    site: dict[str, Any] = yaml.safe_load((SITES / "pod-256" / "fabric.yml").read_text())
    for key in ("storage", "business", "servers", "boundary", "versions", "racks"):
        site.pop(key, None)
    del site["oob"]["switches"]
    site["topology"] |= {
        "pods": 16, "spines": 32, "nodes_per_pod": 2, "uplinks_per_spine": 1,
        "fabric_links": "numbered", "oversubscription": {}, "breakout": {"nodes": 2, "fabric": 2},
        "maxima": {"pods": 16, "spines": 32, "nodes_per_pod": 4},
    }  # fmt: skip
    site["compute"]["pools"] |= {"links": "10.240.0.0/16"}
    site = in_dialect(site, "eos")
    site["topology"]["uplinks_per_spine"] = 1
    site["lossless"]["ip_mtu_bytes"]["switches"] = 9214
    folder.mkdir(parents=True)
    (folder / "fabric.yml").write_text(json.dumps(site, indent=1))
    (folder / "asbuilt.csv").write_text("device,port,mac,serial\n")
    return folder


def one_process(plan: Plan) -> tuple[float, float]:
    """Seconds to render all switches, and to prove them, in this process."""
    begin = time.perf_counter()
    made = {one.name: render(plan, one.name) for one in plan.switches}
    rendered = time.perf_counter()
    for name, one in made.items():
        found = proof(intent(plan, name), one, None)
        assert not found.wrong, (name, found.wrong[:3])
    return rendered - begin, time.perf_counter() - rendered


def all_processors(plan: Plan) -> float:
    """Seconds for both on all processors."""
    begin = time.perf_counter()
    proved(plan, [one.name for one in plan.switches], None)
    return time.perf_counter() - begin


def main() -> int:
    """Every dialect, or those that were asked for."""
    lines = []
    for name in sys.argv[1:] or dialects():
        plan = shipped("superpod-10k", name)
        count = len(plan.switches)
        render_s, proof_s = one_process(plan)
        alone, together = render_s + proof_s, all_processors(plan)
        print(
            f"{name}: {count} switches; rendered in {render_s:.2f} s, proved in {proof_s:.2f} s in "
            f"one process, {count / alone:.0f} devices/s; both in {together:.2f} s on all "
            f"processors, {count / together:.0f} devices/s"
        )
        lines += [
            result(f"render_{name}", count / render_s, "devices/s", _TARGET, most=False),
            result(f"proved_{name}_all", count / together, "devices/s", _TARGET, most=False),
        ]
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
