"""A draft as the text of `fabric.yml`: what was chosen, and in a line each, why."""

from __future__ import annotations

from collections.abc import Iterator

from .access import HOMES, table_of_users
from .box import (
    HOST_IP_MTU_BYTES,
    LEAF_SPINE_M,
    NODE_LEAF_M,
    SPINE_SUPERSPINE_M,
    SWITCH_IP_MTU_BYTES,
)
from .compute import ComputeShape
from .draft import Draft, Fabric
from .hall import ACCESS, PDU_POWER_W, PDUS, POWER_W, SERVERS_PER_RACK, UNITS
from .pools import OOB
from .wish import gpus_of

_TIMERS = (
    "{bgp_keepalive_s: 3, bgp_hold_s: 9, bgp_connect_s: 10, "
    "bfd_interval_ms: 300, bfd_multiplier: 3}"
)
_MANY_PODS = 16
_ABSENT_PER_LINE = 5


def fabric_yaml(draft: Draft) -> str:
    """The whole file."""
    sections = (_head, _topology, _compute, _planes, _lossless, _racks, _oob, _tail)
    return "\n".join(
        "\n".join(lines) + "\n" for section in sections if (lines := list(section(draft)))
    )


def _head(draft: Draft) -> Iterator[str]:
    wish, shape = draft.wish, draft.compute
    gpus = gpus_of(draft.node)
    unit = "GPUs" if draft.node.gpus else "rail NICs"
    most = shape.max_pods * shape.max_nodes_per_pod
    yield f"# {wish.name}: {_count(wish.nodes, 'node')} of {gpus} {unit}. The maxima leave room"
    yield f"# for {most:,} nodes, {most * gpus:,} {unit}, without moving a cable."
    yield "# Written by `railbed init`. It is yours: change it, then `railbed check`."
    yield f"site: {wish.name}"
    yield "engine: pyinfra                   # changes nodes; the other one, Ansible, checks"
    if shape.max_pods > _MANY_PODS:
        yield "rollout: {nodes: 64, leaves: 20, spines: 2}   # the most devices of a wave"


def _topology(draft: Draft) -> Iterator[str]:
    shape = draft.compute
    yield from _why_tiers(draft)
    yield "topology:"
    yield f"  kind: {shape.kind}"
    yield f"  pods: {shape.pods}"
    yield f"  nodes_per_pod: {shape.nodes_per_pod}"
    if draft.hall:
        yield from _remark(
            f"  nodes_per_rack: {draft.hall.nodes_per_rack}",
            f"{draft.node.rack_units} units and {draft.node.power_w} W a node",
        )
    where = "in each pod" if shape.three_tier else "all of them from the start"
    yield from _remark(f"  spines: {shape.spines}", where)
    yield from _remark(f"  uplinks_per_spine: {shape.uplinks}", "links from a leaf to each spine")
    if shape.three_tier:
        yield from _remark(
            f"  superspines: {shape.superspines}", f"in each of {shape.spines} groups"
        )
        yield f"  uplinks_per_superspine: {shape.top_uplinks}"
    if shape.kind == "two-tier" and shape.slots > 1:
        yield from _remark(f"  homes: {shape.slots}", "leaves that a node's NICs are spread over")
    yield from _remark("  fabric_links: unnumbered", "or numbered: a /31 on every link (RFC 3021)")
    yield from _breakout(draft)
    spine = ", spine: 1.0" if shape.three_tier else ""
    yield from _remark(f"  oversubscription: {{leaf: 1.0{spine}}}", "check refuses more than this")
    yield from _absent(draft)
    yield from _maxima(draft)


def _why_tiers(draft: Draft) -> Iterator[str]:
    shape, box = draft.compute, draft.box
    rate = max(port.rate_gbps for port in draft.node.rails)
    down = shape.nodes_per_unit * (len(draft.node.rails) // (shape.slots * shape.planes))
    link = box.rate(shape.ways[1])
    up = shape.spines * shape.uplinks
    yield f"# {box.name} has {box.cages} cages. A full leaf takes {down} x {rate:g} Gb/s from nodes"
    yield f"# and passes on {up} x {link:g} Gb/s: nothing is oversubscribed."
    if shape.three_tier:
        why = "" if draft.wish.kind else "Two tiers would not reach all leaves. "
        yield f"# {why}Spine n of every pod hangs on group n of the superspines."


def _breakout(draft: Draft) -> Iterator[str]:
    words = ("nodes", "fabric", "top")
    used = {word: ways for word, ways in zip(words, draft.compute.ways, strict=True) if ways > 1}
    if used:
        text = ", ".join(f"{word}: {ways}" for word, ways in used.items())
        yield from _remark(f"  breakout: {{{text}}}", "ports that a cage is split into")


def _absent(draft: Draft) -> Iterator[str]:
    shape = draft.compute
    if not shape.absent:
        return
    width, digits = len(str(shape.max_pods)), len(str(shape.max_nodes_per_pod))
    last = str(shape.nodes_per_pod).zfill(digits)
    pods = range(shape.pods - shape.absent + 1, shape.pods + 1)
    names = [f"node-p{str(pod).zfill(width)}-{last}" for pod in pods]
    yield "  # Pods are alike, so what does not divide is left out."
    rows = [names[at : at + _ABSENT_PER_LINE] for at in range(0, len(names), _ABSENT_PER_LINE)]
    lines = (",\n           ").join(", ".join(row) for row in rows)
    yield f"  absent: [{lines}]"


def _maxima(draft: Draft) -> Iterator[str]:
    shape = draft.compute
    yield "  maxima:                         # addresses, ASNs and ports are counted with these"
    yield f"    pods: {shape.max_pods}"
    yield f"    nodes_per_pod: {shape.max_nodes_per_pod}"
    if shape.max_units > 1:
        yield from _remark(
            f"    nodes_per_unit: {shape.nodes_per_unit}",
            f"a full pod has {shape.max_units} sets of leaves",
        )
    yield f"    spines: {shape.spines}"
    if shape.three_tier:
        yield f"    superspines: {shape.superspines}"
    if draft.servers:
        yield "    server_groups: 4"
        yield f"    servers_per_group: {draft.servers_per_group}"
        if draft.hall:
            yield f"    servers_per_rack: {SERVERS_PER_RACK}"


def _compute(draft: Draft) -> Iterator[str]:
    shape, pools, name = draft.compute, draft.pools, draft.box.name
    tops = shape.three_tier
    yield "# Pools hold everything that the maxima allow; private 4-byte ASNs (RFC 6996)."
    yield "compute:"
    yield f"  node_profile: {draft.wish.node_profile}"
    yield f"  leaf_profile: {name}"
    yield f"  spine_profile: {name}"
    if tops:
        yield f"  superspine_profile: {name}"
    yield "  pools:"
    yield from _remark(f"    loopbacks: {pools['loopbacks']}", "a quarter for each tier")
    yield from _remark(f"    links: {pools['links']}", "used when links are numbered")
    yield from _remark(f"    rails: {pools['rails']}", "one aggregate a leaf")
    yield f"  asn: {{{'superspines: 4200000000, ' if tops else ''}{_asn(shape)}}}"
    top = f", spine_superspine: {SPINE_SUPERSPINE_M}" if tops else ""
    yield "  # Metres decide how much headroom a port needs: measure yours."
    yield f"  cable_m: {{node_leaf: {NODE_LEAF_M}, leaf_spine: {LEAF_SPINE_M}{top}}}"
    yield f"  timers: {_TIMERS}"


def _asn(shape: ComputeShape) -> str:
    if shape.three_tier:
        return "spines: 4200001000, leaves: 4200010000"
    return "spines: 4200000000, leaves: 4200000100"


def _planes(draft: Draft) -> Iterator[str]:
    if "storage" in draft.fabrics:
        yield from _storage(draft, draft.fabrics["storage"])
    if draft.wish.business != "none":
        yield from _business(draft)
    if draft.servers:
        yield ""
        yield "# Servers beside the pods; the counts are a start."
        yield "servers:"
        for number, (name, (profile, count)) in enumerate(draft.servers.items(), 1):
            yield f"  {name}: {{id: {number}, profile: {profile}, count: {count}}}"


def _storage(draft: Draft, fabric: Fabric) -> Iterator[str]:
    roce = draft.wish.storage == "roce"
    yield "# Each storage NIC is routed, on a leaf of its own" + (
        ": lossless never rides on MLAG." if roce else "; TCP needs no lossless class."
    )
    if len(fabric.planes) > 1:
        yield "# Business shares these switches, with a routing table of its own."
    yield "storage:"
    yield f"  transport: {draft.wish.storage}"
    yield "  attach: l3"
    yield f"  addresses: {draft.pools['storage']}"
    yield _mtu(HOST_IP_MTU_BYTES)
    yield from _switches(draft, "storage", fabric)


def _business(draft: Draft) -> Iterator[str]:
    if "storage" in draft.fabrics:
        yield ""
    yield "# Users, the scheduler, images: a bond over both leaves. Nobody enters other planes."
    yield "# There is no way out yet: it needs `boundary` and `default_route`."
    yield "business:"
    yield "  attach: lacp"
    yield _mtu(1500)
    yield "  vlans:"
    yield "    - id: 300"
    yield "      name: users"
    yield f"      vrf: {table_of_users(draft.box.profile.dialect)}"
    yield f"      addresses: {draft.pools['users']}"
    yield "      acl:"
    barred = [draft.pools["rails"], *filter(None, [draft.pools.get("storage")])]
    for network in (*barred, OOB):
        rule = f"protocol: ip, source: any, destination: {network}"
        yield f"        - {{action: deny, {rule}}}"
    yield "        - {action: permit, protocol: ip, source: any, destination: any}"
    if draft.wish.business == "storage":
        yield "  switches: storage"
    else:
        yield from _switches(draft, "business", draft.fabrics["business"])


def _switches(draft: Draft, plane: str, fabric: Fabric) -> Iterator[str]:
    shape, name = fabric.shape, draft.box.name
    limit = -(-round(shape.ratio * 1000) // 10) / 100
    yield "  switches:"
    yield f"    leaf_profile: {name}"
    yield f"    spine_profile: {name}"
    yield f"    spines: {shape.spines}"
    yield f"    uplinks_per_spine: {shape.uplinks}"
    why = "one for each NIC of a node" if shape.homes > 1 else "its bonds end on one leaf"
    yield from _remark(f"    leaves_per_block: {shape.homes}", why)
    if shape.pods_per_block > 1:
        yield from _remark(f"    pods_per_block: {shape.pods_per_block}", "so that spines suffice")
    used = dict(zip(("nodes", "fabric"), shape.ways, strict=True))
    text = ", ".join(f"{word}: {ways}" for word, ways in used.items() if ways > 1)
    if text:
        yield f"    breakout: {{{text}}}"
    yield from _remark(f"    oversubscription: {{leaf: {limit:g}}}", "of a full leaf")
    pools = f"loopbacks: {draft.pools[f'{plane} loopbacks']}"
    yield f"    pools: {{{pools}, links: {draft.pools[f'{plane} links']}}}"
    yield f"    asn: {{spines: {fabric.asn_spines}, leaves: {fabric.asn_leaves}}}"
    yield f"    cable_m: {{node_leaf: {NODE_LEAF_M}, leaf_spine: {LEAF_SPINE_M}}}"
    yield f"    timers: {_TIMERS}"
    more = f", nics_per_node: {fabric.load.nics}" if fabric.load.nics > HOMES else ""
    yield f"    maxima: {{spines: {shape.spines}{more}}}"


def _lossless(draft: Draft) -> Iterator[str]:
    yield "# DSCP 26 and 48 are what NVIDIA's RoCE guides use; priority 3 is lossless."
    yield "lossless:"
    if draft.box.profile.lossless == "marking-only":
        yield from _remark("  mode: marking-only", "its switches have no PFC, ECN and buffers")
    elif draft.box.profile.lossless == "ecn":
        yield from _remark("  mode: ecn", "its switches have no PFC")
    yield "  dscp: 26"
    yield "  priority: 3"
    yield "  cnp: {dscp: 48, priority: 6}"
    yield _mtu(HOST_IP_MTU_BYTES)


def _racks(draft: Draft) -> Iterator[str]:
    if draft.hall is None:
        return
    yield f"# {PDUS - 1} of {PDUS} PDUs carry a rack: 30 A, three phases of 415 V, at 80 %."
    yield "racks:"
    yield f"  units: {UNITS}"
    yield f"  power_w: {POWER_W}"
    yield f"  pdus: {PDUS}"
    yield f"  pdu_power_w: {PDU_POWER_W}"
    yield f"  switches_per_rack: {draft.hall.switches_per_rack}"
    if draft.hall.power_of:
        yield "  power_of:                       # a budget: its profile has no maker's figure"
        yield from (f"    {name}: {power_w}" for name, power_w in draft.hall.power_of.items())


def _oob(draft: Draft) -> Iterator[str]:
    yield "# One network for each zone; none reaches another. Ten addresses of each are kept free."
    yield "oob:"
    yield "  server: oob1"
    yield from _remark("  access: 192.0.2.10", "where the controller reaches it: put in yours")
    ports = "{access: up0, trunk: trunk0}" if draft.above else "{access: up0}"
    yield from _remark(f"  ports: {ports}", "what the server calls them; one may be both")
    yield f"  domain: {draft.wish.name}.internal"
    yield "  # It tells others the time. Name the NTP servers that it asks; without one it tells"
    yield "  # its own, and devices agree with each other alone."
    yield "  time: {sources: []}"
    yield "  zones:"
    order = ("netmgmt", "hostmgmt", "bmc", "power", "collectors")
    yield from (f"    {one}: {draft.zones[one]}" for one in order if one in draft.zones)
    above = draft.above
    if above is not None:
        yield "  switches:                       # one in each rack, and what joins them"
        yield f"    access_profile: {ACCESS}"
        yield f"    aggregation_profile: {above.profile}"
        yield f"    breakout: {above.breakout}"
        if above.core:
            yield f"    core_profile: {above.profile}"


def _tail(_: Draft) -> Iterator[str]:
    yield "# Who railbed is on servers where that is not root: a login with sudo that asks for no"
    yield "# password. `railbed enroll` brings the key there, by the password that you name."
    yield "# logins:"
    yield "#   - {user: ops, devices: [oob1]}"
    yield '#   - {user: ubuntu, devices: ["node-*"], password: node_password}'
    yield ""
    yield "# What stands between the site and the outside is not said yet: `boundary`, as in"
    yield "# inventory/sites/pod-256. Secrets are named, never written here."
    yield "credentials:"
    yield "  ssh_key: file:id_ed25519"


def _mtu(hosts: int) -> str:
    return f"  ip_mtu_bytes: {{hosts: {hosts}, switches: {SWITCH_IP_MTU_BYTES}}}"


def _remark(text: str, why: str) -> Iterator[str]:
    """A line and its reason, in a column of reasons where it fits."""
    yield f"{text:<33} # {why}"


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
