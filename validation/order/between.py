"""The versions between old and new: expand what is accepted, migrate what is sent, contract.

Each is a configuration by itself ("parallel change"): `ready` says as before and accepts both,
`moved` says the new and accepts both. Packets of either kind then pass in any mixture.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Literal

from .model import Device, End, Fabric, HostSide, Side, Sorts, Version

# Pool 2, for local use (RFC 2474, section 6).
_LOCAL_DSCPS = range(3, 64, 4)


class Conflict(ValueError):
    """One DSCP cannot be in two classes of one port at once."""

    def __init__(self, dscp: int, why: str) -> None:
        super().__init__(why)
        self.dscp = dscp


def expanded(fabric: Fabric) -> Fabric:
    """The same with the versions between; Conflict where a port cannot accept both."""
    return replace(fabric, devices={one.name: _expanded(one) for one in fabric.devices.values()})


def by_detour(fabric: Fabric) -> tuple[Fabric, Mapping[int, int]]:
    """As `expanded`, but over DSCPs of nobody where a DSCP changes its class; and which these are.

    Conflict where none is free.
    """
    free = iter(sorted(set(_LOCAL_DSCPS) - _used(fabric)))
    over: dict[int, int] = {}
    while True:
        try:
            devices = {one.name: _over(one, over) for one in fabric.devices.values()}
            return replace(fabric, devices=devices), over
        except Conflict as found:
            if found.dscp in over or (instead := next(free, None)) is None:
                raise
            over[found.dscp] = instead


def _over(device: Device, over: Mapping[int, int]) -> Device:
    """By the new version with other DSCPs; the device as it is where it does not change."""
    if len(device.versions) != 2 or "absent" in {one.word for one in device.versions}:
        return device
    old, new = device.versions
    ends = {port: _renamed(end, over) for port, end in new.ends.items()}
    via = replace(new, word="via", ends=ends)
    first = _expanded(replace(device, versions=(old, via))).versions
    second = _expanded(replace(device, versions=(via, new))).versions
    return replace(device, versions=(*first, *second[1:]))


def _renamed(end: End, over: Mapping[int, int]) -> End:
    roce = tuple(sorted((over.get(dscp, dscp), priority) for dscp, priority in end.roce))
    strict = tuple(sorted(over.get(dscp, dscp) for dscp in end.strict))
    if isinstance(end, Side):
        return replace(end, roce=roce, strict=strict)
    dscp, cnp = over.get(end.dscp, end.dscp), over.get(end.cnp_dscp, end.cnp_dscp)
    return replace(end, roce=roce, strict=strict, dscp=dscp, cnp_dscp=cnp)


def _used(fabric: Fabric) -> set[int]:
    found = set[int]()
    kinds = {
        end
        for device in fabric.devices.values()
        for one in device.versions
        for end in one.ends.values()
    }
    for end in kinds:
        found |= {*dict(end.roce), *end.strict}
        found |= {end.dscp, end.cnp_dscp} if isinstance(end, HostSide) else set()
    return found


def _expanded(device: Device) -> Device:
    if len(device.versions) != 2 or "absent" in {one.word for one in device.versions}:
        return device
    old, new = device.versions
    pairs = {port: (old.ends.get(port), new.ends.get(port)) for port in {*old.ends, *new.ends}}
    ready, moved = (
        {port: _union(device.name, *pair, moved=moved) for port, pair in pairs.items()}
        for moved in (False, True)
    )
    between = (
        Version("ready", old.asn, ready, old.box),
        Version("moved", new.asn, moved, new.box),
    )
    return replace(device, versions=tuple(_distinct(old, between, new)))


def _distinct(old: Version, between: tuple[Version, ...], new: Version) -> Iterator[Version]:
    """Old and new, and what lies between where it is neither."""
    yield old
    last = old
    for one in between:
        if not one.same(last) and not one.same(new):
            yield one
            last = one
    if not new.same(last):
        yield new


def _union(name: str, old: End | None, new: End | None, *, moved: bool) -> End:
    """Speaks as the old or the new (`moved`), accepts what either does."""
    if old is None or new is None:
        one = old or new
        assert one is not None  # noqa: S101 # a port is in one of both
        return one
    says = new if moved else old
    roce, strict = _sorts(name, old, new)
    if isinstance(says, HostSide):
        takes = any(isinstance(one, HostSide) and one.out_of_order for one in (old, new))
        return replace(says, roce=roce, strict=strict, out_of_order=takes)
    sizes = [one.ip_mtu_bytes for one in (old, new) if one.ip_mtu_bytes is not None]
    most = max(sizes) if len(sizes) == 2 else None
    return replace(says, roce=roce, strict=strict, ip_mtu_bytes=most, peer_asn=_any(old, new))


def _any(old: End, new: End) -> int | Literal["external", "internal"] | None:
    """What is asked of the neighbour's AS: anything but one's own, where it changes."""
    asked = {one.peer_asn for one in (old, new) if isinstance(one, Side)}
    return asked.pop() if len(asked) == 1 else "external"


def _sorts(name: str, old: End, new: End) -> tuple[Sorts, tuple[int, ...]]:
    was, will = dict(old.roce), dict(new.roce)
    for dscp in sorted(was.keys() & will.keys()):
        if was[dscp] != will[dscp]:
            said = f"is in priority {was[dscp]}, and shall be in {will[dscp]}"
            raise Conflict(dscp, f"{name}: DSCP {dscp} {said}")
    strict = {*old.strict, *new.strict}
    for dscp in sorted(strict & {*was, *will}):
        raise Conflict(dscp, f"{name}: DSCP {dscp} is RoCE's in one version, CNP's in the other")
    return tuple(sorted((was | will).items())), tuple(sorted(strict))
