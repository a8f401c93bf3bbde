"""One value changed as an operator would: what cuts traffic, or opens it, is a hazard or unread."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inventory.oob.switches import CORE
from inventory.plan import PortRef
from switch_configs import dialect, intent
from switch_configs.intent import OobIntent, Rendered
from switch_configs.readback.wanted import wanted
from tests.switch_configs.sites import small

DIALECT = dialect("linux_frr")
LEAF, USERS, RACK, ABOVE = "leaf-p1-r0", "business-leaf-b1-1", "oob-p1-net1", "oob-aggregation1"
NFTABLES, QUEUES, INTERFACES = "nftables.conf", "queues.tc", "interfaces"
FRR, UNIT = "frr.conf", "railbed-queues.service"

CHANGES = (
    # Nothing is forwarded; no BGP comes in.
    (LEAF, NFTABLES, "hook forward priority filter; policy accept",
     "hook forward priority filter; policy drop"),
    (LEAF, NFTABLES, "hook input priority filter; policy accept",
     "hook input priority filter; policy drop"),
    (LEAF, NFTABLES, 'oifname "eth0" drop', 'oifname "eth0" drop\n        drop'),
    (LEAF, NFTABLES, "tcp dport 22 drop", "tcp dport 22 drop\n        drop"),
    # Logins over a data port; none of its own.
    (LEAF, NFTABLES, '{ "lo", "eth0" }', '{ "lo", "eth0", "swp1s0" }'),
    (LEAF, NFTABLES, '{ "lo", "eth0" }', '{ "swp1s0", "eth0" }'),
    (LEAF, NFTABLES, '{ "lo", "eth0" }', '{ "eth0" }'),
    (RACK, NFTABLES, '{ "lo", "vlan10" }', '{ "lo", "vlan10", "vlan20" }'),
    (RACK, NFTABLES, "hook forward priority filter; policy drop",
     "hook forward priority filter; policy accept"),
    # A frame of the port never leaves; the rate is never reached; it is another share.
    (LEAF, QUEUES, "mtu 9238", "mtu 1500"),
    (LEAF, QUEUES, "mtu 9238", "mtu 9216"),
    (LEAF, QUEUES, "burst 10000000", "burst 100000"),
    (LEAF, QUEUES, "peakrate 400000000kbit", "peakrate 430000000kbit"),
    (LEAF, QUEUES, "bandwidth 10000mbit", "bandwidth 100mbit"),
    (LEAF, QUEUES, "bandwidth 10000mbit", "bandwidth 40000mbit"),
    (LEAF, QUEUES, "ingress pref 53 ", "ingress pref 0 "),
    # systemd.unit(5): a setting in another section is passed over.
    (LEAF, UNIT, "[Service]\nType=oneshot", "Type=oneshot\n[Service]"),
    (LEAF, UNIT, "[Install]\nWantedBy=multi-user.target", "WantedBy=multi-user.target\n[Install]"),
    (USERS, INTERFACES, "vrf-table auto", "vrf-table 254"),
    # FRR counts places from 1.
    (LEAF, FRR, "ip prefix-list fabric seq 5", "ip prefix-list fabric seq 0"),
    (LEAF, FRR, "standard drained seq 5", "standard drained seq 0"),
    (LEAF, FRR, "route-map up-in permit 10", "route-map up-in permit 0"),
    # Racks, or devices of one, that reach each other; or nothing at all.
    (ABOVE, INTERFACES, "dev swp1s0 isolated on", "dev swp1s0 isolated off"),
    (ABOVE, INTERFACES, "dev swp32 isolated off", "dev swp32 isolated on"),
    (ABOVE, INTERFACES, "dev swp1s0 isolated on", "dev swp32 isolated on"),
    (ABOVE, INTERFACES, "    post-up bridge link set dev swp1s0 isolated on\n", ""),
    (RACK, INTERFACES, "dev swp1 isolated on", "dev swp1 isolated off"),
    (RACK, INTERFACES, "dev swp49 isolated off", "dev swp49 isolated on"),
)  # fmt: skip


def changed(device: str, end: str, old: str, new: str) -> Rendered:
    made = DIALECT.render(intent(small("linux_frr"), device))
    files = tuple(
        replace(one, text=one.text.replace(old, new, 1)) if one.path.endswith(end) else one
        for one in made.files
    )
    assert files != made.files, "nothing was changed"
    return replace(made, files=files)


@pytest.mark.parametrize("change", CHANGES, ids=lambda one: f"{one[0]}: {one[3][:40]!r}")
def test_it_is_seen(change):
    asked = wanted(intent(small("linux_frr"), change[0]), DIALECT.unsaid)
    found = DIALECT.readback(changed(*change))
    assert found.hazards or found.unread
    assert found != asked


def test_a_filter_that_stops_all_data_is_named():
    stopped = "hook {} priority filter; policy "
    for hook, words in (("forward", "forwarded"), ("input", "BGP")):
        line = stopped.format(hook)
        found = DIALECT.readback(changed(LEAF, NFTABLES, f"{line}accept", f"{line}drop"))
        assert [words in one for one in found.hazards] == [True]


def test_rules_before_the_flush_are_none():
    made = changed(LEAF, NFTABLES, "flush ruleset\n", "")
    files = tuple(
        replace(one, text=f"{one.text}flush ruleset\n") if one.path.endswith(NFTABLES) else one
        for one in made.files
    )
    found = DIALECT.readback(replace(made, files=files))
    assert any("follows them" in one for one in found.hazards)


@pytest.mark.parametrize("device", [LEAF, USERS, RACK, ABOVE])
def test_no_file_can_be_missing_unseen(device):
    made = intent(small("linux_frr"), device)
    whole = DIALECT.render(made)
    for gone in whole.files:
        files = tuple(one for one in whole.files if one != gone)
        found = DIALECT.readback(replace(whole, files=files))
        assert found != wanted(made, DIALECT.unsaid), gone.path


def apart(made: OobIntent) -> dict[str, str]:
    """What the bridge says of each of its ports."""
    (file,) = (one for one in DIALECT.render(made).files if one.path.endswith(INTERFACES))
    lines = (line.split() for line in file.text.splitlines() if "bridge link set" in line)
    return {words[5]: words[7] for words in lines}


def oob(name: str) -> OobIntent:
    made = intent(small("linux_frr"), name)
    assert isinstance(made, OobIntent)
    return made


def test_racks_reach_only_what_goes_up():
    made = oob(ABOVE)
    (up,) = (one.name for one in made.switch.ports if one.peer.device == "oob1")
    assert apart(made) == {one.name: "off" if one.name == up else "on" for one in made.switch.ports}


def test_under_a_core_the_port_to_it_goes_up():
    made = oob(ABOVE)
    ports = tuple(
        replace(one, peer=PortRef(CORE, "swp2")) if one.peer.device == "oob1" else one
        for one in made.switch.ports
    )
    under = replace(made, switch=replace(made.switch, ports=ports))
    assert apart(under) == apart(made)
    assert DIALECT.readback(DIALECT.render(under)) == wanted(under, DIALECT.unsaid)


def test_a_core_lets_its_switches_reach_the_server_only():
    made = oob(ABOVE)
    ports = tuple(
        replace(one, peer=PortRef(f"oob-aggregation{at}", "swp32"))
        if one.peer.device != "oob1"
        else one
        for at, one in enumerate(made.switch.ports, start=1)
    )
    core = replace(made, switch=replace(made.switch, name=CORE, tier="core", ports=ports))
    assert apart(core) == apart(made)
    assert DIALECT.readback(DIALECT.render(core)) == wanted(core, DIALECT.unsaid)


def test_devices_of_a_rack_reach_its_trunk_only():
    made = oob(RACK)
    assert apart(made) == {one.name: "on" if one.isolated else "off" for one in made.switch.ports}
