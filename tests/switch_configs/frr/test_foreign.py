"""Configurations that others run, written again by hand with documentation addresses."""

from __future__ import annotations

from switch_configs.frr import FrrFacts, read
from switch_configs.readback.facts import PermitFacts, SessionFacts, TableFacts

# As "Example VRF Configuration in BGP" has it, with what is around it (CumulusNetworks/docs,
# content/cumulus-linux-43/Layer-3/VRFs/Virtual-Routing-and-Forwarding-VRF.md): sessions over
# subinterfaces with IPv6 only, one by address, groups and a policy out in two families.
USERS = """\
frr version 7.5
frr defaults datacenter
hostname border7
vrf users
 ip route 0.0.0.0/0 blackhole
 exit-vrf
!
router bgp 64900
 bgp router-id 192.0.2.7
 bgp bestpath as-path multipath-relax
 neighbor swp3 interface remote-as external
 !
 address-family ipv4 unicast
  network 192.0.2.7/32
  neighbor swp3 route-map ANY in
  neighbor swp3 route-map ANY out
 exit-address-family
!
router bgp 64900 vrf users
 bgp router-id 192.0.2.7
 no bgp default ipv4-unicast
 bgp bestpath as-path multipath-relax
 neighbor LINK peer-group
 neighbor LINK6 peer-group
 neighbor swp1.2 interface v6only peer-group LINK6
 neighbor swp1.2 remote-as external
 neighbor 203.0.113.18 remote-as external
 neighbor 203.0.113.18 peer-group LINK
 !
 address-family ipv4 unicast
  network 198.51.100.0/24
  neighbor LINK activate
  neighbor LINK route-map OWN out
  maximum-paths 4
 exit-address-family
 !
 address-family ipv6 unicast
  network 2001:db8:2::/64
  neighbor LINK6 activate
  neighbor LINK6 route-map OWN6 out
 exit-address-family
!
ip prefix-list OWN seq 10 permit 198.51.100.0/24
route-map OWN permit 10
 match ip address prefix-list OWN
route-map ANY permit 10
"""

# Customers, peers and providers by communities, as topomate prints them for FRR
# (rahveiz/topomate, frr: writeRelationsMaps), and a drain of one table as FRR's own test has
# it (FRRouting/frr, tests/topotests/bgp_gshut).
RELATIONS = """\
frr version 8.4.4
frr defaults traditional
hostname edge1
router bgp 64500
 bgp router-id 192.0.2.1
 bgp log-neighbor-changes
 bgp bestpath as-path multipath-relax
 neighbor 203.0.113.1 remote-as 64501
 neighbor 203.0.113.5 remote-as 64502
 address-family ipv4 unicast
  neighbor 203.0.113.1 route-map PEER_IN in
  neighbor 203.0.113.1 route-map PEER_OUT out
  neighbor 203.0.113.5 route-map CUSTOMER_IN in
  neighbor 203.0.113.5 route-map CUSTOMER_OUT out
 exit-address-family
router bgp 64500 vrf guests
 bgp router-id 192.0.2.1
 bgp log-neighbor-changes
 bgp bestpath as-path multipath-relax
 bgp graceful-shutdown
 neighbor 203.0.113.9 remote-as 64503
 address-family ipv4 unicast
  neighbor 203.0.113.9 route-map CUSTOMER_IN in
  neighbor 203.0.113.9 route-map GUEST_OUT out
 exit-address-family
bgp community-list standard PROVIDER permit 64500:10
bgp community-list standard PEER seq 5 permit 64500:20
route-map PEER_OUT deny 10
 match community PROVIDER
route-map PEER_OUT deny 15
 match community PEER
route-map PEER_OUT permit 20
route-map CUSTOMER_OUT permit 20
route-map GUEST_OUT permit 20
route-map PEER_IN permit 20
 set community 64500:20
 set local-preference 200
route-map CUSTOMER_IN permit 10
 set community 64500:30 additive
"""

ALL = (PermitFacts("0.0.0.0/0", 0, 32),)


def by_key(found: FrrFacts) -> dict[str, SessionFacts]:
    return {one.key: one for one in found.sessions}


def test_tables_of_users_are_apart() -> None:
    found = read(USERS)
    assert (found.asn, found.originates, found.discards) == (64900, ("192.0.2.7/32",), ())
    assert found.tables == (TableFacts("users", ("198.51.100.0/24",), 4),)
    assert {one.key: one.vrf for one in found.sessions} == {
        "swp3": "",
        "203.0.113.18": "users",
        "swp1.2": "users",
    }
    numbered = by_key(found)["203.0.113.18"]
    assert (numbered.peer_asn, numbered.policy_out) == ("external", "OWN")
    assert (numbered.keepalive_s, numbered.hold_s, numbered.connect_s) == (3, 9, 10)
    (own,) = [one for one in found.policies if one.name == "OWN"]
    assert own.permits == (PermitFacts("198.51.100.0/24", 24, 24),)


def test_what_has_no_word_in_a_table_is_listed() -> None:
    found = read(USERS)
    assert found.unread == (
        "ip route 0.0.0.0/0 blackhole (in a table of users)",
        "address-family ipv6 unicast",
        "network 2001:db8:2::/64 (in another address family)",
        "neighbor LINK6 activate (in another address family)",
        "neighbor LINK6 route-map OWN6 out (in another address family)",
    )
    assert found.hazards == ("session 203.0.113.18 has no policy in: everything passes",)
    assert [one.key for one in found.sessions if not one.carries_ipv4] == ["swp1.2"]


def test_policies_by_communities() -> None:
    found = {one.name: one for one in read(RELATIONS).policies}
    out = found["PEER_OUT"]
    assert (out.permits, out.refuses) == (ALL, ("64500:10", "64500:20"))
    assert (found["CUSTOMER_IN"].adds, found["CUSTOMER_IN"].permits) == (("64500:30",), ALL)
    assert not any(one.drained_last for one in found.values())


def test_what_a_policy_does_beside_is_said() -> None:
    found = read(RELATIONS)
    assert "policy PEER_IN takes the communities off what it lets pass" in found.hazards
    assert "route-map PEER_IN: set local-preference 200" in found.unread


def test_half_a_drain_is_none() -> None:
    found = read(RELATIONS)
    assert not found.drained
    assert "only a part of what is said is to be used last: half a drain" in found.hazards
    (marked,) = [one.name for one in found.policies if "65535:0" in one.adds]
    assert marked == "GUEST_OUT"
    whole = read(
        RELATIONS.replace("router bgp 64500\n", "bgp graceful-shutdown\nrouter bgp 64500\n")
    )
    assert whole.drained
    assert "half a drain" not in " ".join(whole.hazards)
