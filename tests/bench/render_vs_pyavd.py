"""Our plan and EOS configurations against pyavd 6, for the same 160 switches, from inputs to text.

pyavd (avd.arista.com) is Arista's own: it makes EOS configurations from a model of a fabric. Both
get 32 spines and 128 leaves with a /31 on each of 4,096 links, BGP, loopbacks, MTU and
management, and both begin with their inputs in memory: pyavd validates them, makes facts, a
structure and text; we check the site, make the plan, and render. Our text has QoS on top, which
pyavd would have to be told. Both run in one process. pyavd is installed into an environment that
is thrown away.

Prints its figures and ends with RESULT lines; exit 3 where pyavd cannot be installed. Run as
`python -m tests.bench.render_vs_pyavd`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from inventory.derive import derive
from inventory.load.site import read
from inventory.plan import Plan
from inventory.rules.check import check
from switch_configs import render

from .render import eos_site
from .results import result

PEER = "pyavd>=6,<7"
SPINES, LEAVES = 32, 128
_INCONCLUSIVE = 3
_TIMES = 5

# What pyavd runs in its own environment: argv is a file of inputs, stdout is JSON.
_THEIRS = """
import json, sys, time
import pyavd

inputs = json.load(open(sys.argv[1]))
begin = time.perf_counter()
checked = {}
for name, one in inputs.items():
    checked[name] = pyavd.validate_inputs(one).validated_data
    assert checked[name] is not None, name
facts = pyavd.get_avd_facts(checked)
texts = {}
for name, one in checked.items():
    made = pyavd.get_device_structured_config(name, one, facts)
    texts[name] = pyavd.get_device_config(made)
spent = time.perf_counter() - begin
json.dump({"version": pyavd.__version__, "seconds": spent, "texts": texts}, sys.stdout)
"""


def theirs() -> dict[str, object]:
    """The same fabric as pyavd reads it: one set of variables, and a type for each device."""
    spines = [f"spine{at}" for at in range(1, SPINES + 1)]
    leaves = [f"leaf{at}" for at in range(1, LEAVES + 1)]
    fabric = {
        "fabric_name": "BENCH",
        "underlay_routing_protocol": "ebgp",
        "overlay_routing_protocol": "none",
        "p2p_uplinks_mtu": 9214,
        "mgmt_gateway": "172.16.0.1",
        "bgp_peer_groups": {"ipv4_underlay_peers": {"name": "UNDERLAY", "bfd": True}},
        "spine": {
            "defaults": {"loopback_ipv4_pool": "10.255.0.0/24", "bgp_as": "4200000000"},
            "nodes": [
                {"name": name, "id": at, "mgmt_ip": f"172.16.1.{at}/20"}
                for at, name in enumerate(spines, 1)
            ],
        },
        "l3leaf": {
            "defaults": {
                "loopback_ipv4_pool": "10.255.1.0/24",
                "vtep": False,
                "mlag": False,
                "evpn_role": "none",
                "uplink_ipv4_pool": "10.240.0.0/16",
                "uplink_interfaces": [f"Ethernet{at}" for at in range(1, SPINES + 1)],
                "uplink_switches": spines,
                "max_uplink_switches": SPINES,
            },
            "nodes": [
                {
                    "name": name,
                    "id": at,
                    "bgp_as": str(4200000100 + at),
                    "mgmt_ip": f"172.16.2.{at}/20",
                    "uplink_switch_interfaces": [f"Ethernet{at}"] * SPINES,
                }
                for at, name in enumerate(leaves, 1)
            ],
        },
    }
    kinds = {**dict.fromkeys(spines, "spine"), **dict.fromkeys(leaves, "l3leaf")}
    return {
        name: {**fabric, "inventory_hostname": name, "type": kind} for name, kind in kinds.items()
    }


def install(folder: Path) -> Path | None:
    """A Python that has pyavd, in a new environment; None where it cannot be had."""
    steps = (
        [sys.executable, "-m", "venv", str(folder)],
        [str(folder / "bin" / "pip"), "install", "--quiet", PEER],
    )
    for step in steps:
        if subprocess.run(step, stdout=subprocess.DEVNULL).returncode:
            return None
    return folder / "bin" / "python"


def links_and_sessions(text: str) -> tuple[int, int]:
    """How many /31s and BGP neighbours an EOS configuration has."""
    links = re.findall(r"^ +ip address [0-9.]+/31$", text, re.MULTILINE)
    sessions = re.findall(r"^ +neighbor [0-9.]+ remote-as [0-9]+$", text, re.MULTILINE)
    return len(links), len(sessions)


def ours(site: Path) -> tuple[float, Plan, dict[str, str]]:
    """Seconds from the loaded site to all texts; the quickest of several runs."""
    return min((_once(site) for _ in range(_TIMES)), key=lambda one: one[0])


def _once(site: Path) -> tuple[float, Plan, dict[str, str]]:
    # Read anew each time: a site keeps what was counted once.
    fabric, problems = read(site)
    assert fabric is not None, problems
    begin = time.perf_counter()
    assert not check(fabric)
    plan = derive(fabric)
    texts = {
        one.name: "".join(file.text for file in render(plan, one.name).files)
        for one in plan.switches
    }
    return time.perf_counter() - begin, plan, texts


def differences(mine: dict[str, str], their: dict[str, str]) -> list[str]:
    """What the two fabrics do not have in common, by kind of switch: links between switches."""
    wanted = {"spine": (LEAVES, LEAVES), "leaf": (SPINES, SPINES)}
    out = []
    for who, texts in (("we", mine), ("pyavd", their)):
        for name, text in sorted(texts.items()):
            links, sessions = links_and_sessions(text)
            least = wanted["spine" if name.startswith("spine") else "leaf"]
            # Our leaves have a /31 to each node as well.
            if links < least[0] or sessions != least[1]:
                out.append(f"{who}: {name} has {links} links, {sessions} sessions, not {least}")
    return out


def compare(folder: Path, python: Path) -> int:
    """Run both, hold one against the other, and print."""
    (folder / "inputs.json").write_text(json.dumps(theirs()))
    command = [str(python), "-c", _THEIRS, str(folder / "inputs.json")]
    said = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    spent, plan, texts = ours(eos_site(folder / "site"))
    wrong = differences(texts, said["texts"])
    if wrong:
        print("\n".join(wrong[:10]))
        return 1
    nodes = f"and {len(plan.nodes)} nodes" if plan.nodes else ""
    lines = sum(text.count("\n") for text in texts.values())
    their_lines = sum(text.count("\n") for text in said["texts"].values())
    print(f"pyavd {said['version']}: {said['seconds']:.2f} s, {their_lines:,} lines")
    print(f"railbed: {spent:.2f} s, {lines:,} lines, QoS among them; {len(texts)} switches {nodes}")
    print(result("render_seconds", spent, "s", said["seconds"] / 50))
    print(result("times_faster_than_pyavd", said["seconds"] / spent, "x", 50, most=False))
    return 0


def main() -> int:
    """Install the peer, compare, clean up."""
    with tempfile.TemporaryDirectory() as folder:
        python = install(Path(folder) / "peer")
        if python is None:
            print(f"{PEER} cannot be installed here: nothing was compared")
            return _INCONCLUSIVE
        return compare(Path(folder), python)


if __name__ == "__main__":
    sys.exit(main())
