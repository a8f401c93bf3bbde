"""What EOS cannot hold is refused by name, and odd values become right lines."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from inventory.plan import RawStanza
from inventory.switches.abilities import of
from switch_configs import DialectError, dialect, intent, render
from switch_configs.eos.names import MAXIMUM_IP_MTU_BYTES
from switch_configs.eos.readback.forms import FORMS
from switch_configs.grammar import problems
from switch_configs.intent import SwitchIntent
from switch_configs.readback.wanted import wanted
from tests.switch_configs.intents import base
from tests.switch_configs.sites import shipped, small

EOS = dialect("eos")
LEAF = "leaf-p1-r0"


def switch(**values: object) -> SwitchIntent:
    made = base("eos", LEAF)
    return replace(made, switch=replace(made.switch, **values))  # type: ignore[arg-type]


def with_class(name: str, **values: object) -> SwitchIntent:
    made = base("eos", LEAF)
    classes = tuple(
        replace(one, **values) if one.name == name else one  # type: ignore[arg-type]
        for one in made.lossless.classes
    )
    return replace(made, lossless=replace(made.lossless, classes=classes))


def with_port(**values: object) -> SwitchIntent:
    first, *rest = base("eos", LEAF).switch.ports
    return switch(ports=(replace(first, **values), *rest))  # type: ignore[arg-type]


def with_watchdog(**values: int) -> SwitchIntent:
    made = base("eos", LEAF)
    assert made.lossless.watchdog is not None
    timers = replace(made.lossless.watchdog, **values)  # type: ignore[arg-type]
    return replace(made, lossless=replace(made.lossless, watchdog=timers))


def with_bfd(**values: int) -> SwitchIntent:
    return switch(timers=replace(base("eos", LEAF).switch.timers, **values))


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (with_port(ip_mtu_bytes=9216), "an IP MTU of 9216, and EOS takes 68 to 9214"),
        (with_port(rate_gbps=300.0), "no speed of 300 Gb/s"),
        (with_port(name="swp1"), "'swp1' is no Ethernet port"),
        (with_port(description="a  b"), "'a  b' cannot be printed"),
        (with_port(description="! no"), "'! no' cannot be printed"),
        (with_class("roce", priority=1, queue=1), "keeps for untrusted packets"),
        (with_class("cnp", priority=7, queue=7), "keeps for its own packets"),
        (with_class("cnp", queue=3), "queue 3 of class cnp is that of roce"),
        (with_watchdog(poll_ms=150), "polled every 150 ms"),
        (with_watchdog(detect_ms=5), "no watchdog of 5 ms"),
        (with_bfd(bfd_interval_ms=40), "no BFD of 40 ms times 3"),
        (with_bfd(bfd_multiplier=2), "no BFD of 300 ms times 2"),
        (switch(ecmp_width=129), "ECMP width 129 is not within 1 to 128"),
        (switch(adaptive_routing=True), "adaptive routing"),
        (
            switch(management=replace(base("eos", LEAF).switch.management, port="eth0")),
            "'eth0' is no management port",
        ),
        (switch(name="leaf one"), "'leaf one' is no name"),
        (
            switch(raw=(RawStanza("system", ("username x nopassword",), "a test"),)),
            "the raw line 'username x nopassword' is the switch's own",
        ),
        (
            switch(raw=(RawStanza("system", ("a\tb",), "a test"),)),
            "a raw line of section 'system' has a control character",
        ),
    ],
)
def test_what_eos_cannot_hold_is_refused_by_name(made, said):
    with pytest.raises(DialectError, match=re.escape(said)) as refused:
        EOS.render(made)
    assert made.switch.name in refused.value.message
    assert refused.value.hint


def test_an_unknown_asic_has_no_queue_names():
    made = base("eos", LEAF)
    hardware = replace(made.switch.hardware, asic="other9")
    with pytest.raises(DialectError, match="ASIC 'other9'"):
        EOS.render(switch(hardware=hardware))


def test_one_set_of_queues_on_other_asics():
    made = base("eos", LEAF)
    text = EOS.render(switch(hardware=replace(made.switch.hardware, asic="jericho2"))).files[0].text
    assert "\n   tx-queue 3\n" in text
    assert "uc-tx-queue" not in text


def test_the_inventory_and_the_dialect_say_one_mtu():
    most = of("eos").most_ip_mtu_bytes
    assert most is not None
    assert most.value == MAXIMUM_IP_MTU_BYTES


def test_another_queue_is_mapped_and_the_own_one_is_hidden():
    assert "tx-queue 5" not in EOS.render(base("eos", LEAF)).files[0].text
    text = EOS.render(with_class("cnp", queue=5)).files[0].text
    assert "qos map traffic-class 6 to tx-queue 5\n" in text
    assert "\n   uc-tx-queue 5\n      priority strict\n" in text


def test_a_fabric_that_only_marks_pauses_nothing():
    made = base("eos", LEAF)
    classes = tuple(replace(one, lossless=False) for one in made.lossless.classes)
    lossless = replace(made.lossless, mode="ecn", classes=classes, watchdog=None)
    marked = replace(made, lossless=lossless)
    rendered = EOS.render(marked)
    assert "priority-flow-control" not in rendered.files[0].text
    assert "random-detect ecn minimum-threshold" in rendered.files[0].text
    assert EOS.readback(rendered) == wanted(marked, EOS.unsaid)
    assert problems("eos", rendered.files[0].text) == ()


def test_raw_lines_stand_at_the_end_of_their_section():
    raw = RawStanza("ntp", ("ntp authenticate",), "a test")
    text = EOS.render(switch(raw=(raw,))).files[0].text
    assert "172.16.64.5 iburst\nntp authenticate\n!\n" in text
    assert EOS.readback(EOS.render(switch(raw=(raw,)))).unread == (FORMS.read("ntp authenticate"),)


@pytest.mark.parametrize("site", ["small", "pod-256"])
def test_the_grammar_of_another_hand_takes_every_line(site):
    plan = small("eos") if site == "small" else shipped("pod-256", "eos")
    names = [*plan.switch, *(one.name for one in plan.oob_switches if one.dialect == "eos")]
    for name in names[:: 1 if site == "small" else 7]:
        assert problems("eos", render(plan, name).files[0].text) == (), name


def test_a_drained_switch_passes_the_grammar():
    made = replace(intent(small("eos"), "spine-p1-1"), drained=True)  # type: ignore[arg-type]
    text = EOS.render(made).files[0].text
    assert text.count("set community GSHUT additive") == 2
    assert problems("eos", text) == ()
