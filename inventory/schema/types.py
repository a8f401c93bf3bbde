"""The types of values that files may hold, and what an error says in their place."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, ip_address
from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    WithJsonSchema,
)


def _network(value: object) -> object:
    # One way to write a network: no bare address, no netmask, no hostmask.
    if not isinstance(value, str) or not value.rpartition("/")[2].isdecimal() or "/" not in value:
        raise ValueError("an IPv4 network, like 10.16.0.0/16")
    try:
        return IPv4Network(value)
    except ValueError as error:
        if "host bits" in str(error):
            raise ValueError(
                f"the network's first address, {IPv4Network(value, strict=False)}"
            ) from None
        raise ValueError("an IPv4 network, like 10.16.0.0/16") from None


def _network_or_any(value: object) -> object:
    if value == "any":
        return value
    try:
        return _network(value)
    except ValueError as error:
        raise ValueError(f"`any`, or {error}") from None


def _address(value: object) -> object:
    try:
        return IPv4Address(value if isinstance(value, str) else "")
    except ValueError:
        raise ValueError("an IPv4 address, like 10.88.0.11") from None


def _any_address(value: object) -> object:
    try:
        return ip_address(value if isinstance(value, str) else "")
    except ValueError:
        raise ValueError("an IPv4 or IPv6 address, like 10.88.0.11 or 2001:db8::11") from None


_LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_HOST_NAME = re.compile(rf"(?=.{{1,253}}$){_LABEL}(\.{_LABEL})+")


def _host(value: object) -> object:
    text = value if isinstance(value, str) else ""
    try:
        return str(ip_address(text))
    except ValueError:
        # Digits and dots alone are a slip in an address, never a name (RFC 1123, 2.1).
        if _HOST_NAME.fullmatch(text) and not text.rpartition(".")[2].isdigit():
            return text
        example = "192.0.2.123 or time.example.org"
        raise ValueError(f"an address or a DNS name in lower case, like {example}") from None


_REFERENCE = re.compile(r"file:[^\s:]+|env:[A-Z_][A-Z0-9_]*")


def _reference(value: object) -> object:
    # The value may be a secret, so no message repeats it.
    if not isinstance(value, str) or not _REFERENCE.fullmatch(value):
        raise ValueError("a reference: `file:PATH` or `env:NAME`")
    return value


_PORT_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9/._-]*(\{(n|z|s|s0|lane|l1)\}[A-Za-z0-9/._-]*)+")


def _port_pattern(value: object) -> object:
    numbered = isinstance(value, str) and any(one in value for one in ("{n}", "{z}", "{lane}"))
    if not isinstance(value, str) or not numbered or not _PORT_PATTERN.fullmatch(value):
        raise ValueError("a port name with `{n}` for its number, like swp{n}")
    return value


_SETTING = re.compile(r"[A-Za-z0-9_.:/-]+( [A-Za-z0-9_.:/-]+)*")


def _setting(value: object) -> object:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str) or not _SETTING.fullmatch(text):
        raise ValueError("a number, or words with one space between them")
    return text


# What an editor can check of them, in JSON Schema; the loader checks the rest.
_OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_QUAD = rf"{_OCTET}(\.{_OCTET}){{3}}"


def _seen(pattern: str, example: str, **more: object) -> WithJsonSchema:
    return WithJsonSchema(
        {"type": "string", "pattern": f"^({pattern})$", "examples": [example], **more}
    )


Network = Annotated[
    IPv4Network,
    BeforeValidator(_network),
    _seen(rf"{_QUAD}/(3[0-2]|[12]?[0-9])", "10.16.0.0/16"),
]
NetworkOrAny = Annotated[
    IPv4Network | Literal["any"],
    BeforeValidator(_network_or_any),
    _seen(rf"any|{_QUAD}/(3[0-2]|[12]?[0-9])", "any"),
]
Address = Annotated[
    IPv4Address, BeforeValidator(_address), _seen(_QUAD, "10.88.0.11", format="ipv4")
]
AnyAddress = Annotated[
    IPv4Address | IPv6Address,
    BeforeValidator(_any_address),
    WithJsonSchema({"type": "string", "examples": ["10.88.0.11", "2001:db8::11"]}),
]
Host = Annotated[
    str,
    BeforeValidator(_host),
    WithJsonSchema({"type": "string", "examples": ["192.0.2.123", "time.example.org"]}),
]
Reference = Annotated[
    str, BeforeValidator(_reference), _seen(_REFERENCE.pattern, "file:id_ed25519")
]
PortPattern = Annotated[str, BeforeValidator(_port_pattern), _seen(_PORT_PATTERN.pattern, "swp{n}")]
# Patterns, and what an error message says in their place. The kernel's limit for an
# interface name is 15 characters (linux/if.h, IFNAMSIZ).
_NAME = r"^[a-z][a-z0-9-]{0,61}$"
_KEY = r"^[a-z][a-z0-9_]{0,61}$"
_OS = r"^[a-z][a-z0-9.-]{0,61}$"
_PORT = r"^[A-Za-z][A-Za-z0-9/._-]{0,14}$"
_LINUX_PORT = r"^[A-Za-z][A-Za-z0-9._-]{0,14}$"
_DOMAIN = r"^[a-z0-9][a-z0-9-]{0,62}(\.[a-z0-9][a-z0-9-]{0,62})+$"
# A GRUB drop-in and sysctl.d print these as they stand: nothing that a shell would take apart.
_ARGUMENT = r"^[A-Za-z0-9_.-]+(=[A-Za-z0-9_.,:/@+-]+)?$"
# kernel-parameters.rst, cpu lists; strides and `N` are left out: nobody could check them.
CPU_LIST = r"^[0-9]{1,4}(-[0-9]{1,4})?(,[0-9]{1,4}(-[0-9]{1,4})?)*$"
_PCI = r"^[0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]$"
_SYSCTL = r"^[a-z0-9_]+(\.[A-Za-z0-9_/-]+)+$"
# RFC 3414, usmUserName; every switch OS that we know takes 32 characters.
_USER = r"^[a-z][a-z0-9_-]{0,31}$"
PATTERNS = {
    _USER: "32 characters at most: lower case letters, digits, `_` and `-`, a letter first",
    _NAME: "lower case letters, digits and `-`, a letter first",
    _KEY: "lower case letters, digits and `_`, a letter first",
    _OS: "an OS and its release, like debian-12 or ubuntu-24.04",
    _PORT: "an interface name of 15 characters at most",
    _LINUX_PORT: "a name of a Linux interface, of 15 characters at most, like ens1f0np0",
    _DOMAIN: "a DNS domain in lower case, like site.internal",
    _ARGUMENT: "one kernel argument, like iommu=pt",
    CPU_LIST: "CPUs and ranges of CPUs, like 4-63,68-127",
    _PCI: "a PCI address with its domain, like 0000:18:00.0",
    _SYSCTL: "a kernel parameter, like net.ipv4.tcp_rmem",
}
Name = Annotated[str, StringConstraints(pattern=_NAME)]
UserName = Annotated[str, StringConstraints(pattern=_USER)]
Key = Annotated[str, StringConstraints(pattern=_KEY)]
OsName = Annotated[str, StringConstraints(pattern=_OS)]
Port = Annotated[str, StringConstraints(pattern=_PORT)]
LinuxPort = Annotated[str, StringConstraints(pattern=_LINUX_PORT)]
Domain = Annotated[str, StringConstraints(pattern=_DOMAIN, max_length=200)]
KernelArgument = Annotated[str, StringConstraints(pattern=_ARGUMENT, max_length=200)]
SysctlName = Annotated[str, StringConstraints(pattern=_SYSCTL)]
SysctlValue = Annotated[
    str,
    BeforeValidator(_setting),
    WithJsonSchema(
        {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": f"^({_SETTING.pattern})$"}]}
    ),
]
PciAddress = Annotated[str, StringConstraints(pattern=_PCI)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=200)]
# Far above any two-tier fabric; it bounds what a mistyped number can cost.
Count = Annotated[int, Field(ge=1, le=1024)]
# RFC 6996, section 5: the private use range of 4-byte AS numbers.
PrivateAsn = Annotated[int, Field(ge=4_200_000_000, le=4_294_967_294)]
Dscp = Annotated[int, Field(ge=0, le=63)]
Priority = Annotated[int, Field(ge=0, le=7)]
# RFC 791 wants 576 of every IPv4 host; above 9216 common switch hardware ends.
IpMtu = Annotated[int, Field(ge=576, le=9216)]
Gbps = Annotated[float, Field(gt=0, le=3200, allow_inf_nan=False)]
Ratio = Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)]
Watts = Annotated[int, Field(ge=1, le=1_000_000)]
Metres = Annotated[float, Field(gt=0, le=2000, allow_inf_nan=False)]


class Closed(BaseModel):
    """The settings of every model here."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
