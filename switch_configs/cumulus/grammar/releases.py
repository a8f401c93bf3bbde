"""The releases of Cumulus Linux 5.x that the grammar knows, and which words each one speaks.

Pages of the public repository CumulusNetworks/docs; `Whats-New` is
content/cumulus-linux-5NN/Whats-New/_index.md, `reference` is
content/nvue-reference/Set-and-Unset-Commands/, and `5.15 changes` is
content/cumulus-linux-515/Whats-New/New-and-Changed-NVUE-Commands.md.

| from | before | from then on | page |
|---|---|---|---|
| 5.10 | `system config auto-save enable on` | `auto-save state enabled` | Whats-New 5.10 |
| 5.10 | (none) | `neighbor N graceful-shutdown`, `link mac-address` | Whats-New 5.10 |
| 5.11 | `service snmp-server`, its `enable on` | `system snmp-server`, `state enabled` | reference SNMP-Server |
| 5.11 | `advance-buffer-config P ingress-pool`, `egress-pool` | `ingress-service-pool`, `egress-service-pool` | reference QoS |
| 5.11 | (none) | `lldp state`, global and per interface | reference LLDP |
| 5.12 | `aaa tacacs server PRIORITY host H` | `aaa tacacs server H priority PRIORITY` | Whats-New 5.12, reference TACACS |
| 5.12 | `aaa tacacs enable on` | removed: a server turns it on | Whats-New 5.12 |
| 5.12 | (none) | `qos roce mode lossless-single-ipool`, `peer-group G graceful-shutdown` | Whats-New 5.12 |
| 5.13 | `service syslog VRF server S` | `system syslog server S`, `... vrf VRF` | Whats-New 5.13, reference Syslog |
| 5.13 | (none) | `system gnmi-server` | Whats-New 5.13 |
| 5.14 | community `internet` | community `0:0` | Whats-New 5.14 |
| 5.14 | (none) | `qos roce mode lossy-multi-tc`, `system dns domain` | Whats-New 5.14 |
| 5.15 | `enable on`, `enable off` | `state enabled`, `state disabled` | 5.15 changes |
| 5.15 | any other `on`, `off` | `enabled`, `disabled` | 5.15 changes |
| 5.15 | `interface I ip address`, `ip gateway` | `ipv4 address`, `ipv6 address`, `ipv4 gateway`, `ipv6 gateway` | 5.15 changes |
| 5.15 | `ip address dhcp` | `ipv4 dhcp-client state enabled` | 5.15 changes |
| 5.15 | `interface I ip vrf V` | `interface I vrf V` | 5.15 changes |
| 5.15 | `ip neighbor-discovery`, `ip vrr` | `ipv6 neighbor-discovery`, `ipv4 vrr`, `ipv6 vrr` | 5.15 changes |
| 5.15 | `vrr state up` | `vrr vrr-state up` | 5.15 changes |
| 5.15 | `service dns V server S` | `system dns server S`, `... vrf V` | 5.15 changes |
| 5.15 | `service ntp V server S` | `system ntp server S`, `system ntp vrf V` | 5.15 changes |
| 5.15 | `service lldp` | `system lldp` | 5.15 changes |
| 5.15 | `bgp neighbor N bfd enable on` and its timers | `router bfd profile P`, `neighbor N bfd profile P` | 5.15 changes, reference BFD |
| 5.15 | `system timezone Z` | `system date-time timezone Z` | OpenAPI 5.15 |
| 5.15 | `aaa authentication-order N tacacs` | `aaa authentication order tacacs,local`: one list | OpenAPI 5.15 |
| 5.12 | `tacacs accounting enable on` | `tacacs accounting state enabled` | OpenAPI 5.12 |
| 5.11 | `aaa user U enable on` | `aaa user U state enabled` | OpenAPI 5.11 |
| 5.12 | `static R via V interface I` is a value | an object: `interface: {I: {}}` | OpenAPI 5.12 |

`enable` and `disable` stay what they were for PFC rx and tx, ECN, RED and the watchdog, also in
5.16 (content/cumulus-linux-516/Layer-1-and-Switch-Ports/Quality-of-Service/_index.md).

`OpenAPI 5.N` is the document that NVIDIA publishes with each release (docs.nvidia.com, Cumulus
Linux 5.N, "NVUE API"). All paths were held against those of 5.9 to 5.16, read through the models
that nemith/nvueschema 0.1.0 makes of them. Where a page and the document differ, the grammar has
what both say: `police mode` is `packet` only (the page's `kbps` is `kilobytes-per-second` there),
and no `qos roce cable-length`, `syslog severity` or `dynamic-neighbor enable`, which it lacks.
"""  # noqa: E501 - a table is read by its columns

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

RELEASES = ("5.9", "5.10", "5.11", "5.12", "5.13", "5.14", "5.15", "5.16")

MAX_REWRITES = 4

# Old words and new ones, as patterns over a command's words joined by blanks. Order matters:
# what is more special stands first. `\g<...>` keeps what the command says.
PAIRS: tuple[tuple[str, str, str, str], ...] = (
    # (old pattern, new words, new pattern, old words)
    (r"^(?P<a>.* )enable on$", r"\g<a>state enabled",
     r"^(?P<a>.* )state enabled$", r"\g<a>enable on"),
    (r"^(?P<a>.* )enable off$", r"\g<a>state disabled",
     r"^(?P<a>.* )state disabled$", r"\g<a>enable off"),
    (r"^(?P<a>.* )on$", r"\g<a>enabled", r"^(?P<a>.* )enabled$", r"\g<a>on"),
    (r"^(?P<a>.* )off$", r"\g<a>disabled", r"^(?P<a>.* )disabled$", r"\g<a>off"),
    (r"^(?P<a>interface \S+ )ip address dhcp$", r"\g<a>ipv4 dhcp-client state enabled",
     r"^(?P<a>interface \S+ )ipv4 dhcp-client state enabled$", r"\g<a>ip address dhcp"),
    (r"^(?P<a>interface \S+ )ip (?P<b>(vrr )?address \S*:\S*)$", r"\g<a>ipv6 \g<b>",
     r"^(?P<a>interface \S+ )ipv6 (?P<b>(vrr )?address \S+)$", r"\g<a>ip \g<b>"),
    (r"^(?P<a>interface \S+ )ip (?P<b>gateway \S*:\S*)$", r"\g<a>ipv6 \g<b>",
     r"^(?P<a>interface \S+ )ipv6 (?P<b>gateway \S+)$", r"\g<a>ip \g<b>"),
    (r"^(?P<a>interface \S+ )ip vrf ", r"\g<a>vrf ",
     r"^(?P<a>interface \S+ )vrf ", r"\g<a>ip vrf "),
    (r"^(?P<a>interface \S+ )ip neighbor-discovery", r"\g<a>ipv6 neighbor-discovery",
     r"^(?P<a>interface \S+ )ipv6 neighbor-discovery", r"\g<a>ip neighbor-discovery"),
    (r"^(?P<a>interface \S+ )ip (?P<b>ipv[46]) ", r"\g<a>\g<b> ",
     r"^(?P<a>interface \S+ )(?P<b>ipv[46]) (?=forward|enable|state)", r"\g<a>ip \g<b> "),
    (r"^(?P<a>.* vrr )state (?P<b>up|down)$", r"\g<a>vrr-state \g<b>",
     r"^(?P<a>.* vrr )vrr-state (?P<b>up|down)$", r"\g<a>state \g<b>"),
    (r"^(?P<a>interface \S+ )ip (?=address|gateway|vrr)", r"\g<a>ipv4 ",
     r"^(?P<a>interface \S+ )ipv[46] (?=address|gateway|vrr)", r"\g<a>ip "),
    (r"^service (?P<a>dns|ntp|syslog) \S+ ", r"system \g<a> ",
     r"^system (?P<a>dns|ntp|syslog) (?=server|search|listen)", r"service \g<a> mgmt "),
    (r"^service (?P<a>lldp|snmp-server)", r"system \g<a>",
     r"^system (?P<a>lldp|snmp-server)", r"service \g<a>"),
    (r"^(?P<a>system aaa tacacs server )(?P<b>\d+) host (?P<c>\S+)$",
     r"\g<a>\g<c> priority \g<b>",
     r"^(?P<a>system aaa tacacs server )(?P<c>\S+) priority (?P<b>\d+)$",
     r"\g<a>\g<b> host \g<c>"),
    (r"^(?P<a>system aaa tacacs server )\d+ (?P<b>secret|port) ", r"\g<a>HOST \g<b> ",
     r"^(?P<a>system aaa tacacs server )\S+ (?P<b>secret|port) ", r"\g<a>1 \g<b> "),
    (r"^system aaa authentication-order \S+ (?P<a>\S+)$", r"system aaa authentication order \g<a>",
     r"^system aaa authentication order (?P<a>[a-z]+).*$",
     r"system aaa authentication-order 1 \g<a>"),
    (r"^system timezone ", r"system date-time timezone ",
     r"^system date-time timezone ", r"system timezone "),
    (r" (?P<a>ingress|egress)-pool ", r" \g<a>-service-pool ",
     r" (?P<a>ingress|egress)-service-pool ", r" \g<a>-pool "),
    (r"^(?P<a>vrf .* bfd )(enable|detect-multiplier|min-[rt]x-interval) \S+$",
     r"\g<a>profile NAME",
     r"^(?P<a>vrf .* bfd )profile \S+$", r"\g<a>enable on"),
    (r" community internet$", r" community 0:0", r" community 0:0$", r" community internet"),
)  # fmt: skip
REWRITES = tuple(
    (re.compile(pattern), words)
    for old, new_words, new, old_words in PAIRS
    for pattern, words in ((old, new_words), (new, old_words))
)


def known_release(text: str) -> str | None:
    """The release of the table that this one belongs to: `5.14.1` is `5.14`; None if unknown."""
    bare = text.strip().removeprefix("Cumulus Linux ")
    found = re.fullmatch(r"(5\.\d+)(\.\d+)*", bare)
    return found[1] if found and found[1] in RELEASES else None


def releases_of(text: str) -> frozenset[str]:
    """The releases of a mark: `5.15-`, `-5.14`, `5.10-5.12`. Raises ValueError for another."""
    first, dash, last = text.partition("-")
    if not dash:
        raise ValueError(f"not a range of releases: {text}")
    start = RELEASES.index(first) if first else 0
    end = RELEASES.index(last) if last else len(RELEASES) - 1
    return frozenset(RELEASES[start : end + 1])


def rewritten(command: str) -> Iterator[str]:
    """The command with one pair of words changed, older to newer or the other way round."""
    for pattern, words in REWRITES:
        changed = pattern.sub(words, command, count=1)
        if changed != command:
            yield changed


def in_words_of(command: str, holds: Callable[[str], bool]) -> str | None:
    """The command in words that `holds` takes, by a few changes of words; None if there is none."""
    seen, edge = {command}, [command]
    for _ in range(MAX_REWRITES):
        found = list(dict.fromkeys(new for one in edge for new in rewritten(one)))
        edge = [one for one in found if one not in seen]
        seen.update(edge)
        for one in edge:
            if holds(one):
                return one
    return None


def spoken_in(releases: frozenset[str]) -> str:
    """Releases as a reader says them: `5.9 to 5.14`, or `5.15 and later`."""
    ordered = [one for one in RELEASES if one in releases]
    if ordered[-1] == RELEASES[-1]:
        return f"{ordered[0]} and later"
    return ordered[0] if len(ordered) == 1 else f"{ordered[0]} to {ordered[-1]}"
