"""EOS, by the EOS User Manual: QoS ("Traffic Management"), "Data Plane Development", BGP, MLAG.

https://www.arista.com/en/um-eos (chapters "Quality of Service", "Priority Flow Control",
"Border Gateway Protocol (BGP)", "Route Maps", "Multi-Chassis Link Aggregation", "Access Control").
Defaults used here: DSCP n is in traffic class n // 8, but 0..7 in 1 and 8..15 in 0; a unicast
transmit queue has the number of its class; a queue without `no priority` is strict; queues are
not marked; `bgp missing-policy` permits; MSTP and the multi-agent model are the defaults; without
a word on trust a routed port trusts DSCPs ("Quality of Service", trust mode), and no table but the
default one routes before it is told to ("IPv4", `ip routing vrf`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from . import policy
from .tree import Line, tree

_DROPPED = re.compile(
    r"^(end|spanning-tree mode mstp|service routing protocols model multi-agent"
    r"|no ip routing vrf \S+)$"
)
_KEEPS = (
    ("tables/leaks", re.compile(r"(no )?(vrf|encapsulation|switchport|channel-group|mlag|vlan|"
                                r"ip access-group|trunk|no autostate|ip virtual-router|name)")),
    ("routing", re.compile(r"(no )?(ip address|ipv6|link tracking|shutdown)")),
)  # fmt: skip


def read(texts: Mapping[str, str]) -> dict[tuple[object, ...], object]:
    """What one startup-config does."""
    found: dict[tuple[object, ...], object] = {}
    for text in texts.values():
        root = tree(text)
        _ports(root, found)
        _bgp(root, found)
        _rest(root, found)
    return found


def _classes(root: Line) -> dict[int, int]:
    classes = {dscp: {0: 1, 1: 0}.get(dscp // 8, dscp // 8) for dscp in range(64)}
    for said in root.after("qos map dscp"):
        dscps, _, to = said.partition(" to traffic-class ")
        if to.isdigit() and int(to) < 8 and re.fullmatch(r"[\d ]+", dscps):
            numbers = [int(one) for one in dscps.split()]
            if all(one < 64 for one in numbers):
                classes |= dict.fromkeys(numbers, int(to))
    return classes


def _profile(block: Line) -> tuple[str, dict[int, object], set[int], bool, dict[int, object]]:
    """What it says of trust; its queues; paused classes; watchdog; marking by queue."""
    queues: dict[int, object] = {}
    marks: dict[int, object] = {}
    for name, queue in block.blocks("uc-tx-queue"):
        if not name.isdigit() or int(name) > 7:
            continue
        kinds = [one for one in ("priority strict", "no priority") if queue.after(one)]
        strict = [one.said for one in queue.below if one.said in {"no priority", "priority strict"}]
        queues[int(name)] = (
            (strict or kinds or ["priority strict"])[-1],
            queue.last("bandwidth percent"), queue.last("shape rate"),
        )  # fmt: skip
        ecn = re.sub(r" weight 0$", "", queue.last("random-detect ecn") or "")
        marks[int(name)] = ecn if _valid_ecn(ecn) else None
    on = _switched(block, "priority-flow-control on")
    paused = {
        int(one.split()[0]) for one in block.after("priority-flow-control priority")
        if re.fullmatch(r"[0-7] no-drop", one)
    }  # fmt: skip
    dog = _switched(block, "priority-flow-control pause watchdog")
    trust = [one.said for one in block.below if one.said in {"qos trust dscp", "no qos trust"}]
    return (trust[-1] if trust else ""), queues, paused if on else set(), dog, marks


def _valid_ecn(said: str) -> bool:
    match = re.fullmatch(
        r"minimum-threshold (\d+) bytes maximum-threshold (\d+) bytes max-mark-probability (\d+)"
        r"( weight \d+)?", said
    )  # fmt: skip
    return bool(match and int(match[1]) <= int(match[2]) and 1 <= int(match[3]) <= 100)


def _switched(block: Line, said: str) -> bool:
    """Whether the last of a command and its `no` is the command."""
    both = [one.said for one in block.below if one.said in {said, f"no {said}"}]
    return bool(both) and both[-1] == said


def _ports(root: Line, found: dict[tuple[object, ...], object]) -> None:
    classes = _classes(root)
    profiles = {name: _profile(block) for name, block in root.blocks("qos profile")}
    times = frozenset(
        one.said for one in root.below if one.said.startswith("priority-flow-control")
    )
    acls = _lists(root)
    users = {
        name: frozenset(_deep(one))
        for name, one in root.blocks("policy-map type quality-of-service")
    }
    for name, port in root.blocks("interface"):
        own = port.last("service-profile")
        if own in profiles:
            said, queues, paused, dog, marks = profiles[own]
            routed = any(one.said == "no switchport" for one in port.below)
            trust = said == "qos trust dscp" or (routed and not said)
            for dscp in range(64):
                queue = classes[dscp] if trust else 1
                found["marking", name, dscp] = (queue, queue in paused)
                found["marking", name, "queue", queue] = queues.get(queue)
                found["ecn/watchdog", name, queue] = marks.get(queue)
            found["ecn/watchdog", name, "watchdog"] = times if dog and paused else None
            # A pause that no DSCP fills holds nothing, but is sent and obeyed all the same.
            found["marking", name, "paused"] = frozenset(paused)
        found["mtu", name] = port.last("mtu")
        for key, value in _said(port, acls, users):
            found[key[0], name, *key[1:]] = value


def _said(
    port: Line, acls: Mapping[str, object], users: Mapping[str, object]
) -> list[tuple[tuple[str, ...], object]]:
    made: list[tuple[tuple[str, ...], object]] = []
    for line in port.below:
        said = line.said
        if said.startswith(("description", "mtu", "service-profile")):
            continue
        family = next((one for one, words in _KEEPS if words.match(said)), "services/other")
        if said.startswith("ip access-group"):
            made.append(((family, "acl", said.split()[-1]), acls.get(line.words[2], "absent")))
        elif said.startswith("service-policy"):
            way = line.words[3] if len(line.words) > 4 else ""
            made.append((("marking", "policy", way), users.get(line.words[-1], "absent")))
        elif said == "no qos trust":
            made.append((("marking", "trust"), False))
        elif said.startswith("ip address"):
            made.append(((family, "ip address"), line.words[2]))
        else:
            # One of a kind holds: a speed, an FEC, a native VLAN.
            count = 3 if "trunk" in said else 2 if len(line.words) > 2 else 1
            key = " ".join(one for one in line.words[:count] if one != "no")
            made.append(((family, key), said))
    return made


def _lists(root: Line) -> dict[str, object]:
    return {
        # A number has one entry: of two of them one is not there.
        name: policy.access([*{
            int(one.words[0]): " ".join(one.words[1:]) for one in block.below
            if one.words[0].isdigit()
        }.items()]) for name, block in root.blocks("ip access-list")
    }  # fmt: skip


def _deep(line: Line) -> list[str]:
    return [one.said for one in line.below] + [
        f"{one.said} / {said}" for one in line.below for said in _deep(one)
    ]


def _policies(root: Line) -> dict[str, object]:
    lists = []
    for name, block in root.blocks("ip prefix-list"):
        lists += [f"{name} {one.said}" for one in block.below]
    communities: dict[str, object] = {}
    for said in root.after("ip community-list"):
        words = said.split()
        if len(words) == 3:
            communities[words[0]] = (words[1], policy.community(words[2]))
    entries: dict[str, policy.Entries] = {}
    for name, block in root.blocks("route-map"):
        words = name.split()
        if len(words) == 3 and words[2].isdigit() and words[1] in {"permit", "deny"}:
            clauses = dict(policy.clause(one.said) for one in block.below)
            known = entries.setdefault(words[0], {}).get(int(words[2]), ("", {}))[1]
            entries[words[0]][int(words[2])] = (words[1], {**known, **clauses})
    prefixes = policy.listed(lists)
    return {name: policy.route_map(one, prefixes, communities) for name, one in entries.items()}


def _bgp(root: Line, found: dict[tuple[object, ...], object]) -> None:
    policies = _policies(root)
    for asn, block in root.blocks("router bgp"):
        found["routing", "asn"] = asn
        groups = _groups(block)
        tables = [("default", block), *((name, one) for name, one in block.blocks("vrf"))]
        for vrf, table in tables:
            for line in table.below:
                said = line.said
                if said.startswith(("router-id", "maximum-paths", "bgp missing-policy")):
                    key = " ".join(line.words[: 4 if "missing" in said else 1])
                    found["routing", vrf, key] = said
            for peer in _peers(table):
                _peer(found, vrf, peer, table, block, groups, policies)
            for family in table.below:
                if family.said == "address-family ipv4":
                    for net in family.after("network"):
                        found["routing", vrf, family.said, "network", net] = True


def _groups(block: Line) -> dict[str, dict[str, str]]:
    """Settings of each peer group, its address families' too, the last of each kind."""
    found: dict[str, dict[str, str]] = {}
    tables = [block, *(one for _, one in block.blocks("vrf"))]
    lines = [line for one in tables for line in one.below]
    lines += [line for one in tables for sub in one.below if sub.said == "address-family ipv4"
              for line in sub.below]  # fmt: skip
    declared: set[str] = set()
    for line in lines:
        words = line.words[1:] if line.words[0] == "no" else line.words
        if line.words[0] == "neighbor" and line.words[2:] == ["peer", "group"]:
            declared.add(words[1])
        named = len(words) > 1 and words[1] != "interface" and words[1][0].isalpha()
        # A group that nobody has made yet has no settings.
        if words[0] == "neighbor" and named and words[1] not in declared:
            continue
        if words[0] == "neighbor" and len(words) > 2 and words[1] != "interface":
            rest = words[2:]
            kind = f"route-map {rest[-1]}" if rest[0] == "route-map" else " ".join(rest[:2])
            kind = rest[0] if rest[0] in {"timers", "maximum-routes", "remote-as", "activate",
                                          "description"} else kind  # fmt: skip
            value = " ".join(rest) if line.words[0] != "no" else ""
            if kind == "bfd interval" and value.endswith("interval 300 min-rx 300 multiplier 3"):
                value = ""  # the default
            found.setdefault(words[1], {})[kind] = value
    return found


def _peers(table: Line) -> dict[str, tuple[str, str]]:
    """Group and remote AS of each neighbour of a table."""
    found: dict[str, tuple[str, str]] = {}
    for said in table.after("neighbor interface"):
        match = re.fullmatch(r"(\S+) peer-group (\S+) remote-as (\d+)", said)
        if match:
            found[match[1]] = (match[2], match[3])
    for said in table.after("neighbor"):
        match = re.fullmatch(r"([\d.]+) peer group (\S+)", said)
        if match:
            found[match[1]] = (match[2], found.get(match[1], ("", ""))[1])
        match = re.fullmatch(r"([\d.]+) remote-as (\d+)", said)
        if match:
            found[match[1]] = (found.get(match[1], ("", ""))[0], match[2])
    return found


def _peer(
    found: dict[tuple[object, ...], object], vrf: str, peer: str, table: Line, block: Line,
    groups: Mapping[str, Mapping[str, str]], policies: Mapping[str, object],
) -> None:  # fmt: skip
    group, remote = _peers(table)[peer]
    if not remote:
        return
    found["routing", vrf, peer, "remote-as"] = remote
    settings = {**groups.get(group, {}), **groups.get(peer, {})}
    default = not any(one.said == "no bgp default ipv4-unicast" for one in block.below)
    settings["activate"] = settings.get("activate") or ("activate" if default else "")
    for kind, value in settings.items():
        if kind in {"peer group", "remote-as", "description"} or not value:
            continue
        if kind.startswith("route-map"):
            said: object = policies.get(value.split()[1], "absent")
        else:
            said = value
        found["routing", vrf, peer, kind] = said


def _rest(root: Line, found: dict[tuple[object, ...], object]) -> None:
    done = (
        "interface",
        "router bgp",
        "route-map",
        "ip prefix-list",
        "ip community-list",
        "qos map",
        "qos profile",
        "priority-flow-control",
        "policy-map",
        "ip access-list",
    )
    lists = _lists(root)
    for line in root.below:
        if line.said.startswith(done) or _DROPPED.match(line.said):
            continue
        if line.words[0] == "vlan":
            line.below = [one for one in line.below if one.words[0] != "name"]
        family = _family(line.said)
        for said in [line.said, *(f"{line.said} / {one}" for one in _deep(line))]:
            used = re.search(r"ip access-group (\S+) in", said)
            found[family, said] = lists.get(used[1], "absent") if used else True


def _family(said: str) -> str:
    if said.startswith(("vlan", "vrf", "mlag", "no spanning-tree", "ip virtual-router")):
        return "tables/leaks"
    if " vrf MGMT" in said and not said.startswith("no ip routing"):
        return "services/other"
    routes = ("ip route", "ip routing", "ipv6 unicast", "no ip routing", "link tracking")
    return "routing" if said.startswith(routes) else "services/other"
