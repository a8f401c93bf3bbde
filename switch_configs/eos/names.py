"""Names and texts as EOS takes them; what it could misread is refused.

A value is printed without quotes, as EOS shows it: a description runs to the end of its line.
"""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from switch_configs.errors import DialectError

MANAGEMENT_VRF = "MGMT"
MAXIMUM_IP_MTU_BYTES = 9214
"""Arista EOS User Manual, Ethernet Ports, `mtu`: 68 to 9214 bytes."""
DEFAULT_IP_MTU_BYTES = 1500
PEER_LINK_CHANNEL = 2000
PEER_LINK_VLAN = 4094
_DESCRIPTION_MOST = 255
# Printable ASCII without `?`, words one blank apart, neither `!` nor `"` first: EOS folds blanks,
# `?` asks the CLI for help, and a line that begins with `!` is a comment.
_TEXT = re.compile(r"[#->@-~][!->@-~]*(?: [!->@-~]+)*")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]*")
_PORT = re.compile(r"(Ethernet)(\d+(?:/\d+){0,2})")
_MANAGEMENT = re.compile(r"Management\d+(/\d+)?")
_DIGITS = re.compile(r"(\d+)")


def text(value: str, what: str, device: str) -> str:
    """A description of at most 255 characters; `DialectError` for what EOS could misread."""
    if len(value) > _DESCRIPTION_MOST or not _TEXT.fullmatch(value):
        raise DialectError(
            f"{device}: {what} {value!r} cannot be printed for EOS",
            f"use at most {_DESCRIPTION_MOST} ASCII characters without '?', one blank between "
            "words, and neither '!' nor '\"' first",
        )
    return value


def word(value: str, what: str, device: str, most: int = 63) -> str:
    """A name of one word; `DialectError` where EOS would read something else."""
    if not _WORD.fullmatch(value) or len(value) > most:
        raise DialectError(
            f"{device}: {what} {value!r} is no name for EOS",
            f"use at most {most} letters, digits and _ . : -, a letter or digit first",
        )
    return value


def port(name: str, device: str) -> str:
    """The name of an Ethernet port, `Ethernet9/1`."""
    if not _is_port(name):
        raise DialectError(
            f"{device}: {name!r} is no Ethernet port of EOS", "name it like Ethernet9/1"
        )
    return name


# The switches of a fabric have ports of the same few names.
@lru_cache(maxsize=1 << 14)
def _is_port(name: str) -> bool:
    return _PORT.fullmatch(name) is not None


def management_port(name: str, device: str) -> str:
    """The name of a management port, `Management1`."""
    if not _MANAGEMENT.fullmatch(name):
        raise DialectError(
            f"{device}: {name!r} is no management port of EOS", "name it like Management1"
        )
    return name


@lru_cache(maxsize=1 << 14)
def natural(name: str) -> tuple[tuple[int, str], ...]:
    """A key that puts Ethernet2/1 before Ethernet10/1, as EOS lists them."""
    parts = _DIGITS.split(name)
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in parts)


def mtu(ip_mtu_bytes: int, what: str, device: str) -> int | None:
    """The IP MTU to print, None where it is EOS's own; `DialectError` beyond what it has."""
    if not 68 <= ip_mtu_bytes <= MAXIMUM_IP_MTU_BYTES:
        raise DialectError(
            f"{device}: {what} has an IP MTU of {ip_mtu_bytes}, and EOS takes 68 to "
            f"{MAXIMUM_IP_MTU_BYTES}",
            f"`ip_mtu_bytes: {{switches: {MAXIMUM_IP_MTU_BYTES}}}`: hosts' 9000 fit",
        )
    return None if ip_mtu_bytes == DEFAULT_IP_MTU_BYTES else ip_mtu_bytes


def dotted(address: IPv4Address) -> str:
    """What `str` says of an address, in a third of the time: there is one on every link."""
    number = int(address)
    return f"{number >> 24}.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def with_length(address: IPv4Interface) -> str:
    """`10.0.0.0/31`, as `dotted`."""
    return f"{dotted(address)}/{address.network.prefixlen}"


def host_or_prefix(value: str) -> str:
    """An ACL's address as EOS shows it: `any`, `host 192.0.2.1` or `192.0.2.0/24`."""
    if value == "any":
        return value
    net = IPv4Network(value)
    return f"host {net.network_address}" if net.prefixlen == net.max_prefixlen else str(net)
