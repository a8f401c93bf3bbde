"""A second opinion on orders: small random sites, and packets walked through every state of them.

Shares nothing with `validation/order`: devices are dictionaries here, paths are found by walking,
and an order is sought by going through all states, so through all orders with all their prefixes.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

Box = dict[str, Any] | None


@dataclass
class Site:
    """`versions` of each device (None where it is absent), its tier, and links from below to above.

    A version has `asn`, `box`, and `ports`: `roce` (DSCP to priority), `strict`, `mtu`, `ar`,
    `peer`; of a host also `send` (DSCP, CNP's DSCP) and `ooo`.
    """

    tiers: dict[str, int]
    versions: dict[str, list[Box]]
    links: list[tuple[str, str, str, str]]


def drawn(seed: int, most: int) -> Site | None:
    """A random small site with a random change; None where old or new is wrong, or too large.

    `most` are the states of old and new alone.
    """
    chance = random.Random(seed)
    site = _clos(chance, three=chance.random() < 0.35)
    if chance.random() < 0.3:
        _some_take_more(chance, site)
    after = copy.deepcopy(site)
    for _ in range(chance.choice((1, 1, 1, 2))):
        chance.choice(_CHANGES)(chance, after)
    for name, (old,) in site.versions.items():
        (new,) = after.versions[name]
        site.versions[name] = [old] if old == new else [old, new]
    movers = sum(len(one) > 1 for one in site.versions.values())
    if not movers or 2**movers > most:
        return None
    sound = all(right(site, dict.fromkeys(site.versions, at), need=False) for at in (0, -1))
    return site if sound else None


def _clos(chance: random.Random, *, three: bool) -> Site:
    pods, leaves = (2, 1) if three else (1, chance.choice((1, 2, 2, 3)))
    spines, supers = chance.choice((1, 2)), chance.choice((1, 2)) if three else 0
    site = Site({}, {}, [])
    for top in range(supers):
        _add(site, f"super{top}", 3, 64900)
    for pod in range(pods):
        for spine in range(spines):
            name = _add(site, f"spine{pod}{spine}", 2, 65000 + pod)
            for top in range(supers):
                _plug(site, name, f"super{top}")
        for leaf in range(leaves):
            name = _add(site, f"leaf{pod}{leaf}", 1, 65100 + pod * 10 + leaf)
            for spine in range(spines):
                if spine == 0 or chance.random() < 0.9:
                    _plug(site, name, f"spine{pod}{spine}")
            for host in range(chance.choice((1, 1, 2))):
                _plug(site, _add(site, f"host{pod}{leaf}{host}", 0, None), name)
    return site


def _add(site: Site, name: str, tier: int, asn: int | None) -> str:
    site.tiers[name] = tier
    site.versions[name] = [{"asn": asn, "box": "", "ports": {}}]
    return name


def _plug(site: Site, low: str, high: str) -> None:
    site.links.append((low, f"to {high}", high, f"to {low}"))
    for one, other in ((low, high), (high, low)):
        (mine,), (its,) = site.versions[one], site.versions[other]
        assert mine
        assert its
        routed = mine["asn"] is not None and its["asn"] is not None
        port = {"roce": {26: 3}, "strict": {48}, "mtu": 9216, "ar": False}
        port |= {"peer": its["asn"] if routed else None}
        if mine["asn"] is None:
            port |= {"mtu": 9000, "send": (26, 48), "ooo": False}
        mine["ports"][f"to {other}"] = port


def _ports(site: Site, tiers: tuple[int, ...] = (0, 1, 2, 3)) -> Iterator[tuple[str, Any]]:
    for name, versions in site.versions.items():
        if site.tiers[name] in tiers and versions[-1]:
            yield from ((name, port) for port in versions[-1]["ports"].values())


def _some_take_more(chance: random.Random, site: Site) -> None:
    """A change that somebody began: some devices take a second DSCP, or larger packets."""
    for name in chance.sample(sorted(site.tiers), k=len(site.tiers) // 2):
        version = site.versions[name][-1]
        for port in version["ports"].values() if version else ():
            port["roce"] = {26: 3, 34: 3}
            port["mtu"] += 0 if "send" in port else 100


def _dscp(chance: random.Random, site: Site) -> None:
    dscp = chance.choice((34, 24, 48))
    for _, port in _ports(site):
        port["roce"] = {dscp: port["roce"][26]} if 26 in port["roce"] else {dscp: 3}
        if dscp == 48:
            port["strict"] = {46}
        if "send" in port:
            port["send"] = (dscp, min(port["strict"]))


def _priority(chance: random.Random, site: Site) -> None:
    for _, port in _ports(site):
        port["roce"] = dict.fromkeys(port["roce"], 4)


def _cnp(chance: random.Random, site: Site) -> None:
    for _, port in _ports(site):
        if 46 not in port["roce"]:
            port["strict"] = {46}
            if "send" in port:
                port["send"] = (port["send"][0], 46)


def _size(chance: random.Random, site: Site) -> None:
    low, high = chance.choice(((8000, 8200), (9100, 9300), (9216, 9216), (4000, 9216)))
    for _, port in _ports(site):
        port["mtu"] = low if "send" in port else high


def _size_of_some(chance: random.Random, site: Site) -> None:
    chosen = chance.choice(sorted(site.tiers))
    for name, port in _ports(site):
        if name == chosen:
            port["mtu"] += chance.choice((-200, 200, -1000))


def _adaptive(chance: random.Random, site: Site) -> None:
    for _, port in _ports(site):
        if "send" in port:
            port["ooo"] = True
        elif port["peer"] is not None:
            port["ar"] = True


def _asn(chance: random.Random, site: Site) -> None:
    tier = chance.choice([one for one in (1, 2, 3) if one in site.tiers.values()])
    some = [name for name, at in site.tiers.items() if at == tier]
    chosen = set(some if chance.random() < 0.6 else some[:1])
    far = chance.choice((1, 10, 500))
    for name in chosen:
        version = site.versions[name][-1]
        if version:
            version["asn"] += far
    for versions in site.versions.values():
        version = versions[-1]
        for port, said in version["ports"].items() if version else ():
            if said["peer"] is not None and port.removeprefix("to ") in chosen:
                said["peer"] += far


def _box(chance: random.Random, site: Site) -> None:
    switches = sorted(name for name, tier in site.tiers.items() if tier)
    for name in chance.sample(switches, k=min(len(switches), chance.choice((1, 2)))):
        version = site.versions[name][-1]
        if version:
            version["box"] = "another"


def _gone(chance: random.Random, site: Site) -> None:
    spines = sorted(name for name, tier in site.tiers.items() if tier > 1)
    site.versions[chance.choice(spines)][-1] = None


_CHANGES = (
    _dscp,
    _dscp,
    _priority,
    _cnp,
    _size,
    _size,
    _size_of_some,
    _adaptive,
    _asn,
    _box,
    _gone,
)


def right(
    site: Site, at: dict[str, int], away: frozenset[str] = frozenset(), *, need: bool = True
) -> bool:
    """Whether every packet of every flow is carried as it must be; `need`: and has a path."""
    now = {name: site.versions[name][number] for name, number in at.items()}
    cables = [link for link in site.links if not {link[0], link[2]} & away and _is_up(now, link)]
    nics = [(low, port, high, far) for low, port, high, far in site.links if not site.tiers[low]]
    for source in nics:
        for target in nics:
            if source[0] == target[0] or {source[2], target[2], source[0], target[0]} & away:
                continue
            paths = list(_paths(site, cables, source, target))
            paths = [path for path in paths if _is_told(now, path)]
            least = min(map(len, paths), default=0)
            if not paths and need and _is_needed(site, source, target):
                return False
            for path in paths:
                if len(path) == least and not _arrives(site, now, path):
                    return False
    return True


def _is_needed(site: Site, source: Any, target: Any) -> bool:
    for number in (0, -1):
        now = {name: versions[number] for name, versions in site.versions.items()}
        cables = [link for link in site.links if _is_up(now, link)]
        if not any(_is_told(now, path) for path in _paths(site, cables, source, target)):
            return False
    return True


def _is_up(now: dict[str, Box], link: tuple[str, str, str, str]) -> bool:
    low, high = now[link[0]], now[link[2]]
    if low is None or high is None:
        return False
    one, other = low["ports"][link[1]]["peer"], high["ports"][link[3]]["peer"]
    if one is None or other is None:
        return True
    return _fits(one, high["asn"]) and _fits(other, low["asn"])


def _fits(asked: int | str, asn: int) -> bool:
    return asked in ("external", asn)


Hop = tuple[str, str, str, str]


def _paths(site: Site, cables: list[Any], source: Any, target: Any) -> Iterator[list[Hop]]:
    """All ways that go up and then down: (device, port out, device, port in) hop by hop."""
    if source not in cables or target not in cables:
        return

    def climb(at: str, way: list[Hop]) -> Iterator[list[Hop]]:
        yield from fall(at, way)
        for low, port, high, far in cables:
            if low == at:
                yield from climb(high, [*way, (low, port, high, far)])

    def fall(at: str, way: list[Hop]) -> Iterator[list[Hop]]:
        if at == target[0]:
            yield way
        for low, port, high, far in cables:
            if high == at and (site.tiers[low] or low == target[0]):
                yield from fall(low, [*way, (high, far, low, port)])

    yield from climb(source[2], [(source[0], source[1], source[2], source[3])])


def _is_told(now: dict[str, Any], path: list[Hop]) -> bool:
    """Whether BGP takes the path: none of its switches is of the AS of another."""
    asns = [now[device]["asn"] for device, *_ in path[1:]]
    return len(asns) == len(set(asns))


def _arrives(site: Site, now: dict[str, Any], path: list[Hop]) -> bool:
    sender = now[path[0][0]]["ports"][path[0][1]]
    receiver = now[path[-1][2]]["ports"][path[-1][3]]
    dscp, cnp = sender["send"]
    size = min(sender["mtu"], receiver["mtu"])
    for near, out, far, into in path:
        one, other = now[near]["ports"][out], now[far]["ports"][into]
        if one["roce"].get(dscp, "none") != other["roce"].get(dscp, "lossy"):
            return False
        if size > one["mtu"] or size > other["mtu"]:
            return False
        if one["ar"] and not receiver["ooo"]:
            return False
        if cnp not in one["strict"] or cnp not in other["strict"]:
            return False
    return True


def is_away(old: Box, new: Box) -> bool:
    """Whether a device is away while it changes."""
    if old is None or new is None:
        return True
    sessions = [{port: one["peer"] for port, one in box["ports"].items()} for box in (old, new)]
    return (old["asn"], old["box"]) != (new["asn"], new["box"]) or sessions[0] != sessions[1]


def with_between(site: Site) -> Site | None:
    """The site with two versions between old and new; None where one port cannot accept both."""
    made = Site(site.tiers, {}, site.links)
    for name, versions in site.versions.items():
        made.versions[name] = versions
        old, new = versions[0], versions[-1]
        if len(versions) < 2 or old is None or new is None:
            continue
        ready, moved = copy.deepcopy(old), copy.deepcopy(new)
        for port, was in old["ports"].items():
            will = new["ports"][port]
            both = {**was["roce"], **will["roce"]}
            strict = was["strict"] | will["strict"]
            if both != {**will["roce"], **was["roce"]} or strict & both.keys():
                return None
            for one in (ready["ports"][port], moved["ports"][port]):
                one["roce"], one["strict"] = both, strict
                one["peer"] = was["peer"] if was["peer"] == will["peer"] else "external"
                if "send" in one:
                    one["ooo"] = was["ooo"] or will["ooo"]
                else:
                    one["mtu"] = max(was["mtu"], will["mtu"])
        chain: list[Box] = [old]
        chain += [one for one in (ready, moved) if one not in (old, new)]
        made.versions[name] = [*(one for at, one in enumerate(chain) if one not in chain[:at]), new]
    return made


def states(site: Site) -> int:
    """How many there are."""
    count = 1
    for versions in site.versions.values():
        count *= len(versions)
    return count


def has_order(site: Site) -> bool:
    """Whether any order of single changes goes through right states alone, by trying all."""
    names = sorted(site.versions)
    end = tuple(len(site.versions[name]) - 1 for name in names)
    begin = tuple(0 for _ in names)
    seen, left = {begin}, [begin]
    while left:
        at = left.pop()
        if at == end:
            return True
        now = dict(zip(names, at, strict=True))
        for place, name in enumerate(names):
            if at[place] == end[place]:
                continue
            to = (*at[:place], at[place] + 1, *at[place + 1 :])
            if to not in seen and _may(site, now, name):
                seen.add(to)
                left.append(to)
    return False


def _may(site: Site, now: dict[str, int], name: str) -> bool:
    old, new = site.versions[name][now[name]], site.versions[name][now[name] + 1]
    if is_away(old, new) and not right(site, now, frozenset({name})):
        return False
    return right(site, {**now, name: now[name] + 1})


def first_wrong(site: Site, moves: list[tuple[tuple[str, ...], bool]], most: int = 6) -> str:
    """Where an order of these moves is wrong; "" where it is right in every state.

    A move is devices, and whether they go one by one; else every subset may be done. Of more than
    `most` at once some subsets are tried: none, each alone, all but each.
    """
    now = dict.fromkeys(site.versions, 0)
    for devices, one_by_one in moves:
        if one_by_one:
            for name in devices:
                if not _may(site, now, name):
                    return f"{name} from {now[name]} in {now}"
                now[name] += 1
            continue
        for name in devices:
            if is_away(site.versions[name][now[name]], site.versions[name][now[name] + 1]):
                return f"{name} is away beside others"
        for done in _subsets(devices, most):
            if not right(site, {**now, **{name: now[name] + 1 for name in done}}):
                return f"{done} of {devices} in {now}"
        now |= {name: now[name] + 1 for name in devices}
    ends = {name: len(versions) - 1 for name, versions in site.versions.items()}
    return "" if now == ends else f"it ends at {now}"


def _subsets(devices: tuple[str, ...], most: int) -> Iterator[tuple[str, ...]]:
    sizes = range(len(devices) + 1)
    if len(devices) > most:
        sizes = sorted({0, 1, 2, len(devices) - 1, len(devices)})  # type: ignore[assignment]
    for size in sizes:
        yield from combinations(devices, size)
