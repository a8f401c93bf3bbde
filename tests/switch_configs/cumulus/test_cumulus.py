"""Cumulus Linux: words by release, commands, secrets, isolation, refusals, a foreign file."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Address, IPv4Interface
from typing import Any

import pytest

from inventory.plan import AclRule, RawStanza, Tacacs
from switch_configs import DialectError, dialect, intent
from switch_configs.cumulus import as_commands
from switch_configs.cumulus.parse import configuration
from switch_configs.cumulus.words import RELEASES
from switch_configs.intent import ConfigFile, OobIntent, Rendered, SwitchIntent
from switch_configs.readback.facts import ClassFacts, SwitchFacts
from switch_configs.readback.wanted import wanted
from switch_configs.shown.unread import unread
from tests.switch_configs.intents import base, oob_intents
from tests.switch_configs.sites import small

TONGUE = dialect("cumulus")
STARTUP = "/etc/nvue.d/startup.yaml"
ISOLATION = "/etc/cumulus/acl/policy.d/60_railbed_isolation.rules"
LEAF, USERS, SPINE = "leaf-p1-r0", "storage-leaf-b1-1", "spine-p1-1"


def text(rendered: Rendered, path: str = STARTUP) -> str:
    return next(one.text for one in rendered.files if one.path == path)


def released(name: str, release: str) -> SwitchIntent:
    made = base("cumulus", name)
    services = made.services
    if int(release.split(".")[1]) < 13:
        services = replace(services, gnmi_port=None)
    return replace(made, services=services, switch=replace(made.switch, release=release))


def changed(name: str, **values: object) -> SwitchIntent:
    made = base("cumulus", name)
    return replace(made, switch=replace(made.switch, **values))  # type: ignore[arg-type]


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", [LEAF, USERS, SPINE])
def test_every_release_reads_back(release, name):
    made = released(name, release)
    assert TONGUE.readback(TONGUE.render(made)) == wanted(made, TONGUE.unsaid)


@pytest.mark.parametrize(
    ("release", "there", "not_there"),
    [
        ("5.9.0", "nv set system config auto-save enable off", "auto-save state"),
        ("5.10.0", "nv set system config auto-save state disabled", "auto-save enable"),
        ("5.10.0", "nv set service snmp-server enable on", "system snmp-server"),
        ("5.11.0", "nv set system snmp-server state enabled", "service snmp-server"),
        ("5.11.0", "nv set system aaa tacacs server 1 host 172.16.64.8", "8 priority"),
        ("5.12.0", "nv set system aaa tacacs server 172.16.64.8 priority 1", "tacacs enable"),
        ("5.12.0", "nv set service syslog mgmt server 172.16.64.6", "system syslog"),
        ("5.13.0", "nv set system syslog server 172.16.64.6 vrf mgmt", "service syslog"),
        ("5.14.0", "nv set vrf default router bgp peer-group down bfd enable on", "bfd profile"),
        ("5.14.0", "nv set interface eth0 ip vrf mgmt", "ipv4 address"),
        (
            "5.15.0",
            "nv set vrf default router bgp peer-group down bfd profile fabric",
            "bfd enable",
        ),
        ("5.15.0", "nv set interface eth0 vrf mgmt", "ip vrf"),
        ("5.15.0", "nv set system ntp server 172.16.64.5 iburst enabled", "service ntp"),
        ("5.15.0", "nv set router bgp state enabled", "enable on"),
        ("5.14.0", "nv set system aaa authentication-order 1 tacacs", "authentication order"),
        (
            "5.15.0",
            "nv set system aaa authentication order tacacs,local",
            "authentication-order",
        ),
    ],
)
def test_words_of_a_release(release, there, not_there):
    said = as_commands(text(TONGUE.render(released(SPINE, release))))
    assert f"{there}\n" in said
    assert not_there not in said


def test_gnmi_before_it_was_there_is_refused():
    made = base("cumulus", LEAF)
    old = replace(made, switch=replace(made.switch, release="5.12.0"))
    with pytest.raises(DialectError, match=r"gNMI.*5\.13"):
        TONGUE.render(old)


@pytest.mark.parametrize("name", [LEAF, USERS, SPINE])
def test_commands_say_what_the_file_says(name):
    """Each line names a path and its value; put together again they are the same tree."""
    said = text(TONGUE.render(base("cumulus", name)))
    tree = configuration(said)[1]
    lines = as_commands(said).splitlines()
    assert all(one.startswith("nv set ") for one in lines)
    found = [_words(one) for one in lines]
    assert found == sorted(found, key=found.index)
    assert len(lines) == len(set(lines)) == _leaves(tree)
    for words in found:
        at: Any = tree
        for at_word, word in enumerate(words):
            if isinstance(at, dict) and word in at:
                at = at[word]
            else:
                assert at_word == len(words) - 1
                assert at == word


def _words(line: str) -> list[str]:
    import shlex  # as the shell takes the line, on purpose another parser

    return shlex.split(line)[2:]


def _leaves(tree: object) -> int:
    return sum(map(_leaves, tree.values())) if isinstance(tree, dict) and tree else 1


def test_words_of_on_and_off_stay_words():
    said = text(TONGUE.render(base("cumulus", LEAF)))
    assert "enable: on\n" in said
    assert "true" not in said
    assert "'on'" not in said


def test_every_dscp_is_mapped_and_only_those_asked_for_leave_best_effort():
    made = base("cumulus", LEAF)
    at = configuration(text(TONGUE.render(made)))[1]["qos"]["mapping"]["roce"]["dscp"]
    others = {int(dscp): one["switch-priority"] for dscp, one in at.items()}
    assert sorted(others) == list(range(64))
    assert {dscp: one for dscp, one in others.items() if one != "0"} == {26: "3", 48: "6"}


def test_ports_of_users_trust_nothing():
    found = TONGUE.readback(TONGUE.render(base("cumulus", USERS)))
    assert {one.name: one.qos for one in found.ports}["swp1s1"] is None


def test_a_pair_asks_for_the_other_over_management():
    found = TONGUE.readback(TONGUE.render(base("cumulus", USERS)))
    assert found.pair == wanted(base("cumulus", USERS)).pair
    assert "44:38:39:ff:00:01" in text(TONGUE.render(base("cumulus", USERS)))


def test_secrets_are_words():
    said = text(TONGUE.render(base("cumulus", LEAF)))
    for name in ("tacacs_key", "snmp_auth", "snmp_priv"):
        assert f"'<<secret:{name}>>'" in said


def reads_back(made: SwitchIntent) -> None:
    assert TONGUE.readback(TONGUE.render(made)) == wanted(made, TONGUE.unsaid)


def test_numbered_sessions():
    made = base("cumulus", SPINE)
    first = IPv4Address("10.240.0.0")
    peers = {one.port: first + 2 * at + 1 for at, one in enumerate(made.switch.sessions)}
    sessions = tuple(replace(one, peer_address=peers[one.port]) for one in made.switch.sessions)
    ports = tuple(
        replace(one, address=IPv4Interface((peers[one.name] - 1, 31))) for one in made.switch.ports
    )
    made = replace(made, switch=replace(made.switch, sessions=sessions, ports=ports))
    reads_back(made)
    said = as_commands(text(TONGUE.render(made)))
    assert "nv set vrf default router bgp neighbor 10.240.0.1 type numbered\n" in said


def test_lossless_storage_over_bonds_of_one_leaf():
    """QoS belongs to the bond, the watchdog to the port (Quality of Service page of the guide)."""
    made = base("cumulus", USERS)
    kept = [one for one in made.switch.ports if one.direction != "peer"]
    ports = tuple(replace(one, plane="storage") for one in kept)
    made = replace(made, switch=replace(made.switch, ports=ports, pair=None))
    reads_back(made)
    said = as_commands(text(TONGUE.render(made)))
    assert "nv set interface bond5 qos pfc profile roce-100g-30m\n" in said
    assert "nv set interface swp1s1 qos pfc-watchdog state enable\n" in said
    assert "nv set interface swp1s1 qos pfc profile" not in said


def test_an_access_list_with_ports():
    rules = (
        AclRule("permit", "tcp", "10.0.0.0/8", "any", 443),
        AclRule("deny", "udp", "any", "192.0.2.1", 53),
        AclRule("permit", "icmp", "any", "any", None),
    )
    made = base("cumulus", USERS)
    vlans = tuple(replace(one, acl=rules) for one in made.switch.vlans)
    reads_back(replace(made, switch=replace(made.switch, vlans=vlans)))


@pytest.mark.parametrize("release", ["5.11.0", "5.14.0"])
def test_logins_asked_over_ipv6(release):
    made = released(LEAF, release)
    tacacs = Tacacs(("2001:db8::8", "192.0.2.8"), "tacacs_key")
    made = replace(made, services=replace(made.services, tacacs=tacacs))
    reads_back(made)
    assert "prefer-ip-version 6" in as_commands(text(TONGUE.render(made)))


# --- what the OOB plane asks


def oob() -> OobIntent:
    return next(one for one in oob_intents("cumulus") if one.switch.tier == "access")


def test_access_ports_are_isolated_and_trunks_are_not():
    rules = text(TONGUE.render(oob()), ISOLATION)
    ports = oob().switch.ports
    for one in ports:
        assert (f"-A FORWARD -i swp+ -o {one.name} -j DROP" in rules) == one.isolated
        assert (f"-A FORWARD -i {one.name} -j ACCEPT" in rules) != one.isolated


def above() -> OobIntent:
    return next(one for one in oob_intents("cumulus") if one.switch.tier != "access")


def test_racks_reach_only_what_is_above():
    made = above()
    rules = text(TONGUE.render(made), ISOLATION)
    up = [one.name for one in made.switch.ports if f"-i {one.name} -j ACCEPT" in rules]
    assert len(up) == 1
    for one in made.switch.ports:
        assert (f"-A FORWARD -i swp+ -o {one.name} -j DROP" in rules) == (one.name not in up)


def test_racks_that_see_each_other_are_a_hazard():
    rendered = TONGUE.render(above())
    open_ = replace(rendered, files=tuple(f for f in rendered.files if f.path == STARTUP))
    assert any("racks see each other" in one for one in TONGUE.readback(open_).hazards)


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        (LEAF, "lossless:\n          memory-percent: 50", "lossless:\n          memory-percent: 1",
         "1 percent"),
        (LEAF, "trust: l3", "trust: both", "VLAN priorities"),
        (LEAF, "tx-hold-multiplier: 4", "tx-hold-multiplier: 1", "late frame"),
        (USERS, "          rewrite: l3\n", "", "does not rewrite"),
        (USERS, "              dscp: 0", "              dscp: 26", "leaves swp"),
        (USERS, "profile: unmarked", "profile: users", "to be kept"),
        (USERS, "mtu: 9216", "mtu: 9217", "does not take"),
        (USERS, "fec: rs", "fec: rx", "FEC that there is not"),
        (USERS, "vlan300:\n        acl", "vlan30x:\n        acl", "does not take"),
        (USERS, "iburst: on", "iburst: off", "asked slowly"),
        (USERS, "        listening-address:\n          172.16.0.39:\n            vrf: mgmt\n", "",
         "listens on no address"),
        (USERS, "mlag:\n            enable: on\n", "mlag:\n", "bond5 leaves open whether MLAG"),
        (USERS, "      enable: on\n      mac-address", "      mac-address", "the pair leaves open"),
        (USERS, "      vrr:\n        enable: on\n", "", "gateways (VRR) are not switched on"),
        (USERS, "untagged: 300\n              vlan:\n                '300': {}\n",
         "untagged: 300\n              vlan:\n", "its untagged VLAN"),
        (USERS, "                  type: ipv4\n", "", "leaves open its family"),
        (USERS, "4200020000\n                type: unnumbered\n", "4200020000\n", "has a number"),
        (USERS, "          trust: port\n", "", "default-global leaves open what it trusts"),
        (USERS, "4200020100\n        enable: on\n", "4200020100\n", "whether BGP is on"),
    ],
)  # fmt: skip
def test_a_dangerous_change_is_a_hazard(name, old, new, words):
    rendered = TONGUE.render(base("cumulus", name))
    file = rendered.files[-1]
    assert old in file.text
    changed_file = replace(file, text=file.text.replace(old, new, 1))
    found = TONGUE.readback(replace(rendered, files=(*rendered.files[:-1], changed_file)))
    assert any(words in one for one in found.hazards)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("remote-as: 4200020000", "remote-as: externax"),
        ("untagged: 300", "untagged: 30x"),
        ("listening-address", "listening-addresx"),
    ],
)
def test_a_word_that_is_not_known_is_never_silent(old, new):
    rendered = TONGUE.render(base("cumulus", USERS))
    files = tuple(replace(one, text=one.text.replace(old, new, 1)) for one in rendered.files)
    found = TONGUE.readback(replace(rendered, files=files))
    assert any(not one.by_form for one in found.unread)


def test_users_keep_no_dscp_where_the_lossless_class_is():
    shared = as_commands(text(TONGUE.render(base("cumulus", USERS))))
    assert "nv set qos remark users rewrite l3" in shared
    assert "nv set qos remark unmarked switch-priority 0 dscp 0" in shared
    assert "qos remark" not in as_commands(text(TONGUE.render(base("cumulus", LEAF))))


def test_rules_in_the_wrong_order_isolate_nothing_that_we_vouch_for():
    rendered = TONGUE.render(oob())
    lines = text(rendered, ISOLATION).splitlines()
    turned = "\n".join((*lines[:2], *lines[:1:-1])) + "\n"
    files = tuple(
        replace(one, text=turned) if one.path == ISOLATION else one for one in rendered.files
    )
    found = TONGUE.readback(replace(rendered, files=files))
    assert found.unread or found.hazards


# --- what is refused, by name


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (changed(LEAF, ecmp_width=129), "129"),
        (changed(LEAF, hash_seed=2**32), "4294967296"),
        (changed(LEAF, adaptive_routing=True), "adaptive routing"),
        (changed(LEAF, release="5.8.0"), "5.8.0"),
    ],
)
def test_what_nvue_cannot_hold_is_refused(made, words):
    with pytest.raises(DialectError, match=words) as refused:
        TONGUE.render(made)
    assert LEAF in f"{refused.value}"


@pytest.mark.parametrize("vrf", ["mgmt", "default", "a-table-of-users"])
def test_a_table_that_linux_cannot_have_is_refused(vrf):
    tables = base("cumulus", USERS).switch.tables
    with pytest.raises(DialectError, match=vrf) as refused:
        TONGUE.render(changed(USERS, tables=(*tables, replace(tables[-1], vrf=vrf))))
    assert USERS in f"{refused.value}"


def test_adaptive_routing_where_the_asic_has_it():
    made = base("cumulus", "storage-spine1")
    made = replace(made, switch=replace(made.switch, adaptive_routing=True))
    found = TONGUE.readback(TONGUE.render(made))
    assert found == wanted(made, TONGUE.unsaid)
    assert any(one.adaptive_routing for one in found.ports)


def test_a_watchdog_that_only_forwards_is_refused():
    made = base("cumulus", LEAF)
    assert made.lossless.watchdog
    timers = replace(made.lossless.watchdog, action="forward")
    with pytest.raises(DialectError, match="forward"):
        TONGUE.render(replace(made, lossless=replace(made.lossless, watchdog=timers)))


def test_two_classes_of_one_priority_are_refused():
    made = base("cumulus", LEAF)
    classes = tuple(replace(one, priority=3) for one in made.lossless.classes)
    with pytest.raises(DialectError, match="share a priority"):
        TONGUE.render(replace(made, lossless=replace(made.lossless, classes=classes)))


def test_half_a_metre_of_cable_is_refused():
    ports = tuple(replace(one, cable_m=2.5) for one in base("cumulus", LEAF).switch.ports)
    with pytest.raises(DialectError, match=r"2\.5 m"):
        TONGUE.render(changed(LEAF, ports=ports))


# --- raw lines


def test_raw_lines_hang_below_their_section():
    raw = RawStanza("router", ("nexthop:", "  group:", "    exit: {}"), "a test")
    rendered = TONGUE.render(changed(LEAF, raw=(raw,)))
    assert TONGUE.readback(rendered).unread == (unread("router nexthop group exit"),)


@pytest.mark.parametrize(
    ("section", "lines", "words"),
    [
        ("system", ("hostname: other",), "otherwise than the plan"),
        ("system", ("aaa:", "  user:", "    cumulus: {}"), "not ours"),
        ("system", ("just words",), "no YAML mapping"),
        ("qos", ("- set: x",), "a list of more than words"),
        ("qos", ("- x",), "no YAML mapping"),
        ("vrf", ("a: [1", "b: {"), "not YAML"),
    ],
)
def test_raw_lines_that_cannot_be_are_refused(section, lines, words):
    with pytest.raises(DialectError, match=words) as refused:
        TONGUE.render(changed(LEAF, raw=(RawStanza(section, lines, "a test"),)))
    assert LEAF in f"{refused.value}"


# --- somebody else's configuration

# In the shape and with the values of leaf01 in NVIDIA's own guide: Cumulus Linux 5.14, BGP,
# Configuration Example, /etc/nvue.d/startup.yaml (accounts and services left out).
GUIDE = """\
- set:
    bridge:
      domain:
        br_default:
          untagged: 1
          vlan:
            10,20: {}
    interface:
      bond1:
        bond:
          member:
            swp1: {}
          mlag:
            enable: on
            id: 1
        bridge:
          domain:
            br_default: {}
        type: bond
      eth0: {ip: {address: {dhcp: {}}, vrf: mgmt}, type: eth}
      lo: {ip: {address: {10.10.10.1/32: {}}}, type: loopback}
      peerlink: {bond: {member: {swp49: {}, swp50: {}}}, type: peerlink}
      peerlink.4094: {base-interface: peerlink, type: sub, vlan: 4094}
      swp1,swp49-51: {type: swp}
      swp52: {type: swp}
      vlan10: {ip: {address: {10.1.10.2/24: {}}}, type: svi, vlan: 10}
      vlan20: {ip: {address: {10.1.20.2/24: {}}}, type: svi, vlan: 20}
    mlag:
      backup: {10.10.10.2: {}}
      enable: on
      mac-address: 44:38:39:BE:EF:AA
      peer-ip: linklocal
    qos:
      roce: {enable: on, mode: lossless}
    router:
      bgp: {autonomous-system: 65101, enable: on, router-id: 10.10.10.1}
    system: {hostname: leaf01}
    vrf:
      default:
        router:
          bgp:
            address-family:
              ipv4-unicast:
                enable: on
                network: {10.10.10.1/32: {}}
                redistribute: {connected: {enable: on}}
            enable: on
            neighbor:
              swp51: {remote-as: external, type: unnumbered}
              swp52: {remote-as: external, type: unnumbered}
"""


def foreign(said: str) -> Rendered:
    return Rendered(
        "leaf01", "cumulus", (ConfigFile(STARTUP, said, "root", "root", "0600", "none"),)
    )


def test_a_foreign_configuration_is_read():
    found = TONGUE.readback(foreign(GUIDE))
    assert (found.hostname, found.asn, found.router_id) == ("leaf01", 65101, "10.10.10.1")
    assert found.originates == ("10.10.10.1/32",)
    assert [(one.key, one.peer_asn, one.hold_s) for one in found.sessions] == [
        ("swp51", "external", 9), ("swp52", "external", 9),
    ]  # fmt: skip
    assert found.ecmp_width == 64
    assert [(one.id, one.address) for one in found.vlans] == [
        (10, "10.1.10.2/24"), (20, "10.1.20.2/24"),
    ]  # fmt: skip
    assert [(one.number, one.ports, one.shared) for one in found.bonds] == [(1, ("swp1",), True)]
    assert found.pair
    assert (found.pair.domain, found.pair.ports) == (None, ("swp49", "swp50"))
    line = "vrf default router bgp address-family ipv4-unicast redistribute connected enable on"
    assert [(one.digest, one.by_form) for one in found.unread] == [(unread(line).digest, True)]
    for one in ("lacks a policy", "outside management", "has PFC and no watchdog"):
        assert any(one in hazard for hazard in found.hazards), one


def test_what_qos_roce_says_is_read():
    """24 to 31 are lossless with it, and best effort is marked too (RoCE page of the guide)."""
    found = TONGUE.readback(foreign(GUIDE))
    qos = {one.name: one.qos for one in found.ports}["swp51"]
    assert qos
    assert qos.pfc_priorities == (3,)
    assert qos.cable_m == 100
    lossless = next(one for one in qos.classes if one.pfc_priority == 3)
    assert lossless.dscps == tuple(range(24, 32))
    rest = next(one for one in qos.classes if 0 in one.dscps)
    assert isinstance(rest, ClassFacts)
    assert rest.ecn is not None


ODD = (
    "", "- set:", "x: y", "[", "- set: {a: {[1]: 2}}", "- 1", "\x00",
    "- set: {interface: {swp1: 3}, qos: [1]}", "- set: {interface: 4, vrf: {default: {}}}",
)  # fmt: skip


@pytest.mark.parametrize("said", ODD)
def test_nothing_makes_it_raise(said):
    TONGUE.readback(foreign(said))


def test_a_key_that_is_there_twice_is_told():
    said = text(TONGUE.render(intent(small("cumulus"), LEAF)))
    found = TONGUE.readback(
        foreign(said.replace("    system:\n", "    system: {hostname: x}\n    system:\n"))
    )
    assert any("twice" in one for one in found.hazards)


def test_what_is_asked_first_is_a_list_from_5_15_on():
    """It reads the same however YAML has the list."""
    rendered = TONGUE.render(released(LEAF, "5.15.0"))
    said = text(rendered)
    ours = "order: [tacacs, local]"

    def reads(order: str) -> SwitchFacts:
        files = [
            replace(one, text=said.replace(ours, order)) if one.path == STARTUP else one
            for one in rendered.files
        ]
        return TONGUE.readback(replace(rendered, files=tuple(files)))

    block = "order:\n          - tacacs\n          - local"
    assert as_commands(said.replace(ours, block)) == as_commands(said)
    assert reads(block) == reads(ours)
    assert any("logins" in one for one in reads("order: [local, tacacs]").hazards)
