"""`qos` -> what each port does with each DSCP, chains followed; broken ones are hazards.

Defaults are those of NVIDIA Cumulus Linux 5.14, Quality of Service; what `qos roce` says is in
RDMA over Converged Ethernet.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from switch_configs.readback.facts import (
    ClassFacts,
    EcnFacts,
    Hazard,
    HeadroomFacts,
    QosFacts,
    WatchdogFacts,
    hazards_of,
)

from .reading import CumulusReading, Iface
from .take import Node, enabled, flag, here, is_whole, node, number, peek, take, text

_ALL = "default-global"
_EVERY = range(8)
_POOLS = {"default-lossy", "default-lossless", "mc-lossy", "roce-lossy", "roce-lossless"}
_RATES = {"10M": 0.01, "100M": 0.1}
_MODES = {None, "lossless", "lossless-single-ipool", "lossy", "lossy-multi-tc"}


@dataclass
class Profiles:
    """All profiles by name, with the defaults in `default-global`."""

    trust: dict[str, str] = field(default_factory=dict)
    default: dict[str, int] = field(default_factory=dict)
    dscp: dict[str, dict[int, int]] = field(default_factory=dict)
    queue: dict[int, int] = field(default_factory=lambda: {at: at for at in _EVERY})
    weights: dict[str, dict[int, int | None]] = field(default_factory=dict)
    caps: dict[str, dict[int, int]] = field(default_factory=dict)
    ecn: dict[str, dict[int, EcnFacts | None]] = field(default_factory=dict)
    pfc: dict[str, tuple[set[int], float]] = field(default_factory=dict)
    buffers: dict[str, HeadroomFacts] = field(default_factory=dict)
    pools: dict[str, int] = field(default_factory=dict)
    rewrites: dict[str, str] = field(default_factory=dict)
    marks: dict[str, dict[int, int]] = field(default_factory=dict)
    poll_ms: int = 100
    polls: int = 3


def read(tree: Node, found: CumulusReading) -> None:
    """Takes `qos` out of the tree, and says what it does to each port."""
    at = node(tree, "qos")
    for vrf in list(node(tree, "vrf")):
        found.neighbours |= set(node(tree, "vrf", vrf, "router", "bgp", "neighbor"))
    held = _defaults(at, found)
    _mapping(at, held, found)
    _queues(at, held, found)
    _shapers(at, held)
    _marking(at, held, found)
    _pausing(at, held, found)
    _rewriting(at, held)
    for pool in list(node(at, "traffic-pool")):
        percent = number(at, "traffic-pool", pool, "memory-percent")
        if percent is not None:
            held.pools[pool] = percent
    held.poll_ms = number(at, "pfc-watchdog", "polling-interval") or held.poll_ms
    held.polls = number(at, "pfc-watchdog", "robustness") or held.polls
    for pool in held.pools:
        if pool not in _POOLS:
            found.broken(f"there is no traffic pool {pool}")
    if sum(held.pools.values()) > 100:
        found.broken("the traffic pools are more than 100 percent of the buffer")
    _ports(held, found)


def _defaults(at: Node, found: CumulusReading) -> Profiles:
    held = Profiles()
    held.ecn[_ALL] = {0: EcnFacts(150000, 1500000, 100)}
    held.weights[_ALL] = {one: 12 + one % 2 for one in _EVERY}
    on = enabled(at, "roce")
    mode = text(at, "roce", "mode")
    if mode not in _MODES:
        found.hazards.append(f"there is no mode {mode} of RoCE")
    if not on and not (on is None and mode):
        return held
    held.trust[_ALL] = "both"
    held.queue = {one: one if one in (3, 6) else 0 for one in _EVERY}
    held.weights[_ALL] = {0: 50, 3: 50, 6: None}
    held.ecn[_ALL][3] = EcnFacts(150000, 1500000, 100)
    if mode in (None, "lossless", "lossless-single-ipool"):
        held.pfc[_ALL] = ({3}, 100.0)
        held.pools["roce-lossless"] = held.pools["default-lossy"] = 50
    return held


def _mapping(at: Node, held: Profiles, found: CumulusReading) -> None:
    for name in list(node(at, "mapping")):
        one = node(at, "mapping", name)
        trust = text(one, "trust")
        found.says("what it trusts", f"mapping {name}", trust is not None or name in held.trust)
        if trust is not None:
            held.trust[name] = trust
        if trust == "both":
            found.broken(f"mapping {name} trusts VLAN priorities of what is not IP")
        held.default[name] = number(one, "port-default-sp") or 0
        own = held.dscp.setdefault(name, {})
        for dscp in list(node(one, "dscp")):
            priority = number(one, "dscp", dscp, "switch-priority")
            if priority is not None and is_whole(dscp):
                own[int(dscp)] = priority


def _queues(at: Node, held: Profiles, found: CumulusReading) -> None:
    own = node(at, "egress-queue-mapping", _ALL, "switch-priority")  # there is no other
    for priority in list(own):
        used = number(own, priority, "traffic-class")
        if used is not None and is_whole(priority):
            held.queue[int(priority)] = used
    for name in list(node(at, "egress-scheduler")):
        own = node(at, "egress-scheduler", name, "traffic-class")
        here(at, "egress-scheduler", name)
        weights: dict[int, int | None] = {}
        for queue in [one for one in own if is_whole(one)]:
            mode, percent = text(own, queue, "mode"), number(own, queue, "bw-percent")
            weights[int(queue)] = None if mode == "strict" else percent or 0
            if mode not in ("strict", "dwrr") or (mode == "strict" and percent):
                found.broken(f"queue {queue} of {name} is scheduled {mode} at {percent}")
        if weights:
            held.weights[name] = weights
    for name, some in held.weights.items():
        if sum(one or 0 for one in some.values()) > 100:
            found.hazards.append(f"the weights of scheduler {name} are more than 100 percent")


def _shapers(at: Node, held: Profiles) -> None:
    for name in list(node(at, "egress-shaper")):
        own = node(at, "egress-shaper", name, "traffic-class")
        for queue in [one for one in own if is_whole(one)]:
            kbps = number(own, queue, "max-rate")
            if kbps is not None:
                held.caps.setdefault(name, {})[int(queue)] = kbps


def _marking(at: Node, held: Profiles, found: CumulusReading) -> None:
    for name in list(node(at, "congestion-control")):
        own = node(at, "congestion-control", name, "traffic-class")
        some = held.ecn.setdefault(name, {})
        for queue in [one for one in own if is_whole(one)]:
            on = flag(own, queue, "ecn")
            if on is None:
                found.broken(f"profile {name} leaves open whether queue {queue} marks")
            if flag(own, queue, "red") is not False and on is not False:
                found.broken(f"profile {name} drops early in queue {queue}, or may")
            least = number(own, queue, "min-threshold")
            most, percent = number(own, queue, "max-threshold"), number(own, queue, "probability")
            usual = some.get(int(queue)) or EcnFacts(150000, 1500000, 100)
            marks = EcnFacts(
                usual.kmin_bytes if least is None else least,
                usual.kmax_bytes if most is None else most,
                usual.probability_percent if percent is None else percent,
            )
            some[int(queue)] = None if on is False else marks
            if on is not False and marks.kmin_bytes > marks.kmax_bytes:
                found.broken(f"profile {name} marks queue {queue} from above its end")


def _pausing(at: Node, held: Profiles, found: CumulusReading) -> None:
    for name in list(node(at, "pfc")):
        usual = held.pfc.get(name, (set(), 10.0))
        own, some = node(at, "pfc", name), set()
        for priority in list(node(own, "switch-priority")):
            if is_whole(priority) and here(own, "switch-priority", priority):
                some.add(int(priority))
        cable = number(own, "cable-length")
        sizes = _sizes(own)
        if sizes is not None:
            held.buffers[name] = sizes
        for way in ("tx", "rx"):
            is_usual = not here(own, way) and name == "default-global" and held.pools
            if flag(own, way) is not True and not is_usual:  # `qos roce` opens its own profile
                found.hazards.append(f"PFC profile {name} has {way} switched off, or left open")
        held.pfc[name] = (some or usual[0], usual[1] if cable is None else float(cable))


def _sizes(own: Node) -> HeadroomFacts | None:
    """Takes the three sizes of a buffer, in bytes; fewer than three stay unread.

    Source: NVUE Command Reference, QoS (`qos pfc PROFILE port-buffer`, `xoff-size`, `xon-size`).
    """
    keys = ("xon-size", "xoff-size", "port-buffer")
    said = [str(peek(own, key)).removesuffix("B").strip() for key in keys]
    if not all(map(is_whole, said)):
        return None
    for key in keys:
        take(own, key)
    return HeadroomFacts(*map(int, said))


def _rewriting(at: Node, held: Profiles) -> None:
    for name in list(node(at, "remark")):
        own = node(at, "remark", name)
        held.rewrites[name] = text(own, "rewrite") or ""
        marks = held.marks.setdefault(name, {})
        for priority in list(node(own, "switch-priority")):
            dscp = number(own, "switch-priority", priority, "dscp")
            if dscp is not None and is_whole(priority):
                marks[int(priority)] = dscp


def _ports(held: Profiles, found: CumulusReading) -> None:
    said: set[str] = set()
    _whole(held, found, said)
    bond_of = {member: at for at in found.interfaces.values() for member in at.members}
    for name, one in found.interfaces.items():
        # A cage that is split is no port: its parts are.
        if one.kind == "swp" and one.breakout in (None, 1):
            found.qos[name] = _port(held, one, bond_of.get(name, one), said)
    _strangers(held, found, said)
    found.hazards += hazards_of(sorted(said), "lossless")


def _strangers(held: Profiles, found: CumulusReading, said: set[str]) -> None:
    """DSCPs that nobody trusts here must not reach a switch that does, beside a lossless class.

    A port of entry says that DSCPs are rewritten, and the port of exit to what: where the first
    does not, the second is well. Through a port that nobody uses nothing enters.
    """
    bond_of = {member: at for at in found.interfaces.values() for member in at.members}
    ports = [iface for iface in found.interfaces.values() if _is_used(iface, bond_of, found)]
    logical = {iface.name: bond_of.get(iface.name, iface) for iface in ports}
    remark = {name: one.profiles.get("remark", _ALL) for name, one in logical.items()}
    strange = [
        name for name, one in logical.items() if not found.qos[name] and one.kind != "peerlink"
    ]
    is_shared = bool(strange) and any(found.qos.values())
    for name, profile in remark.items():
        is_rewritten = held.rewrites.get(profile) in ("l3", "both")
        if is_shared and name in strange and not is_rewritten:
            said.add(f"{name} trusts no DSCP, and does not rewrite it: the next switch trusts it")
        if is_rewritten and not (is_shared and name in strange):
            said.add(f"{name} rewrites DSCPs that are to be kept")
    rewritten = [one for one in strange if held.rewrites.get(remark[one]) in ("l3", "both")]
    mappings = {logical[name].profiles.get("mapping", _ALL) for name in rewritten}
    for priority in {held.default.get(one, 0) for one in mappings} if is_shared else ():
        for name, profile in remark.items():
            dscp = held.marks.get(profile, {}).get(priority)
            if dscp != 0:
                said.add(f"what nobody trusts leaves {name} with DSCP {dscp or 'as it is'}, not 0")


def _is_used(one: Iface, bond_of: dict[str, Iface], found: CumulusReading) -> bool:
    """Whether packets may enter by this port: not by a cage that is split, nor by a bare name."""
    if one.kind != "swp" or one.breakout not in (None, 1):
        return False
    above = {at.base for at in found.interfaces.values()} | set(bond_of) | found.neighbours
    return one != Iface(one.name, one.kind) or one.name in above


def _whole(held: Profiles, found: CumulusReading, said: set[str]) -> None:
    """What is wrong whatever a port does: unused profiles, odd words, starved queues."""
    used = {
        (what, name) for iface in found.interfaces.values() for what, name in iface.profiles.items()
    }
    for what, names in _known(held).items():
        for name in names - {_ALL}:
            if (what, name) not in used:
                said.add(Hazard(f"{what} profile {name} is defined and not used"))
    for name, trust in held.trust.items():
        if trust not in ("l2", "l3", "both", "port"):
            said.add(Hazard(f"mapping {name} trusts '{trust}'"))
    weights = held.weights[_ALL]
    for priority, queue in held.queue.items():
        if weights.get(queue, 0) == 0:
            said.add(f"priority {priority} is in queue {queue}, which has no bandwidth")
    paused = {one for priorities, _ in held.pfc.values() for one in priorities}
    for name, priority in held.default.items():
        if priority in paused or weights.get(held.queue.get(priority, 0), 0) is None:
            said.add(f"mapping {name} puts what it does not know into priority {priority}")


def _port(held: Profiles, port: Iface, logical: Iface, said: set[str]) -> QosFacts | None:
    profiles = logical.profiles
    for what, known in _known(held).items():
        profile = profiles.get(what)
        if profile is not None and profile not in known:
            said.add(f"{what} profile {profile} is used and not defined")
    mapping = profiles.get("mapping", _ALL)
    pauses = profiles.get("pfc", _ALL)
    priorities, cable_m = held.pfc.get(pauses, (set(), 10.0))
    headroom = held.buffers.get(pauses) if priorities else None
    trusts = held.trust.get(mapping, "port") in ("l3", "both")
    if held.trust.get(mapping) == "l2":
        said.add(f"mapping {mapping} trusts VLAN priorities and no DSCP")
    if port.watchdog and not priorities:
        said.add(f"{port.name} has a PFC watchdog and no PFC")
    if not trusts and not priorities:
        return None
    _chain(held, port, priorities, said)
    return QosFacts(
        classes=_classes(held, port, logical, trusts, priorities, said),
        pfc_priorities=tuple(sorted(priorities)),
        watchdog=_watchdog(held) if port.watchdog else None,
        # Sizes that are said hold whatever the length of the cable.
        cable_m=cable_m if priorities and headroom is None else None,
        headroom=headroom,
    )


def _known(held: Profiles) -> dict[str, set[str]]:
    return {
        "mapping": {*held.trust, *held.dscp},
        "pfc": set(held.pfc),
        "congestion-control": set(held.ecn),
        "egress-scheduler": set(held.weights),
        "egress-shaper": set(held.caps),
        "remark": set(held.rewrites),
    }


def _watchdog(held: Profiles) -> WatchdogFacts:
    """A queue that is taken out is dropped from, always, until a poll without pause."""
    return WatchdogFacts(held.poll_ms * held.polls, None, held.poll_ms, "drop")


def _chain(held: Profiles, port: Iface, priorities: set[int], said: set[str]) -> None:
    """A paused priority needs a queue of its own, a lossless pool and a watchdog."""
    for priority in priorities:
        queue = held.queue.get(priority)
        lossy = [one for one in _EVERY if one not in priorities and held.queue.get(one) == queue]
        if lossy:
            said.add(f"priority {priority} is paused, and shares queue {queue} with lossy traffic")
    if priorities and not any("lossless" in one for one in held.pools):
        said.add("PFC is on, and no lossless traffic pool has memory")
    if priorities and held.pools and not any("lossy" in one for one in held.pools):
        said.add("PFC is on, and what the lossy traffic pool keeps of the buffer is not said")
    if priorities and held.pools and (share := sum(held.pools.values())) != 100:
        said.add(f"traffic pools {', '.join(held.pools)} have {share} percent together")
    if priorities and not port.watchdog:
        said.add(Hazard(f"{port.name} has PFC and no watchdog", "no-watchdog"))


def _classes(
    held: Profiles, port: Iface, logical: Iface, trusts: bool, paused: set[int], said: set[str]
) -> tuple[ClassFacts, ...]:
    mapping = logical.profiles.get("mapping", _ALL)
    own, rest = held.dscp.get(mapping, {}), held.default.get(mapping, 0)
    groups: dict[tuple[int, int | None], list[int]] = {}
    for dscp in range(64):
        priority = own.get(dscp, dscp // 8) if trusts else rest
        key = (held.queue.get(priority, priority), priority if priority in paused else None)
        groups.setdefault(key, []).append(dscp)
    for priority in paused - {pause for _, pause in groups if pause is not None}:
        said.add(f"priority {priority} is paused, and no DSCP is in it")
    out = [
        _class(held, port, logical, queue, pause, tuple(dscps))
        for (queue, pause), dscps in groups.items()
    ]
    return tuple(sorted(out, key=lambda one: one.dscps))


def _class(
    held: Profiles,
    port: Iface,
    logical: Iface,
    queue: int,
    pause: int | None,
    dscps: tuple[int, ...],
) -> ClassFacts:
    profiles = logical.profiles
    weights = held.weights.get(profiles.get("egress-scheduler", _ALL), {})
    caps = held.caps.get(profiles.get("egress-shaper", ""), {})
    marks = held.ecn.get(profiles.get("congestion-control", _ALL), {})
    weight = weights.get(queue, 0)
    return ClassFacts(
        dscps=dscps,
        pfc_priority=pause,
        strict=queue in weights and weight is None,
        weight_percent=weight,
        rate_cap_percent=_percent(caps.get(queue), port.speed),
        ecn=marks[queue] if queue in marks else held.ecn[_ALL].get(queue),
    )


def _percent(kbps: int | None, speed: str | None) -> int | None:
    """A cap in percent of the rate; None where it is no whole percentage of it."""
    gbps = rate(speed)
    if kbps is None or not gbps:
        return None
    percent = round(kbps / (gbps * 10_000))
    return percent if round(percent * gbps * 10_000) == kbps else None


def rate(speed: str | None) -> float | None:
    """A speed in Gb/s."""
    if speed in _RATES:
        return _RATES[speed]
    if speed and speed.endswith("G") and is_whole(speed[:-1]):
        return float(speed[:-1])
    return None
