"""Values as NVUE takes them, or a `DialectError` that names the device and the value.

Source: NVIDIA Cumulus Linux 5.14, Switch Port Attributes; Linux `IFALIASZ` (256 bytes with the
end) and `IFNAMSIZ` (16); ifupdown2 reads /etc/network/interfaces through mako, to which `${` is
code.
"""

from __future__ import annotations

import re

from switch_configs.errors import DialectError

_SPEEDS = {
    0.01: "10M", 0.1: "100M", 1: "1G", 10: "10G", 25: "25G", 40: "40G", 50: "50G", 100: "100G",
    200: "200G", 400: "400G", 800: "800G",
}  # fmt: skip
FEC = {"rs": "rs", "fc": "baser", "none": "off"}
_ALIAS_MOST_BYTES = 255
_DEVICE_MOST_BYTES = 15
_TABLES_OF_ITS_OWN = ("default", "mgmt")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
_SPLIT = re.compile(r"(.*\d)s(\d+)")
_MTU = (552, 9216)


def name(device: str, text: str, what: str) -> str:
    """A name that is a key of the tree and a word of other files that NVUE writes."""
    if not _NAME.fullmatch(text):
        raise DialectError(f"{device}: NVUE cannot hold {what} {text!r}", "letters, digits, _ . -")
    return text


def table(device: str, text: str) -> str:
    """A routing table's name, which Linux has as an interface: at most 15 bytes, not its own."""
    if len(text) > _DEVICE_MOST_BYTES or text in _TABLES_OF_ITS_OWN:
        raise DialectError(
            f"{device}: Cumulus Linux cannot have a routing table '{text}'",
            f"at most {_DEVICE_MOST_BYTES} bytes, and not {', '.join(_TABLES_OF_ITS_OWN)}",
        )
    return name(device, text, "routing table")


def description(device: str, text: str, what: str) -> str:
    """A description: one line of at most 255 bytes."""
    odd = [one for one in text if not one.isprintable()]
    if odd or text != text.strip() or len(text.encode()) > _ALIAS_MOST_BYTES:
        raise DialectError(
            f"{device}: NVUE cannot hold {what} {text!r}",
            f"one line of at most {_ALIAS_MOST_BYTES} bytes, without blanks at its ends",
        )
    if "${" in text or text.endswith("\\") or "<%" in text:
        raise DialectError(
            f"{device}: {what} {text!r} is code where ifupdown2 reads it",
            "leave out ${ and <%, and a backslash at the end",
        )
    return text


def speed(device: str, port: str, rate_gbps: float) -> str:
    """A rate as `link speed` says it."""
    if rate_gbps not in _SPEEDS:
        raise DialectError(f"{device}: {port} has {rate_gbps:g} Gb/s, which NVUE has no word for")
    return _SPEEDS[rate_gbps]


def mtu(device: str, port: str, ip_mtu_bytes: int) -> int:
    """An IP MTU; NVUE counts it as Linux does, without the Ethernet header."""
    if not _MTU[0] <= ip_mtu_bytes <= _MTU[1]:
        raise DialectError(
            f"{device}: {port} has an MTU of {ip_mtu_bytes}, which is not within "
            f"{_MTU[0]} to {_MTU[1]}"
        )
    return ip_mtu_bytes


def within(device: str, what: str, value: int, least: int, most: int) -> int:
    """A number that NVUE takes."""
    if not least <= value <= most:
        raise DialectError(f"{device}: {what} {value} is not within {least} to {most}")
    return value


def cage(port: str) -> tuple[str, int] | None:
    """A split port's cage and its place in it from 0: swp1s3 is 3 of swp1."""
    found = _SPLIT.fullmatch(port)
    return (found[1], int(found[2])) if found else None
