"""Random intents of any dialect: real switches of the small site with other values in them.

What hangs together stays so: only values that a site may choose are drawn, within the ranges
that the inventory accepts for the dialect, limits included. So few are refused.
"""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network
from itertools import zip_longest

from hypothesis import strategies as st

from inventory.plan import (
    EcnMarking,
    Lossless,
    Switch,
    SwitchBuffers,
    SwitchServices,
    Timers,
    TrafficClass,
    Watchdog,
)
from inventory.switches.abilities import of
from switch_configs import DialectError, dialect, intent
from switch_configs.intent import OobIntent, Rendered, SwitchIntent
from tests.switch_configs.sites import MOST_IP_MTU_BYTES, small

PRIVATE_ASN = st.integers(4_200_000_000, 4_294_967_294)
# One switch of each role; in dialects without MLAG users have leaves of their own.
ROLES = (
    "leaf-p1-r0", "spine-p1-1", "superspine-g1-1", "storage-leaf-b1-1", "storage-spine1",
    "business-leaf-b1-1", "business-leaf-b1-2", "business-spine1",
)  # fmt: skip
NAMES = st.from_regex(r"[a-z][a-z0-9-]{0,30}", fullmatch=True)
# Words with single blanks between them, which every system prints as they are.
PLAIN = st.from_regex(
    r"[abcXYZ012][abcXYZ.:/_-]{0,20}( [abcXYZ012.:/_-]{1,20}){0,2}", fullmatch=True
)
# What a system takes that has no entry of its own, ms: detection, restoration, polling.
ANY_WATCHDOG = ((100, 5000), (100, 60000), (100, 1000))
MOST_CONNECT_S = {"nxos": 60}


def roles(dialect: str) -> tuple[str, ...]:
    """The names of one switch of each role of the small site, and of one OOB switch."""
    plan = small(dialect)
    own = {one.tier: one.name for one in plan.oob_switches if one.dialect == dialect}
    return (*(name for name in ROLES if name in plan.switch), *sorted(own.values()))


def base(dialect: str, name: str) -> SwitchIntent:
    """The intent of a data switch of the small site."""
    made = intent(small(dialect), name)
    assert isinstance(made, SwitchIntent)
    return made


@st.composite
def intents(draw: st.DrawFn, dialect: str) -> SwitchIntent:
    """Any switch of a data plane, with any values."""
    name = draw(st.sampled_from([one for one in roles(dialect) if one in small(dialect).switch]))
    made = base(dialect, name)
    lossless = draw(_lossless(made.lossless, dialect))
    return replace(
        made,
        lossless=lossless,
        switch=draw(_switch(made.switch, dialect)),
        services=draw(_services(made.services)),
        drained=draw(st.booleans()),
        site=draw(NAMES),
    )


def rendered_or_refused(
    name: str, made: SwitchIntent | OobIntent
) -> tuple[Rendered | None, DialectError | None]:
    """A configuration, or the refusal, which must say whose value it is."""
    try:
        return dialect(name).render(made), None
    except DialectError as error:
        assert made.switch.name in f"{error}", error  # noqa: PT017 # of any of many values
        return None, error


def oob_intents(dialect: str) -> tuple[OobIntent, ...]:
    """The intents of an OOB switch of each tier; none where the dialect has none."""
    plan = small(dialect)
    made = (intent(plan, name) for name in roles(dialect) if name in plan.oob_switch)
    return tuple(one for one in made if isinstance(one, OobIntent))


@st.composite
def _switch(draw: st.DrawFn, switch: Switch, dialect: str) -> Switch:
    asn, peers = draw(PRIVATE_ASN), draw(PRIVATE_ASN)
    loopback = IPv4Address(draw(st.integers(0x0A000001, 0x0AFFFFFE)))
    tables = tuple(
        replace(
            one,
            originates=tuple(
                sorted(
                    IPv4Network(loopback) if net == IPv4Network(switch.loopback) else net
                    for net in one.originates
                )
            ),
        )
        for one in switch.tables
    )
    # A description is what a person wrote, or a name of a node: the inventory's own are plain.
    said = draw(st.lists(PLAIN, min_size=1, max_size=3))
    most = min(9216, MOST_IP_MTU_BYTES.get(dialect, 9216))
    mtu = draw(st.integers(1500, most))
    return replace(
        switch,
        asn=asn,
        loopback=loopback,
        tables=tables,
        timers=draw(_timers(dialect)),
        ecmp_width=draw(st.integers(1, 64)),
        maximum_prefix=draw(st.integers(1, 12000)),
        ports=tuple(
            replace(one, description=said[at % len(said)], ip_mtu_bytes=mtu)
            for at, one in enumerate(switch.ports)
        ),
        sessions=tuple(replace(one, peer_asn=peers) for one in switch.sessions),
        vlans=tuple(replace(one, ip_mtu_bytes=mtu) for one in switch.vlans),
        buffers=switch.buffers and draw(_buffers(switch.buffers)),
    )


@st.composite
def _timers(draw: st.DrawFn, dialect: str) -> Timers:
    keepalive_s = draw(st.integers(1, 60))
    return Timers(
        bgp_keepalive_s=keepalive_s,
        bgp_hold_s=3 * keepalive_s,
        bgp_connect_s=draw(_within(1, MOST_CONNECT_S.get(dialect, 120))),
        bfd_interval_ms=draw(st.integers(50, 1000)),
        bfd_multiplier=draw(st.integers(3, 50)),
    )


@st.composite
def _buffers(draw: st.DrawFn, buffers: SwitchBuffers) -> SwitchBuffers:
    ports = []
    for one in buffers.ports:
        kmin = draw(st.integers(10, 4000)) * 1000
        kmax = kmin + draw(st.integers(1, 4000)) * 1000
        ecn = EcnMarking(kmin, kmax, draw(st.integers(1, 100)), "drawn")
        ports.append(replace(one, ecn=ecn))
    return replace(buffers, ports=tuple(ports))


@st.composite
def _lossless(draw: st.DrawFn, said: Lossless, dialect: str) -> Lossless:
    dscp, cnp_dscp = draw(st.lists(st.integers(0, 63), min_size=2, max_size=2, unique=True))
    priority, cnp = draw(st.permutations(priorities(dialect)))[:2]
    weight = draw(st.integers(1, 99))
    values: dict[str, dict[str, object]] = {
        "roce": {
            "dscps": (dscp,), "priority": priority, "queue": priority,
            "priority_group": priority, "weight_percent": weight,
        },
        "cnp": {
            "dscps": (cnp_dscp,), "priority": cnp, "queue": cnp,
            "rate_cap_percent": draw(st.integers(1, 100)),
        },
        "best-effort": {"weight_percent": 100 - weight},
    }  # fmt: skip
    classes = (_changed(one, values[one.name]) for one in said.classes)
    return replace(
        said,
        dscp=dscp,
        priority=priority,
        cnp_dscp=cnp_dscp,
        cnp_priority=cnp,
        classes=tuple(sorted(classes, key=lambda one: (one.priority, one.name))),
        watchdog=said.watchdog and draw(watchdogs(dialect)),
    )


def _changed(one: TrafficClass, values: dict[str, object]) -> TrafficClass:
    return replace(one, **values)  # type: ignore[arg-type] # mypy cannot see the fields' types


@st.composite
def watchdogs(draw: st.DrawFn, dialect: str) -> Watchdog:
    """Times that the inventory accepts for the dialect."""
    ranges = of(dialect).watchdog
    said = (ranges.detect_ms, ranges.restore_ms, ranges.poll_ms) if ranges else ()
    own = (one or any_ms for one, any_ms in zip_longest(said, ANY_WATCHDOG))
    detect_range, restore_range, poll_range = own
    polls = ranges.polls if ranges else "at least one"
    if polls in ("whole", "both whole"):
        poll = draw(_within(*poll_range))
        detect = poll * draw(_counts(detect_range, poll_range, poll))
        counts = _counts(restore_range, poll_range, poll)
        restore = poll * draw(counts) if polls == "both whole" else draw(_within(*restore_range))
        return Watchdog(detect, restore, poll, "drop")
    detect, restore = draw(_within(*detect_range)), draw(_within(*restore_range))
    most = min(detect, restore) // (2 if polls == "at least two" else 1)
    return Watchdog(detect, restore, draw(_within(poll_range[0], min(poll_range[1], most))), "drop")


def _within(least: int, most: int) -> st.SearchStrategy[int]:
    """Any of them, and both limits often."""
    return st.one_of(st.just(least), st.just(most), st.integers(least, most))


def _counts(of: tuple[int, int], poll: tuple[int, int], poll_ms: int) -> st.SearchStrategy[int]:
    """How many polls of `poll_ms` a time may be: at the slowest polling it is the longest."""
    return _within(max(1, -(-of[0] // poll_ms)), max(1, of[1] // poll[1]))


def priorities(dialect: str) -> tuple[int, ...]:
    """What a site may give to RoCE data and CNPs: 0 is best effort."""
    taken = of(dialect).taken_priorities
    return tuple(one for one in range(1, 8) if not taken or one not in taken.priorities)


@st.composite
def _services(draw: st.DrawFn, services: SwitchServices) -> SwitchServices:
    address = st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)).map(str)
    servers = st.lists(address, min_size=0, max_size=3, unique=True).map(tuple)
    return replace(
        services,
        ntp=draw(servers) if services.ntp else (),
        syslog=draw(servers) if services.syslog else (),
    )
