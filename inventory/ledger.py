"""The ledger: what nobody measured here, and every override of a formula."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address

from . import lossless
from .model import Fabric
from .nodes import collectives
from .oob.plane import OobSeat
from .plan import Assumption
from .software import locked, packages, wanted
from .topology import addressing, routing


def assumptions(fabric: Fabric, seats: dict[str, OobSeat]) -> tuple[Assumption, ...]:
    """Return the ledger, sorted: values taken on trust, and every override of a formula."""
    trusted = (
        *lossless.ledger(fabric),
        *packages.ledger(fabric),
        *locked.ledger(fabric),
        *wanted.ledger(fabric),
        *collectives.ledger(fabric),
    )
    rows = (*_profiles(fabric), *_slower(fabric), *_cables(fabric), *_powers(fabric), *trusted)
    rows = (*rows, *_time(fabric))
    return tuple(sorted((*rows, *_raw(fabric), *_overrides(fabric, seats))))


def _raw(fabric: Fabric) -> Iterator[Assumption]:
    """Lines that the site writes itself: they are read back, but nobody computed them."""
    for at, one in enumerate(fabric.intent.raw):
        value = f"{len(one.lines)} raw lines in `{one.section}` of {', '.join(one.devices)}"
        yield Assumption(f"raw[{at}]", value, f"fabric.yml: {one.reason}", measured=False)


def _profiles(fabric: Fabric) -> Iterator[Assumption]:
    used = {
        name
        for one in fabric.fabrics
        for name in (one.leaf_profile, one.spine_profile, one.superspine_profile)
        if name
    }
    for name in sorted(used):
        profile = fabric.switch_profiles[name]
        if profile.lossless == "marking-only":
            value = "marking-only: PFC, ECN and buffers are not judged"
        elif profile.lossless == "ecn":
            value = "ecn: classes and marks; PFC and buffers are not judged"
        else:
            value = "full: PFC, ECN and buffers"
        yield Assumption(f"profile {name}: lossless class", value, profile.source, measured=False)
        rate = f"{profile.ports.rate_gbps:g} Gb/s"
        yield Assumption(f"profile {name}: port rate", rate, profile.source, measured=False)
    for name, node in sorted(fabric.node_profiles.items()):
        for rail, nic in enumerate(node.rails):
            rate = f"{nic.rate_gbps:g} Gb/s"
            label = f"profile {name}: rate of rail {rail}"
            yield Assumption(label, rate, node.source, measured=False)


def _slower(fabric: Fabric) -> Iterator[Assumption]:
    """NICs on ports that are slower than they are: by intent, or by a mistake in a breakout."""
    for one in fabric.fabrics:
        ways = one.clos.ways[0]
        port = one.leaf.ports.rate_of(ways)
        for service in one.services:
            for name, landings in sorted(service.landings.items()):
                fastest = max((landing.nic.rate_gbps for landing in landings), default=0.0)
                if fastest > port:
                    value = f"{port:g} Gb/s, while the NICs of {name} can {fastest:g}"
                    label = f"{service.plane}: rate of {name}"
                    source = f"{one.leaf_profile}, cages split {ways} ways"
                    yield Assumption(label, value, source, measured=False)


def _powers(fabric: Fabric) -> Iterator[Assumption]:
    said = fabric.intent.racks.power_of if fabric.intent.racks else {}
    for name, watts in sorted(said.items()):
        source = "fabric.yml, racks.power_of"
        yield Assumption(f"profile {name}: most power", f"{watts} W", source, measured=False)


def _time(fabric: Fabric) -> Iterator[Assumption]:
    """What the site's clock is worth where nobody outside says what time it is."""
    oob = fabric.intent.oob
    if not oob.time.sources:
        value = "its own clock: devices agree with each other, nobody knows with whom else"
        source = "fabric.yml names no oob.time.sources"
        yield Assumption(f"time of {oob.server}", value, source, measured=False)


def _cables(fabric: Fabric) -> Iterator[Assumption]:
    for one in fabric.fabrics:
        metres, of = one.cable_m, "" if one.plane == "compute" else f"{one.plane}: "
        source = f"fabric.yml, {'.'.join(map(str, one.path))}.cable_m"
        rows = {"node to leaf": metres.node_leaf, "leaf to spine": metres.leaf_spine}
        if one.clos.three_tier:
            rows["spine to superspine"] = metres.spine_superspine
        for between, long_m in rows.items():
            yield Assumption(f"{of}cable, {between}", f"{long_m:g} m", source, measured=False)


def _overrides(fabric: Fabric, seats: dict[str, OobSeat]) -> Iterator[Assumption]:
    for device, override in fabric.intent.overrides.items():
        formulas = _formulas(fabric, seats[device])
        for key, value in override.model_dump(exclude_none=True).items():
            text = f"{value} instead of {formulas[key]}"
            yield Assumption(
                f"override {device}: {key}", text, "fabric.yml, overrides", measured=False
            )


def _formulas(fabric: Fabric, seat: OobSeat) -> dict[str, int | IPv4Address]:
    """What the device would have without its override."""
    out: dict[str, int | IPv4Address] = {
        "management_address": addressing.oob_address_at(seat.prefix, seat.index)
    }
    for one in fabric.fabrics:
        numbers = routing.asns(one)
        if seat.device in numbers:
            out["asn"] = numbers[seat.device]
            out["loopback"] = routing.loopbacks(one)[seat.device]
    return out
