"""The ledger: what nobody measured here, and every override of a formula."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address

from . import addressing, packages, wanted
from .model import Fabric
from .oob import OobSeat
from .plan import Assumption


def assumptions(fabric: Fabric, seats: dict[str, OobSeat]) -> tuple[Assumption, ...]:
    """Return the ledger, sorted: values taken on trust, and every override of a formula."""
    rows = (*_profiles(fabric), *_cables(fabric), *packages.ledger(fabric), *wanted.ledger(fabric))
    return tuple(sorted((*rows, *_overrides(fabric, seats))))


def _profiles(fabric: Fabric) -> Iterator[Assumption]:
    compute = fabric.intent.compute
    named = {
        compute.leaf_profile: fabric.leaf_profile,
        compute.spine_profile: fabric.spine_profile,
    }
    for name, profile in named.items():
        if profile.lossless == "marking-only":
            value = "marking-only: PFC, ECN and buffers are not judged"
        else:
            value = "full: PFC, ECN and buffers"
        yield Assumption(f"profile {name}: lossless class", value, profile.source, measured=False)
        rate = f"{profile.ports.rate_gbps:g} Gb/s"
        yield Assumption(f"profile {name}: port rate", rate, profile.source, measured=False)
    for rail, nic in enumerate(fabric.node_profile.rails):
        name = f"profile {compute.node_profile}: rate of rail {rail}"
        rate, source = f"{nic.rate_gbps:g} Gb/s", fabric.node_profile.source
        yield Assumption(name, rate, source, measured=False)


def _cables(fabric: Fabric) -> Iterator[Assumption]:
    metres = fabric.intent.compute.cable_m
    source = "fabric.yml, compute.cable_m"
    yield Assumption("cable, node to leaf", f"{metres.node_leaf:g} m", source, measured=False)
    yield Assumption("cable, leaf to spine", f"{metres.leaf_spine:g} m", source, measured=False)


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
    shape, name = fabric.shape, seat.device
    out: dict[str, int | IPv4Address] = {
        "management_address": addressing.oob_address_at(seat.prefix, seat.index)
    }
    if name in shape.leaves:
        at = shape.leaves[name]
        out["asn"] = addressing.leaf_asn(fabric, at)
        out["loopback"] = addressing.loopback_at(fabric, "leaf", shape.leaf_index(at))
    elif name in shape.spine_numbers:
        number = shape.spine_numbers[name]
        out["asn"] = fabric.intent.compute.asn.spines
        out["loopback"] = addressing.loopback_at(fabric, "spine", number - 1)
    return out
