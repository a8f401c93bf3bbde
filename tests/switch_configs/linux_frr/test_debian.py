"""What is not FRR's: hazards, foreign files, pushes and refusals."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inventory.plan import RawStanza
from switch_configs import DialectError, dialect, intent, render
from switch_configs.intent import ConfigFile, Rendered, SwitchIntent
from switch_configs.linux_frr.readback.forms import FORMS
from switch_configs.readback.facts import AclFacts, BondFacts, EcnFacts, SwitchFacts
from switch_configs.shown.unread import unread
from tests.switch_configs.plans import lab
from tests.switch_configs.sites import small

DIALECT = dialect("linux_frr")
LEAF, USERS, OOB = "leaf-p1-r0", "business-leaf-b1-1", "oob-p1-net1"
INTERFACES, NFTABLES = "/etc/network/interfaces", "/etc/nftables.conf"
QUEUES, SYSCTL = "/etc/railbed/queues.tc", "/etc/sysctl.d/90-railbed.conf"
UNIT = "/etc/systemd/system/railbed-queues.service"
RSYSLOG, TIMESYNCD = "/etc/rsyslog.d/50-railbed.conf", "/etc/systemd/timesyncd.conf.d/railbed.conf"


def rendered(name: str) -> Rendered:
    return render(small("linux_frr"), name)


def changed(name: str, path: str, old: str, new: str) -> Rendered:
    made = rendered(name)
    files = tuple(
        replace(one, text=one.text.replace(old, new)) if one.path == path else one
        for one in made.files
    )
    assert files != made.files, (path, old)
    return replace(made, files=files)


def read(path: str, text: str) -> SwitchFacts:
    file = ConfigFile(path, text, "root", "root", "0644", "runtime")
    return DIALECT.readback(Rendered("x", "linux_frr", (file,)))


@pytest.mark.parametrize(
    ("name", "path", "old", "new", "said"),
    [
        (USERS, INTERFACES, "bond-mode 802.3ad", "bond-mode active-backup", "not 802.3ad"),
        (USERS, INTERFACES, "post-up ip -6 route replace vrf users", "post-up true", "(IPv6)"),
        (USERS, INTERFACES, "bridge-vlan-aware yes", "bridge-vlan-aware no", "knows no VLANs"),
        (USERS, INTERFACES, "bridge-stp no\n", "bridge-stp yes\n", "no spanning tree"),
        (USERS, INTERFACES, "address 10.96.0.1/22\n", "", "an address and a gateway"),
        (USERS, INTERFACES, "bridge-ports bond1 bond2", "bridge-ports bond1", "in no bridge"),
        (USERS, INTERFACES, "bridge-vids 300 301", "bridge-vids 300", "itself in VLAN 301"),
        (USERS, INTERFACES, "auto users\niface users", "auto usersx\niface usersx", "not defined"),
        (USERS, NFTABLES, "accept\n        drop\n", "accept\n", "drop what no rule permits"),
        (USERS, NFTABLES, 'iifname "vlan300" jump vlan300', "", "used nowhere"),
        (USERS, NFTABLES, "ip6 dscp set cs0", "ip dscp set cs0", "believed"),
        (LEAF, QUEUES, "qdisc replace dev swp1s0 clsact\n", "", "no clsact"),
        (LEAF, QUEUES, "ipv6 flower ip_tos 0x68", "ipv6 flower ip_tos 0x6c", "not treated alike"),
        (LEAF, QUEUES, "priomap 2 2 2 1", "priomap 2 2 2 2", "no DSCP comes to band 2"),
        (LEAF, QUEUES, "dev swp1s0 parent 1:1", "dev swp9s9 parent 1:1", "may starve"),
        (LEAF, SYSCTL, "update_priority = 0", "update_priority = 1", "from its TOS"),
        (LEAF, UNIT, "After=networking.service", "", "before the ports are there"),
        (OOB, INTERFACES, "bridge-allow-untagged no", "", "into VLAN 1"),
        (OOB, NFTABLES, "policy drop", "policy accept", "zones may reach each other"),
        (OOB, SYSCTL, "ip_forward = 0", "ip_forward = 1", "over IPv4"),
        (USERS, TIMESYNCD, "FallbackNTP=\n", "", "own time servers"),
    ],
)  # fmt: skip
def test_what_will_not_work_as_it_reads_is_said(name, path, old, new, said):
    found = DIALECT.readback(changed(name, path, old, new))
    assert any(said in one for one in found.hazards), found.hazards


def test_a_bond_and_bridge_of_somebody_else_are_read():
    """As NVIDIA's guide writes them (Cumulus Linux, "VLAN-aware Bridge Mode", "Bonding")."""
    found = read(
        INTERFACES,
        "auto swp1\niface swp1\nauto swp2\niface swp2\n    bridge-access 20\n"
        "auto bond7\niface bond7\n    bond-slaves swp1\n    bond-mode 802.3ad\n"
        "    bridge-pvid 10\n    bridge-vids 20 30\n    bridge-learning off\n"
        "auto br_default\niface br_default\n    bridge-ports bond7 swp2\n"
        "    bridge-vlan-aware yes\n    bridge-vids 10 20 30\n",
    )
    assert found.bonds == (BondFacts(7, ("swp1",), shared=False),)
    by_name = {one.name: one for one in found.ports}
    assert (by_name["swp1"].vlans, by_name["swp1"].bond) == ((10, 20, 30), 7)
    assert by_name["swp2"].vlans == (20,)
    assert found.unread == (FORMS.read("interfaces: bridge-learning off"),)


def test_an_access_list_of_somebody_else_is_read():
    """After the examples of the nftables wiki: base chain, jump, chain."""
    found = read(
        NFTABLES,
        "table inet filter {\n"
        "chain raw {\ntype filter hook prerouting priority -300; policy accept;\n"
        'iifname "vlan9" jump from_users\n}\n'
        "chain from_users {\n"
        "meta nfproto ipv4 ip saddr 192.0.2.0/24 tcp dport 22 accept\n"
        "ct state established accept\n"
        "drop\n}\n}\n",
    )
    assert unread("nftables: ct state established accept") in found.unread
    assert any("vlan9 is for no VLAN here" in one for one in found.hazards)


def test_rules_come_back_in_their_order():
    found = DIALECT.readback(rendered(USERS))
    (users, admins) = found.vlans
    assert users.acl[0] == AclFacts("deny", "ip", "any", "10.16.0.0/14", None)
    assert users.acl[-1] == AclFacts("permit", "ip", "any", "any", None)
    assert admins.acl == ()


def test_classes_are_those_of_the_plan():
    port = next(one for one in DIALECT.readback(rendered(LEAF)).ports if one.name == "swp1s0")
    assert port.qos is not None
    by_dscp = {dscp: one for one in port.qos.classes for dscp in one.dscps}
    assert len(by_dscp) == 64
    assert by_dscp[26].ecn == EcnFacts(1_599_488, 6_400_000, 5)
    assert (by_dscp[48].strict, by_dscp[48].rate_cap_percent) == (True, 5)
    assert by_dscp[0] == by_dscp[63]
    assert port.qos.pfc_priorities == ()


def test_a_class_that_must_be_paused_is_refused():
    made = intent(small("linux_frr"), LEAF)
    assert isinstance(made, SwitchIntent)
    paused = tuple(replace(one, lossless=bool(one.dscps)) for one in made.lossless.classes)
    with pytest.raises(DialectError, match="no PFC"):
        DIALECT.render(replace(made, lossless=replace(made.lossless, classes=paused)))


@pytest.mark.parametrize("vrf", ["main", "swp1s0", "eth0", "a-table-of-a-long-name", "bridge"])
def test_a_table_that_linux_takes_for_something_else_is_refused(vrf):
    made = intent(small("linux_frr"), USERS)
    assert isinstance(made, SwitchIntent)
    tables = tuple(
        replace(one, vrf=vrf) if one.vrf == "users" else one for one in made.switch.tables
    )
    with pytest.raises(DialectError, match=USERS):
        DIALECT.render(replace(made, switch=replace(made.switch, tables=tables)))


def test_raw_lines_stand_at_the_end_of_their_file_and_are_read():
    made = intent(small("linux_frr"), LEAF)
    stanza = RawStanza("sysctl", ("net.ipv4.tcp_ecn = 1",), "a trial")
    switch = replace(made.switch, raw=(stanza,))
    out = DIALECT.render(replace(made, switch=switch))  # type: ignore[arg-type]
    text = next(one.text for one in out.files if one.path == SYSCTL)
    assert text.endswith("# Added by the site: a trial\nnet.ipv4.tcp_ecn = 1\n")
    assert unread("sysctl: net.ipv4.tcp_ecn = 1") in DIALECT.readback(out).unread


def test_the_lab_has_the_files_it_had():
    """Marking only, no servers of logs: nothing of classes or logs is on the device."""
    paths = {one.path for one in render(lab("unnumbered"), LEAF).files}
    assert not paths & {QUEUES, UNIT, RSYSLOG}
    assert TIMESYNCD in paths


def test_nothing_to_do_is_no_step():
    for name in (LEAF, USERS, OOB):
        assert DIALECT.push_steps(rendered(name), rendered(name), 60) == ()


@pytest.mark.parametrize(
    ("name", "path", "step", "impact"),
    [
        (LEAF, QUEUES, "apply queues", "runtime"),
        (LEAF, UNIT, "apply queues_unit", "none"),
        (USERS, TIMESYNCD, "apply timesyncd", "none"),
        (USERS, RSYSLOG, "apply rsyslog", "none"),
        (OOB, INTERFACES, "apply interfaces", "link flap"),
    ],
)
def test_each_file_is_applied_with_its_impact(name, path, step, impact):
    new = rendered(name)
    old = replace(new, files=tuple(one for one in new.files if one.path != path))
    applied = [one for one in DIALECT.push_steps(old, new, 60) if one.phase == "apply"]
    assert [(one.name, one.impact) for one in applied] == [(step, impact)]


def test_a_file_that_is_no_longer_wanted_is_taken_away():
    """An empty candidate stands for it."""
    old = rendered(USERS)
    new = replace(old, files=tuple(one for one in old.files if one.path != RSYSLOG))
    steps = DIALECT.push_steps(old, new, 60)
    (sent,) = [one.file for one in steps if one.file and RSYSLOG in one.file.path]
    assert sent.text == ""
    assert "apply rsyslog" in [one.name for one in steps]


@pytest.mark.parametrize(
    ("line", "impact"),
    [
        ("    alias to somewhere", "none"),
        ("    address 10.0.0.1/31", "runtime"),
        ("    bridge-vids 300", "runtime"),
        ("    mtu 9000", "link flap"),
        ("    bond-slaves swp1", "link flap"),
    ],
)
def test_what_a_change_of_a_line_does(line, impact):
    assert DIALECT.impact(INTERFACES, ("iface swp1", line)) == impact
