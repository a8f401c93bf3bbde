"""Which lines that nobody planned may be written whole: none in which a canary stands."""

from __future__ import annotations

import pytest

from switch_configs.shown.foreign import Chain, below
from switch_configs.shown.writable import known_words, may_hold_secret

FOREIGN = "Her1ng-44"
PLAIN = "swordfish"  # no shape tells it from any other word
PLANNED = known_words(["interface swp1s0\n  description to node-p1-1:enp24s0np0\n"])

# Forms of the vendors' command references, each with a secret in its place.
SECRETS = (
    f"snmp-server host 192.0.2.1 version 2c {PLAIN}",
    f"snmp-server community {PLAIN} ro",
    f"tacacs-server host 192.0.2.1 key 7 {PLAIN}",
    f"radius-server host 192.0.2.1 key {PLAIN}",
    f"username eve secret 0 {PLAIN}",
    f"enable password {PLAIN}",
    f"router bgp 65001\n   neighbor 192.0.2.1 password {PLAIN}",
    f"interface Ethernet1\n   ip ospf message-digest-key 1 md5 {PLAIN}",
    f"interface Ethernet1\n   isis authentication {PLAIN}",
    f"key chain x\n   key 1\n      key-string {PLAIN}",
    f"ntp authentication-key 1 md5 {PLAIN}",
    f"event-handler x\n   action bash curl {PLAIN}",
    f"daemon x\n   exec /usr/bin/x --with {PLAIN}",
    f"alias x bash {PLAIN}",
    f"logging host https://me:{PLAIN}@192.0.2.1",
    f"crypto pki import {PLAIN}",
    "<<secret:tacacs_key>>",
    f"description {FOREIGN}",
    "description 094f471a1a0a",
    "banner $6$aB3dE5fG$Zx9cV8bN7mQ",
    "description TG9yZW0gaXBzdW0gZG9sb3I5",
)
OTHERS = (
    "ip host printer 192.0.2.10",
    "ip community-list standard LATER permit 65000:7",
    "route-map x permit 10\n   set community 65000:7 additive",
    "interface Ethernet17/1\n   logging event link-status",
    "interface swp2s1\n   description to node-p1-7:enp154s0np0",
    "ipv6 route 2001:db8::/32 2001:db8:1::a1b2",
    "interface Ethernet1\n   speed 100gbase-cr4",
    "mac address 02:1a:2b:3c:4d:5e",
)


def last(text: str) -> Chain:
    return list(below(text))[-1]


@pytest.mark.parametrize("text", SECRETS)
def test_what_may_hold_a_secret_is_not_written(text):
    assert may_hold_secret(last(text), PLANNED)


@pytest.mark.parametrize("text", OTHERS)
def test_what_says_nothing_of_the_kind_may_be(text):
    assert not may_hold_secret(last(text), PLANNED)


def test_values_of_trees_are_words_too():
    assert may_hold_secret(("TACPLUS", "global", "passkey", '"x"'), frozenset())
    assert may_hold_secret(("MADE_UP", "row", "remark", f'"{FOREIGN}"'), frozenset())
    assert may_hold_secret(("system", "snmp-server", "x", '"y"'), frozenset())
    assert not may_hold_secret(
        ("STATIC_ROUTE", "192.0.2.0/24", "nexthop", '"10.0.0.9"'), frozenset()
    )
