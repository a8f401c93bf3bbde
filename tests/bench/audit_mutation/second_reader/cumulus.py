"""Cumulus Linux 5, by https://docs.nvidia.com/networking-ethernet-software/cumulus-linux/ (NVUE).

Quality of Service, RoCE, Border Gateway Protocol, Route Filtering, MLAG, VRR, Switch Port
Attributes. Defaults used here, as those pages print them: MTU 9216, PFC tx and rx on, RED off,
BFD 3 x 300 ms, BGP timers 3, 9 and 10 s, ipv4-unicast and communities on for a neighbour, hash
over addresses, ports and protocol, watchdog polling 100 ms and robustness 3, LLDP hold 4, bonds by
LACP ("IEEE 802.3ad link aggregation is the default mode", Bonding - Link Aggregation).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import yaml

from . import policy

Facts = dict[tuple[object, ...], object]
_ON = {True: "on", False: "off"}
# Said or not, it is so.
_DEFAULTS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("bfd", "detect-multiplier"), "3"), (("bfd", "min-rx-interval"), "300"),
    (("bfd", "min-tx-interval"), "300"), (("timers", "connection-retry"), "10"),
    (("timers", "hold"), "9"), (("timers", "keepalive"), "3"),
    (("address-family", "ipv4-unicast", "enable"), "on"),
    (("ipv4-unicast", "community-advertise", "regular"), "on"),
    (("bond", "mode"), "lacp"),
    (("lldp", "tx-hold-multiplier"), "4"), (("ecmp-hash", "destination-ip"), "on"),
    (("ecmp-hash", "destination-port"), "on"), (("ecmp-hash", "ip-protocol"), "on"),
    (("ecmp-hash", "source-ip"), "on"), (("ecmp-hash", "source-port"), "on"),
)  # fmt: skip


def _used(own: Any, kind: str) -> str:
    """The profile of a kind that a port has."""
    return str(_at(own, kind, "profile") or "default-global")


def read(texts: Mapping[str, str]) -> Facts:
    """What startup.yaml, and rules for cl-acltool beside it, do."""
    found: Facts = {}
    for path, text in texts.items():
        if not path.endswith((".yaml", ".yml")):
            lines = (line.strip() for line in text.splitlines())
            rules = [line for line in lines if line and not line.startswith("#")]
            found["tables/leaks", path] = tuple(rules)
            continue
        try:
            made = yaml.load(text, Loader=_Unique)  # noqa: S506 # a safe loader, stricter
            root = next(one["set"] for one in made if "set" in one)
        except (yaml.YAMLError, StopIteration, TypeError, KeyError):
            root = None
        if not isinstance(root, dict) or not pairs(root) <= _known():
            found["refused", path] = True
            continue
        _qos(root, found)
        _interfaces(root, found)
        _bgp(root, found)
        _rest(root, found)
    return found


class _Unique(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Refuses a key that is there twice (YAML 1.2, 3.2.1.1)."""


def _mapping(loader: Any, node: Any) -> dict[Any, Any]:
    keys = [loader.construct_object(key, deep=True) for key, _ in node.value]
    if len(set(map(str, keys))) != len(keys):
        raise yaml.YAMLError("a key twice")
    return {key: loader.construct_object(value, deep=True)
            for key, (_, value) in zip(keys, node.value, strict=True)}  # fmt: skip


_Unique.add_constructor("tag:yaml.org,2002:map", _mapping)
# Below these an operator chooses what a thing is called.
_NAMED = {"acl", "inbound", "prefix-list", "route-map", "community-list", "congestion-control",
          "egress-shaper", "mapping", "pfc", "remark", "egress-queue-mapping", "egress-scheduler",
          "vrf", "peer-group", "domain", "br_default", "username", "auth-sha", "encrypt-aes",
          "profile", "description", "hostname", "secret", "ip-prefix-list"}  # fmt: skip


def pairs(root: object, above: str = "") -> frozenset[str]:
    """Which word stands below which: what NVUE's model of a configuration is asked for."""
    if isinstance(root, dict):
        found = set[str]()
        for key, value in root.items():
            word = (
                "*"
                if above in _NAMED
                else _kind(_ON.get(key, str(key)) if isinstance(key, bool) else str(key))
            )
            found |= {f"{above} {word}", *pairs(value, word if word != "*" else f"{above}*")}
        return frozenset(found)
    if root is None:
        return frozenset()
    said = _ON[root] if isinstance(root, bool) else str(root)
    return frozenset({f"{above} {'*' if above in _NAMED else _kind(said)}"})


def _kind(word: str) -> str:
    """A number, an address, a port, a community; or the word."""
    if re.fullmatch(r"[\d.]+(/\d+)?(:\d+)?|([\da-f]{2}:){5}[\da-f]{2}|\d+[GM]|\dx", word):
        return "#"
    port = r"(swp|bond|vlan|eth|lo$|peerlink)[\ds.]*"
    return "port" if re.fullmatch(port, word) else word


@cache
def _known() -> frozenset[str]:
    """Word below word that the model has, read off healthy texts: no NVUE was at hand to ask."""
    return frozenset((Path(__file__).parent / "nvue_words.txt").read_text().splitlines())


def _at(root: object, *keys: str) -> Any:
    """What is at this path; an empty mapping where nothing is."""
    for key in keys:
        root = root.get(key, {}) if isinstance(root, dict) else {}
    return {} if root is None else root


def _items(root: object) -> list[tuple[str, Any]]:
    return [(str(key), value) for key, value in root.items()] if isinstance(root, dict) else []


def flat(root: object, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every end of a tree: its path, and what stands there."""
    if root is None:
        return
    if isinstance(root, dict) and root:
        for key, value in root.items():
            name = _ON.get(key, str(key)) if isinstance(key, bool) else str(key)
            yield from flat(value, (*above, name))
    else:
        said = _ON[root] if isinstance(root, bool) else "" if root == {} else str(root)
        yield above, said


def _said(root: object) -> dict[tuple[str, ...], str]:
    """The same without what is so anyhow."""
    return {
        path: said for path, said in flat(root)
        if path[-1:] != ("description",)
        and not any(path[-len(end):] == end and said == usual for end, usual in _DEFAULTS)
    }  # fmt: skip


def _qos(root: dict[str, Any], found: Facts) -> None:
    qos = _at(root, "qos")
    queues = {
        str(key): str(_at(one, "traffic-class"))
        for key, one in _items(_at(qos, "egress-queue-mapping", "default-global",
                                   "switch-priority"))
    }  # fmt: skip
    shares = {
        key: frozenset(flat(one))
        for key, one in _items(_at(qos, "egress-scheduler", "default-global", "traffic-class"))
    }
    for name, port in _items(_at(root, "interface")):
        own = _at(port, "qos")
        if not own:
            continue
        used = partial(_used, own)
        mapping = _at(qos, "mapping", used("mapping"))
        pfc = _at(qos, "pfc", used("pfc"))
        sends, obeys = (str(pfc.get(way, "enable")) for way in ("tx", "rx"))
        paused = {key for key, _ in _items(_at(pfc, "switch-priority"))}
        trusted = str(_at(mapping, "trust")) == "l3"
        shaper = _at(qos, "egress-shaper", used("egress-shaper"), "traffic-class")
        marks = _at(qos, "congestion-control", used("congestion-control"), "traffic-class")
        used_queues = set()
        for dscp in range(64):
            table = _at(mapping, "dscp")
            row = table.get(str(dscp), table.get(dscp, {})) if isinstance(table, dict) else {}
            first = _at(mapping, "port-default-sp") or 0
            inside = str(_at(row, "switch-priority") if row and trusted else first)
            inside = "0" if inside == "{}" else inside
            queue = queues.get(inside, inside)
            used_queues.add(queue)
            found["marking", name, dscp] = (
                queue,
                (inside, sends, obeys) if inside in paused else None,
            )
        for queue in used_queues:
            found["marking", name, "queue", queue] = (
                shares.get(queue),
                frozenset(flat(_at(shaper, queue))),
            )
            mark = dict(flat(_at(marks, queue)))
            mark.pop(("red",), None) if mark.get(("red",)) == "disable" else None
            found["ecn/watchdog", name, queue] = frozenset(mark.items())
        found["marking", name, "paused"] = frozenset(paused)
        found["buffers", name, "cable"] = str(_at(pfc, "cable-length")) if paused else None
        dog = str(_at(own, "pfc-watchdog", "state"))
        found["ecn/watchdog", name, "watchdog"] = (
            (str(_at(qos, "pfc-watchdog", "polling-interval") or 100),
             str(_at(qos, "pfc-watchdog", "robustness") or 3)) if dog == "enable" else None
        )  # fmt: skip
        remark = _at(own, "remark", "profile")
        if remark:
            found["marking", name, "remark"] = frozenset(flat(_at(qos, "remark", str(remark))))
    for key, said in flat(_at(qos, "traffic-pool")):
        found["buffers", *key] = said
    for key, said in flat(_at(qos, "congestion-control", "default-global")):
        found["ecn/watchdog", "others", *key] = said
    others = _at(qos, "mapping", "default-global")
    inside = str(_at(others, "port-default-sp") or 0)
    trusted = str(_at(others, "trust")) != "port"
    # A port of exit rewrites by the priority inside ("Marking and Remarking Traffic").
    rewritten = frozenset(
        (name, *one)
        for name, profile in _items(_at(qos, "remark"))
        for one in flat(_at(profile, "switch-priority", inside))
    )
    found["marking", "others"] = (trusted, queues.get(inside, inside), rewritten)


def _interfaces(root: dict[str, Any], found: Facts) -> None:
    tables = ("vrf", "vlan", "base-interface", "bridge", "bond", "acl", "vrr")
    for name, port in _items(_at(root, "interface")):
        found["services/other", name] = True
        for path, said in _said({key: one for key, one in _items(port) if key != "qos"}).items():
            if path[-2:] == ("link", "mtu"):
                found["mtu", name] = said
            else:
                if path == ("type",):
                    continue  # the name of an interface says its type
                leaks = any(one in path for one in tables) and name != "eth0"
                family = "tables/leaks" if leaks else "routing" if path[0] == "ip" else ""
                family = "services/other" if name == "eth0" else family
                found[family or "services/other", name, *path] = said
        found.setdefault(("mtu", name), "9216")
        for acl, _ in _items(_at(port, "acl")):
            rules = _items(_at(root, "acl", acl, "rule"))
            found["tables/leaks", name, "acl", acl] = policy.access([
                (int(number), f"{next(iter(_at(rule, 'action')), '')} {_match(rule)}")
                for number, rule in rules if number.isdigit()
            ])  # fmt: skip


def _match(rule: object) -> list[tuple[tuple[str, ...], str]]:
    return sorted(one for one in flat(_at(rule, "match")) if one[1] != "ANY")


def _policies(root: dict[str, Any]) -> dict[str, object]:
    own = _at(root, "router", "policy")
    prefixes: dict[str, object] = {}
    for name, one in _items(_at(own, "prefix-list")):
        entries: dict[int, tuple[str, object]] = {}
        for number, rule in _items(_at(one, "rule")):
            for net, bits in _items(_at(rule, "match")):
                low, high = (_at(bits, f"{one}-prefix-len") for one in ("min", "max"))
                said = f"{net}{f' ge {low}' if low else ''}{f' le {high}' if high else ''}"
                entries[int(number)] = (str(_at(rule, "action")), policy.prefix(said))
        prefixes[name] = policy.ordered(entries)
    communities = {
        name: tuple(frozenset(flat(rule)) for _, rule in sorted(_items(_at(one, "rule"))))
        for name, one in _items(_at(own, "community-list"))
    }
    found: dict[str, object] = {}
    for name, one in _items(_at(own, "route-map")):
        made = []
        for _, rule in sorted(_items(_at(one, "rule")), key=lambda one: one[0].zfill(6)):
            match = _at(rule, "match")
            made.append((
                frozenset(flat(_at(rule, "action"))), frozenset(flat(_at(rule, "set"))),
                prefixes.get(str(match.get("ip-prefix-list")), "absent")
                if "ip-prefix-list" in match else None,
                communities.get(str(match.get("community-list")), "absent")
                if "community-list" in match else None, str(match.get("type")),
            ))  # fmt: skip
        found[name] = tuple(made)
    return found


def _bgp(root: dict[str, Any], found: Facts) -> None:
    policies = _policies(root)
    for path, said in flat(_at(root, "router", "bgp")):
        found["routing", "bgp", *path] = said
    for vrf, table in _items(_at(root, "vrf")):
        bgp = _at(table, "router", "bgp")
        groups = {name: _peer(one, policies) for name, one in _items(_at(bgp, "peer-group"))}
        for path, said in _said(
            {key: one for key, one in _items(bgp) if key not in {"neighbor", "peer-group"}}
        ).items():
            found["routing", vrf, *path] = said
        for name, one in _items(_at(bgp, "neighbor")):
            group = groups.get(str(_at(one, "peer-group")), {})
            own = {
                key: value for key, value in _peer(one, policies).items() if key != ("peer-group",)
            }
            if ("remote-as",) in {**group, **own}:
                for key, value in {**group, **own}.items():
                    found["routing", vrf, name, *key] = value
        for path, said in _said(
            {key: one for key, one in _items(table) if key not in {"router", "static"}}
        ).items():
            found["routing", vrf, "table", *path] = said
        for path, said in _said(_at(table, "static") or _at(table, "router", "static")).items():
            if path[-1:] != ("address-family",):  # a prefix says its own
                found["routing", vrf, "static", *path] = said
        found["tables/leaks", "vrf", vrf] = True


def _peer(one: object, policies: Mapping[str, object]) -> dict[tuple[str, ...], object]:
    return {
        path: policies.get(said, "absent") if path[-1] == "route-map" else said
        for path, said in _said(one).items()
    }


def _rest(root: dict[str, Any], found: Facts) -> None:
    servers = _items(_at(root, "system", "aaa", "tacacs", "server"))
    asked = {name: float(str(_at(one, "priority") or 0)) for name, one in servers}
    found["services/other", "tacacs"] = frozenset(policy.ranks(asked).items())
    # The method of the lowest number is asked first ("TACACS", authentication order).
    order = {str(one): float(at) for at, methods in _items(_at(root, "system", "aaa",
             "authentication-order")) for one, _ in _items(methods) if at.isdigit()}  # fmt: skip
    found["services/other", "authentication-order"] = frozenset(policy.ranks(order).items())
    for name, one in root.items():
        if name in {"qos", "interface", "vrf", "acl"}:
            continue
        leaks = name in {"mlag", "bridge"}
        for path, said in _said({name: one}).items():
            if path[:2] in {("router", "bgp"), ("router", "policy")}:
                continue
            if path[-3:-2] == ("server",) and path[-1] == "priority":
                continue
            if path[1:3] == ("aaa", "authentication-order"):
                continue
            routing = "forwarding" in path or name == "router"
            family = "tables/leaks" if leaks else "routing" if routing else "services/other"
            found[family, *path] = said
