"""NX-OS, by Cisco's guides for Nexus 9000: QoS, Interfaces, Unicast Routing, release 10.5.

https://www.cisco.com/c/en/us/support/switches/nexus-9000-series-switches/
products-installation-and-configuration-guides-list.html ("Quality of Service Configuration Guide":
Classification, Network QoS, Queuing and Scheduling, Priority Flow Control; "Unicast Routing
Configuration Guide": Advanced BGP, Route Policy Manager). Defaults used here: what no class of an
input policy matches is in qos-group 0; no priority is paused without a network-qos class that says
so and PFC on at the port; shares above 100 percent are refused with their policy.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from . import policy
from .tree import Line, tree

_OTHER = (
    ("tables/leaks", re.compile(r"(no )?(vrf|encapsulation|switchport|channel-group|vpc|hsrp|"
                                r"ip access-group)")),
    ("routing", re.compile(r"(no )?(ip address|ip forward|ipv6|shutdown|bfd|ip redirects)")),
)  # fmt: skip
# Nothing that forwards: what is logged, and what a box is told of itself.
_DROPPED = re.compile(r"^(version|description)\b")


def read(texts: Mapping[str, str]) -> dict[tuple[object, ...], object]:
    """What one running-config does."""
    found: dict[tuple[object, ...], object] = {}
    for text in texts.values():
        root = tree(text)
        _ports(root, found)
        _bgp(root, found)
        _rest(root, found)
    return found


def _groups(root: Line, name: str) -> dict[int, int]:
    """The qos-group of each DSCP by an input policy: the first class that matches."""
    matches = {
        one.removeprefix("match-any ").removeprefix("match-all "): block
        for one, block in root.blocks("class-map type qos")
    }
    groups: dict[int, int] = {}
    for policy_name, block in root.blocks("policy-map type qos"):
        if policy_name != name:
            continue
        for cls, inside in block.blocks("class"):
            group = inside.last("set qos-group")
            if group is None or not group.isdigit() or int(group) > 7:
                continue
            if cls == "class-default":
                groups = {**dict.fromkeys(range(64), int(group)), **groups}
            for dscps in matches[cls].after("match dscp") if cls in matches else ():
                for dscp in re.split(r"[ ,]+", dscps):
                    if dscp.isdigit() and int(dscp) < 64:
                        groups.setdefault(int(dscp), int(group))
    return {**dict.fromkeys(range(64), 0), **groups}


def _network(root: Line) -> tuple[dict[int, int], dict[str, str | None]]:
    """The priority that is paused for a qos-group, and the MTU of classes, by the policy in use."""
    used = ""
    for block in (one for one in root.below if one.said == "system qos"):
        used = block.last("service-policy type network-qos") or used
    paused, mtus = {}, {}
    for name, block in root.blocks("policy-map type network-qos"):
        for cls, inside in block.blocks("class type network-qos") if name == used else ():
            at = re.fullmatch(r"c-8q-nq(\d|-default)", cls)
            if at:
                cos = inside.last("pause pfc-cos")
                group = int(at[1]) if at[1].isdigit() else 0
                if cos and cos.isdigit() and int(cos) < 8:
                    paused[group] = int(cos)
                mtus[cls] = inside.last("mtu")
    return paused, mtus


def _queues(block: Line) -> dict[int, tuple[object, object]]:
    """Scheduling and marking of each queue; nothing where shares are above 100."""
    found: dict[int, tuple[object, object]] = {}
    shares = 0
    for cls, inside in block.blocks("class type queuing"):
        at = re.fullmatch(r"c-out-8q-q([1-7]|-default)", cls)
        if not at:
            continue
        share = inside.last("bandwidth remaining percent")
        shares += int(share) if share and share.isdigit() else 0
        how = (inside.last("priority"), share, inside.last("shape"))
        mark = re.sub(r" weight 0\b", "", inside.last("random-detect") or "")
        limits = re.match(r"minimum-threshold (\d+) bytes maximum-threshold (\d+) bytes", mark)
        mark = mark if limits and int(limits[1]) <= int(limits[2]) else ""
        found[int(at[1]) if at[1].isdigit() else 0] = (how, mark)
    return found if shares <= 100 else {}


def _ports(root: Line, found: dict[tuple[object, ...], object]) -> None:
    paused, mtus = _network(root)
    for cls, mtu in mtus.items():
        found["mtu", "class", cls] = mtu
    dog = tuple(one for one in root.below if one.said.startswith("priority-flow-control"))
    times = frozenset(one.said for one in dog)
    on = "priority-flow-control watch-dog-interval on" in times
    policies = {name: _queues(block) for name, block in root.blocks("policy-map type queuing")}
    acls = _lists(root)
    for name, port in root.blocks("interface"):
        if port.words[1] == "breakout":
            found["services/other", name] = True
            continue
        own = port.last("service-policy type qos input")
        out = policies.get(port.last("service-policy type queuing output") or "", {})
        groups = _groups(root, own or "")
        pauses = port.last("priority-flow-control mode") == "on"
        for dscp in range(64) if own else ():
            group = groups[dscp]
            found["marking", name, dscp] = (group, paused.get(group) if pauses else None)
        for group, (how, mark) in out.items():
            empty = own and group not in groups.values()
            found["marking", name, "queue", group] = None if empty else how
            found["ecn/watchdog", name, group] = mark or None
        if pauses:
            found["marking", name, "paused"] = frozenset(paused.values())
            mine = port.last("priority-flow-control watch-dog-interval") == "on"
            found["ecn/watchdog", name, "watchdog"] = times if mine and on and paused else None
        found["mtu", name] = port.last("mtu")
        _plain(name, port, acls, found)


def _plain(
    name: str, port: Line, acls: Mapping[str, object], found: dict[tuple[object, ...], object]
) -> None:
    for line in port.below:
        said = line.said
        if said.startswith(("description", "mtu", "service-policy", "priority-flow")):
            continue
        family = next((one for one, words in _OTHER if words.match(said)), "services/other")
        if said.startswith("ip access-group"):
            found[family, name, "acl", line.words[-1]] = acls.get(line.words[2], "absent")
        elif said.startswith("ip address"):
            found[family, name, "ip address"] = line.words[2]
        else:
            count = 3 if "trunk" in said or "port type" in said else 2 if len(line.words) > 2 else 1
            key = " ".join([one for one in line.words if one != "no"][:count])
            found[family, name, key] = (said, frozenset(one.said for one in line.below))


def _policies(root: Line) -> dict[str, object]:
    prefixes = policy.listed(root.after("ip prefix-list"))
    communities: dict[str, object] = {}
    for said in root.after("ip community-list standard"):
        match = re.fullmatch(r"(\S+) seq \d+ (permit|deny) (\S+)", said)
        if match:
            communities[match[1]] = (match[2], policy.community(match[3]))
    entries: dict[str, policy.Entries] = {}
    for name, block in root.blocks("route-map"):
        words = name.split()
        if len(words) == 3 and words[1] in {"permit", "deny"} and words[2].isdigit():
            clauses = dict(policy.clause(one.said) for one in block.below)
            known = entries.setdefault(words[0], {}).get(int(words[2]), ("", {}))[1]
            entries[words[0]][int(words[2])] = (words[1], {**known, **clauses})
    return {name: policy.route_map(one, prefixes, communities) for name, one in entries.items()}


def _bgp(root: Line, found: dict[tuple[object, ...], object]) -> None:
    policies = _policies(root)
    if not root.after("feature bgp") and not any(one.said == "feature bgp" for one in root.below):
        return
    for asn, block in root.blocks("router bgp"):
        found["routing", "asn"] = asn
        templates = {name: _settings(one, policies) for name, one in block.blocks("template peer")}
        for vrf, table in [("default", block), *block.blocks("vrf")]:
            for line in table.below:
                said = line.said
                if said.startswith("address-family"):
                    for one in line.below:
                        key = one.said if one.words[0] == "network" else one.words[0]
                        found["routing", vrf, said, key] = one.said
                elif not said.startswith(("neighbor", "template", "vrf", "description")):
                    key = next(one for one in [*line.words, ""] if one != "no")
                    family = "services/other" if said.startswith("log-") else "routing"
                    found[family, vrf, key] = said
            for peer, inside in table.blocks("neighbor"):
                settings = dict(templates.get(inside.last("inherit peer") or "", {}))
                settings |= _settings(inside, policies)
                if "remote-as" in settings:
                    for kind, value in settings.items():
                        found["routing", vrf, peer, kind] = value


def _settings(block: Line, policies: Mapping[str, object]) -> dict[str, object]:
    found: dict[str, object] = {}
    for line in block.below:
        if line.words[0] == "address-family":
            found[line.said] = True
            for one in line.below:
                if one.words[0] == "route-map":
                    found[f"route-map {one.words[-1]}"] = policies.get(one.words[1], "absent")
                else:
                    found[one.words[0]] = one.said
        elif line.words[0] not in {"inherit", "description"}:
            found[line.words[1 if line.words[0] == "no" else 0]] = line.said
    return found


def _lists(root: Line) -> dict[str, object]:
    return {
        name: policy.access([
            (int(one.words[0]), " ".join(one.words[1:])) for one in block.below
            if one.words[0].isdigit()
        ])
        for kind in ("ip access-list", "ipv6 access-list") for name, block in root.blocks(kind)
    }  # fmt: skip


def _rest(root: Line, found: dict[tuple[object, ...], object]) -> None:
    done = (
        "interface",
        "router bgp",
        "route-map",
        "ip prefix-list",
        "ip community-list",
        "class-map",
        "policy-map",
        "system qos",
        "priority-flow-control",
        "ip access-list",
        "ipv6 access-list",
    )
    lists = _lists(root)
    for line in root.below:
        if line.said.startswith(done) or _DROPPED.match(line.said):
            continue
        tables = line.said.startswith(("vlan", "vrf context", "vpc", "feature vpc", "feature hsrp"))
        routing = line.said.startswith(("ip route", "ip load-sharing", "bfd", "feature b"))
        family = "tables/leaks" if tables else "routing" if routing else "services/other"
        if line.said.startswith("vrf context management"):
            family = "services/other"
        # VLANs are listed, and then named one by one: either way they are there.
        if line.words[0] == "vlan" and len(line.words) == 2:
            for part in line.words[1].split(","):
                if part != "1":
                    found["tables/leaks", "vlan", part] = True
        else:
            found[family, line.said] = True
        for one in line.below:
            words = one.words
            at = words.index("access-class") + 1 if "access-class" in words[:-1] else 0
            used = words[at] if at else ""
            if one.words[0] != "name":
                found[family, line.said, one.said] = lists.get(used, True)
            else:
                continue
