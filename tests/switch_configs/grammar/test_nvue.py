"""The grammar of NVUE takes what NVIDIA publishes, and nothing that only looks like it."""

from __future__ import annotations

import cProfile
import re
import sys
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from switch_configs.cumulus.grammar.proof import (
    MODULES,
    grammar,
    paths,
    problems_set,
    problems_yaml,
)
from switch_configs.cumulus.grammar.releases import (
    PAIRS,
    RELEASES,
    known_release,
    releases_of,
    rewritten,
)
from switch_configs.cumulus.grammar.tree import Command, walk
from switch_configs.grammar import problems
from tests.plugins.tiers import examples
from tests.validation import nvue_published as published

PUBLISHED_SET = {
    "bgp and mlag leaf": (published.LEAF_SET, "5.14"),
    "vrr leaf": (published.VRR_SET, "5.14"),
    "roce page": (published.ROCE_SET, "5.14"),
    "qos page": (published.QOS_SET, "5.16"),
    "words of 5.15": (published.NEWER_SET, "5.15"),
    "a whole leaf": (published.WHOLE_SET, "5.14"),
}
PUBLISHED_YAML = {
    "bgp and mlag leaf": (published.LEAF_YAML, "5.14"),
    "vrr leaf": (published.VRR_YAML, "5.14"),
    "roce page": (published.ROCE_YAML, "5.14"),
}
# Names of a site in the published texts; every other word of small letters is NVUE's.
CHOSEN = {
    "br_default", "default", "default-global", "default-lossy", "leaf01", "lo", "localhost", "mgmt",
    "peerlink", "roce-lossless", "cumulus", "nvue-monitor", "nvshow", "system-admin", "nvue_v1",
    "0.cumulusnetworks.pool.ntp.org", "4.cumulusnetworks.pool.ntp.org", "all",
}  # fmt: skip
KEYWORD = re.compile(r"[a-z][a-z0-9-]*")
PORT = re.compile(r"(swp|bond|eth|vlan)\d.*|peerlink.*")


def whys(text: str, release: str = "5.14") -> list[str]:
    return [one.why for one in problems_set(text, release)]


def commands(text: str) -> list[str]:
    return [one for one in text.strip().splitlines() if one.startswith("nv set ")]


def is_keyword(word: str) -> bool:
    return bool(KEYWORD.fullmatch(word)) and word not in CHOSEN and not PORT.fullmatch(word)


# What is published


@pytest.mark.parametrize("name", PUBLISHED_SET)
def test_published_commands_are_taken(name):
    text, release = PUBLISHED_SET[name]
    assert problems_set(text, release) == ()


@pytest.mark.parametrize("name", PUBLISHED_YAML)
def test_published_files_are_taken(name):
    text, release = PUBLISHED_YAML[name]
    assert problems_yaml(text, release) == ()


def nested(text: str) -> dict[str, Any]:
    """Commands as the tree that startup.yaml holds, by what the grammar says of each last word."""
    root: dict[str, Any] = {}
    for line in commands(text):
        words = [one.strip('"') for one in re.findall(r'"[^"]*"|\S+', line)][2:]
        leaf = walk(grammar("5.14"), Command(0, tuple(words))).leaf
        node = root
        for word in words[: -1 if leaf else None][:-1]:
            node = node.setdefault(word, {})
        if leaf:
            node.setdefault(words[-2], {})
            node[words[-2]] = words[-1]
        else:
            node.setdefault(words[-1], {})
    return root


def test_both_spellings_are_one_tree():
    """The whole leaf, folded into startup.yaml by plain nesting, is taken as it is."""
    text = yaml.safe_dump([{"set": nested(published.WHOLE_SET)}], width=1000)
    assert problems_yaml(text, "5.14") == ()


@pytest.mark.parametrize("name", PUBLISHED_SET)
def test_no_order_is_wanted(name):
    text, release = PUBLISHED_SET[name]
    assert problems_set("\n".join(reversed(commands(text))), release) == ()


# Wrong syntax that the public shows


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("nv set qos traffic-class 3 pfc mode on", "`qos` takes "),
        ("nv set qos traffic-class 3 congestion-control mode ecn", "`qos` takes "),
        ("nv set router bgp neighbor swp1", "`router bgp` takes "),
        ("nv set router bgp neighbor 10.0.0.1 remote-as external", "`router bgp` takes "),
        ("pfc.3.tx_en = on", "no command of NVUE"),
        ("hardware qos pfc-watchdog on", "no command of NVUE"),
        ("nv set qos congestion-control profile RDMA-ECN traffic-class 3", "takes "),
        ("nv set qos traffic-pool 3 memory percent 80", "takes "),
        ("nv set interface swp1 qos qos pfc-watchdog state enable", "takes "),
        ("nv set interface swp1 qos pfc mode on", "takes "),
        ("nv unset qos roce", "sets nothing"),
        ("nv config apply -y", "sets nothing"),
        ("nv set", "no command of NVUE"),
    ],
)
def test_wrong_syntax_is_refused(line, why):
    (problem,) = problems_set(line, "5.14")
    assert why in problem.why
    assert problem.line == 1


# Words of another release


@pytest.mark.parametrize(
    ("release", "line", "right"),
    [
        ("5.14", "router bgp state enabled", "router bgp enable on"),
        ("5.15", "router bgp enable on", "router bgp state enabled"),
        ("5.15", "qos roce enable off", "qos roce state disabled"),
        ("5.15", "mlag debug on", "mlag debug enabled"),
        (
            "5.14",
            "interface swp1 ipv4 address 10.0.0.0/31",
            "interface swp1 ip address 10.0.0.0/31",
        ),
        (
            "5.15",
            "interface swp1 ip address 10.0.0.0/31",
            "interface swp1 ipv4 address 10.0.0.0/31",
        ),
        ("5.15", "interface swp1 ip address 2001:db8::/127", "ipv6 address 2001:db8::/127"),
        ("5.15", "interface eth0 ip address dhcp", "ipv4 dhcp-client state enabled"),
        ("5.15", "interface eth0 ip gateway 192.0.2.1", "interface eth0 ipv4 gateway 192.0.2.1"),
        ("5.15", "interface eth0 ip vrf mgmt", "interface eth0 vrf mgmt"),
        ("5.14", "interface eth0 vrf mgmt", "interface eth0 ip vrf mgmt"),
        ("5.15", "interface vlan1 ip vrr address 10.0.0.1/24", "ipv4 vrr address 10.0.0.1/24"),
        ("5.15", "interface vlan1 ip vrr enable on", "ipv4 vrr state enabled"),
        ("5.15", "interface vlan1 ip vrr state up", "ipv4 vrr vrr-state up"),
        ("5.15", "interface swp1 ip ipv6 enable off", "interface swp1 ipv6 state disabled"),
        (
            "5.15",
            "interface swp1 ip neighbor-discovery router-advertisement enable on",
            "interface swp1 ipv6 neighbor-discovery router-advertisement state enabled",
        ),
        ("5.15", "service ntp mgmt server 192.0.2.5 iburst on", "server 192.0.2.5 iburst enabled"),
        ("5.14", "system ntp server 192.0.2.5", "service ntp mgmt server 192.0.2.5"),
        ("5.15", "service dns mgmt server 192.0.2.5", "system dns server 192.0.2.5"),
        ("5.15", "service lldp dot1-tlv on", "system lldp dot1-tlv enabled"),
        ("5.13", "service syslog mgmt server 192.0.2.6", "system syslog server 192.0.2.6"),
        ("5.12", "system syslog server 192.0.2.6", "service syslog mgmt server 192.0.2.6"),
        ("5.11", "service snmp-server enable on", "system snmp-server state enabled"),
        ("5.10", "system snmp-server state enabled", "service snmp-server enable on"),
        ("5.12", "system aaa tacacs server 5 host 192.0.2.8", "server 192.0.2.8 priority 5"),
        ("5.11", "system aaa tacacs server 192.0.2.8 priority 5", "server 5 host 192.0.2.8"),
        ("5.10", "system config auto-save enable on", "system config auto-save state enabled"),
        ("5.15", "system aaa authentication-order 1 local", "aaa authentication order local"),
        ("5.14", "system aaa authentication order tacacs,local", "authentication-order 1 tacacs"),
        ("5.12", "system aaa tacacs accounting enable on", "tacacs accounting state enabled"),
        ("5.11", "system aaa user noc enable on", "system aaa user noc state enabled"),
        ("5.15", "system timezone Etc/UTC", "system date-time timezone Etc/UTC"),
        ("5.14", "system date-time timezone Etc/UTC", "system timezone Etc/UTC"),
        (
            "5.15",
            "vrf default router bgp neighbor swp1 bfd enable on",
            "neighbor swp1 bfd profile ",
        ),
        (
            "5.14",
            "vrf default router bgp neighbor swp1 bfd profile P",
            "neighbor swp1 bfd enable on",
        ),
        (
            "5.14",
            "router policy community-list C rule 1 community internet",
            "router policy community-list C rule 1 community 0:0",
        ),
        (
            "5.10",
            "qos advance-buffer-config default-global ingress-service-pool 0 memory-percent 5",
            "qos advance-buffer-config default-global ingress-pool 0 memory-percent 5",
        ),
    ],
)
def test_words_of_another_release_are_named(release, line, right):
    (why,) = whys(f"nv set {line}", release)
    assert why.startswith("words of 5.")
    assert f"not of {release}, which says `" in why
    assert right in why


@pytest.mark.parametrize(
    ("release", "line", "why"),
    [
        ("5.12", "system gnmi-server state enabled", "words of 5.13 and later, not of 5.12"),
        ("5.11", "qos roce mode lossless-single-ipool", "words of 5.12 and later, not of 5.11"),
        ("5.13", "qos roce mode lossy-multi-tc", "words of 5.14 and later, not of 5.13"),
        ("5.9", "interface swp1 link mac-address 44:38:39:00:00:01", "words of 5.10 and later"),
        ("5.12", "system aaa tacacs enable on", "words of 5.9 to 5.11, not of 5.12"),
        ("5.15", "system reboot mode cold", "words of 5.9 to 5.14, not of 5.15"),
    ],
)
def test_what_a_release_has_no_word_for_is_said(release, line, why):
    (found,) = whys(f"nv set {line}", release)
    assert found.startswith(why)


def test_the_dispatch_judges_both_spellings():
    for text in (published.LEAF_SET, published.LEAF_YAML):
        assert problems("cumulus", text, "5.14") == ()
    assert problems("cumulus", published.NEWER_SET, "5.16") == ()
    assert problems("cumulus", published.NEWER_SET) == ()
    assert problems("cumulus", published.LEAF_SET)[0].line == 3
    assert problems("cumulus", "", "5.14")[0].line == 1


def test_a_problem_names_the_line_as_it_stands():
    line = "nv set interface swp1 descriptionx 'two words'"
    assert [one.text for one in problems_set(f"# x\n  {line}", "5.14")] == [line]
    (problem,) = problems_set("nv set system aaa tacacs server A secret 'Sup3r'", "5.14")
    assert problem.text == "nv set system aaa tacacs server A secret ***"


def test_patch_releases_speak_like_their_release():
    assert known_release("5.14.2") == "5.14"
    assert known_release("Cumulus Linux 5.9.1") == "5.9"
    assert problems_set(published.LEAF_SET, "5.14.2") == ()


@pytest.mark.parametrize("release", ["", "5", "5.8", "5.17", "4.4", "6.1", "five", "5.14x"])
def test_unknown_releases_are_refused_by_name(release):
    for judge in (problems_set, problems_yaml):
        (problem,) = judge("nv set system hostname A", release)
        assert problem.why == f"release {release} is not known: the grammar holds 5.9 to 5.16"


def test_changes_of_words_change_something():
    assert len(PAIRS) >= 20
    for line in commands(published.WHOLE_SET):
        command = line.removeprefix("nv set ")
        assert command not in set(rewritten(command))


def test_words_carry_over_to_the_next_release():
    """Each command of 5.14 that 5.15 has no words for is told in the words of 5.15."""
    told = 0
    for line in commands(published.WHOLE_SET):
        if refused_by_itself(line.split(), "5.15"):
            (why,) = whys(line, "5.15")
            assert "which says `" in why
            told += 1
    assert told >= 25


# Mutants: every word of NVUE, misspelt or left out


def mutants(text: str):
    """Each command with one keyword misspelt, taken away, or said twice."""
    for line in commands(text):
        words = line.split()
        quoted = next((n for n, one in enumerate(words) if one.startswith('"')), len(words))
        for place, word in enumerate(words[2:quoted], start=2):
            if is_keyword(word) and words[place - 1] not in {"description", "password"}:
                yield "changed", line, [*words[:place], f"{word}x", *words[place + 1 :]]
                yield "changed", line, [*words[:place], word[:-1] or "q", *words[place + 1 :]]
                yield "changed", line, [*words[:place], word.upper(), *words[place + 1 :]]
                yield "dropped", line, [*words[:place], *words[place + 1 :]]
                yield "doubled", line, [*words[: place + 1], *words[place:]]


def refused_by_itself(words: list[str], release: str) -> bool:
    """Whether the tree alone refuses a command, without what other lines say."""
    flat = [one.strip('"') for one in re.findall(r'"[^"]*"|\S+', " ".join(words))]
    return bool(walk(grammar(release), Command(0, tuple(flat[2:]))).why)


def test_every_changed_keyword_is_refused():
    alive, count = [], {"changed": 0, "dropped": 0, "doubled": 0}
    for text, release in PUBLISHED_SET.values():
        for how, line, words in mutants(text):
            count[how] += 1
            if not refused_by_itself(words, release):
                alive.append((how, line, " ".join(words)))
    assert count["changed"] > 2500
    assert min(count.values()) > 800
    assert [one for one in alive if one[0] == "changed"] == []
    # What lives on is another command of NVUE, not a misspelt one.
    assert sorted({(line, mutant) for _, line, mutant in alive}) == ALIVE


ALIVE = [
    (
        "nv set interface swp1 ipv6 neighbor-discovery router-advertisement state enabled",
        "nv set interface swp1 ipv6 neighbor-discovery state enabled",
    ),
    (
        "nv set interface vlan10 ip vrr address 10.1.10.1/24",
        "nv set interface vlan10 ip address 10.1.10.1/24",
    ),
    (
        "nv set interface vlan100 ip vrr address 10.3.0.1/24",
        "nv set interface vlan100 ip address 10.3.0.1/24",
    ),
]


def test_every_changed_key_of_a_file_is_refused():
    count = 0
    for text, release in PUBLISHED_YAML.values():
        lines = text.splitlines()
        for place, line in enumerate(lines):
            key = re.match(r"[ -]*([\w.,/-]+):", line)
            if not key or not is_keyword(key[1]) or "header" in text.splitlines()[place]:
                continue
            if place < 6 and text is published.LEAF_YAML:
                continue  # the header
            count += 1
            mutant = [*lines[:place], line.replace(key[1], f"{key[1]}x", 1), *lines[place + 1 :]]
            assert problems_yaml("\n".join(mutant), release), line
    assert count > 100


# Values


@pytest.mark.parametrize(
    ("line", "takes", "value"),
    [
        ("interface swp1 link mtu", "552-9216", "9217"),
        ("interface swp1 link mtu", "552-9216", "551"),
        ("interface swp1 link mtu", "552-9216", "09216"),
        ("qos pfc P cable-length", "1-100000", "0"),
        ("qos pfc P tx", "enable|disable", "on"),
        ("qos mapping default-global dscp 26 switch-priority", "0-7", "8"),
        ("qos congestion-control P traffic-class 3 probability", "0-100", "101"),
        ("qos traffic-pool P memory-percent", "1-100", "0"),
        ("qos pfc-watchdog polling-interval", "100-5000", "50"),
        ("qos pfc-watchdog robustness", "1-1000", "0"),
        ("qos egress-scheduler P traffic-class 3 mode", "dwrr|strict", "wrr"),
        ("mlag mac-address", "auto|<mac>", "44:38:39:be:ef"),
        ("mlag priority", "0-65535", "65536"),
        ("interface bond1 bond mode", "lacp|static", "802.3ad"),
        ("router bgp autonomous-system", "1-4294967295|none|leaf|spine", "4294967296"),
        ("router bgp router-id", "none|<ipv4>", "10.0.0"),
        ("vrf default router bgp timers hold", "3-65535|none", "2"),
        ("vrf default router bgp neighbor swp1 bfd detect-multiplier", "2-255", "1"),
        ("vrf default router bgp neighbor swp1 bfd min-rx-interval", "50-60000", "10"),
        ("vrf default router bgp address-family ipv4-unicast multipaths ebgp", "1-128", "129"),
        ("system forwarding hash-seed", "0-4294967295", "4294967296"),
        ("system hostname", "<hostname>", "leaf_01"),
        ("service lldp tx-interval", "10-300", "5"),
        ("system gnmi-server port", "<tcp-port>", "70000"),
    ],
)  # fmt: skip
def test_values_out_of_range_are_refused(line, takes, value):
    assert whys(f"nv set {line} {value}") == [f"`{line}` takes {takes}, not `{value}`"]


@pytest.mark.parametrize(
    "line",
    [
        "interface swp0 link mtu 9216",
        "interface swp1s8 link mtu 9216",
        "interface swp3-1 link mtu 9216",
        "interface swp1,,swp2 link mtu 9216",
        "interface averyveryverylongname link mtu 9216",
        "interface bond1 qos pfc-watchdog state enable",
        "interface swp1.100 router adaptive-routing enable on",
        "interface lo ip address 10.0.0.256/32",
        "interface lo ip address 10.0.0.1",
        "interface lo ip address 10.0.0.1/33",
        "bridge domain br_default vlan 4095",
        "bridge domain br_default vlan 10,10",
        "bridge domain br_default vlan 20-10",
        "qos pfc P switch-priority 8",
        "qos mapping P dscp 64 switch-priority 0",
        "qos egress-queue-mapping OTHER switch-priority 3 traffic-class 3",
        "vrf default router bgp address-family ipv4-unicast network 10.0.0.1/24",
        "vrf default router bgp address-family ipv6-unicast network 10.0.0.0/24",
        "vrf averyveryverylongname router bgp router-id 10.0.0.1",
        "router policy prefix-list P rule 0 action permit",
        "router policy route-map R rule 10 set community 65536:1",
        "router policy route-map R rule 10 set large-community 1:2",
        "acl A rule 10 match ip tcp dest-port 70000",
        "system message pre-login ''",
        "interface swp\u0661 link mtu 9216",
        "interface swp1 link mtu \u0669\u0662\u0661\u0666",
    ],
)
def test_keys_and_names_out_of_range_are_refused(line):
    assert len(whys(f"nv set {line}")) == 1


# Secrets


@pytest.mark.parametrize(
    "line",
    [
        "system aaa tacacs server 192.0.2.8 secret {}",
        "vrf default router bgp peer-group G password {}",
        "system aaa user admin hashed-password {}",
        "system snmp-server username U auth-sha {}",
        "system snmp-server username U auth-sha <<secret:a>> encrypt-aes {}",
        "system snmp-server readonly-community {} access any",
    ],
)
def test_secrets_stand_by_reference_or_as_hashes(line):
    for secret in ("<<secret:TACACS_key-1>>", "$6$salt$Hash.of/it", "$nvsec$0123456789abcdef"):
        assert whys(f"nv set {line.format(secret)}") == []
    for clear in ("Sup3rSecret", "<<secret:>>", "<<secret:a b>>", "<secret:a>", "<<secret:a>>x"):
        found = problems_set(f"nv set {line.format(repr(clear))}", "5.14")
        assert len(found) == 1
        assert "Sup3rSecret" not in f"{found[0].text} {found[0].why}"


def test_a_reference_to_a_secret_stands_nowhere_else():
    assert whys("nv set interface swp1 description <<secret:a>>")
    assert whys("nv set system hostname <<secret:a>>")
    assert whys("nv set interface swp1 description 'x <<secret:a>>'")


# Between lines


def between(*lines: str, release: str = "5.14") -> list[tuple[int, str]]:
    text = "\n".join(f"nv set {one}" for one in lines)
    return [(one.line, one.why) for one in problems_set(text, release)]


@pytest.mark.parametrize(
    ("lines", "line", "why"),
    [
        (("interface swp1 qos pfc profile P",), 1, "qos pfc profile `P` is defined nowhere"),
        (
            ("interface swp1 qos mapping profile P", "qos pfc P cable-length 5"),
            1,
            "qos mapping profile `P` is defined nowhere",
        ),
        (
            ("vrf default router bgp neighbor swp1 peer-group G",),
            1,
            "peer-group `G` is defined nowhere in vrf default",
        ),
        (
            (
                "vrf RED router bgp peer-group G remote-as external",
                "vrf default router bgp neighbor swp1 peer-group G",
            ),
            2,
            "peer-group `G` is defined nowhere in vrf default",
        ),
        (
            ("vrf default router bgp address-family ipv4-unicast network 10.0.0.0/8 route-map R",),
            1,
            "route-map `R` is defined nowhere",
        ),
        (
            ("router policy route-map R rule 1 match ip-prefix-list L",),
            1,
            "prefix-list `L` is defined nowhere",
        ),
        (
            ("router policy route-map R rule 1 match community-list L",),
            1,
            "community-list `L` is defined nowhere",
        ),
        (("interface swp1 ip vrf RED",), 1, "VRF `RED` is defined nowhere"),
        (("interface swp1 acl A inbound",), 1, "acl `A` is defined nowhere"),
        (
            ("interface bond1 bond member swp1-2", "interface bond2 bond member swp2-3"),
            2,
            "`swp2` is a member of `bond1` already",
        ),
        (
            ("interface swp1-2 qos pfc-watchdog state enable",
             "interface swp1 qos pfc profile P", "qos pfc P switch-priority 3"),
            1,
            "pfc-watchdog on `swp2`, which has no PFC",
        ),
        (
            ("qos roce mode lossy", "interface swp1 qos pfc-watchdog state enable"),
            2,
            "pfc-watchdog on `swp1`, which has no PFC",
        ),
        (
            ("qos traffic-pool A memory-percent 60", "qos traffic-pool B memory-percent 41"),
            2,
            "the traffic pools add up to 101 percent, more than 100",
        ),
        (
            ("qos egress-scheduler P traffic-class 0,1 bw-percent 30",
             "qos egress-scheduler P traffic-class 3 bw-percent 50"),
            2,
            "the bw-percent of egress-scheduler `P` adds up to 110, not 100",
        ),
        (
            ("qos congestion-control P traffic-class 3 min-threshold 2000",
             "qos congestion-control P traffic-class 3 max-threshold 1000"),
            1,
            "min-threshold 2000 is not below max-threshold 1000",
        ),
        (
            ("router policy prefix-list L rule 1 match 10.0.0.0/16 max-prefix-len 8",),
            1,
            "max-prefix-len 8 is not within 16 to 32",
        ),
        (
            ("router policy prefix-list L rule 1 match 10.0.0.0/16 min-prefix-len 30",
             "router policy prefix-list L rule 1 match 10.0.0.0/16 max-prefix-len 24"),
            2,
            "max-prefix-len 24 is not within 30 to 32",
        ),
        (
            ("system hostname A", "system hostname B"),
            2,
            "said already on line 1",
        ),
    ],
)  # fmt: skip
def test_lines_that_do_not_fit_together_are_refused(lines, line, why):
    assert between(*lines) == [(line, why)]


def test_bfd_profiles_are_defined():
    line = "vrf default router bgp neighbor swp1 bfd profile P"
    assert between(line, release="5.15") == [(1, "BFD profile `P` is defined nowhere")]
    assert between(line, "router bfd profile P detect-multiplier 3", release="5.15") == []


def test_what_is_fine_between_lines():
    watchdog = "interface swp1 qos pfc-watchdog state enable"
    assert between(watchdog, "qos roce mode lossless") == []
    assert between(watchdog, "qos pfc default-global switch-priority 3") == []
    assert between("interface swp1 qos pfc-watchdog state disable") == []
    assert between("interface swp1 qos pfc profile default-global") == []
    assert between("interface eth0 ip vrf mgmt", "interface swp1 ip vrf default") == []
    assert between("interface swp1 acl acl-default-dos inbound") == []
    assert between("interface bond1 bond member swp1", "interface bond1 bond member swp2") == []
    assert between("vrf default router bgp neighbor swp1 peer-group none") == []
    over_bond = ("interface bond1 qos pfc profile P", "interface bond1 bond member swp1")
    assert between(watchdog, "qos pfc P switch-priority 3", *over_bond) == []


def test_a_wrong_word_gives_one_problem():
    """A peer group that one wrong line defines is not named again where it is used."""
    lines = (
        "vrf default router bgp peer-group G remoteas external",
        "vrf default router bgp neighbor swp1 peer-group G",
    )
    assert [line for line, _ in between(*lines)] == [1]


# The shape of files


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("", 1, "one YAML document is wanted, here are 0"),
        ("[]", 1, "startup.yaml is a list"),
        ("set: {}", 1, "startup.yaml is a list"),
        ("- set: {}", 1, "there is nothing under `- set`"),
        ("- unset: {qos: {}}", 1, "an entry is `header` (the first) or `set`, nothing else"),
        ("- set: {system: {hostname: A}}\n- header: {model: x}", 2, "an entry is `header`"),
        ("- set: [1]", 1, "`set` holds a tree of objects"),
        ("- set:\n    system: {hostname: A}\n    system: {hostname: B}", 3, "said twice"),
        ("- set:\n    mlag: &a {priority: 1}", 2, "anchors and aliases"),
        ("- set:\n    mlag: *a", 2, "anchors and aliases"),
        ("- set:\n    system: !!map {hostname: A}", 2, "a tag (!)"),
        ("- set:\n    mlag: {enable: true}", 2, "`mlag enable` takes on|off, not `true`"),
        ("- set:\n    mlag: {enable: yes}", 2, "`mlag enable` takes on|off, not `yes`"),
        ("- set:\n    mlag:\n      enable:", 3, "nothing stands here"),
        ("- set:\n    mlag: [a]", 2, "a list stands here"),
        ("- set:\n    ? {a: b}\n    : c", 2, "a key must be one word"),
        ("- set:\n    mlag: {priority: {1: {}}}", 2, "takes one value, and `1` stands here as an"),
        ("- set:\n    mlag: {backup: 10.0.0.1}", 2, "takes objects (`10.0.0.1`: {})"),
        ("- set:\n    mlag: {}", 2, "`mlag` ends too soon"),
        ("- set:\n    interface: {swp1: {link: {state: up}}}", 2, "takes objects (`up`: {})"),
        ("- header: {version: 5.13.0}\n- set: {mlag: {enable: on}}", 1, "release 5.13"),
        ("- header: {color: red}\n- set: {mlag: {enable: on}}", 1, "a header says"),
        ("- set:\n  a: {b\n", 3, "no YAML"),
        ("- set: {mlag: {enable: on}}\n---\n- set: {mlag: {enable: on}}", 1, "one YAML document"),
        ("- set: {system: {hostname: \"\x00\"}}", 1, "no YAML"),
    ],
)  # fmt: skip
def test_files_of_another_shape_are_refused(text, line, why):
    found = problems_yaml(text, "5.14")
    assert [(one.line, why in one.why) for one in found] == [(line, True)], found


def test_on_and_off_stay_words():
    """`on` is taken bare or quoted; what YAML 1.1 would make of it is not."""
    for word in ("on", "off", "'on'", '"off"'):
        assert problems_yaml(f"- set:\n    mlag:\n      enable: {word}\n", "5.14") == ()
    text = yaml.safe_dump([{"set": {"mlag": {"enable": True}}}])
    assert problems_yaml(text, "5.14")


def test_files_are_judged_between_lines_too():
    text = "- set:\n    interface:\n      swp1:\n        qos:\n          pfc: {profile: P}\n"
    (problem,) = problems_yaml(text, "5.14")
    assert (problem.line, problem.why) == (5, "qos pfc profile `P` is defined nowhere")
    assert problem.text == "interface swp1 qos pfc profile P"


def test_deep_files_are_refused():
    for text in (
        "[" * 5000,
        "{a: " * 5000,
        "- " * 5000,
        "a:\n" + "".join(" " * n + "b:\n" for n in range(1, 300)),
    ):
        assert problems_yaml(text, "5.14")


# Lines of the shell


@pytest.mark.parametrize(
    "line",
    [
        "nv set system hostname A; reboot",
        "nv set system hostname $(reboot)",
        "nv set system hostname A && nv config apply",
        "nv set interface swp1 description 'open",
        "nv set interface swp1 description a|b",
    ],
)
def test_what_a_shell_would_take_for_itself_is_refused(line):
    assert len(problems_set(line, "5.14")) == 1


def test_quoted_text_is_one_value():
    assert whys("nv set interface swp1 description 'to NODE-1; rail 3 (mlx5_0) <up>'") == []
    assert whys('nv set interface swp1 description "it\'s port é 1"') == []
    assert whys(f"nv set interface swp1 description '{'x' * 255}'") == []
    assert len(whys(f"nv set interface swp1 description '{'x' * 256}'")) == 1
    assert len(whys("nv set interface swp1 description two words")) == 1


def test_a_banner_runs_over_lines():
    text = "nv set system message pre-login '# Authorised\n# people only'\nnv set mlag priority 1x"
    (problem,) = problems_set(text, "5.14")
    assert (problem.line, problem.why) == (3, "`mlag priority` takes 0-65535, not `1x`")
    text = "nv set system message pre-login 'open\nnv set mlag priority 1"
    (problem,) = problems_set(text, "5.14")
    assert (problem.line, problem.why) == (1, "the quotes of this line do not close")
    assert len(problems_set("nv set interface swp1 description 'two\nlines'", "5.14")) == 1


# Never a stack trace


WORDS = st.sampled_from(
    sorted({token for path in paths() for token in path.tokens if not token.startswith("<")})
)
LINES = st.lists(
    st.lists(st.one_of(WORDS, st.text(max_size=8)), max_size=9).map(
        lambda words: "nv set " + " ".join(words)
    ),
    max_size=5,
).map("\n".join)
TREES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=8), WORDS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(WORDS, st.text(max_size=6)), inner, max_size=4),
    ),
    max_leaves=20,
)


@settings(max_examples=examples(30, full=150), deadline=None)
@given(text=st.one_of(st.text(), LINES), release=st.sampled_from(RELEASES))
def test_any_text_is_judged(text, release):
    for judge in (problems_set, problems_yaml):
        found = judge(text, release)
        assert list(found) == sorted(found, key=lambda one: (one.line, one.text, one.why))


@settings(max_examples=examples(30, full=150), deadline=None)
@given(tree=TREES, release=st.sampled_from(RELEASES))
def test_any_tree_is_judged(tree, release):
    problems_yaml(yaml.safe_dump([{"set": tree}]), release)


@settings(max_examples=examples(20, full=100), deadline=None)
@given(text=st.text(alphabet="-:{}[]&*!|>'\"%@`,?# \n\tasetx0", max_size=60))
def test_anything_that_looks_like_yaml_is_judged(text):
    assert problems_yaml(text, "5.14")


# The grammar as data


def test_every_path_has_a_page_and_a_release():
    for path in paths():
        assert path.page.startswith("content/")
        assert path.page.endswith(".md")
    unused = [path for path in paths() if not path.releases]
    assert unused == []


def test_no_path_is_written_twice():
    seen: dict[tuple[object, ...], str] = {}
    for path in paths():
        for release in path.releases:
            key = (path.tokens, path.ends, release)
            assert key not in seen, (path, seen.get(key))
            seen[key] = path.page


def test_the_grammar_covers_what_is_rendered():
    heads = {path.tokens[0] for path in paths()}
    assert heads == {
        "acl",
        "bridge",
        "interface",
        "mlag",
        "qos",
        "router",
        "service",
        "system",
        "vrf",
    }
    assert len(MODULES) == 6
    assert len(paths()) > 900


@pytest.mark.parametrize("mark", ["5.15", "5.99-", "-4.4", "x-y"])
def test_marks_that_are_none_are_errors(mark):
    with pytest.raises(ValueError, match=r"not a range|not in tuple|tuple.index"):
        releases_of(mark)


def large_switch(ports: range) -> str:
    """Seven lines for each port."""
    lines = ["nv set qos pfc P switch-priority 3", "nv set vrf default router bgp peer-group G"]
    for number in ports:
        port = f"swp{number}"
        lines += [
            f"nv set interface {port} description 'NODE-{number} mlx5_0'",
            f"nv set interface {port} link mtu 9216",
            f"nv set interface {port} link speed 400G",
            f"nv set interface {port} ip address 10.{number // 256}.{number % 256}.0/31",
            f"nv set interface {port} qos pfc profile P",
            f"nv set interface {port} qos pfc-watchdog state enable",
            f"nv set vrf default router bgp neighbor {port} peer-group G",
        ]
    return "\n".join(lines)


def calls_of(text: str) -> int:
    """Calls of Python functions that judging it takes where nothing but the grammar is known yet.

    What other tests of the same process asked before is forgotten: they may ask the same words.
    """
    for name, module in sorted(sys.modules.items()):
        if re.match(r"switch_configs\.(\w+\.)?grammar\.", name):
            for one in [one for one in vars(module).values() if hasattr(one, "cache_clear")]:
                one.cache_clear()
    problems_set(large_switch(range(1)), "5.14")
    profile = cProfile.Profile()
    assert profile.runcall(problems_set, text, "5.14") == ()
    return sum(one.callcount for one in profile.getstats())


def test_what_judging_costs_grows_with_the_lines():
    """With 256 ports no more for a line than with 64, and not much."""
    few, many = calls_of(large_switch(range(1, 65))), calls_of(large_switch(range(65, 321)))
    assert many < 4.4 * few
    assert many < 400 * 7 * 256


@pytest.mark.parametrize(
    ("words", "value", "release", "wrong"),
    [
        ("system aaa authentication order", "[tacacs, local]", "5.15", ""),
        ("system aaa authentication order", "[local]", "5.16", ""),
        ("system aaa authentication order", "local", "5.16", "a list of words must stand here"),
        ("system aaa authentication order", "[]", "5.16", "a list of words must stand here"),
        ("system aaa authentication order", "[local, local]", "5.16", "takes <logins>"),
        ("system aaa authentication order", "[[local]]", "5.16", "a list of words must stand here"),
        ("interface vlan10 ip vrr state", "up", "5.14", "takes objects (`up`: {})"),
        ("interface vlan10 ip vrr state", "{up: {}}", "5.14", ""),
        ("system aaa authentication-order 1", "tacacs", "5.14", "takes objects"),
        ("system aaa authentication-order 1", "{tacacs: {}}", "5.14", ""),
        ("interface swp1 link mtu", "[9216]", "5.16", "a list stands here"),
        ("interface swp1 qos pfc-watchdog state", "enabled", "5.16", "takes enable|disable"),
        ("qos roce cable-length", "10", "5.14", "takes "),
        ("system snmp-server viewname v included", ".1.3.6", "5.14", ""),
        ("vrf default router static 0.0.0.0/0 via 10.0.0.1 interface", "swp1", "5.11", ""),
        ("vrf default router static 0.0.0.0/0 via 10.0.0.1 interface", "{swp1: {}}", "5.12", ""),
    ],
)
def test_shapes_are_those_of_the_openapi_document(words, value, release, wrong):
    """SOURCE: NVIDIA's OpenAPI documents of NVUE, 5.9 to 5.16 (docs.nvidia.com, "NVUE API")."""
    path = words.split()
    text = "- set:\n" + "".join(
        f"{'    ' * (depth + 1)}{word}:\n" for depth, word in enumerate(path[:-1])
    )
    text += f"{'    ' * len(path)}{path[-1]}: {value}\n"
    found = [one.why for one in problems_yaml(text, release)]
    assert bool(found) == bool(wrong), found
    assert all(wrong in why for why in found), found
