"""A readback that shares nothing with the templates finds what the plan says."""

from __future__ import annotations

import pytest

from switch_configs import dialect, intent, render
from switch_configs.intent import ConfigFile, Rendered
from switch_configs.linux_frr.readback.forms import FORMS
from switch_configs.readback.facts import SwitchFacts
from switch_configs.readback.wanted import wanted
from tests.switch_configs.plans import all_plans

PLANS = all_plans()
SWITCHES = [(name, switch) for name, plan in PLANS.items() for switch in plan.switch]

# Written for this test in the style of a fabric that someone else runs: peer groups, the
# datacenter profile, no policies, and lines that have no neutral word.
FOREIGN = """\
frr version 9.0.1
frr defaults datacenter
hostname tor7
log syslog informational
service integrated-vtysh-config
!
ip prefix-list LO permit 192.0.2.0/24 ge 32
ip prefix-list HOSTS seq 10 permit 198.51.100.0/24 le 28
ip prefix-list HOSTS seq 20 deny any
!
route-map CONNECTED permit 10
 match ip address prefix-list HOSTS
!
router bgp 65007
 bgp router-id 192.0.2.7
 bgp bestpath as-path multipath-relax
 timers bgp 5 15
 neighbor UP peer-group
 neighbor UP remote-as external
 neighbor UP bfd
 neighbor UP timers connect 4
 neighbor eth10 interface peer-group UP
 neighbor 203.0.113.1 remote-as 65100
 neighbor 203.0.113.1 peer-group UP
 neighbor 203.0.113.1 timers 1 3
 neighbor 203.0.113.9 remote-as internal
 address-family ipv4 unicast
  redistribute connected route-map CONNECTED
  neighbor UP maximum-prefix 500
  neighbor 203.0.113.9 route-map CONNECTED in
  neighbor 203.0.113.9 route-map CONNECTED out
  maximum-paths 16
 address-family l2vpn evpn
  neighbor UP activate
 exit-address-family
exit
"""


def read_frr(text: str) -> SwitchFacts:
    file = ConfigFile("/etc/frr/frr.conf", text, "frr", "frr", "0640", "runtime")
    return dialect("linux_frr").readback(Rendered("tor7", "linux_frr", (file,)))


@pytest.mark.parametrize(("name", "switch"), SWITCHES)
def test_what_is_rendered_reads_back_as_the_plan(name, switch):
    plan = PLANS[name]
    words = dialect(plan.switch[switch].dialect)
    assert words.readback(render(plan, switch)) == wanted(intent(plan, switch), words.unsaid)


def test_a_foreign_configuration_is_read():
    found = read_frr(FOREIGN)
    assert (found.hostname, found.release, found.asn) == ("tor7", "9.0.1", 65007)
    assert (found.router_id, found.ecmp_width) == ("192.0.2.7", 16)
    assert not found.ebgp_requires_policy, "the datacenter profile switches it off"
    by_key = {one.key: one for one in found.sessions}
    assert list(by_key) == ["203.0.113.1", "203.0.113.9", "eth10"]
    port = by_key["eth10"]
    assert (port.peer_asn, port.bfd, port.connect_s) == ("external", True, 4)
    assert (port.keepalive_s, port.hold_s) == (5, 15)
    assert (port.maximum_prefix, port.over_maximum) == (500, "reset")
    numbered = by_key["203.0.113.1"]
    assert (numbered.peer_asn, numbered.keepalive_s, numbered.hold_s) == (65100, 1, 3)
    alone = by_key["203.0.113.9"]
    assert (alone.peer_asn, alone.bfd, alone.connect_s) == ("internal", False, 10)
    assert (alone.policy_in, alone.policy_out) == ("CONNECTED", "CONNECTED")


def test_what_is_not_understood_is_listed_line_by_line():
    assert list(read_frr(FOREIGN).unread) == [
        FORMS.read("frr: ip prefix-list HOSTS seq 20 deny any"),
        FORMS.read("frr: redistribute connected route-map CONNECTED"),
        FORMS.read("frr: address-family l2vpn evpn"),
        FORMS.read("frr: neighbor UP activate (in another address family)"),
    ]


def test_what_will_not_work_as_it_reads_is_said():
    assert "session eth10 has no policy in: everything passes" in read_frr(FOREIGN).hazards
    strict = FOREIGN.replace("datacenter", "traditional")
    assert "session eth10 has no policy in: nothing passes (RFC 8212)" in read_frr(strict).hazards
    old = FOREIGN.replace("9.0.1", "8.5")
    assert any("stale routes after a link flap" in one for one in read_frr(old).hazards)
    unknown = FOREIGN.replace("neighbor UP bfd", "neighbor UP bfd profile FAST")
    assert "BFD profile FAST is used and not defined" in read_frr(unknown).hazards


@pytest.mark.parametrize(
    ("lengths", "shortest", "longest"),
    [("", 24, 24), (" ge 26", 26, 32), (" le 28", 24, 28), (" ge 25 le 30", 25, 30)],
)
def test_ge_and_le_open_one_side_each(lengths, shortest, longest):
    found = read_frr(
        f"ip prefix-list A seq 5 permit 192.0.2.0/24{lengths}\n"
        "route-map M permit 10\n match ip address prefix-list A\n"
    )
    (permit,) = found.policies[0].permits
    assert (permit.prefix, permit.shortest_bits, permit.longest_bits) == (
        "192.0.2.0/24",
        shortest,
        longest,
    )


@pytest.mark.parametrize(
    ("path", "old", "new", "hazard"),
    [
        ("/etc/frr/daemons", "bfdd=yes", "bfdd=no", "bfdd does not run"),
        ("/etc/frr/daemons", "vtysh_enable=yes", "vtysh_enable=no", "frr.conf is not loaded"),
        ("/etc/network/interfaces", "auto swp1\n", "", "port swp1 does not come up at start"),
        ("/etc/nftables.conf", 'iifname "eth0" drop', "", "no port is apart"),
        ("/etc/nftables.conf", "tcp dport 22 drop", "", "logins are accepted on data ports"),
        (
            "/etc/nftables.conf",
            '{ "lo", "eth0" } accept',
            '"lo" accept',
            "port eth0 is not let in before anything is dropped",
        ),
        ("/etc/sysctl.d/90-railbed.conf", "hash_policy = 1", "hash_policy = 0", "without ports"),
        ("/etc/lldpd.d/railbed.conf", "hostname leaf", "hostname loaf", "not leaf-p1-r0"),
    ],
)
def test_each_file_has_its_hazards(path, old, new, hazard):
    rendered = render(PLANS["lab-unnumbered"], "leaf-p1-r0")
    files = tuple(
        ConfigFile(f.path, f.text.replace(old, new), f.owner, f.group, f.mode, f.impact)
        if f.path == path
        else f
        for f in rendered.files
    )
    assert files != rendered.files
    found = dialect("linux_frr").readback(Rendered("leaf-p1-r0", "linux_frr", files))
    assert any(hazard in one for one in found.hazards), found.hazards
