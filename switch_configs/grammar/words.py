"""The kinds of words that stand in commands, each with its test.

`word("68-9214")` is a whole number in that range, `word("0.01-60")` a decimal one (of at most two
places, as its lower bound), `word("name40")` a name of at most 40 characters; every other kind
has a row in `KINDS`, or in the `words.py` of its system. A secret stands in rendered text as the
placeholder `<<secret:NAME>>` (bare or in double quotes); no other kind takes that.

SOURCE: ranges stand beside the commands, in the grammars; DSCP names are RFC 2474, 2597, 3246;
port names those that EOS and NX-OS print in access lists.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

Test = Callable[[str], bool]

DSCP_NAMES = frozenset(
    {"default", "ef"}
    | {f"cs{number}" for number in range(1, 8)}
    | {f"af{group}{drop}" for group in range(1, 5) for drop in range(1, 4)}
)
PORT_NAMES = frozenset(
    {
        "bgp", "bootpc", "bootps", "domain", "ftp", "ftp-data", "https", "ntp", "smtp", "snmp",
        "snmptrap", "ssh", "sunrpc", "syslog", "tacacs", "telnet", "tftp", "time", "www",
    }
)  # fmt: skip
HASH_FIELDS = frozenset(
    {"destination-ip", "destination-port", "ingress-interface", "source-ip", "source-port"}
)
MIB_NAMES = frozenset({"internet", "interfaces", "iso", "mib-2", "private", "snmpV2", "system"})
WELL_KNOWN = frozenset({"internet", "no-advertise", "no-export"})
SECRET = r"<<secret:[A-Za-z0-9_-]+>>"
# Where text is pasted to a terminal, what is not printable ASCII reaches the device changed.
TEXT = r"[ -~]+"
NAME = r"[A-Za-z0-9_][A-Za-z0-9_.:/+-]*"
NUMBER_RANGE = re.compile(r"(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)")
LIMITED = re.compile(r"(name|text)(\d+)")


@dataclass(frozen=True, eq=False)
class Word:
    """One kind of word: how it is told, and whether it takes the rest of the line."""

    shown: str
    fits: Test
    rest: bool = False


def matches(pattern: str) -> Test:
    """Whether a word is wholly of this form."""
    compiled = re.compile(pattern)
    return lambda text: compiled.fullmatch(text) is not None


def whole(low: int, high: int) -> Test:
    """Whether a word is a whole number within these bounds, as a device prints it."""

    def fits(text: str) -> bool:
        plain = text.isascii() and text.isdigit() and len(text) <= 20
        return plain and str(int(text)) == text and low <= int(text) <= high

    return fits


def decimal(low: str, high: str) -> Test:
    """Whether a word is a decimal number within these bounds, of no more places than `low` has."""
    form = re.compile(rf"\d{{1,9}}(\.\d{{1,{len(low.partition('.')[2])}}})?")
    return lambda text: (
        form.fullmatch(text) is not None and float(low) <= float(text) <= float(high)
    )


def address(version: int) -> Test:
    """Whether a word is an address of this IP version."""

    def fits(text: str) -> bool:
        try:
            return ipaddress.ip_address(text).version == version
        except ValueError:
            return False

    return fits


def on_network(version: int, *, strict: bool) -> Test:
    """Whether a word is ADDRESS/LENGTH; strict: no host bits, as lists and routes are kept."""

    def fits(text: str) -> bool:
        if re.search(r"/\d{1,3}$", text) is None:
            return False
        try:
            return ipaddress.ip_network(text, strict=strict).version == version
        except ValueError:
            return False

    return fits


def numbers(low: int, high: int) -> Test:
    """Whether a word is a list of numbers and rising ranges, as `1,3-5`."""
    one = whole(low, high)

    def fits(text: str) -> bool:
        for part in text.split(","):
            first, dash, last = part.partition("-")
            if not one(first) or (dash and not (one(last) and int(first) < int(last))):
                return False
        return True

    return fits


def named_or(names: frozenset[str], high: int) -> Test:
    """Whether a word is one of these names or a number up to `high`."""
    number = whole(0, high)
    return lambda text: text in names or number(text)


def community(text: str) -> bool:
    """Whether a word is a standard community, as a pair of 16 bits (RFC 1997)."""
    half = whole(0, 65535)
    first, colon, second = text.partition(":")
    return bool(colon) and half(first) and half(second)


def distinguisher(text: str) -> bool:
    """Whether a word is a route distinguisher: ASN or address, and a number (RFC 4364)."""
    first, colon, second = text.rpartition(":")
    before = whole(1, 4294967295)(first) or address(4)(first)
    return bool(colon) and before and whole(0, 4294967295)(second)


def one_of(names: frozenset[str]) -> Test:
    """Whether a word is one of these."""
    return lambda text: text in names


def rising(low: int, high: int) -> Test:
    """Whether a word is one rising range, as `64512-65534`."""
    several = numbers(low, high)
    return lambda text: "-" in text and "," not in text and several(text)


def mib_subtree(text: str) -> bool:
    """Whether a word is the root of a MIB view: a name of RFC 1155 or numbers."""
    return text in MIB_NAMES or re.fullmatch(r"\.?\d+(\.\d+)*", text) is not None


def over_asns(text: str) -> bool:
    """Whether a word is a regular expression over AS paths, each number of it an ASN."""
    plain = re.fullmatch(r"[0-9_^$.*+?()\[\]|-]+", text) is not None
    return plain and all(whole(0, 4294967295)(number) for number in re.findall(r"[0-9]+", text))


def server(text: str) -> bool:
    """Whether a word is an address or a host name.

    Digits and dots alone are an address; a host name has one of them too, or a keyword that
    follows a dropped name would be read as that name.
    """
    if address(4)(text) or address(6)(text):
        return True
    is_host = KINDS["host"].fits(text) and re.search("[A-Za-z]", text) is not None
    return is_host and re.search(r"[.\d]", text) is not None


SUBINTERFACE = r"\.([1-9]\d{0,2}|[1-3]\d{3}|40[0-8]\d|409[0-4])"
VLAN_NUMBER = r"([1-9]\d{0,2}|[1-3]\d{3}|40[0-8]\d|409[0-4])"
TYPE7 = r'[0-9A-F]{4,}|"[A-Za-z0-9]{4,}"|[A-Za-z0-9+/]{8,}={0,2}'

KINDS: dict[str, Word] = {
    "ipv4": Word("IPv4 address", address(4)),
    "ipv6": Word("IPv6 address", address(6)),
    "ipv4/len": Word("IPv4 address/length", on_network(4, strict=False)),
    "ipv6/len": Word("IPv6 address/length", on_network(6, strict=False)),
    "net4": Word("IPv4 prefix without host bits", on_network(4, strict=True)),
    "net6": Word("IPv6 prefix without host bits", on_network(6, strict=True)),
    "vlans": Word("VLANs of 1-4094", numbers(1, 4094)),
    "ports": Word("front panel ports", numbers(1, 128)),
    "dscps": Word("DSCPs of 0-63", numbers(0, 63)),
    "dscp": Word("DSCP name or 0-63", named_or(DSCP_NAMES, 63)),
    "l4port": Word("port name or 0-65535", named_or(PORT_NAMES, 65535)),
    "community": Word("community N:N", community),
    "rd": Word("ASN:N or IPv4:N", distinguisher),
    "mac": Word("MAC address", matches(r"([0-9a-f]{2}:){5}[0-9a-f]{2}")),
    "mac-dots": Word("MAC address as HHHH.HHHH.HHHH", matches(r"([0-9a-f]{4}\.){2}[0-9a-f]{4}")),
    "host": Word("host name", matches(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")),
    "name": Word("name", matches(NAME)),
    "group": Word("name that begins with a letter", matches(r"[A-Za-z][A-Za-z0-9_.:/+-]*")),
    "release": Word("release", matches(r"\d+\.\d+\(\d+[a-z]?\)[A-Z]?")),
    "server": Word("address or host name", server),
    "asns": Word("ASNs as N-N", rising(1, 4294967295)),
    "hash-field": Word("hash field", one_of(HASH_FIELDS | {"protocol"})),
    "hash-field6": Word("hash field", one_of(HASH_FIELDS | {"flow-label", "next-header"})),
    "pfc-cos": Word("priorities of 0-7", numbers(0, 7)),
    "oid": Word("object identifier or its name", mib_subtree),
    "quoted": Word("text in double quotes", matches(r'"[!#-~]+"')),
    "as-regexp": Word("regular expression over ASNs", over_asns),
    "hex": Word("hexadecimal number", matches(r"([0-9A-Fa-f]{2}){5,32}")),
    "engine": Word("engine id as N:N:...", matches(r"\d{1,3}(:\d{1,3}){4,31}")),
    "zone": Word("time zone", matches(r"[A-Za-z]+(/[A-Za-z_]+)*")),
    "text": Word("printable ASCII text", matches(TEXT), rest=True),
    "secret": Word("<<secret:NAME>>", matches(rf'{SECRET}|"{SECRET}"')),
    "type7": Word("type 7 key", matches(TYPE7)),
    "crypt": Word("hash that begins with $", matches(r"\$[A-Za-z0-9+/=$.]{8,}")),
    "hashed": Word("localized hash", matches(r"(0x)?[0-9a-f]{32,128}")),
    "vlan-if": Word("Vlan1-4094", matches(rf"Vlan{VLAN_NUMBER}")),
}  # fmt: skip


@cache
def word(kind: str) -> Word:
    """The kind of this name; raises KeyError for a name that no kind has."""
    if bounds := NUMBER_RANGE.fullmatch(kind):
        low, high = bounds.groups()
        test = decimal(low, high) if "." in low else whole(int(low), int(high))
        return Word(kind, test)
    if limited := LIMITED.fullmatch(kind):
        base, length = KINDS[limited[1]], int(limited[2])
        shown = f"{base.shown} of at most {length} characters"
        return Word(shown, lambda text: len(text) <= length and base.fits(text), base.rest)
    return KINDS[kind]
