"""The devices and cables of two plans: as a site is, and as it shall be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from inventory.nodes.host_devices import carries_roce
from inventory.plan import AccessNic, Lossless, Node, Plan, PortRef, RailNic, Switch
from switch_configs import intent
from switch_configs.intent import SwitchIntent
from switch_configs.readback.facts import QosFacts
from switch_configs.readback.wanted import wanted

from .model import Cable, Device, End, Fabric, HostSide, Side, Sorts, Version, Word, sorts_of

_LEVEL = {"leaf": 1, "spine": 2, "superspine": 3}
PLANES = ("compute", "storage")
ABSENT = Version("absent", None, {})


def fabric_of(
    old: Plan, new: Plan, replaced: Iterable[str] = (), done: frozenset[str] = frozenset()
) -> Fabric:
    """What carries the lossless class in either plan; `replaced` are boxes that are exchanged.

    A switch whose model, system or release changes is away while it does, as one in `replaced`.
    A device without an as-built row is not there yet. Devices `done` are as in the new plan.
    """
    before, after = _versions(old, "old", frozenset()), _versions(new, "new", frozenset(replaced))
    levels = dict(chain(_levels(old), _levels(new)))
    devices = {}
    for name in sorted({*before, *after} - set(new.undeployable)):
        pair = before.get(name, ABSENT), after.get(name, ABSENT)
        have = pair[:1] if pair[0].same(pair[1]) else pair[1:] if name in done else pair
        devices[name] = Device(name, levels[name], have)
    cables = {cable for plan in (old, new) for cable in _cables(plan, devices)}
    return Fabric(devices, tuple(sorted(cables)))


def _levels(plan: Plan) -> Iterator[tuple[str, int]]:
    yield from ((one.name, _LEVEL[one.tier]) for one in plan.switches)
    yield from ((one.name, 0) for one in plan.nodes)


def _versions(plan: Plan, word: Word, replaced: frozenset[str]) -> dict[str, Version]:
    found = {}
    missing = set(plan.undeployable)
    for switch in plan.switches:
        if switch.plane in PLANES and switch.name not in missing:
            found[switch.name] = _switch(plan, switch, word, replaced)
    sorts = _host_sorts(plan.lossless)
    for node in plan.nodes:
        ends = {_place(nic.port, nic.leaf): _nic(plan.lossless, nic, sorts) for nic in _nics(node)}
        if ends and node.name not in missing:
            found[node.name] = Version(word, None, ends)
    return found


def _switch(plan: Plan, switch: Switch, word: Word, replaced: frozenset[str]) -> Version:
    asked = intent(plan, switch.name)
    assert isinstance(asked, SwitchIntent)  # noqa: S101 # a data plane's
    facts = wanted(asked)
    ports = {port.name: port for port in facts.ports}
    asked_of = {one.key: one.peer_asn for one in facts.sessions if not one.vrf}
    keys = {one.port: one.key for one in switch.sessions if not one.vrf}
    sorts: dict[int, tuple[Sorts, tuple[int, ...]]] = {}
    ends: dict[str, End] = {}
    for port in switch.ports:
        if port.direction == "peer" or port.plane not in PLANES:
            continue
        said = ports[port.name]
        roce, strict = _sorts_once(sorts, said.qos)
        ends[_place(port.name, port.peer)] = Side(
            roce, strict, said.ip_mtu_bytes, said.adaptive_routing,
            asked_of.get(keys.get(port.name, "")),
        )  # fmt: skip
    box = f"{switch.profile} {switch.dialect} {switch.release}"
    box += " replaced" if switch.name in replaced else ""
    return Version(word, facts.asn, ends, box)


def _sorts_once(
    known: dict[int, tuple[Sorts, tuple[int, ...]]], qos: QosFacts | None
) -> tuple[Sorts, tuple[int, ...]]:
    """Ports of one kind share their facts."""
    if id(qos) not in known:
        known[id(qos)] = sorts_of(qos)
    return known[id(qos)]


def _place(port: str, peer: PortRef) -> str:
    """A port with what is plugged into it: with another cable it is another one."""
    return f"{port} {peer}"


def _nics(node: Node) -> Iterator[RailNic | AccessNic]:
    yield from node.rails
    yield from (nic for nic in node.nics if carries_roce(nic))


def _nic(
    lossless: Lossless, nic: RailNic | AccessNic, sorts: tuple[Sorts, tuple[int, ...]]
) -> HostSide:
    takes = nic.out_of_order if isinstance(nic, RailNic) else False
    return HostSide(lossless.dscp, lossless.cnp_dscp, nic.ip_mtu_bytes, *sorts, takes)


def _host_sorts(lossless: Lossless) -> tuple[Sorts, tuple[int, ...]]:
    """As the NICs' role sets them: the plan's own classes."""
    roce = {
        dscp: one.priority if one.lossless else None
        for one in lossless.classes
        for dscp in one.dscps
        if not one.strict
    }
    strict = sorted(dscp for one in lossless.classes if one.strict for dscp in one.dscps)
    return tuple(sorted(roce.items())), tuple(strict)


def _cables(plan: Plan, devices: Mapping[str, Device]) -> Iterator[Cable]:
    for cable in plan.cables:
        a, b = cable.a, cable.b
        if a.device not in devices or b.device not in devices:
            continue
        low, high = devices[a.device], devices[b.device]
        if low.level > high.level:
            a, b, low, high = b, a, high, low
        below, above = _place(a.port, b), _place(b.port, a)
        if low.level != high.level and _has(low, below) and _has(high, above):
            yield Cable(low.name, below, high.name, above)


def _has(device: Device, port: str) -> bool:
    return any(port in one.ends for one in device.versions)
