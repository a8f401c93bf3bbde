"""What the NICs of nodes are told of the lossless class: the same classes as the switches'."""

from __future__ import annotations

from collections.abc import Sequence

from inventory.plan import Lossless, TrafficClass

DSCPS = range(64)
PRIORITIES = range(8)


def class_of_dscp(classes: Sequence[TrafficClass]) -> tuple[TrafficClass, ...]:
    """The class of each DSCP from 0 to 63; one that no class names is best effort."""
    rest = _best_effort(classes)
    named = {dscp: traffic_class for traffic_class in classes for dscp in traffic_class.dscps}
    return tuple(named.get(dscp, rest) for dscp in DSCPS)


def class_of_priority(classes: Sequence[TrafficClass]) -> tuple[TrafficClass, ...]:
    """The class of each priority from 0 to 7; one that no class has is best effort.

    Nothing is mapped to such a priority: it needs a place all the same, and one of its own
    would be a share of the port that nobody uses.
    """
    rest = _best_effort(classes)
    named = {traffic_class.priority: traffic_class for traffic_class in classes}
    return tuple(named.get(priority, rest) for priority in PRIORITIES)


def _best_effort(classes: Sequence[TrafficClass]) -> TrafficClass:
    return next(traffic_class for traffic_class in classes if not traffic_class.dscps)


def dscp_priorities(lossless: Lossless) -> list[int]:
    """The priority of each DSCP, by DSCP; empty where the fabric has no classes.

    All 64, because a NIC's own default is DSCP >> 3: it would put eight DSCPs into the
    lossless class (python/Python/dcbnetlink.py of github.com/Mellanox/mlnx-tools).
    """
    if not lossless.classes:
        return []
    return [traffic_class.priority for traffic_class in class_of_dscp(lossless.classes)]


def paused(lossless: Lossless) -> list[int]:
    """1 for each priority that is paused, by priority; all 0 where no class is lossless."""
    mine = {traffic_class.priority for traffic_class in lossless.classes if traffic_class.lossless}
    return [int(priority in mine) for priority in PRIORITIES]


def shares(lossless: Lossless) -> list[str]:
    """`class/algorithm/percent` of each priority (IEEE 802.1Qaz, ETS), by priority.

    The traffic class is the queue that the plan names. Strict classes have no share; those of
    the others add up to 100.
    """
    if not lossless.classes:
        return []
    return [_share(traffic_class) for traffic_class in class_of_priority(lossless.classes)]


def _share(one: TrafficClass) -> str:
    return f"{one.queue}/strict/0" if one.strict else f"{one.queue}/ets/{one.weight_percent}"


def marks(lossless: Lossless) -> list[str]:
    """What every RDMA device is told, in each mode; `NAME VALUE`."""
    return ["cm_mode RoCE v2", f"tos {lossless.tos}", f"tclass {lossless.tos}"]


def class_wishes(lossless: Lossless) -> list[str]:
    """What every NIC of the lossless class is told of the classes; `NAME VALUE`.

    Without classes (marking-only) only this: nothing may be paused, because no switch would
    stop sending, and one that does stop would hold back everything.
    """
    if not lossless.classes:
        return ["no_pfc all"]
    mine = paused(lossless)
    return [
        "dcbx os",
        "pause off",
        "trust dscp",
        f"map {_listed(dscp_priorities(lossless))}",
        f"ets {_listed(shares(lossless))}",
        f"pfc {_listed(mine)}",
        *([f"buffer {_listed(mine)}"] if any(mine) else []),
        f"ecn {lossless.priority}",
        f"cnp_dscp {lossless.cnp_dscp}",
        f"cnp_priority {lossless.cnp_priority}",
    ]


def _listed(values: Sequence[int | str]) -> str:
    return ",".join(map(str, values))


def qos_vars(lossless: Lossless) -> dict[str, object]:
    """Variables of the role roce_nic about classes, marks and pauses."""
    return {
        "roce_nic_class_wishes": class_wishes(lossless),
        "roce_nic_marks": marks(lossless),
    }
