"""`qos`, written out in full and not by `qos roce`.

`qos roce` puts whole ranges of DSCPs into the lossless class (24 to 31 into priority 3), marks
best effort too, and takes one cable length and one pair of ECN thresholds for all ports. Here
every number is the plan's, and a port that nobody named trusts nothing: `default-global` does.

Sources: NVIDIA Cumulus Linux 5.14, Quality of Service (mapping, egress-queue-mapping,
egress-scheduler, egress-shaper, congestion-control, pfc, traffic pools, PFC watchdog; QoS of a
bond belongs to the bond); RDMA over Converged Ethernet (what `qos roce` says).
"""

from __future__ import annotations

from inventory.plan import TrafficClass, Watchdog
from switch_configs.errors import DialectError
from switch_configs.qos import PortQos, class_of_dscp

from .. import values
from ..tree import Tree, put
from .base import Base

TRUSTED = "roce"
# How users' ports and all others rewrite DSCPs, where a switch has both.
USERS, UNMARKED = "users", "unmarked"
_ALL = "default-global"
# Half for each, as NVIDIA's own RoCE configuration has it (RDMA over Converged Ethernet).
_LOSSLESS_PERCENT = 50


def qos(base: Base, tree: Tree) -> None:
    """QoS of a switch; where no port carries the lossless class, all is best effort."""
    classes = base.intent.lossless.classes
    best_effort = next(
        (traffic_class.priority for traffic_class in classes if not traffic_class.dscps), 0
    )
    put(tree, "qos", "mapping", _ALL, "trust", value="port")
    put(tree, "qos", "mapping", _ALL, "port-default-sp", value=best_effort)
    kinds = [one for one in base.qos.values() if one]
    if not kinds:
        return
    _check(base, classes)
    _mapping(classes, best_effort, tree)
    _queues(classes, tree)
    put(tree, "qos", "traffic-pool", "default-lossless", "memory-percent", value=_LOSSLESS_PERCENT)
    percent = 100 - _LOSSLESS_PERCENT
    put(tree, "qos", "traffic-pool", "default-lossy", "memory-percent", value=percent)
    if kinds[0].watchdog:
        _watchdog(base, kinds[0].watchdog, tree)
    for port in base.intent.switch.ports:
        found = base.qos[port.name]
        if found:
            at = port.name if port.bond is None else f"bond{port.bond}"
            _port(base, at, port.name, port.rate_gbps, found, tree)
    _users(base, best_effort, tree)


def _users(base: Base, best_effort: int, tree: Tree) -> None:
    """What came from users leaves with DSCP 0, or the next switch would believe their DSCP.

    NVUE rewrites when the port of entry asks for it, to what the port of exit maps the priority
    to (Quality of Service, Remarking): so users' ports ask, and every port maps best effort.
    """
    ports = base.intent.switch.ports
    if not any(one.plane == "business" for one in ports):
        return
    for port in ports:
        at = port.name if port.bond is None else f"bond{port.bond}"
        at = "peerlink" if port.direction == "peer" else at
        profile = USERS if port.plane == "business" and port.direction != "peer" else UNMARKED
        put(tree, "interface", at, "qos", "remark", "profile", value=profile)
        put(tree, "qos", "remark", profile, "switch-priority", best_effort, "dscp", value=0)
        if profile == USERS:
            put(tree, "qos", "remark", profile, "rewrite", value="l3")


def _check(base: Base, classes: tuple[TrafficClass, ...]) -> None:
    """A switch priority is what a class is inside the box, so no two classes may share one."""
    for what, numbers in (
        ("priority", [traffic_class.priority for traffic_class in classes]),
        ("queue", [traffic_class.queue for traffic_class in classes]),
    ):
        if len(set(numbers)) < len(numbers) or not set(numbers) <= set(range(8)):
            raise DialectError(f"{base.device}: two classes of traffic share a {what}: {numbers}")
    if sum(traffic_class.weight_percent or 0 for traffic_class in classes) > 100:
        raise DialectError(f"{base.device}: the weights of the classes are more than 100 percent")


def _mapping(classes: tuple[TrafficClass, ...], best_effort: int, tree: Tree) -> None:
    at = ("qos", "mapping", TRUSTED)
    put(tree, *at, "trust", value="l3")
    put(tree, *at, "port-default-sp", value=best_effort)
    for dscp, one in enumerate(class_of_dscp(classes)):
        put(tree, *at, "dscp", dscp, "switch-priority", value=one.priority)


def _queues(classes: tuple[TrafficClass, ...], tree: Tree) -> None:
    """Every priority has a queue; best effort is not marked, though the default would."""
    rest = next(traffic_class for traffic_class in classes if not traffic_class.dscps)
    of_priority = {traffic_class.priority: traffic_class for traffic_class in classes}
    for priority in range(8):
        at = ("qos", "egress-queue-mapping", _ALL, "switch-priority", priority)
        put(tree, *at, "traffic-class", value=of_priority.get(priority, rest).queue)
    for one in classes:
        at = ("qos", "egress-scheduler", _ALL, "traffic-class", one.queue)
        put(tree, *at, "mode", value="strict" if one.strict else "dwrr")
        if one.weight_percent is not None:
            put(tree, *at, "bw-percent", value=one.weight_percent)
    if 0 not in {traffic_class.queue for traffic_class in classes if traffic_class.lossless}:
        put(tree, "qos", "congestion-control", _ALL, "traffic-class", 0, "ecn", value="disable")


def _watchdog(base: Base, timers: Watchdog, tree: Tree) -> None:
    """A queue that is paused for `robustness` polls is taken out."""
    if timers.action != "drop":
        raise DialectError(
            f"{base.device}: Cumulus Linux drops from a queue that its watchdog takes out, "
            f"and the plan asks for '{timers.action}'",
            "`lossless.watchdog.action: drop`",
        )
    polls, rest = divmod(timers.detect_ms, timers.poll_ms)
    if rest:
        raise DialectError(
            f"{base.device}: the watchdog detects after {timers.detect_ms} ms, "
            f"which is no multiple of its polls of {timers.poll_ms} ms"
        )
    poll_ms = values.within(base.device, "watchdog polling", timers.poll_ms, 100, 5000)
    put(tree, "qos", "pfc-watchdog", "polling-interval", value=poll_ms)
    robustness = values.within(base.device, "watchdog robustness", polls, 1, 1000)
    put(tree, "qos", "pfc-watchdog", "robustness", value=robustness)


def _port(base: Base, at: str, port: str, rate_gbps: float, found: PortQos, tree: Tree) -> None:
    """Ports of one rate and cable share their profiles, which have one name."""
    if found.cable_m != int(found.cable_m) or not 1 <= found.cable_m <= 100000:
        raise DialectError(
            f"{base.device}: {port} has {found.cable_m:g} m of cable, and NVUE takes whole metres",
            "round it up",
        )
    kind = f"roce-{rate_gbps:g}g-{found.cable_m:g}m"
    capped = [
        traffic_class
        for traffic_class in found.classes
        if traffic_class.rate_cap_percent is not None
    ]
    uses = {"mapping": TRUSTED, "pfc": kind, "congestion-control": kind}
    if capped:
        uses["egress-shaper"] = f"roce-{rate_gbps:g}g"
    for what, profile in uses.items():
        held = tree.get("interface", {}).get(at, {}).get("qos", {}).get(what, {})
        if held.get("profile", profile) != profile:
            raise DialectError(f"{base.device}: the ports of {at} differ in rate or cable")
        put(tree, "interface", at, "qos", what, "profile", value=profile)
    if found.watchdog:
        put(tree, "interface", port, "qos", "pfc-watchdog", "state", value="enable")
    _profiles(kind, found, tree)
    for one in capped:
        _shaper(uses["egress-shaper"], one, rate_gbps, tree)


def _profiles(kind: str, found: PortQos, tree: Tree) -> None:
    if kind in tree["qos"].get("pfc", {}):
        return
    put(tree, "qos", "pfc", kind, "cable-length", value=int(found.cable_m))
    put(tree, "qos", "pfc", kind, "rx", value="enable")
    put(tree, "qos", "pfc", kind, "tx", value="enable")
    for traffic_class in found.classes:
        if traffic_class.lossless:
            put(tree, "qos", "pfc", kind, "switch-priority", traffic_class.priority)
            at = ("qos", "congestion-control", kind, "traffic-class", traffic_class.queue)
            put(tree, *at, "ecn", value="enable")
            put(tree, *at, "red", value="disable")
            put(tree, *at, "min-threshold", value=found.ecn.kmin_bytes)
            put(tree, *at, "max-threshold", value=found.ecn.kmax_bytes)
            put(tree, *at, "probability", value=found.ecn.probability_percent)


def _shaper(name: str, one: TrafficClass, rate_gbps: float, tree: Tree) -> None:
    """A rate cap in kb/s."""
    kbps = round(rate_gbps * 1_000_000 * (one.rate_cap_percent or 0) / 100)
    put(tree, "qos", "egress-shaper", name, "traffic-class", one.queue, "max-rate", value=kbps)
