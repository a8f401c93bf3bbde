"""Sites made by numbers: large fabrics for tests, benches and labs without systemd.

The files are ordinary: what `open_site` reads from a person it reads from here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from inventory.load.site import read
from inventory.model import Fabric
from inventory.oob import plane as oob
from inventory.topology.racks import layout


@dataclass(frozen=True, slots=True)
class Size:
    """How large a generated site is. Maxima of 0 mean "as built"."""

    pods: int
    spines: int
    rails: int
    nodes_per_pod: int
    uplinks: int = 1
    max_pods: int = 0
    max_spines: int = 0
    max_nodes_per_pod: int = 0
    numbered: bool = False
    site: str = "generated"
    superspines: int = 0
    max_superspines: int = 0
    top_uplinks: int = 1
    nodes_per_unit: int = 0
    absent: tuple[str, ...] = ()


# 4 spines, 16 leaves, 64 nodes of 2 rail NICs.
LARGE_LAB = Size(pods=8, spines=4, rails=2, nodes_per_pod=8, site="large-lab")
# 4 leaves, 2 spines in each pod, 2 superspines above each number of spine, 4 nodes of 2 rail NICs.
SMALL_THREE_TIER = Size(
    pods=2, spines=2, rails=2, nodes_per_pod=2, superspines=2, site="small-three-tier"
)

_FABRIC = """\
# Generated: {pods} pods x {rails} rails, {spines} spines, {nodes_per_pod} nodes in a pod.
site: {site}
engine: pyinfra

topology:
  kind: {kind}
  pods: {pods}
  spines: {spines}
  nodes_per_pod: {nodes_per_pod}
  uplinks_per_spine: {uplinks}
  fabric_links: {links}
  absent: [{absent}]
  maxima: {{pods: {max_pods}, spines: {max_spines}, {most_nodes}}}
{more_topology}
compute:
  node_profile: generated-node
  leaf_profile: generated-leaf
  spine_profile: generated-spine
{more_profiles}  pools:
    loopbacks: 10.255.0.0/16
    links: 10.128.0.0/10
    rails: 10.0.0.0/9
  asn: {{spines: 4200000000, leaves: 4200010000{more_asn}}}
  cable_m: {{node_leaf: 3, leaf_spine: 30}}
  timers:
    bgp_keepalive_s: 3
    bgp_hold_s: 9
    bgp_connect_s: 1
    bfd_interval_ms: 300
    bfd_multiplier: 3

lossless:
  mode: marking-only
  dscp: 26
  priority: 3
  cnp: {{dscp: 48, priority: 6}}
  ip_mtu_bytes: {{hosts: 9000, switches: 9216}}

oob:
  server: oob1
  access: 100.64.0.2
  domain: {site}.railbed.internal
  zones:
    netmgmt: 172.16.0.0/16
    hostmgmt: 172.17.0.0/16

credentials:
  ssh_key: file:id_ed25519
"""

_SWITCH = """\
{name}:
  dialect: linux_frr
  management_port: eth0
  release: "8.4.4"
  ports: {{count: {count}, name: "swp{{n}}", rate_gbps: 0.2}}
  lossless: marking-only
  source: "generated for tests: Linux with FRR, veth ports"
"""


def generated_site(folder: Path, size: Size) -> Path:
    """Write a site into `folder` (made where it is missing) and return it."""
    profiles = folder / "profiles"
    profiles.mkdir(parents=True, exist_ok=True)
    texts = {
        folder / "fabric.yml": fabric_yaml(size),
        folder / "asbuilt.csv": "device,port,mac,serial\n",
        profiles / "switches.yml": switch_profiles_yaml(size),
        profiles / "nodes.yml": node_profiles_yaml(size),
    }
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    make_up_asbuilt(folder)
    return folder


def make_up_asbuilt(folder: Path) -> None:
    """Write `asbuilt.csv` of a site: every port that has an identity, with invented MACs.

    The MACs are locally administered (IEEE 802, U/L bit): no card of any maker has them.
    """
    fabric, _ = read(folder)
    if fabric is not None:
        rows = [
            f"{device},{port},{_mac(at)},GEN-{device}-{port}"
            for at, (device, port) in enumerate(_ports(fabric), start=1)
        ]
        text = "\n".join(["device,port,mac,serial", *rows, ""])
        (folder / "asbuilt.csv").write_text(text, encoding="utf-8")


def fabric_yaml(size: Size) -> str:
    """Return the text of `fabric.yml`."""
    three = size.superspines > 0
    most = f", superspines: {size.max_superspines or size.superspines}" if three else ""
    most += f", nodes_per_unit: {size.nodes_per_unit}" if size.nodes_per_unit else ""
    top = f"  superspines: {size.superspines}\n  uplinks_per_superspine: {size.top_uplinks}\n"
    return _FABRIC.format(
        kind=f"rail-optimized-{'three' if three else 'two'}-tier",
        site=size.site,
        pods=size.pods,
        rails=size.rails,
        spines=size.spines,
        nodes_per_pod=size.nodes_per_pod,
        uplinks=size.uplinks,
        links="numbered" if size.numbered else "unnumbered",
        absent=", ".join(size.absent),
        max_pods=size.max_pods or size.pods,
        max_spines=size.max_spines or size.spines,
        most_nodes=f"nodes_per_pod: {size.max_nodes_per_pod or size.nodes_per_pod}{most}",
        more_topology=top if three else "",
        more_profiles="  superspine_profile: generated-superspine\n" if three else "",
        more_asn=", superspines: 4200009999" if three else "",
    )


def _ports(fabric: Fabric) -> Iterator[tuple[str, str]]:
    yield fabric.intent.oob.server, fabric.intent.oob.ports.access
    for seat in oob.seats(fabric, layout(fabric)).all():
        yield seat.device, seat.device_port
    population = fabric.population
    for name, at in population.nodes.items():
        profile = fabric.node_profiles[population.profile_of(at)]
        for nic in (*profile.rails, *profile.storage, *profile.business):
            yield name, nic.port


def _mac(number: int) -> str:
    return ":".join(f"{byte:02x}" for byte in (0x02, *number.to_bytes(5, "big")))


def switch_profiles_yaml(size: Size) -> str:
    """Return the text of `profiles/switches.yml`: each tier just large enough."""
    three = size.superspines > 0
    per_pod = size.max_nodes_per_pod or size.nodes_per_pod
    per_unit = size.nodes_per_unit or per_pod
    units, pods = -(-per_pod // per_unit), size.max_pods or size.pods
    spines, tops = size.max_spines or size.spines, size.max_superspines or size.superspines
    leaf = per_unit + spines * size.uplinks
    below = (1 if three else pods) * units * size.rails * size.uplinks
    counts = {"leaf": leaf, "spine": below + (tops * size.top_uplinks if three else 0)}
    counts |= {"superspine": pods * size.top_uplinks} if three else {}
    return "".join(_SWITCH.format(name=f"generated-{t}", count=n) for t, n in counts.items())


def node_profiles_yaml(size: Size) -> str:
    """Return the text of `profiles/nodes.yml`: one kind of node."""
    rails = "".join(f"    - {{port: rail{one}, rate_gbps: 0.2}}\n" for one in range(size.rails))
    source = '"generated for tests: Debian 12 over veth, no RDMA NIC"'
    return f"generated-node:\n  management_port: eth0\n  rails:\n{rails}  source: {source}\n"
