"""The form of the grammars themselves, and what they do with values at their bounds."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from switch_configs.eos.grammar.words import WORDS as EOS
from switch_configs.grammar import problems
from switch_configs.grammar.commands import HEAD, parse
from switch_configs.grammar.words import KINDS, Word
from switch_configs.grammar.words import word as shared
from switch_configs.nxos.grammar.words import WORDS as NXOS

FOLDER = Path(problems.__code__.co_filename).parents[1]
OWN = EOS | NXOS
GRAMMARS = {"eos": 3, "nxos": 2}


def text_of(dialect: str) -> str:
    return (FOLDER / dialect / "grammar" / f"{dialect}.grammar").read_text(encoding="utf-8")


def word(kind: str) -> Word:
    return OWN[kind] if kind in OWN else shared(kind)


@pytest.mark.parametrize("dialect", GRAMMARS)
def test_every_command_has_a_source(dialect):
    """In each context the first line says whence its commands are."""
    lines = [line for line in text_of(dialect).splitlines() if line and line[0] != "#"]
    for before, line in pairwise(lines):
        if HEAD.fullmatch(before):
            assert line.startswith("= "), before


@pytest.mark.parametrize("dialect", GRAMMARS)
def test_no_command_stands_twice_in_a_context(dialect):
    context, seen = "", set()
    for line in text_of(dialect).splitlines():
        if head := HEAD.fullmatch(line):
            context = head[1]
        elif line and line[0] not in "#=":
            assert (context, line) not in seen, line
            seen.add((context, line))


@pytest.mark.parametrize("dialect", GRAMMARS)
def test_every_context_can_be_reached(dialect):
    text = text_of(dialect)
    names = {head[1] for head in map(HEAD.fullmatch, text.splitlines()) if head}
    included = {
        name for head in map(HEAD.fullmatch, text.splitlines()) if head
        for name in (head[2] or "").split()
    }  # fmt: skip
    opened = set(re.findall(r"-> (\S+)", text))
    assert names == included | opened | {"root"}


@pytest.mark.parametrize(
    "line", ["mtu <68-", "mtu <nothing>", "a [b", "a (b", "a b)", "a | b", "a -> nowhere"]
)
def test_a_grammar_that_is_wrong_is_refused(line):
    with pytest.raises((ValueError, KeyError)):
        parse(f"[root]\n{line}\n", 2)


@pytest.mark.parametrize(
    ("kind", "fits", "fails"),
    [
        ("68-9214", ["68", "9214"], ["67", "9215", "068", "+68", "68.0", "", "٦٨"]),
        ("0.01-60", ["0.01", "60", "0.20", "60.0"], ["0.001", "60.01", "0", ".5", "1e1", "-1"]),
        ("name40", ["A" * 40, "4x", "RM-OUT_1.2/3"], ["A" * 41, "-A", "a b", "é", '"A"', "<A>"]),
        ("ipv4", ["0.0.0.0", "10.255.1.1"], ["10.0.0", "10.0.0.256", "010.0.0.1", "::1"]),
        ("ipv4/len", ["10.0.0.1/31"], ["10.0.0.1", "10.0.0.1/33", "10.0.0.1/255.0.0.0"]),
        ("net4", ["10.0.0.0/8", "0.0.0.0/0"], ["10.0.0.1/8", "10.0.0.0"]),
        ("vlans", ["1", "4094", "1,3-5", "2-4094"], ["0", "4095", "5-3", "1,", "1--2", "1-2-3"]),
        ("dscps", ["0", "63", "24-31,46"], ["64", "0-64", "cs3"]),
        ("dscp", ["0", "63", "cs1", "af41", "ef"], ["64", "cs8", "af44", "EF"]),
        ("community", ["0:0", "65535:65535"], ["65536:1", "1:65536", "1", "1:1:1", ":"]),
        ("secret", ["<<secret:a-B_9>>", '"<<secret:a>>"'], ["<secret:a>", "<<secret:>>", "a"]),
        ("server", ["192.0.2.1", "2001:db8::1", "ntp.example"], ["10.0.0.300", "1.2", "prefer"]),
        ("eos-any", ["Ethernet1", "Ethernet1/1/4.4094", "Vlan4094", "Management1"],
         ["Et1", "ethernet1", "Ethernet0", "Vlan4095", "Ethernet1.4095", "Loopback2001"]),
        ("nxos-any", ["Ethernet1/1", "Ethernet1/1/4", "port-channel4096", "mgmt0", "loopback0"],
         ["Ethernet1", "ethernet1/1", "Eth1/1", "port-channel4097", "mgmt1", "loopback1024"]),
    ],
)  # fmt: skip
def test_words_at_their_bounds(kind, fits, fails):
    assert [text for text in fits if not word(kind).fits(text)] == []
    assert [text for text in fails if word(kind).fits(text)] == []


def test_no_kind_of_word_but_one_takes_a_secret():
    takers = {
        name for name, kind in (KINDS | OWN).items()
        if kind.fits("<<secret:key>>") and not kind.rest
    }  # fmt: skip
    assert takers == {"secret"}


def big_eos(ports: int) -> str:
    head = "qos profile ROCE\n   qos trust dscp\n" + "".join(
        f"   priority-flow-control priority {priority} no-drop\n" for priority in (3, 4)
    )
    return f"{head}qos map dscp 0 63 to traffic-class 0\n" + "".join(
        f"interface Ethernet{port}/1\n   description {'d' * 255}\n   mtu 9214\n   no switchport\n"
        f"   ip address 10.{port // 128}.{port % 128}.0/31\n   service-profile ROCE\n"
        for port in range(1, ports + 1)
    )


def big_nxos(ports: int) -> str:
    head = (
        "feature bgp\nclass-map type qos match-any CM\n  match dscp 0\n  match dscp 63\n"
        "policy-map type qos PM\n  class CM\n    set qos-group 3\n"
        "policy-map type network-qos NQ\n  class type network-qos c-8q-nq3\n    pause pfc-cos 3\n"
        "  class type network-qos c-8q-nq4\n    pause pfc-cos 4\nrouter bgp 4294967295\n"
    )
    return head + "".join(
        f"interface Ethernet1/{port}\n  description {'d' * 254}\n  no switchport\n  mtu 9216\n"
        f"  service-policy type qos input PM\n  ip address 10.{port // 128}.{port % 128}.0/31\n"
        for port in range(1, ports + 1)
    )


@pytest.mark.parametrize(("dialect", "text"), [("eos", big_eos(256)), ("nxos", big_nxos(256))])
def test_a_switch_of_256_ports_with_values_at_their_bounds(dialect, text):
    assert problems(dialect, text) == ()


def test_two_lossless_priorities_and_every_dscp_in_one_map():
    every = " ".join(str(number) for number in range(64))
    assert problems("eos", f"qos map dscp {every} to traffic-class 0\n") == ()
