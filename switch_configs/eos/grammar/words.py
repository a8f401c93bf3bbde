"""Kinds of words that only Arista EOS has, for its grammar."""

from __future__ import annotations

from switch_configs.grammar.words import (
    SUBINTERFACE,
    VLAN_NUMBER,
    WELL_KNOWN,
    Word,
    community,
    matches,
)

PORT = r"[1-9]\d{0,2}(/[1-9]\d?){0,2}"
LOOPBACK = r"Loopback(\d{1,3}|1\d{3}|2000)"
CHANNEL = r"Port-Channel([1-9]\d{0,2}|1\d{3}|2000)"
DATA = rf"(Ethernet{PORT}|{CHANNEL})({SUBINTERFACE})?"
ANY = rf"{DATA}|Management\d(/\d)?|Vlan{VLAN_NUMBER}|{LOOPBACK}"

WORDS = {
    "eos-community": Word(
        "community", lambda text: community(text) or text in WELL_KNOWN | {"GSHUT", "local-as"}
    ),
    "eos-ethernet": Word("EOS Ethernet port", matches(rf"Ethernet{PORT}")),
    "eos-channel": Word("Port-Channel1-2000", matches(CHANNEL)),
    "eos-sub": Word("EOS subinterface", matches(rf"(Ethernet{PORT}|{CHANNEL}){SUBINTERFACE}")),
    "eos-loopback": Word("Loopback0-2000", matches(LOOPBACK)),
    "eos-management": Word("Management port", matches(r"Management\d(/\d)?")),
    "eos-any": Word("EOS interface", matches(ANY)),
}
