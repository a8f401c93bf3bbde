"""Whole sites of any number of pods, up to 102,400 GPUs: every plane, real profiles, full racks.

`fabric.yml` as people write it, in the form of sites/superpod-10k, which it grows out of. The
comments in it say what had to change on the way.
"""

from __future__ import annotations

from pathlib import Path

NODES_PER_POD = 128
GPUS_PER_NODE = 8
# 102,400 GPUs.
LARGE_PODS = 100

_TIMERS = """\
{bgp_keepalive_s: 3, bgp_hold_s: 9, bgp_connect_s: 10, bfd_interval_ms: 300, bfd_multiplier: 3}\
"""
_FABRIC = """\
# Generated: {gpus} GPUs, {nodes} nodes in {pods} pods, three tiers. It grows to 112 pods, 114,688
# GPUs, without moving a cable.
site: {site}
engine: pyinfra
rollout: {{nodes: 64, leaves: 20, spines: 2}}

# A pod is 128 nodes: two units of 64 on 8 leaves each (one a rail), 16 spines above them. A
# superspine joins all pods, so its ports are 112 of 400 Gb/s: a cage of 800 is split in two.
# Nothing is oversubscribed: 25.6 Tb/s come into each leaf and each spine from below, and leave.
topology:
  kind: rail-optimized-three-tier
  pods: {pods}
  nodes_per_pod: 128
  nodes_per_rack: 4
  spines: 16                      # in each pod
  uplinks_per_spine: 2
  superspines: 64                 # in each of 16 groups
  uplinks_per_superspine: 1
  fabric_links: unnumbered
  breakout: {{nodes: 2, top: 2}}
  oversubscription: {{leaf: 1.0, spine: 1.0}}
  maxima:
    pods: 112
    nodes_per_pod: 128
    nodes_per_unit: 64
    spines: 16
    superspines: 64
    server_groups: 8
    servers_per_group: 128

compute:
  node_profile: hgx-h200
  leaf_profile: sn5600-cumulus
  spine_profile: sn5600-cumulus
  superspine_profile: sn5600-cumulus
  pools: {{loopbacks: 10.240.0.0/18, links: 10.192.0.0/11, rails: 10.16.0.0/14}}
  asn: {{superspines: 4200000000, spines: 4200001000, leaves: 4200010000}}
  cable_m: {{node_leaf: 30, leaf_spine: 30, spine_superspine: 100}}
  timers: {timers}

# Storage and business share switches. Two tiers must join the leaf pairs of 112 pods and 8 groups
# of servers: 240 leaves are more than a spine has ports of 400 Gb/s, and a pod's 512 NIC ports
# more than two leaves have ports of 200. So all is split into ports of 100 Gb/s, and a NIC of 200
# runs at 100: a node has half of the storage bandwidth that it has in a site of 20 pods.
storage:
  transport: roce
  attach: l3
  addresses: 10.32.0.0/16
  ip_mtu_bytes: {{hosts: 9000, switches: 9216}}
  switches:
    leaf_profile: nexus-9364e-sg2-nxos
    spine_profile: nexus-9364e-sg2-nxos
    spines: 32
    uplinks_per_spine: 2
    fabric_links: unnumbered
    breakout: {{nodes: 8, fabric: 8}}
    oversubscription: {{leaf: 4.0}}     # storage and business together
    pools: {{loopbacks: 10.240.64.0/22, links: 10.224.0.0/16}}
    asn: {{spines: 4200020000, leaves: 4200020100}}
    cable_m: {{node_leaf: 30, leaf_spine: 100}}
    timers: {timers}
    maxima: {{spines: 32}}

business:
  attach: lacp
  default_route: 10.97.255.1
  ip_mtu_bytes: {{hosts: 1500, switches: 9216}}
  switches: storage
  vlans:
    - id: 300
      name: users
      vrf: users
      addresses: 10.64.0.0/16
      acl:
        - {{action: deny, protocol: ip, source: any, destination: 10.16.0.0/14}}
        - {{action: deny, protocol: ip, source: any, destination: 10.32.0.0/16}}
        - {{action: deny, protocol: ip, source: any, destination: 172.16.0.0/15}}
        - {{action: permit, protocol: ip, source: any, destination: any}}

servers:
  store: {{id: 1, profile: storage-cpu, count: 128}}
  store_b: {{id: 2, profile: storage-cpu, count: 128}}
  store_c: {{id: 3, profile: storage-cpu, count: 128}}
  store_d: {{id: 4, profile: storage-cpu, count: 128}}
  mgmt: {{id: 5, profile: mgmt-cpu, count: 64}}

lossless:
  dscp: 26
  priority: 3
  cnp: {{dscp: 48, priority: 6}}
  ip_mtu_bytes: {{hosts: 9000, switches: 9216}}

racks:
  units: 48
  power_w: 44000
  pdus: 4
  pdu_power_w: 17300              # three of four carry the rack
  switches_per_rack: 16

# 3,953 racks within the maxima: 32 switches of 124 racks each, so the core has more ports.
oob:
  server: oob1
  access: 192.0.2.10
  domain: {site}.internal
  zones:
    netmgmt: 172.16.0.0/18
    hostmgmt: 172.16.64.0/18
    bmc: 172.16.128.0/18
    power: 172.16.192.0/18
    collectors: 172.17.0.0/24
  switches:
    access_profile: sn2201-cumulus
    aggregation_profile: sn4700-cumulus
    breakout: 4
    core_profile: sn5600-cumulus

boundary:
  edge_routers:
    - {{name: edge1, asn: 64500, provider_asn: 64496, provider: 203.0.113.1/31,
       inside: 198.51.100.4, uplink_gbps: 400}}
    - {{name: edge2, asn: 64500, provider_asn: 64497, provider: 203.0.113.3/31,
       inside: 198.51.100.5, uplink_gbps: 400}}
  firewall:
    names: [fw1, fw2]
    outside: {{prefix: 198.51.100.0/28, addresses: [198.51.100.2, 198.51.100.3],
              virtual: 198.51.100.1}}
    inside: {{prefix: 10.97.255.0/28, addresses: [10.97.255.2, 10.97.255.3],
             virtual: 10.97.255.1}}
    dmz: {{addresses: [10.98.0.2, 10.98.0.3], virtual: 10.98.0.1}}
  nat: {{planes: [business], addresses: [198.51.100.17, 198.51.100.18]}}
  load_balancers:
    - {{name: portal, virtual: 198.51.100.19, service: https, members: [mgmt]}}
  dmz:
    prefix: 10.98.0.0/24
    jump_host: {{name: jump1, address: 10.98.0.10}}

credentials:
  ssh_key: file:id_ed25519
"""


def large_fabric_yaml(pods: int = LARGE_PODS, site: str = "large") -> str:
    """Return the text of `fabric.yml` of a site of 1 to 112 pods, 1,024 GPUs in each."""
    nodes = pods * NODES_PER_POD
    return _FABRIC.format(
        site=site, timers=_TIMERS, pods=pods, nodes=f"{nodes:,}", gpus=f"{nodes * GPUS_PER_NODE:,}"
    )


def large_site(folder: Path, pods: int = LARGE_PODS) -> Path:
    """Write such a site, every port of it as built, into `folder`, and return that."""
    from .sites import make_up_asbuilt

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "fabric.yml").write_text(large_fabric_yaml(pods), encoding="utf-8")
    make_up_asbuilt(folder)
    return folder
