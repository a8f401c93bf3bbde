"""Sites made by numbers: large fabrics for tests, benches and labs without systemd.

The files are ordinary: what `open_site` reads from a person it reads from here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .oob import ACCESS_PORT
from .shape import Shape


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

    @property
    def shape(self) -> Shape:
        """The same as counts, names and positions."""
        return Shape(
            pods=self.pods,
            spines=self.spines,
            nodes_per_pod=self.nodes_per_pod,
            rails=self.rails,
            uplinks=self.uplinks,
            max_pods=self.max_pods or self.pods,
            max_spines=self.max_spines or self.spines,
            max_nodes_per_pod=self.max_nodes_per_pod or self.nodes_per_pod,
        )


# 4 spines, 16 leaves, 64 nodes of 2 rail NICs.
LARGE_LAB = Size(pods=8, spines=4, rails=2, nodes_per_pod=8, site="large-lab")

_FABRIC = """\
# Generated: {pods} pods x {rails} rails, {spines} spines, {nodes_per_pod} nodes in a pod.
site: {site}
engine: pyinfra

topology:
  kind: rail-optimized-two-tier
  pods: {pods}
  spines: {spines}
  nodes_per_pod: {nodes_per_pod}
  uplinks_per_spine: {uplinks}
  fabric_links: {links}
  maxima: {{pods: {max_pods}, spines: {max_spines}, nodes_per_pod: {max_nodes_per_pod}}}

compute:
  node_profile: generated-node
  leaf_profile: generated-leaf
  spine_profile: generated-spine
  pools:
    loopbacks: 10.255.0.0/16
    links: 10.128.0.0/10
    rails: 10.0.0.0/9
  asn: {{spines: 4200000000, leaves: 4200000100}}
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
        folder / "asbuilt.csv": asbuilt_csv(size),
        profiles / "switches.yml": switch_profiles_yaml(size),
        profiles / "nodes.yml": node_profiles_yaml(size),
    }
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    return folder


def fabric_yaml(size: Size) -> str:
    """Return the text of `fabric.yml`."""
    shape = size.shape
    return _FABRIC.format(
        site=size.site,
        pods=size.pods,
        rails=size.rails,
        spines=size.spines,
        nodes_per_pod=size.nodes_per_pod,
        uplinks=size.uplinks,
        links="numbered" if size.numbered else "unnumbered",
        max_pods=shape.max_pods,
        max_spines=shape.max_spines,
        max_nodes_per_pod=shape.max_nodes_per_pod,
    )


def asbuilt_csv(size: Size) -> str:
    """Return the text of `asbuilt.csv`: every port, with locally administered MACs."""
    lines = [
        f"{device},{port},{_mac(number)},GEN-{device}-{port}"
        for number, (device, port) in enumerate(_ports(size), start=1)
    ]
    return "\n".join(["device,port,mac,serial", *lines, ""])


def _ports(size: Size) -> Iterator[tuple[str, str]]:
    shape = size.shape
    yield "oob1", ACCESS_PORT
    for switch in (*shape.leaves, *shape.spine_numbers):
        yield switch, "eth0"
    for node in shape.nodes:
        yield node, "eth0"
        yield from ((node, f"rail{rail}") for rail in range(size.rails))


def _mac(number: int) -> str:
    return ":".join(f"{byte:02x}" for byte in (0x02, *number.to_bytes(5, "big")))


def switch_profiles_yaml(size: Size) -> str:
    """Return the text of `profiles/switches.yml`: a leaf and a spine, just large enough."""
    shape = size.shape
    leaf = shape.max_nodes_per_pod + shape.max_spines * shape.uplinks
    spine = shape.max_leaves * shape.uplinks
    return _SWITCH.format(name="generated-leaf", count=leaf) + _SWITCH.format(
        name="generated-spine", count=spine
    )


def node_profiles_yaml(size: Size) -> str:
    """Return the text of `profiles/nodes.yml`: one kind of node."""
    rails = "".join(f"    - {{port: rail{one}, rate_gbps: 0.2}}\n" for one in range(size.rails))
    source = '"generated for tests: Debian 12 over veth, no RDMA NIC"'
    return f"generated-node:\n  management_port: eth0\n  rails:\n{rails}  source: {source}\n"
