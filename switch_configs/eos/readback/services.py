"""Servers, logins and what the switch answers (EOS User Manual, by chapter)."""

from __future__ import annotations

from typing import TypeVar

from .reading import EosReading, Services
from .tree import Node

_T = TypeVar("_T")
_GNMI_PORT = 6030


def line(words: list[str], found: EosReading) -> bool:
    """A line of one server or user."""
    held = found.services
    match words:
        case ["ntp", "server", "vrf", vrf, server, *more] if set(more) <= {"iburst", "prefer"}:
            _once(held.ntp, (vrf, server))
        case ["logging", "vrf", vrf, "host", server]:
            _once(held.syslog, (vrf, server))
        case ["tacacs-server", "host", server, "vrf", vrf, "key", kind, key] if _is_key(kind, key):
            _once(held.tacacs, (vrf, server))
        case ["aaa", "authentication", "login", "default", "group", group, "local"]:
            _once(held.login, group)
        case ["aaa", "authorization", "exec", "default", "group", group, "local"]:
            _once(held.exec_, group)
        case _:
            return _snmp(words, held)
    return True


def _once(held: list[_T], one: _T) -> None:
    """What is said twice is held once."""
    if one not in held:
        held.append(one)


def _is_key(kind: str, key: str) -> bool:
    """Clear (0), or as EOS stores it (7, 8a); a word that stands for a secret is clear."""
    return kind == "0" if key.startswith("<<secret:") else kind in ("0", "7", "8a")


def _snmp(words: list[str], held: Services) -> bool:
    match words:
        case ["snmp-server", "group", name, "v3", "priv" | "auth" | "noauth" as level]:
            held.snmp_groups[name] = level
        case ["snmp-server", "user", name, group, "v3", *rest] if _has_secrets(rest):
            held.snmp_users[name] = group
        case ["snmp-server", "vrf", name]:
            held.snmp_vrfs.add(name)
        case ["no", "snmp-server", "vrf", name]:
            held.snmp_vrfs.discard(name)
        case _:
            return False
    return True


def _has_secrets(words: list[str]) -> bool:
    match words:
        case ["auth", hashed, _, "priv", cipher, _]:
            return hashed.startswith("sha") and cipher.startswith("aes")
        case ["localized", _, *rest]:
            return _has_secrets(rest)
    return False


def tacacs_group(node: Node, found: EosReading) -> bool:
    """`aaa group server tacacs+ NAME`."""
    servers = found.services.tacacs_groups.setdefault(node.words[4], [])
    for below in node.below:
        match below.words:
            case ["server", server, "vrf", vrf]:
                _once(servers, (vrf, server))
            case _:
                found.unread.append(below.path)
    return True


def gnmi(node: Node, found: EosReading) -> bool:
    """`management api gnmi`; a transport that is named twice is one."""
    transports: dict[str, list[Node]] = {}
    for below in node.below:
        match below.words:
            case ["transport", "grpc", name]:
                transports.setdefault(name, []).extend(below.below)
            case _:
                found.unread.append(below.path)
    found.services.gnmi += [_transport(lines, found) for lines in transports.values()]
    return True


def _transport(lines: list[Node], found: EosReading) -> tuple[str, int]:
    vrf, port = "default", _GNMI_PORT
    for below in lines:
        match below.words:
            case ["vrf", name]:
                vrf = name
            case ["port", number] if number.isdecimal():
                port = int(number)
            case _:
                found.unread.append(below.path)
    return vrf, port


def ssh(node: Node, found: EosReading) -> bool:
    """`management ssh`."""
    for below in node.below:
        match below.words:
            case ["ip", "access-group", name, "in"]:
                found.services.ssh_acl = name
            case ["vrf", name]:
                on = [one for one in below.below if one.text == "no shutdown"]
                found.unread += [one.path for one in below.below if one not in on]
                if on:
                    found.services.ssh_vrfs.add(name)
            case _:
                found.unread.append(below.path)
    return True
