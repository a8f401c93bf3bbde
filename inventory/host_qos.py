"""What the NICs of nodes are told of the lossless class: the same classes as the switches'."""

from __future__ import annotations

from collections.abc import Sequence

from .plan import Lossless, TrafficClass

DSCPS = range(64)
PRIORITIES = range(8)


def class_of_dscp(classes: Sequence[TrafficClass]) -> tuple[TrafficClass, ...]:
    """The class of each DSCP from 0 to 63; one that no class names is best effort."""
    rest = next(one for one in classes if not one.dscps)
    named = {dscp: one for one in classes for dscp in one.dscps}
    return tuple(named.get(dscp, rest) for dscp in DSCPS)


def dscp_priorities(lossless: Lossless) -> list[int]:
    """The priority of each DSCP, by DSCP; empty where the fabric has no classes.

    All 64, because a NIC's own default is DSCP >> 3: it would put eight DSCPs into the
    lossless class (python/dcbnetlink.py of github.com/Mellanox/mlnx-tools).
    """
    if not lossless.classes:
        return []
    return [one.priority for one in class_of_dscp(lossless.classes)]


def bands(lossless: Lossless) -> list[dict[str, object]]:
    """The eight priorities of a NIC: how each is scheduled, and whether it is paused.

    A priority that no class has shares nothing: weight 0. Weights of all that are not strict
    add up to 100 (IEEE 802.1Qaz, ETS).
    """
    by_priority = {one.priority: one for one in lossless.classes}
    return [_band(number, by_priority.get(number)) for number in PRIORITIES] if by_priority else []


def _band(priority: int, one: TrafficClass | None) -> dict[str, object]:
    return {
        "priority": priority,
        "strict": one is not None and one.strict,
        "weight_percent": (one.weight_percent or 0) if one else 0,
        "paused": one is not None and one.lossless,
    }


def qos_vars(lossless: Lossless) -> dict[str, object]:
    """Variables of the role roce_nic about classes, marks and pauses."""
    return {
        "roce_nic_bands": bands(lossless),
        "roce_nic_cnp_dscp": lossless.cnp_dscp,
        "roce_nic_cnp_priority": lossless.cnp_priority,
        "roce_nic_dscp_priorities": dscp_priorities(lossless),
        "roce_nic_ecn_priorities": [lossless.priority] if lossless.ecn or lossless.classes else [],
        "roce_nic_tos": lossless.tos,
    }
