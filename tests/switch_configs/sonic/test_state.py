"""Secrets that SONiC can hold beside ours.

Tables: sonic-buildimage, src/sonic-yang-models; FRR: its User Guide, by daemon.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from switch_configs import DialectError, dialect
from switch_configs.intent import Rendered
from tests.switch_configs.intents import base
from tests.switch_configs.shells import CANARY, SHOWN, answer, decoded, masked

SONIC = dialect("sonic")
LEAF = "leaf-p1-r0"
TABLES: dict[str, dict[str, Any]] = {
    "BGP_ALLOWED_PREFIXES": {"DEPLOYMENT_ID|0|1": {"community": "65000:1"}},
    "BGP_NEIGHBOR": {"default|192.0.2.1": {"auth_password": "%s", "keepalive": "3"}},
    "BGP_PEER_GROUP": {"default|p": {"auth_password": "%s"}},
    "COMMUNITY_SET": {"marked": {"community_member": ["65000:1"], "set_type": "STANDARD"}},
    "LDAP": {"global": {"bind_dn": "cn=x", "bind_password": "%s"}},
    "MACSEC_PROFILE": {"links": {"fallback_cak": "%s", "primary_cak": "%s", "primary_ckn": "6162"}},
    "NTP_KEY": {"1": {"trusted": "yes", "type": "sha1", "value": "%s"}},
    "OSPFV2_INTERFACE": {"Ethernet0": {"authentication-key": "%s", "authentication-md5-key": "%s"}},
    "PASSW_HARDENING": {"POLICIES": {"reject_user_passw_match": "true"}},
    "PORTCHANNEL": {"PortChannel60": {"lacp_key": "auto"}},
    "RADIUS": {"global": {"auth_type": "pap", "passkey": "%s"}},
    "RADIUS_SERVER": {"192.0.2.9": {"auth_port": "1812", "passkey": "%s"}},
    "SNMP_COMMUNITY": {"%s1": {"TYPE": "RO"}, "%s2": {"TYPE": "RW"}},
    "SNMP_TRAP_CONFIG": {"v2TrapDest": {"Community": "%s", "DestIp": "192.0.2.9"}},
    "SSH_SERVER": {"POLICIES": {"password_authentication": "true"}},
    "TACPLUS_SERVER": {"192.0.2.9": {"passkey": 'with "%s, a quote', "priority": "1"}},
    "X_USER": {"ops": {"password": "$6$%s", "url": "http://ops:%s@192.0.2.9"}},
    "Y_USER": {
        "ops": {"shaKey": "%s", "aesKey": "%s", "privKey": "%s", "authKey": "%s", "turkey": "yes"},
        "two": {"encryption_key": "%s", "auth": "%s", "url": "http://ops:x@%s@192.0.2.9"},
    },
}
LEFT: dict[str, dict[str, Any]] = {
    "BGP_ALLOWED_PREFIXES": TABLES["BGP_ALLOWED_PREFIXES"],
    "BGP_NEIGHBOR": {"default|192.0.2.1": {"auth_password": "<removed>", "keepalive": "3"}},
    "BGP_PEER_GROUP": {"default|p": {"auth_password": "<removed>"}},
    "COMMUNITY_SET": TABLES["COMMUNITY_SET"],
    "LDAP": {"global": {"bind_dn": "cn=x", "bind_password": "<removed>"}},
    "MACSEC_PROFILE": {
        "links": {"fallback_cak": "<removed>", "primary_cak": "<removed>", "primary_ckn": "6162"}
    },
    "NTP_KEY": {"1": {"trusted": "yes", "type": "sha1", "value": "<removed>"}},
    "OSPFV2_INTERFACE": {
        "Ethernet0": {"authentication-key": "<removed>", "authentication-md5-key": "<removed>"}
    },
    "PASSW_HARDENING": TABLES["PASSW_HARDENING"],
    "PORTCHANNEL": TABLES["PORTCHANNEL"],
    "RADIUS": {"global": {"auth_type": "pap", "passkey": "<removed>"}},
    "RADIUS_SERVER": {"192.0.2.9": {"auth_port": "1812", "passkey": "<removed>"}},
    "SNMP_COMMUNITY": {"<removed-1>": {"TYPE": "RO"}, "<removed-2>": {"TYPE": "RW"}},
    "SNMP_TRAP_CONFIG": {"v2TrapDest": {"Community": "<removed>", "DestIp": "192.0.2.9"}},
    "SSH_SERVER": TABLES["SSH_SERVER"],
    "TACPLUS_SERVER": {"192.0.2.9": {"passkey": "<removed>", "priority": "1"}},
    "X_USER": {"ops": {"password": "<removed>", "url": "http://<removed>@192.0.2.9"}},
    "Y_USER": {
        "ops": {
            **dict.fromkeys(("shaKey", "aesKey", "privKey", "authKey"), "<removed>"),
            "turkey": "yes",
        },
        "two": {
            **dict.fromkeys(("encryption_key", "auth"), "<removed>"),
            "url": "http://<removed>@192.0.2.9",
        },
    },
}
LINES = {
    "password %s": "password <removed>",
    "enable password 8 %s": "enable password 8 <removed>",
    "router bgp 65000\n neighbor 192.0.2.1 password %s with words":
        "router bgp 65000\n neighbor 192.0.2.1 password <removed>",
    "interface Ethernet0\n ip ospf authentication-key %s":
        "interface Ethernet0\n ip ospf authentication-key <removed>",
    "interface Ethernet0\n ip ospf message-digest-key 1 md5 %s":
        "interface Ethernet0\n ip ospf message-digest-key <removed>",
    "interface Ethernet0\n isis password md5 %s": "interface Ethernet0\n isis password <removed>",
    "router isis x\n area-password md5 %s": "router isis x\n area-password <removed>",
    "interface Ethernet0\n ip rip authentication string %s":
        "interface Ethernet0\n ip rip authentication <removed>",
    "key chain k\n key 1\n  key-string %s":
        "key chain k\n key <removed>\n  key-string <removed>",
    "router pim\n msdp peer 192.0.2.1 password %s":
        "router pim\n msdp peer 192.0.2.1 password <removed>",
    "route-map m permit 9\n set community 65000:1 additive":
        "route-map m permit 9\n set community 65000:1 additive",
}  # fmt: skip


def leaf() -> Rendered:
    return SONIC.render(base("sonic", LEAF))


def test_secrets_of_every_kind_go_and_rows_and_lines_stay(tmp_path):
    more = json.dumps(TABLES) + "-- frr\n" + "".join(f"{line}\n" for line in LINES)
    text = masked("sonic", leaf(), more, tmp_path)
    databases = [found for found in objects(text) if "DEVICE_METADATA" in found]
    assert len(databases) == 2, "the file, and what runs"
    for found in databases:
        assert {name: some(found[name], rows) for name, rows in LEFT.items()} == LEFT
    for line, left in LINES.items():
        assert text.count(f"\n{left}\n") == 2, line


def some(table: Any, rows: dict[str, Any]) -> dict[str, Any]:
    """The rows of a table that are named."""
    return {key: table[key] for key in rows}


def objects(text: str) -> list[dict[str, object]]:
    """Every JSON object that begins at the beginning of a line."""
    found = [json.JSONDecoder().raw_decode(part)[0] for part in starts(text)]
    return [one for one in found if isinstance(one, dict)]


def starts(text: str) -> list[str]:
    return ["{\n" + part for part in f"\n{text}".split("\n{\n")[1:]]


@pytest.mark.parametrize(
    "text", ['{"A": {}, "A": {}}', "[]", "{}", "not JSON", '{"NTP_KEY": {"1": "x"}}']
)
def test_a_file_that_cannot_be_masked_is_not_sent(tmp_path, text):
    shown = SHOWN["sonic"](leaf(), "")
    path = "/etc/sonic/config_db.json"
    shown = type(shown)(shown.programs, {**shown.files, path: f"{text} {CANARY}"})
    said = answer(SONIC.state_command(), shown, tmp_path)
    assert CANARY not in decoded(said)
    with pytest.raises(DialectError, match=LEAF):
        SONIC.running(LEAF, said)


def test_a_file_as_rendered_comes_as_rendered(tmp_path):
    """Masked or not, what runs is compared with what its file says."""
    made = leaf()
    said = answer(SONIC.state_command(), SHOWN["sonic"](made, ""), tmp_path)
    held = {one.path: one.text for one in SONIC.running(LEAF, said).files}
    for one in made.files:
        assert held[one.path] == one.text.replace("<<secret:tacacs_key>>", "<removed>").replace(
            "<<secret:snmp_auth>>", "<removed>"
        ).replace("<<secret:snmp_priv>>", "<removed>")


def test_a_secret_that_is_empty_is_still_seen_as_none(tmp_path):
    made = SONIC.render(base("sonic", LEAF))
    more = json.dumps({"TACPLUS": {"global": {"passkey": ""}}})
    said = answer(SONIC.state_command(), SHOWN["sonic"](made, more), tmp_path)
    found = SONIC.readback(SONIC.running(LEAF, said))
    assert "no key for TACACS+ servers" in found.hazards
