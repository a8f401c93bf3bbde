"""Texts that a system takes for the same: said twice, with bits of a host, or by another way."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from switch_configs import dialect, render
from switch_configs.intent import Rendered
from switch_configs.readback.facts import SwitchFacts
from tests.switch_configs.sites import small

TWICE = r"\g<0>\g<0>"
FRR, TC, NFT = "/etc/frr/frr.conf", "/etc/railbed/queues.tc", "/etc/nftables.conf"
EOS, NXOS = "/mnt/flash/startup-config", "/running-config"
SAME = [
    ("linux_frr", FRR, r"(?m)^ match community drained\n", TWICE),
    ("linux_frr", FRR, r"(?m)^ match ip address prefix-list .*\n", TWICE),
    ("linux_frr", FRR, r"(?m)^bgp community-list standard drained .*\n", TWICE),
    ("linux_frr", FRR, r"permit 10\.16\.0\.0/17", "permit 10.16.1.0/17"),
    ("linux_frr", FRR, r"(?m)^ address-family ipv4 unicast\n", ""),
    ("linux_frr", TC, r"(?m)^filter .*\n", TWICE),
    ("linux_frr", TC, r"pref 53 handle 1 ", "pref 53 handle 3 "),
    ("linux_frr", NFT, r"(?m)^ *type filter hook .*\n", TWICE),
    ("linux_frr", TC, "pref 53 handle 1 ", "pref 53 handle 0 "),
    ("linux_frr", FRR, r"network 10\.16\.0\.0/17", "network 10.16.1.0/17"),
    ("linux_frr", "/etc/network/interfaces", r"(?m)^ +address .*\n", TWICE),
    ("eos", EOS, r"(?m)^ +transport grpc .*\n", TWICE),
    ("eos", EOS, "service routing protocols model multi-agent\n", ""),
    ("eos", EOS, r"(?m)^ *match community .*\n", TWICE),
    ("eos", EOS, r"(?m)^ip community-list .*\n", TWICE),
    ("eos", EOS, r"permit 10\.16\.0\.0/17", "permit 10.16.1.0/17"),
    ("eos", EOS, r"(?m)^tacacs-server host .*\n", TWICE),
    ("eos", EOS, r"(?m)^ntp server .*\n", TWICE),
    ("nxos", NXOS, r"(?m)^ *match community .*\n", TWICE),
    ("nxos", NXOS, r"(?m)^ip community-list .*\n", TWICE),
    ("nxos", NXOS, r"permit 10\.16\.0\.0/17", "permit 10.16.1.0/17"),
    ("nxos", NXOS, r"(?m)^  server .*\n", TWICE),
]


def read(
    system: str, path: str = "", pattern: str = "", other: str = "", device: str = "leaf-p1-r0"
) -> SwitchFacts:
    """A leaf as it is read back, each line of a file that the pattern finds replaced."""
    made = render(small(system), device)
    files = tuple(
        replace(one, text=re.sub(pattern, other, one.text)) if one.path == path else one
        for one in made.files
    )
    assert (files != made.files) == bool(path), "nothing to replace"
    return dialect(system).readback(Rendered(made.device, made.dialect, files))


@pytest.mark.parametrize(("system", "path", "pattern", "other"), SAME)
def test_it_is_read_as_the_same(system: str, path: str, pattern: str, other: str) -> None:
    plain, again = read(system), read(system, path, pattern, other)
    assert replace(again, unread=()) == plain
    # What a system refuses where it stands is still a line that is not understood.
    assert len(again.unread) <= ("address-family" in pattern)


REFUSED = [
    ("linux_frr", FRR, " neighbor swpx bfd\n address-family", "swpx is no neighbour"),
    ("eos", EOS, "   neighbor upx bfd\n   address-family", "upx is no neighbour"),
]


@pytest.mark.parametrize(("system", "path", "line", "said"), REFUSED)
def test_settings_of_nobody_are_no_session(system: str, path: str, line: str, said: str) -> None:
    found = read(system, path, r"(?m)^ +address-family(?= ipv4)", line)
    assert found.sessions == read(system).sessions
    assert any(said in one for one in found.hazards)


def test_a_name_that_json_has_twice_is_said() -> None:
    plain = read("sonic")
    line = r'(?m)^ *"bgp_asn": .*\n'
    found = read("sonic", "/etc/sonic/config_db.json", line, TWICE)
    assert set(found.hazards) - set(plain.hazards) == {
        "config_db.json: the name bgp_asn is there twice, and the last counts"
    }
    assert replace(found, hazards=()) == replace(plain, hazards=())


# Only the first that a pattern finds: what comes after it stays as it is.
REST = r"([\s\S]*)"
PORTS = "/etc/network/interfaces"
BUSINESS, STORAGE = "business-leaf-b1-1", "storage-leaf-b1-1"
WRONG = [
    ("leaf-p1-r0", TC, r"(?m)^(qdisc .* root .*\n)(qdisc .* parent .*\n)", r"\2\1", "are bands"),
    ("leaf-p1-r0", TC, rf"burst 20000000{REST}", r"burst 20000001\1", "than on other ports"),
    ("leaf-p1-r0", NFT, "chain forward", "chain drop", ""),
    ("leaf-p1-r0", TC, rf"mtu 9238{REST}", r"mtu 9237\1", "has another `mtu`"),
    (BUSINESS, NXOS, rf"  switchport\n{REST}", r"\1", "not `switchport` as other ports have"),
    (STORAGE, EOS, "model multi-agent", "model ribd", "routing is not multi-agent"),
    (BUSINESS, PORTS, rf"bridge-pvid 300{REST}", r"bridge-pvid 601\1", "VLAN 601 of bond"),
    (BUSINESS, PORTS, "bridge-vids 301", "bridge-vids 300", "names a VLAN twice"),
    (STORAGE, EOS, rf"   trunk group MLAG\n{REST}", r"\1", "trunk group MLAG has no VLAN"),
    (STORAGE, EOS, "   domain-id 1\n", "", "no domain-id"),
    (STORAGE, EOS, r" +ip address 172\..*\n", "", "a way out, and no address"),
]


@pytest.mark.parametrize(("device", "path", "pattern", "other", "said"), WRONG)
def test_what_does_nothing_or_is_refused_is_seen(
    device: str, path: str, pattern: str, other: str, said: str
) -> None:
    system = {EOS: "eos", NXOS: "nxos"}.get(path, "linux_frr")
    found = read(system, path, pattern, other, device)
    assert any(said in one for one in (*found.hazards, *map(str, found.unread)))
    assert found != read(system, device=device)
