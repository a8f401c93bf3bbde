"""What a site's `fabric.yml` says for each version of an order, and what it cannot say."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from inventory.plan import Lossless, Plan


@dataclass(frozen=True, slots=True)
class Fields:
    """Lines for the versions after the old one, by their words; `unsaid` is what no field says.

    Each word is a plan of its own, applied whole before the next.
    """

    lines: Mapping[str, tuple[str, ...]]
    unsaid: tuple[str, ...]


def fields_between(old: Plan, new: Plan, over: Mapping[int, int]) -> Fields:
    """The lines for `ready` (speaks as before), `moved` (speaks the new, takes the old) and `new`.

    Where DSCPs are lent (`over`), those of the plan with them and of the new one: each has an
    order of its own.
    """
    kinds = tuple(one for one in _dscps(old.lossless, new.lossless) if one.was != one.will)
    if over:
        via = (
            f"{one.key}dscp: {over.get(one.will, one.will)}"
            for one in kinds
            if over.get(one.will, one.will) != one.was
        )
        back = (f"{one.key}dscp: {one.will}" for one in kinds)
        return Fields({"via": tuple(via), "new": tuple(back)}, _unsaid(old, new))
    ready, moved, done = list[str](), list[str](), list[str]()
    for one in kinds:
        ready += _says(one.key, one.was, {one.will, *one.also_was, *one.also_will})
        moved += _says(one.key, one.will, {one.was, *one.also_was, *one.also_will})
        done += _says(one.key, one.will, one.also_will)
    for key, was, will in _sizes(old.lossless, new.lossless):
        most = max(was, will)
        ready.append(f"{key}: {most if key.endswith('switches') else was}")
        moved.append(f"{key}: {most if key.endswith('switches') else will}")
        done.append(f"{key}: {will}")
    lines = {"ready": tuple(ready), "moved": tuple(moved), "new": tuple(done)}
    return Fields(lines, _unsaid(old, new))


def _says(key: str, dscp: int, taken: Collection[int]) -> tuple[str, str]:
    also = ", ".join(str(one) for one in sorted({*taken} - {dscp}))
    return f"{key}dscp: {dscp}", f"{key}also_dscps: [{also}]"


@dataclass(frozen=True, slots=True)
class _Dscp:
    """The DSCP of a class before and after, and those that are taken besides."""

    key: str
    was: int
    will: int
    also_was: tuple[int, ...]
    also_will: tuple[int, ...]


def _dscps(was: Lossless, will: Lossless) -> tuple[_Dscp, ...]:
    return (
        _Dscp("lossless.", was.dscp, will.dscp, was.also_dscps, will.also_dscps),
        _Dscp(
            "lossless.cnp.",
            was.cnp_dscp, will.cnp_dscp, was.cnp_also_dscps, will.cnp_also_dscps,
        ),
    )  # fmt: skip


def _sizes(was: Lossless, will: Lossless) -> Iterator[tuple[str, int, int]]:
    for key, one, other in (
        ("hosts", was.host_ip_mtu_bytes, will.host_ip_mtu_bytes),
        ("switches", was.switch_ip_mtu_bytes, will.switch_ip_mtu_bytes),
    ):
        if one != other:
            yield f"lossless.ip_mtu_bytes.{key}", one, other


def _unsaid(old: Plan, new: Plan) -> tuple[str, ...]:
    found = []
    if old.lossless.priority != new.lossless.priority:
        found.append(
            "two lossless priorities at once, with headroom for both: fabric.yml has one, "
            "so these versions are made by hand"
        )
    numbers = ({one.name: one.asn for one in plan.switches} for plan in (old, new))
    before, after = numbers
    if any(after.get(name, asn) != asn for name, asn in before.items()):
        found.append(
            "sessions that take any other AS (`remote-as external`): fabric.yml has one AS for "
            "each switch, so these versions are made by hand"
        )
    return tuple(found)
