"""Kinds of words that only Cisco NX-OS has, for its grammar."""

from __future__ import annotations

from switch_configs.grammar.words import (
    SUBINTERFACE,
    VLAN_NUMBER,
    WELL_KNOWN,
    Word,
    community,
    matches,
)

CHANNEL = r"port-channel([1-9]\d{0,2}|[1-3]\d{3}|40[0-8]\d|409[0-6])"
LOOPBACK = r"loopback(\d{1,3}|10[01]\d|102[0-3])"
PORT = r"Ethernet[1-9]\d?/[1-9]\d{0,2}(/[1-9]\d?)?"
DATA = rf"({PORT}|{CHANNEL})({SUBINTERFACE})?"
ANY = rf"{DATA}|Vlan{VLAN_NUMBER}|{LOOPBACK}|mgmt0"

WORDS = {
    "nxos-community": Word(
        "community",
        lambda text: community(text) or text in WELL_KNOWN | {"graceful-shutdown", "local-AS"},
    ),
    "nxos-ethernet": Word("NX-OS Ethernet port", matches(PORT)),
    "nxos-channel": Word("port-channel1-4096", matches(CHANNEL)),
    "nxos-sub": Word("NX-OS subinterface", matches(rf"({PORT}|{CHANNEL}){SUBINTERFACE}")),
    "nxos-loopback": Word("loopback0-1023", matches(LOOPBACK)),
    "nxos-ports": Word(
        "Ethernet ports, parted by commas",
        matches(rf"{PORT}(-{PORT}|-\d+)?( ?, ?{PORT}(-{PORT}|-\d+)?)*"),
        rest=True,
    ),
    "nxos-any": Word("NX-OS interface", matches(ANY)),
}
