"""Interfaces of a switch of a data plane, and how its cages are split."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from inventory.plan import BgpSession, Switch, SwitchPort, SwitchVlan
from switch_configs.errors import DialectError
from switch_configs.intent import SwitchIntent

from . import words
from .view_layer2 import acl_name, number, peer_channel
from .view_qos import CLASSIFY, MARK_DOWN, Qos

_DEFAULT_MTU = 1500
_DEFAULT_JUMBO = 9216
_FEC = {"none": "off", "fc": "fc-fec", "rs": "rs-fec"}
# Cisco Nexus 9000 NX-OS Interfaces guide, `description`.
_MOST_DESCRIPTION = 254


@dataclass(frozen=True, slots=True)
class Breakout:
    """A split cage."""

    cage: int
    map: str


@dataclass(frozen=True, slots=True)
class Switched:
    """Layer 2. An access port has `access`; a trunk `native` (or None) and `allowed`.

    `hosts` is the isolated pair (primary and secondary VLAN) of a port towards one device, and
    `mapped` those pairs that a trunk reaches.
    """

    access: int | None = None
    native: int | None = None
    allowed: str = ""
    hosts: tuple[int, int] | None = None
    mapped: tuple[tuple[int, int], ...] = ()
    edge: str = ""


@dataclass(frozen=True, slots=True)
class Hsrp:
    """The gateway that the leaves of a unit share."""

    group: int
    address: str


@dataclass(frozen=True, slots=True)
class _Use:
    """What an interface does with classes."""

    pfc: str = ""
    watchdog: bool = False
    classify: str = ""
    input: str = ""
    output: str = ""


_NONE = _Use()


@dataclass(frozen=True, slots=True)
class Interface:
    """One interface; what is None, False or empty is not printed."""

    name: str
    description: str = ""
    switched: Switched | None = None
    routed: bool = False
    qos: _Use = _NONE
    mtu: int | None = None
    speed_mbps: int | None = None
    fec: str = ""
    dot1q: int | None = None
    vrf: str = ""
    session: bool = False
    unnumbered: bool = False
    address: str = ""
    acl_in: str = ""
    hsrp: Hsrp | None = None
    channel: int | None = None
    vpc: str = ""
    up: bool = True


def breakouts(switch: Switch) -> tuple[Breakout, ...]:
    """Every split cage; `DialectError` where its ports are to run at different rates."""
    cages: dict[int, list[SwitchPort]] = defaultdict(list)
    for port in switch.ports:
        if port.ways > 1:
            cages[port.cage].append(port)
    return tuple(_breakout(switch.name, at, own) for at, own in sorted(cages.items()))


def _breakout(device: str, cage: int, own: list[SwitchPort]) -> Breakout:
    rates = sorted({port.rate_gbps for port in own})
    if len(rates) > 1 or len({port.ways for port in own}) > 1:
        raise DialectError(
            f"{device}: the ports of cage {cage} are to run at {rates[0]:g} and {rates[-1]:g} Gb/s",
            "NX-OS splits a cage into ports of one rate: give its NICs other cages",
        )
    return Breakout(cage, f"{rates[0]:g}g-{own[0].ways}x")


def jumbo_mtu(switch: Switch) -> int | None:
    """The one MTU beside 1500 that ports without routing may have; None at its default."""
    wanted = {port.ip_mtu_bytes for port in switch.ports if _is_switched(port)} - {_DEFAULT_MTU}
    if len(wanted) > 1:
        raise DialectError(
            f"{switch.name}: ports without routing are to have MTUs of {sorted(wanted)}",
            "NX-OS has one MTU beside 1500 for them, `system jumbomtu`",
        )
    found = wanted.pop() if wanted else _DEFAULT_JUMBO
    return None if found == _DEFAULT_JUMBO else found


def _is_switched(port: SwitchPort) -> bool:
    return bool(port.vlans) or port.direction == "peer"


def interfaces(intent: SwitchIntent, qos: Qos | None) -> tuple[Interface, ...]:
    """All of a switch in the order of `show running-config`."""
    switch = intent.switch
    ordered = sorted(switch.ports, key=lambda one: words.natural(one.name))
    sessions: dict[str, list[BgpSession]] = defaultdict(list)
    for session in switch.sessions:
        sessions[session.port].append(session)
    return (
        *(_svi(switch, vlan) for vlan in sorted(switch.vlans, key=lambda one: one.id)),
        *_channels(switch, qos),
        *(
            made
            for port in ordered
            for made in _with_tagged(switch, port, sessions.get(port.name, []), qos)
        ),
        Interface("mgmt0", vrf="management", address=str(switch.management.address), up=False),
        Interface("loopback0", address=f"{switch.loopback}/32", up=False),
    )


def _svi(switch: Switch, vlan: SwitchVlan) -> Interface:
    return Interface(
        f"Vlan{vlan.id}",
        mtu=_mtu(vlan.ip_mtu_bytes, f"VLAN {vlan.id}", switch.name),
        vrf=vlan.vrf,
        address=str(vlan.address),
        acl_in=acl_name(vlan.id) if vlan.acl else "",
        hsrp=Hsrp(vlan.id, str(vlan.gateway)),
    )


def _mtu(mtu: int, what: str, device: str) -> int | None:
    words.within(mtu, 576, 9216, f"IP MTU of {what}", device)
    return None if mtu == _DEFAULT_MTU else mtu


def _channels(switch: Switch, qos: Qos | None) -> Iterator[Interface]:
    """QoS of a port-channel is in force, whatever its ports say: it has what they have.

    Cisco Nexus 9000 NX-OS QoS guide, policies attached to interfaces.
    """
    first: dict[int, SwitchPort] = {}
    for one in sorted(switch.ports, key=lambda one: words.natural(one.name)):
        if one.bond is not None:
            first.setdefault(one.bond, one)
    for bond, port in sorted(first.items()):
        number_of = words.within(bond, 1, 4096, "bond", switch.name)
        yield _channel(switch, port, qos, number_of, str(bond) if switch.pair else "")
    if switch.pair is not None:
        peer = next(one for one in switch.ports if one.direction == "peer")
        yield _channel(switch, peer, qos, peer_channel(switch), "peer-link")


def _channel(
    switch: Switch, port: SwitchPort, qos: Qos | None, channel: int, vpc: str
) -> Interface:
    return Interface(
        f"port-channel{channel}",
        switched=_switched(switch, port),
        qos=_use(port.name, qos),
        mtu=_mtu(port.ip_mtu_bytes, port.name, switch.name),
        vpc=vpc,
    )


def _switched(switch: Switch, port: SwitchPort) -> Switched | None:
    if port.direction == "peer":
        own = sorted(vlan.id for vlan in switch.vlans)
        return Switched(allowed=listed(own), edge="network")
    if not port.vlans:
        return None
    first, *others = (number(vlan, switch.name) for vlan in port.vlans)
    if not others:
        return Switched(access=first, edge="edge")
    return Switched(native=first, allowed=listed(sorted(port.vlans)), edge="edge trunk")


def listed(vlans: list[int]) -> str:
    """As NX-OS lists them: three and more in a row as a range."""
    runs: list[list[int]] = []
    for vlan in vlans:
        if runs and runs[-1][-1] == vlan - 1:
            runs[-1].append(vlan)
        else:
            runs.append([vlan])
    texts = (f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
    return ",".join(texts) or "none"


def _with_tagged(
    switch: Switch, port: SwitchPort, own: list[BgpSession], qos: Qos | None
) -> Iterator[Interface]:
    yield _port(switch, port, own, qos)
    for one in sorted((session for session in own if session.vlan), key=lambda one: one.vlan or 0):
        yield _tagged(switch, port, one)


def _port(
    switch: Switch, port: SwitchPort, sessions: list[BgpSession], qos: Qos | None
) -> Interface:
    if port.autoneg is not None:
        raise DialectError(
            f"{switch.name}: {port.name}: nobody could check autonegotiation of its copper",
            "leave `copper_autoneg` out of its profile",
        )
    plain = [session for session in sessions if not session.vlan]
    switched = _switched(switch, port)
    return Interface(
        words.port(port.name, switch.name),
        description=words.description(port.description, port.name, switch.name, _MOST_DESCRIPTION),
        switched=switched,
        routed=switched is None,
        qos=_use(port.name, qos),
        mtu=_mtu(port.ip_mtu_bytes, port.name, switch.name),
        speed_mbps=None if port.ways > 1 else _speed(port, switch.name),
        fec=_FEC[port.fec],
        session=bool(plain),
        unnumbered=any(session.peer_address is None for session in plain),
        address=str(port.address) if port.address else "",
        channel=peer_channel(switch) if port.direction == "peer" else port.bond,
    )


def _speed(port: SwitchPort, device: str) -> int:
    exact = port.rate_gbps * 1000
    if exact != int(exact):
        raise DialectError(f"{device}: {port.name} has no whole number of Mb/s: {exact}")
    return int(exact)


def _use(port: str, qos: Qos | None) -> _Use:
    """A port without QoS trusts nothing and pauses nothing, where the box pauses at all."""
    if qos is None:
        return _Use()
    use = qos.ports.get(port)
    if use is None:
        return _Use(pfc="off", classify=MARK_DOWN if port in qos.untrusted else "")
    return _Use("on", use.watchdog, CLASSIFY, use.input, use.output)


def _tagged(switch: Switch, port: SwitchPort, session: BgpSession) -> Interface:
    vlan = words.within(session.vlan or 0, 1, 4093, "VLAN tag", switch.name)
    return Interface(
        f"{port.name}.{vlan}",
        mtu=_mtu(port.ip_mtu_bytes, port.name, switch.name),
        dot1q=vlan,
        vrf=session.vrf,
        session=True,
        unnumbered=session.peer_address is None,
    )
