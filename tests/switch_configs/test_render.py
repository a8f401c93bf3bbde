"""What every rendered configuration holds, whatever the site."""

from __future__ import annotations

import re
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network

import pytest

import switch_configs
from inventory.plan import Pair, Plan
from switch_configs import DialectError, dialect, dialects, intent, render
from switch_configs.intent import Rendered
from tests.switch_configs.plans import all_plans, lab

PAIR = Pair("leaf-p1-r1", IPv4Address("10.88.0.12"), ("swp7",), primary=True, domain=1)

PLANS = all_plans()
SWITCHES = [(name, switch) for name, plan in PLANS.items() for switch in plan.switch]


def text_of(rendered: Rendered, path: str) -> str:
    return next(one.text for one in rendered.files if one.path == path)


def changed(plan: Plan, switch: str, **values: object) -> Plan:
    """The plan with other values in one switch."""
    switches = tuple(
        replace(one, **values) if one.name == switch else one  # type: ignore[arg-type]
        for one in plan.switches
    )
    return replace(plan, switches=switches)


@pytest.mark.parametrize(("name", "switch"), SWITCHES)
def test_the_files_are_these(name, switch):
    files = render(PLANS[name], switch).files
    assert [(one.path, one.owner, one.group, one.mode) for one in files] == [
        ("/etc/frr/daemons", "frr", "frr", "0640"),
        ("/etc/frr/frr.conf", "frr", "frr", "0640"),
        ("/etc/lldpd.d/railbed.conf", "root", "root", "0644"),
        ("/etc/network/interfaces", "root", "root", "0644"),
        ("/etc/nftables.conf", "root", "root", "0644"),
        ("/etc/sysctl.d/90-railbed.conf", "root", "root", "0644"),
        ("/etc/systemd/timesyncd.conf.d/railbed.conf", "root", "root", "0644"),
    ]


@pytest.mark.parametrize(("name", "switch"), SWITCHES)
def test_the_management_port_is_left_to_its_own_service(name, switch):
    port = PLANS[name].switch[switch].management.port
    rendered = render(PLANS[name], switch)
    for file in rendered.files:
        if file.path != "/etc/nftables.conf":
            assert not re.search(rf"\b{port}\b", file.text), file.path


@pytest.mark.parametrize(("name", "switch"), SWITCHES)
def test_only_the_owner_announces_an_aggregate(name, switch):
    """Valley-free: what a leaf lets out is within what it originates itself."""
    plan = PLANS[name]
    found = dialect("linux_frr").readback(render(plan, switch))
    if plan.switch[switch].tier == "leaf":
        (out,) = [one for one in found.policies if one.name == "up-out"]
        assert {one.prefix for one in out.permits} == set(found.originates)
        assert all(IPv4Network(p.prefix).prefixlen == p.longest_bits for p in out.permits)


def test_a_change_elsewhere_changes_no_file_here():
    plan = lab("unnumbered")
    other = changed(replace(plan, digest="0" * 64), "spine2", maximum_prefix=99)
    assert render(other, "leaf-p1-r0") == render(plan, "leaf-p1-r0")
    assert render(other, "spine2") != render(plan, "spine2")


def test_the_same_plan_is_the_same_bytes():
    for name, switch in SWITCHES:
        plan = PLANS[name]
        shuffled = changed(
            plan,
            switch,
            ports=plan.switch[switch].ports[::-1],
            sessions=plan.switch[switch].sessions[::-1],
            tables=tuple(
                replace(one, originates=one.originates[::-1], learns=one.learns[::-1])
                for one in plan.switch[switch].tables
            ),
        )
        assert render(shuffled, switch) == render(plan, switch)


def test_values_at_the_default_of_frr_are_left_out_and_others_are_not():
    plan = lab("unnumbered")
    timers = plan.switch["spine1"].timers
    assert (timers.bfd_multiplier, timers.bfd_interval_ms) == (3, 300)
    slower = replace(timers, bfd_multiplier=5, bfd_interval_ms=400)
    other = changed(plan, "spine1", timers=slower)
    without = text_of(render(plan, "spine1"), "/etc/frr/frr.conf").splitlines()
    with_them = text_of(render(other, "spine1"), "/etc/frr/frr.conf").splitlines()
    added = ["  detect-multiplier 5", "  transmit-interval 400", "  receive-interval 400"]
    assert [line for line in with_them if line not in without] == added
    assert [line for line in without if line not in with_them] == []


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"release": "9.1"}, "not checked against release 9.1"),
        ({"pair": PAIR}, "Linux has no MLAG"),
        ({"ecmp_width": 257}, "not within 1 to 256"),
        ({"ecmp_width": 0}, "not within 1 to 256"),
        ({"dialect": "ios"}, "no dialect 'ios'"),
    ],
)
def test_what_the_dialect_cannot_do_it_refuses_by_name(values, said):
    plan = changed(lab("unnumbered"), "leaf-p1-r0", **values)
    with pytest.raises(DialectError, match=re.escape(said)) as refused:
        render(plan, "leaf-p1-r0")
    assert refused.value.hint


def test_a_package_without_a_dialect_is_refused_by_name(monkeypatch):
    monkeypatch.setattr(switch_configs, "packages", lambda: {"odd": "json"})
    with pytest.raises(DialectError, match="'odd': its package json has no DIALECT"):
        dialect("odd")


def test_a_lossless_class_with_pfc_is_refused():
    plan = lab("unnumbered")
    plan = replace(plan, lossless=replace(plan.lossless, mode="full"))
    with pytest.raises(DialectError, match="no PFC and no headroom"):
        render(plan, "spine1")


@pytest.mark.parametrize(
    "text", ["two\nlines", "% if mako", "${mako}", 'a "quote"', "", "x" * 256, "#comment", "é"]
)
def test_a_description_that_a_device_could_misread_is_refused(text):
    plan = lab("unnumbered")
    first, *rest = plan.switch["leaf-p1-r0"].ports
    plan = changed(plan, "leaf-p1-r0", ports=(replace(first, description=text), *rest))
    with pytest.raises(DialectError, match="cannot be printed"):
        render(plan, "leaf-p1-r0")


def test_an_unknown_switch_is_named_with_those_there_are():
    with pytest.raises(DialectError, match="has no switch 'leaf-p9-r9'") as refused:
        intent(lab("unnumbered"), "leaf-p9-r9")
    assert "spine1, spine2" in refused.value.hint


def test_a_dialect_is_a_folder():
    assert "linux_frr" in dialects()
    for name in dialects():
        assert dialect(name).name == name
        assert dialect(name).releases
