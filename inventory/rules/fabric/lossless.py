"""Rules for the lossless class: its numbers exist, fit, and act in the right order.

A marking-only site has none of these numbers: only its classes and its mode are judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from inventory.lossless.buffers import Shortage
from inventory.lossless.port_sets import attempts, port_sets, roce_fabrics
from inventory.model import Fabric
from inventory.plan import SwitchBuffers
from inventory.problems import Problem, close_to, one_of
from inventory.switches.abilities import WatchdogRange, of

_SUPPLY = "supply it in SITE/profiles/asics.yml or in lossless.overrides, with its source"


def _is_full(fabric: Fabric) -> bool:
    return fabric.intent.lossless.mode == "full"


def asics_are_known(fabric: Fabric) -> Iterator[Problem]:
    """Headroom is counted from the ASIC; without its data every number would be a guess."""
    told: set[str] = set()
    for one in port_sets(fabric) if _is_full(fabric) else ():
        name = one.profile.asic
        if one.profile.lossless != "full" or one.profile_name in told:
            continue
        told.add(one.profile_name)
        if name is None:
            found = f"`{one.profile_name}`, whose profile names no ASIC"
            yield fabric.problem(one.path, found, "a profile with `asic`", _SUPPLY)
        elif name not in fabric.asics:
            found = f"`{one.profile_name}`, whose ASIC is `{name}`"
            expected = f"an ASIC of profiles/asics.yml: {one_of(sorted(fabric.asics))}"
            yield fabric.problem(one.path, found, expected, close_to(name, fabric.asics) or _SUPPLY)


def headroom_is_known(fabric: Fabric) -> Iterator[Problem]:
    """A rate or length beyond what is published has no number: rounding down would drop."""
    yield from _shortages(fabric, "headroom", _SUPPLY)


def headroom_fits_the_buffer(fabric: Fabric) -> Iterator[Problem]:
    """Headroom of all ports is taken from one memory; what it does not hold is dropped."""
    hint = "shorter cables, fewer ports, or `headroom: shared` with `over_subscription`"
    yield from _shortages(fabric, "buffer", hint)


def thresholds_are_known(fabric: Fabric) -> Iterator[Problem]:
    """Where neither buffer nor thresholds are published, ECN has nothing to go by."""
    yield from _shortages(fabric, "ecn", "kmin_bytes and kmax_bytes, with what they come from")


def _shortages(
    fabric: Fabric, kind: Literal["headroom", "buffer", "ecn"], hint: str
) -> Iterator[Problem]:
    told: set[tuple[str, Shortage]] = set()
    for one, made in attempts(fabric):
        for short in made if not isinstance(made, SwitchBuffers) else ():
            if short.kind == kind and (one.profile_name, short) not in told:
                told.add((one.profile_name, short))
                found = f"`{one.profile_name}` with {short.found}"
                yield fabric.problem(one.path, found, short.expected, hint)


def marking_begins_before_pause(fabric: Fabric) -> Iterator[Problem]:
    """ECN must slow senders before PFC stops them, also when N ports are congested at once.

    Only Kmin is a rule: every vendor's Kmax lies above XOFF at some N, so the ledger prints it.
    """
    late = [
        (made.xoff_point_bytes, one, made, port.ecn)
        for one, made in attempts(fabric)
        if isinstance(made, SwitchBuffers) and made.xoff_point_bytes is not None
        for port in made.ports
        if port.ecn.kmin_bytes >= made.xoff_point_bytes
    ]
    if late:
        xoff, one, made, ecn = min(late, key=lambda each: each[0])
        asked = fabric.intent.lossless.ecn is not None
        path = ("lossless", "ecn", "kmin_bytes") if asked else one.path
        expected = f"less than {xoff}, the XOFF point of {one.profile_name}"
        hint = f"with {made.congested_ports} congested ports and alpha {made.alpha:g}"
        yield fabric.problem(path, str(ecn.kmin_bytes), expected, f"{hint}; PFC would act first")


def thresholds_are_in_order(fabric: Fabric) -> Iterator[Problem]:
    """Marking grows from Kmin to Kmax; switches refuse a minimum above the maximum."""
    asked = fabric.intent.lossless.ecn
    if asked is not None and asked.kmin_bytes >= asked.kmax_bytes:
        expected = f"more than kmin_bytes, {asked.kmin_bytes}"
        yield fabric.problem(("lossless", "ecn", "kmax_bytes"), str(asked.kmax_bytes), expected)


def watchdog_suits_the_dialects(fabric: Fabric) -> Iterator[Problem]:
    """A timer outside a switch OS's range is refused by it, or cut without a word."""
    profiles = (one.profile for one in port_sets(fabric) if _is_full(fabric))
    for dialect in sorted({profile.dialect for profile in profiles}):
        if ranges := of(dialect).watchdog:
            yield from _watchdog(fabric, dialect, ranges)


def _watchdog(fabric: Fabric, dialect: str, ranges: WatchdogRange) -> Iterator[Problem]:
    said = fabric.intent.lossless.watchdog
    for key in ("detect_ms", "restore_ms", "poll_ms"):
        value, limits = getattr(said, key), getattr(ranges, key)
        if limits and not limits[0] <= value <= limits[1]:
            expected = f"{limits[0]} to {limits[1]} ms on {dialect}"
            yield fabric.problem(
                ("lossless", "watchdog", key), f"{value} ms", expected, ranges.source
            )
    yield from _polls(fabric, dialect, ranges)


def _polls(fabric: Fabric, dialect: str, ranges: WatchdogRange) -> Iterator[Problem]:
    said = fabric.intent.lossless.watchdog
    path = ("lossless", "watchdog", "poll_ms")
    if ranges.polls in ("whole", "both whole"):
        keys = ("detect_ms", "restore_ms") if ranges.polls == "both whole" else ("detect_ms",)
        for key in keys:
            value = getattr(said, key)
            if value % said.poll_ms:
                expected = f"a whole part of {key}, {value}, on {dialect}"
                yield fabric.problem(path, f"{said.poll_ms} ms", expected, ranges.source)
        return
    least = min(said.detect_ms, said.restore_ms)
    most = least // 2 if ranges.polls == "at least two" else least
    if said.poll_ms > most:
        expected = f"at most {most} ms on {dialect}"
        yield fabric.problem(path, f"{said.poll_ms} ms", expected, ranges.source)


def weights_fill_the_port(fabric: Fabric) -> Iterator[Problem]:
    """Shares of a port add up to all of it (IEEE 802.1Qaz, 37.3)."""
    said = fabric.intent.lossless.weights
    total = said.lossless + said.best_effort
    if total != 100:
        path = ("lossless", "weights")
        yield fabric.problem(path, f"{total} % in all", "100 % in all")


def only_a_pool_is_oversubscribed(fabric: Fabric) -> Iterator[Problem]:
    """Dedicated headroom belongs to one port: it cannot be promised twice."""
    said = fabric.intent.lossless
    if said.over_subscription > 1 and said.headroom == "dedicated":
        path = ("lossless", "over_subscription")
        expected = "1, or `headroom: shared`"
        yield fabric.problem(path, str(said.over_subscription), expected)


def overridden_profiles_are_used(fabric: Fabric) -> Iterator[Problem]:
    """Headroom of a profile that no switch has would change nothing, silently."""
    known = sorted({one.profile_name for one in port_sets(fabric)})
    for at, one in enumerate(fabric.intent.lossless.overrides):
        if one.profile not in known:
            path = ("lossless", "overrides", at, "profile")
            hint = close_to(one.profile, known)
            yield fabric.problem(path, f"`{one.profile}`", one_of(known), hint)


def classes_are_apart(fabric: Fabric) -> Iterator[Problem]:
    """CNPs in the lossless class would be paused by the very congestion they report.

    DSCP 0 and priority 0 are what unmarked traffic has: it must not become lossless.
    """
    said = fabric.intent.lossless
    for key in ("dscp", "priority"):
        data, cnp = getattr(said, key), getattr(said.cnp, key)
        if data == 0:
            hint = "0 is best effort: all that nobody marked would be lossless"
            yield fabric.problem(("lossless", key), "0", "a value of its own for RoCE data", hint)
        if data == cnp:
            expected = f"a {key} other than that of RoCE data"
            hint = "CNPs must get through when the lossless class is paused"
            yield fabric.problem(("lossless", "cnp", key), str(cnp), expected, hint)
    taken = {0: "what nobody marked", said.dscp: "RoCE data", said.cnp.dscp: "CNPs"}
    for path, more in (
        (("lossless", "also_dscps"), said.also_dscps),
        (("lossless", "cnp", "also_dscps"), said.cnp.also_dscps),
    ):
        for at, dscp in enumerate(more):
            if dscp in taken:
                expected = "a DSCP that nothing else has"
                yield fabric.problem((*path, at), str(dscp), expected, f"{dscp} is {taken[dscp]}")
            taken[dscp] = "named before"


def lossless_mode_is_possible(fabric: Fabric) -> Iterator[Problem]:
    """One switch without PFC and ECN makes the whole path lossy: it must be asked for by name."""
    mode = fabric.intent.lossless.mode
    weak = [
        name
        for one in roce_fabrics(fabric)
        for name in dict.fromkeys((one.leaf_profile, one.spine_profile, one.superspine_profile))
        if name and one.profiles[name].lossless != mode
    ]
    if mode == "full" and weak:
        found = f"`full` with {' and '.join(dict.fromkeys(weak))}, which can only mark"
        hint = "say `mode: marking-only`: PFC, ECN and buffers are then not asked of this site"
        yield fabric.problem(
            ("lossless", "mode"), found, "switches with PFC, ECN and buffers", hint
        )
    elif mode == "ecn" and weak:
        found = f"`ecn` with {' and '.join(dict.fromkeys(weak))}"
        hint = "`full` is for switches that pause, `marking-only` for all"
        yield fabric.problem(
            ("lossless", "mode"), found, "switches whose profile says `lossless: ecn`", hint
        )


LOSSLESS_RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (
    classes_are_apart,
    lossless_mode_is_possible,
    asics_are_known,
    headroom_is_known,
    headroom_fits_the_buffer,
    thresholds_are_known,
    marking_begins_before_pause,
    thresholds_are_in_order,
    watchdog_suits_the_dialects,
    weights_fill_the_port,
    only_a_pool_is_oversubscribed,
    overridden_profiles_are_used,
)
