"""What a site's `fabric.yml` says for each version of an order, and what it cannot say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inventory.plan import Lossless, Plan


@dataclass(frozen=True, slots=True)
class Fields:
    """Lines for the versions between, by their words; `unsaid` is what no field says.

    Each word is a plan of its own, applied whole before the next.
    """

    lines: Mapping[str, tuple[str, ...]]
    unsaid: tuple[str, ...]


def fields_between(old: Plan, new: Plan, over: Mapping[int, int]) -> Fields:
    """The lines for `ready` (speaks as before) and `moved` (speaks the new, takes the old).

    Where DSCPs are lent (`over`), only those of the plan with them: it has an order of its own
    there, and from there another.
    """
    was, will = old.lossless, new.lossless
    if over:
        via = (
            f"{key}dscp: {over.get(other, other)}"
            for key, one, other in _dscps(was, will)
            if over.get(other, other) != one
        )
        return Fields({"via": tuple(via)}, _unsaid(old, new))
    ready, moved = list[str](), list[str]()
    for key, one, other in _dscps(was, will):
        if one != other:
            ready += [f"{key}dscp: {one}", f"{key}also_dscps: [{other}]"]
            moved += [f"{key}dscp: {other}", f"{key}also_dscps: [{one}]"]
    sizes = was.switch_ip_mtu_bytes, will.switch_ip_mtu_bytes
    if sizes[0] != sizes[1]:
        ready.append(f"lossless.ip_mtu_bytes.switches: {max(sizes)}")
        moved.append(f"lossless.ip_mtu_bytes.switches: {max(sizes)}")
    return Fields({"ready": tuple(ready), "moved": tuple(moved)}, _unsaid(old, new))


def _dscps(was: Lossless, will: Lossless) -> tuple[tuple[str, int, int], ...]:
    return (
        ("lossless.", was.dscp, will.dscp),
        ("lossless.cnp.", was.cnp_dscp, will.cnp_dscp),
    )


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
