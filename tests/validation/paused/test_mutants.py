"""No number of the lossless class can be wrong in text, nor in the sums that renderers share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest

from inventory.plan import Plan
from switch_configs import DialectError, dialect, dialects, intent, render
from switch_configs import qos as shared_qos
from switch_configs.intent import Rendered, SwitchIntent
from tests.switch_configs.sites import small, small_with
from tests.switch_configs.sonic.plans import broadcom
from tests.validation.slips import everywhere, no_memory, refused
from validation.proof.configuration import proof

__all__ = ["no_memory"]

LEAF = "leaf-p1-r0"
PLANS = {**{name: lambda name=name: small(name) for name in dialects()}}
PLANS |= {f"broadcom {form}": lambda form=form: broadcom(form) for form in ("dedicated", "shared")}
WITH_PFC = sorted(set(PLANS) - {"linux_frr"})
WITH_TEXT_OF_ITS_OWN = sorted(set(WITH_PFC) - {"broadcom shared"})


def asked(plan: Plan) -> SwitchIntent:
    found = intent(plan, LEAF)
    assert isinstance(found, SwitchIntent)
    return found


def with_text(made: Rendered, old: str, new: str) -> Rendered:
    """The first place changed; there must be one."""
    texts = [(one, re.sub(old, new, one.text, count=1)) for one in made.files]
    assert any(one.text != text for one, text in texts), old
    return replace(made, files=tuple(replace(one, text=text) for one, text in texts))


# -- numbers in text --------------------------------------------------------------------------

NUMBERS: dict[str, list[tuple[str, str]]] = {
    "cumulus": [
        (r"cable-length: 30", "cable-length: 3"),
        (r"min-threshold: \d+", "min-threshold: 150000"),
        (r"max-threshold: \d+", "max-threshold: 9000000"),
        (r"('26':\s+switch-priority: )3", r"\g<1>0"),
        (r"('27':\s+switch-priority: )0", r"\g<1>3"),
        (r"(cable-length: 30(?:.*\n)*?\s+switch-priority:\s+)'3'", r"\g<1>'4'"),
        (r"max-rate: 20000000", "max-rate: 200000000"),
        (r"polling-interval: \d+", "polling-interval: 900"),
    ],
    "eos": [
        (r"minimum-threshold \d+", "minimum-threshold 150000"),
        (r"max-mark-probability 5", "max-mark-probability 50"),
        (r"priority-flow-control priority 3", "priority-flow-control priority 4"),
        (r"qos map dscp 8 9 ", "qos map dscp 8 26 "),
        (r"watchdog default timeout 0\.2", "watchdog default timeout 2"),
        (r"shape rate 5 percent", "shape rate 50 percent"),
    ],
    "nxos": [
        (r"match dscp 26", "match dscp 27"),
        (r"match dscp 48", "match dscp 26"),
        (r"pause pfc-cos 3", "pause pfc-cos 4"),
        (r"minimum-threshold 150000", "minimum-threshold 15000"),
        (r"max 20000 mbps", "max 200000 mbps"),
        (r"shutdown-multiplier 2", "shutdown-multiplier 9"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS)
def test_no_number_of_the_class_can_change_in_text(name):
    plan = PLANS[name]()
    made = render(plan, LEAF)
    assert proof(asked(plan), made, None).wrong == ()
    passed = [
        (old, new)
        for old, new in NUMBERS[name]
        if not proof(asked(plan), with_text(made, old, new), None).wrong
    ]
    assert not passed


# -- numbers in the plan ----------------------------------------------------------------------

# Local to a box, followed by the readback and not a promise to anybody; the site's own wish; and
# what a kind of port is called by: one that is too large has more room than a port needs.
LOCAL = {
    "queue", "priority_group", "weight_percent", "rate_cap_percent", "rate_gbps", "cable_m",
    "lanes",
}  # fmt: skip


def numbers(value: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """Each number, flag and DSCP list in a fact of the plan, with the fact that has it wrong."""
    for one in fields(value):
        held, at = getattr(value, one.name), f"{where}.{one.name}"
        if is_dataclass(held):
            yield from ((a, replace(value, **{one.name: b})) for a, b in numbers(held, at))
        elif isinstance(held, tuple) and held and is_dataclass(held[0]):
            for number, each in enumerate(held):
                for a, b in numbers(each, f"{at}[{number}]"):
                    new = (*held[:number], b, *held[number + 1 :])
                    yield a, replace(value, **{one.name: new})
        elif one.name not in LOCAL and (other := _other(held)) is not None:
            yield at, replace(value, **{one.name: other})


def _other(held: Any) -> Any:
    if isinstance(held, bool):
        return not held
    if isinstance(held, int | float):
        return held * 2 or 1
    return (held[0] + 1,) if isinstance(held, tuple) and held else None


@pytest.mark.parametrize("name", WITH_PFC)
def test_no_sum_of_the_plan_can_be_wrong(name):
    """Rendered from a wrong number and asked for by the same one: both agree, and are refused."""
    plan = PLANS[name]()
    one = asked(plan)
    passed = []
    for where, buffers in numbers(one.switch.buffers):
        if one.switch.buffers and one.switch.buffers.total_bytes is None and _is_count(where):
            continue
        passed += _passes(one, where, replace(one.switch, buffers=buffers), one.lossless)
    for where, wrong in numbers(one.lossless):
        if where.startswith(".classes") and not _is_local(one, where):
            passed += _passes(one, where, one.switch, wrong)
    assert not passed


@pytest.mark.parametrize("name", ["cumulus", "sonic"])
def test_ports_alike_but_for_their_lanes_need_what_their_own_lanes_take(name):
    """NICs of 400 Gb/s in whole cages of 800, beside links of 400 in halves."""

    def whole(site: dict[str, Any]) -> None:
        site["topology"]["breakout"] = {"nodes": 1, "fabric": 2}

    plan = small_with(name, whole)
    one = asked(plan)
    assert not refused(plan, LEAF)
    assert one.switch.buffers
    four, eight = one.switch.buffers.ports
    assert (four.lanes, eight.lanes) == (4, 8)
    assert (four.rate_gbps, four.cable_m) == (eight.rate_gbps, eight.cable_m)
    by_rate = replace(eight, headroom=four.headroom)
    buffers = replace(one.switch.buffers, ports=(four, by_rate))
    assert not _passes(one, "by rate", replace(one.switch, buffers=buffers), one.lossless)


def _is_local(one: SwitchIntent, where: str) -> bool:
    """The number of a class that nobody pauses crosses no wire."""
    number = int(where[len(".classes[")])
    return where.endswith(".priority") and not one.lossless.classes[number].lossless


def _is_count(where: str) -> bool:
    """Of a box that finds its buffers itself: ports are counted for nothing."""
    return where.endswith((".ports", "port_mtu_bytes", "congested_ports"))


def _passes(one: SwitchIntent, where: str, switch: Any, lossless: Any) -> list[str]:
    wrong = replace(one, switch=switch, lossless=lossless)
    try:
        made = dialect(switch.dialect).render(wrong)
    except DialectError:
        return []
    return [] if proof(wrong, made, None).wrong else [where]


# -- the functions that renderers share -------------------------------------------------------


real_qos, real_classes = shared_qos.port_qos, shared_qos.class_of_dscp


def _with(**wrong: Callable[[Any], Any]) -> Callable[..., Any]:
    def port_qos(switch: Any, lossless: Any, port: Any) -> Any:
        found = real_qos(switch, lossless, port)
        if found is None:
            return None
        return replace(found, **{name: change(found) for name, change in wrong.items()})

    return port_qos


def _trusts_users(switch: Any, lossless: Any, port: Any) -> Any:
    if switch.buffers is None or port.plane != "business":
        return real_qos(switch, lossless, port)
    one = switch.buffers.ports[0]
    ways = switch.hardware.lanes // one.lanes
    as_a_node = {
        "plane": "storage", "rate_gbps": one.rate_gbps, "cable_m": one.cable_m, "ways": ways,
    }  # fmt: skip
    return real_qos(switch, lossless, replace(port, **as_a_node))


def _untrusting(_switch: Any, _lossless: Any, _port: Any) -> None:
    return None


QOS_MUTANTS = {
    "nobody is trusted": _untrusting,
    "nothing is paused": _with(pfc_priorities=lambda _: ()),
    "another priority is paused": _with(pfc_priorities=lambda _: (4,)),
    "nothing is marked": _with(marked_priorities=lambda _: ()),
    "all is marked": _with(marked_priorities=lambda _: (0, 3)),
    "marks too late": _with(
        ecn=lambda one: replace(
            one.ecn, kmin_bytes=2 * one.ecn.kmin_bytes, kmax_bytes=2 * one.ecn.kmax_bytes
        )
    ),
    "a watchdog that sleeps": _with(
        watchdog=lambda one: replace(one.watchdog, detect_ms=1000, restore_ms=2000, poll_ms=500)
    ),
    "a shorter cable": _with(cable_m=lambda _: 1.0),
    "a tenth of the headroom": _with(
        headroom=lambda one: (
            one.headroom and replace(one.headroom, xoff_bytes=one.headroom.xoff_bytes // 10)
        )
    ),
}
# What such a mutant does not touch: systems that say no cable or no headroom.
NOT_SAID = {
    "a shorter cable": {"eos", "nxos"},
    "a tenth of the headroom": {"eos", "nxos", "cumulus", "sonic"},
}


@pytest.mark.instances(keep=1, by="what")
@pytest.mark.parametrize("what", QOS_MUTANTS)
@pytest.mark.parametrize("name", WITH_TEXT_OF_ITS_OWN)
def test_a_slip_in_the_qos_that_renderers_share_is_found(name, what, monkeypatch):
    if name in NOT_SAID.get(what, ()):
        return
    plan = PLANS[name]()
    everywhere(monkeypatch, real_qos, QOS_MUTANTS[what])
    assert refused(plan, LEAF)


def _one_more(classes: Any) -> Any:
    found = list(real_classes(classes))
    found[27] = found[26]
    return tuple(found)


def _one_less(classes: Any) -> Any:
    found = list(real_classes(classes))
    found[26] = found[0]
    return tuple(found)


@pytest.mark.parametrize("wrong", [_one_more, _one_less])
@pytest.mark.parametrize("name", WITH_TEXT_OF_ITS_OWN)
def test_a_slip_in_the_classes_of_dscps_is_found(name, wrong, monkeypatch):
    plan = PLANS[name]()
    everywhere(monkeypatch, real_classes, wrong)
    assert refused(plan, LEAF)


@pytest.mark.parametrize("name", ["cumulus", "eos"])
def test_users_that_are_let_into_the_class_are_found(name, monkeypatch):
    plan = small(name)
    leaf = next(
        one.name
        for one in plan.switches
        if one.buffers and any(port.plane == "business" for port in one.ports)
    )
    everywhere(monkeypatch, real_qos, _trusts_users)
    assert refused(plan, leaf)
