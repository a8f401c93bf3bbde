"""What may stand where an NVUE path has no fixed word: names, numbers, addresses, secrets.

Sources: the command lists that `nv list-commands` prints (CumulusNetworks/docs,
content/cumulus-linux-54/System-Configuration/NVIDIA-User-Experience-NVUE) and the
pages of content/nvue-reference/Set-and-Unset-Commands/.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

MAX_TEXT = 255
MAX_BANNER = 4096
MAX_INTERFACE = 15  # IFNAMSIZ of Linux less its zero byte
MAX_PORTS = 512
# Interfaces whose numbers NVUE takes as ranges.
STEMS = ("swp", "bond", "vlan", "eth")

SECRET = re.compile(r"<<secret:[A-Za-z0-9_-]+>>")
HASH = re.compile(r"\$[0-9A-Za-z]+\$\S+")
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
LABELS = re.compile(r"(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
                    r"(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*")  # fmt: skip
SWP = re.compile(r"swp[1-9][0-9]{0,2}(s[0-7])?")
RANGE = re.compile(r"(?P<stem>.*?)(?P<first>[0-9]+)-(?P<last>[0-9]+)")
OTHER_PORT = re.compile(r"(?!swp[0-9]|swp$)[A-Za-z][A-Za-z0-9_-]*(\.[1-9][0-9]{0,3})?")
SUB_PORT = re.compile(r"swp[1-9][0-9]{0,2}(s[0-7])?\.[1-9][0-9]{0,3}")
COMMUNITY = re.compile(r"[0-9]{1,5}:[0-9]{1,5}")
WELL_KNOWN = {
    "accept-own", "blackhole", "graceful-shutdown", "llgr-stale", "local-AS", "no-advertise",
    "no-export", "no-llgr", "no-peer",
}  # fmt: skip
SERVICES = {
    "bgp", "bootpc", "bootps", "clag", "dhcp-client", "dhcp-server", "domain", "ftp", "http",
    "https", "ldap", "ldaps", "ntp", "snmp", "snmp-trap", "ssh", "syslog", "tacacs", "telnet",
    "tftp",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of word: how a page writes it, and whether a word is of it."""

    shown: str
    accepts: Callable[[str], bool]


def number(text: str) -> int | None:
    """A number written as NVUE prints it: digits of ASCII, no sign, no leading zero."""
    if not (text.isascii() and text.isdigit()) or len(text) > 10:
        return None
    return None if len(text) > 1 and text[0] == "0" else int(text)


def within(first: int, last: int) -> Callable[[str], bool]:
    """Numbers from first to last."""

    def accepts(text: str) -> bool:
        value = number(text)
        return value is not None and first <= value <= last

    return accepts


def members(text: str, first: int, last: int) -> tuple[int, ...]:
    """The numbers of `1,3-5`; empty if it is no such list within the bounds, or says one twice."""
    found: list[int] = []
    for part in text.split(","):
        low, dash, high = part.partition("-")
        start, end = number(low), number(high) if dash else number(low)
        if start is None or end is None or not first <= start <= end <= last:
            return ()
        found += range(start, end + 1)
    return tuple(found) if len(set(found)) == len(found) else ()


def listed(first: int, last: int) -> Callable[[str], bool]:
    """Lists and ranges of numbers from first to last."""
    return lambda text: bool(members(text, first, last))


@lru_cache(maxsize=4096)
def ports(text: str) -> tuple[str, ...]:
    """The interfaces of `swp1-3,swp49s0-1`; empty if one of them is no name of an interface.

    A number by itself goes on with the stem before it: `vlan10,20` (content/cumulus-linux-514,
    "Configuration Example" of BGP: NVUE writes VLANs that share settings as one key).
    """
    found: list[str] = []
    stem = ""
    for said in text.split(","):
        is_bare = bool(stem and re.fullmatch(r"[0-9]+(-[0-9]+)?", said))
        part = stem + said if is_bare else said
        spread = RANGE.fullmatch(part)
        if spread and part.startswith(STEMS):
            start, end = number(spread["first"]), number(spread["last"])
            if start is None or end is None or not start < end <= start + MAX_PORTS:
                return ()
            found += [f"{spread['stem']}{one}" for one in range(start, end + 1)]
        else:
            found.append(part)
        stem = part.split("-")[0].rstrip("0123456789") if part.startswith(STEMS) else ""
    return tuple(found) if all(is_port(one) for one in found) else ()


def is_port(text: str) -> bool:
    """Whether this is the name of one interface: swp1, swp1s0, swp1.10, vlan10, bond1, lo, eth0."""
    if len(text) > MAX_INTERFACE:
        return False
    return any(pattern.fullmatch(text) for pattern in (SWP, SUB_PORT, OTHER_PORT))


def is_swp(text: str) -> bool:
    """Whether all of these are switch ports, no bond, no subinterface."""
    return bool(ports(text)) and all(SWP.fullmatch(port) for port in ports(text))


@lru_cache(maxsize=4096)
def is_address(text: str, version: int) -> bool:
    """Whether this is one address of IPv4 or IPv6."""
    try:
        return ipaddress.ip_address(text).version == version and "%" not in text
    except ValueError:
        return False


@lru_cache(maxsize=4096)
def is_prefix(text: str, version: int, *, host: bool) -> bool:
    """Whether this is `address/length`; with `host` the address may have host bits."""
    address, slash, length = text.partition("/")
    if not slash or number(length) is None or not is_address(address, version):
        return False
    try:
        ipaddress.ip_network(text, strict=not host)
    except ValueError:
        return False
    return True


def is_ip(text: str) -> bool:
    """Whether this is an address of either version."""
    return is_address(text, 4) or is_address(text, 6)


def is_host(text: str) -> bool:
    """Whether this is an address or a name that DNS could hold; dotted digits are no name."""
    return is_ip(text) or (
        bool(LABELS.fullmatch(text)) and not re.fullmatch(r"[\d.]+(/\d+)?", text)
    )


def is_route(text: str) -> bool:
    """Whether this is the destination of a route: a prefix without host bits, or the default."""
    return text in {"default", "default6"} or any(
        is_prefix(text, version, host=False) for version in (4, 6)
    )


def is_secret(text: str) -> bool:
    """Whether a secret stands here by reference or as a hash, not in clear text."""
    return bool(SECRET.fullmatch(text) or HASH.fullmatch(text))


def is_text(longest: int, also: str = "") -> Callable[[str], bool]:
    """Printable text of at most so many characters, with no secret in it."""
    return lambda text: (
        0 < len(text) <= longest
        and all(one.isprintable() or one in also for one in text)
        and "<<secret:" not in text
    )


def is_community(text: str) -> bool:
    """Whether this is a BGP community: two numbers, or a well-known word (RFC 1997, RFC 8326)."""
    return text in WELL_KNOWN or (
        bool(COMMUNITY.fullmatch(text)) and all(int(one) <= 0xFFFF for one in text.split(":"))
    )


def is_large_community(text: str) -> bool:
    """Whether this is a large community: three numbers of 32 bits (RFC 8092)."""
    parts = [number(one) for one in text.split(":")]
    return len(parts) == 3 and all(part is not None and part < 2**32 for part in parts)


def is_ip_port(text: str) -> bool:
    """Whether an access list can match this TCP or UDP port."""
    low, dash, high = text.partition(":")
    if dash:
        return within(0, 65535)(low) and within(0, 65535)(high) and int(low) < int(high)
    return text == "ANY" or text in SERVICES or within(0, 65535)(text)


def matched(pattern: str) -> Callable[[str], bool]:
    """Words of a regular expression."""
    compiled = re.compile(pattern, re.ASCII)
    return lambda text: bool(compiled.fullmatch(text))


def of_versions(*versions: int, host: bool) -> Callable[[str], bool]:
    """Prefixes of these IP versions."""
    return lambda text: any(is_prefix(text, version, host=host) for version in versions)


def are_logins(text: str) -> bool:
    """Ways to log in, each once, in the order in which they are asked."""
    ways = text.split(",")
    return len(set(ways)) == len(ways) and set(ways) <= {"tacacs", "local", "radius", "ldap"}


KINDS: dict[str, Callable[[str], bool]] = {
    "<interface>": lambda text: bool(ports(text)),
    "<port-name>": is_port,
    "<swp>": is_swp,
    "<vlans>": listed(1, 4094),
    "<priorities>": listed(0, 7),
    "<dscps>": listed(0, 63),
    "<name>": lambda text: bool(NAME.fullmatch(text)) and text != "none",
    "<vrf>": lambda text: bool(re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,14}", text)),
    "<neighbor>": lambda text: is_ip(text) or (is_port(text) and text != "lo"),
    "<source>": lambda text: is_ip(text) or is_port(text),
    "<ipv4>": lambda text: is_address(text, 4),
    "<ipv6>": lambda text: is_address(text, 6),
    "<ip>": is_ip,
    "<address>": lambda text: of_versions(4, 6, host=True)(text) or text in {"dhcp", "dhcp6"},
    "<ip-prefix>": of_versions(4, 6, host=True),
    "<ipv4-prefix>": of_versions(4, host=True),
    "<ipv6-prefix>": of_versions(6, host=True),
    "<ipv4-net>": of_versions(4, host=False),
    "<ipv6-net>": of_versions(6, host=False),
    "<net>": of_versions(4, 6, host=False),
    "<acl-ip>": lambda text: text == "ANY" or is_ip(text) or of_versions(4, 6, host=True)(text),
    "<route>": is_route,
    # A port's name here holds a digit, so that a misspelt `blackhole` is no port.
    "<via>": lambda text: is_ip(text) or (is_port(text) and any(map(str.isdigit, text))),
    "<mac>": matched(r"[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}"),
    "<hostname>": lambda text: bool(LABELS.fullmatch(text)),
    "<host>": is_host,
    "<domain>": lambda text: bool(LABELS.fullmatch(text)),
    "<bytes>": within(0, 4294967295),
    "<tcp-port>": within(1, 65535),
    "<ip-port>": is_ip_port,
    "<rule>": within(1, 65535),
    "<distance>": within(1, 255),
    "<community>": is_community,
    "<large-community>": is_large_community,
    "<rt>": matched(r"(ANY|\d{1,10}|\d+\.\d+\.\d+\.\d+):\d{1,10}"),
    "<oid>": matched(r"\.?\d+(\.\d+)*"),
    "<timezone>": matched(r"[A-Za-z_]+(/[A-Za-z0-9_+-]+){0,2}"),
    "<logins>": are_logins,
    "<user>": matched(r"[a-z_][a-z0-9_-]{0,31}"),
    "<text>": is_text(MAX_TEXT),
    "<banner>": is_text(MAX_BANNER, also="\n"),
    "<regex>": is_text(MAX_TEXT),
    "<path>": matched(r"/[A-Za-z0-9._/-]*"),
    "<secret>": is_secret,
}
SAID = {
    "<secret>": "a secret by reference (<<secret:NAME>>) or a hash ($...$), never clear text",
}


def choice(parts: tuple[str, ...]) -> Callable[[str], bool]:
    """Any of several kinds, ranges and fixed words."""
    fixed = frozenset(part for part in parts if not part.startswith("<") and not is_range(part))
    tests = [kind(part).accepts for part in parts if part not in fixed]
    return lambda text: text in fixed or any(accepts(text) for accepts in tests)


def is_range(text: str) -> bool:
    """Whether a page writes numbers like this: `552-9216`."""
    return bool(re.fullmatch(r"\d+-\d+", text))


@lru_cache(maxsize=1024)
def kind(token: str) -> Kind:
    """The kind that a grammar line writes as `<name>`, `1-9` or `(a|1-9|<name>)`. KeyError."""
    if is_range(token):
        first, last = (int(one) for one in token.split("-"))
        return Kind(token, within(first, last))
    if token.startswith("("):
        return Kind(token[1:-1], choice(tuple(token[1:-1].split("|"))))
    return Kind(SAID.get(token, token), KINDS[token])
