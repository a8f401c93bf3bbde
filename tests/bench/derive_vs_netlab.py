"""Our load, check and plan against `netlab create`, for the same 48 devices and 512 links.

netlab (netlab.tools, on PyPI as networklab) also derives addresses and BGP sessions from one
file. Both get the same fabric, netlab's file being written from our plan: the same devices,
links and AS numbers, addresses left to each. Whole processes are timed, their start included.
`netlab create` also writes the files of a lab, so it is timed a second time with the least that
it can write. It is installed into an environment that is thrown away.

Prints its figures and ends with a RESULT line; exit 3 where netlab cannot be installed. Run as
`python -m tests.bench.derive_vs_netlab`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import yaml

from inventory import open_site
from inventory.plan import Cable, Plan
from tests.generated.sites import Size, generated_site

from .results import Ran, best, compiled, result, run

ROOT = Path(__file__).parents[2]
# One pod: 8 leaves, 8 spines, 4 links between each two of them; 32 nodes of 8 rails.
SIZE = Size(pods=1, spines=8, rails=8, nodes_per_pod=32, uplinks=4, numbered=True, site="bench")
PEER = "networklab==26.10"
_OURS = "import sys; from inventory import open_site; print(open_site(sys.argv[1]).digest)"
_INCONCLUSIVE = 3


def data_cables(plan: Plan) -> list[Cable]:
    """The links of the fabric: ours has the management cables too."""
    return [one for one in plan.cables if one.plane != "oob"]


def topology(plan: Plan) -> dict[str, object]:
    """The same fabric as netlab reads it. FRR in containers: needs nothing installed to create.

    EBGP only, as ours: netlab would make sessions between spines, which share their AS number.
    """
    switches = {_name(one.name): {"module": ["bgp"], "bgp.as": one.asn} for one in plan.switches}
    nodes: dict[str, object] = {_name(one.name): {} for one in plan.nodes}
    return {
        "name": "bench",
        "provider": "clab",
        "defaults": {"device": "frr"},
        "addressing": {"p2p": {"ipv4": "10.128.0.0/16", "prefix": 31}},
        "bgp": {"sessions": {"ipv4": ["ebgp"]}},
        "nodes": {**switches, **nodes},
        "links": [{_name(one.a.device): {}, _name(one.b.device): {}} for one in data_cables(plan)],
    }


def _name(device: str) -> str:
    # netlab takes `-` in a name for the end of a link's first node.
    return device.replace("-", "_")


def install(folder: Path) -> Path | None:
    """netlab's program in a new environment; None where it cannot be had."""
    steps = (
        [sys.executable, "-m", "venv", str(folder)],
        [str(folder / "bin" / "pip"), "install", "--quiet", PEER],
    )
    for step in steps:
        if subprocess.run(step, stdout=subprocess.DEVNULL).returncode:
            return None
    return folder / "bin" / "netlab"


def differences(plan: Plan, theirs: dict[str, dict[str, dict[str, object]]]) -> list[str]:
    """What netlab made of its file, held against our plan: links and sessions by device."""
    links: Counter[str] = Counter()
    for cable in data_cables(plan):
        links.update((_name(cable.a.device), _name(cable.b.device)))
    sessions = {_name(one.name): len(one.sessions) for one in plan.switches}
    found = {
        name: (len(_list(node, "interfaces")), len(_list(node.get("bgp", {}), "neighbors")))
        for name, node in theirs["nodes"].items()
    }
    wanted = {name: (links[name], sessions.get(name, 0)) for name in links}
    return [
        f"{name}: netlab has {found.get(name)} (links, BGP sessions), we have {wanted.get(name)}"
        for name in sorted(found.keys() | wanted.keys())
        if found.get(name) != wanted.get(name)
    ]


def _list(holder: object, key: str) -> list[object]:
    value = holder.get(key) if isinstance(holder, dict) else None
    return value if isinstance(value, list) else []


def line(what: str, ran: Ran) -> str:
    """One line of the table."""
    return f"{what}: {ran.wall_s:.2f} s ({ran.cpu_s:.2f} s of processor)"


def compare(folder: Path, netlab: Path) -> int:
    """Check that both have the same fabric, then time both."""
    site = generated_site(folder / "site", SIZE)
    plan, work = open_site(site), folder / "work"
    work.mkdir()
    (work / "topology.yml").write_text(yaml.safe_dump(topology(plan), sort_keys=False))
    create = [str(netlab), "create", "topology.yml"]
    env = compiled(folder)
    run([*create, "-o", "json=made.json"], work, env)
    wrong = differences(plan, json.loads((work / "made.json").read_text()))
    if wrong:
        print("\n".join(["the two fabrics differ:", *wrong]))
        return 1
    ours = best(5, [sys.executable, "-c", _OURS, str(site)], ROOT, env)
    whole = best(2, create, work, env)
    least = best(2, [*create, "-o", "devices"], work, env)
    devices = len(plan.switches) + len(plan.nodes)
    print(f"{devices} devices, {len(data_cables(plan))} links, {PEER}")
    print(line("load, check and plan", ours))
    for what, theirs in (("netlab create", whole), ("netlab create -o devices", least)):
        print(f"{line(what, theirs)}: {theirs.cpu_s / ours.cpu_s:.1f} times the processor time")
    print(result("derive_vs_netlab", whole.wall_s / ours.wall_s, "x", 20, most=False))
    return 0


def main() -> int:
    """Install netlab and compare."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        netlab = install(folder / "netlab")
        if netlab is None:
            print(f"inconclusive: {PEER} could not be installed, nothing was compared")
            return _INCONCLUSIVE
        return compare(folder, netlab)


if __name__ == "__main__":
    sys.exit(main())
