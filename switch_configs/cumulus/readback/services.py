"""`service` and `system` -> services.

Source: NVUE Command Reference, NTP, Syslog, TACACS, SNMP Server, gNMI, LLDP, System Forwarding;
where each is in which release, the What's New pages.
"""

from __future__ import annotations

from dataclasses import dataclass

from switch_configs.readback.facts import ServiceFacts

from .reading import CumulusReading, Iface
from .take import Node, enabled, flag, here, is_whole, node, number, peek, take, text

_MANAGEMENT = "mgmt"
# All below `system aaa` (NVUE Command Reference, Authentication, Authorization and Accounting).
_LOGINS = {"accounting", "authentication", "authentication-order", "class", "ldap", "radius"}
_LOGINS |= {"role", "tacacs", "user"}
_HASHED = ("source-ip", "destination-ip", "source-port", "destination-port", "ip-protocol")
# Longer than what we ask for, 10 s, a neighbour that is gone seems to be there.
_LLDP_MOST_S = 40


@dataclass(frozen=True)
class System:
    """What the system says beside its services."""

    hostname: str | None
    hash_seed: int | None


def read(tree: Node, found: CumulusReading) -> tuple[System, ServiceFacts]:
    """Takes services and the system's own settings out of the tree."""
    system = System(text(tree, "system", "hostname"), _hashing(tree, found))
    _saving(tree, found)
    for top in ("service", "system"):
        _lldp(tree, top, found)
    own = _own(found)
    address = next((one for one in own.addresses), None) if own else None
    services = ServiceFacts(
        management_address=address,
        management_gateway=own.gateways[0] if own and own.gateways else None,
        management_vrf=own is not None and own.vrf == _MANAGEMENT,
        ntp=_time(tree, found),
        syslog=_logs(tree, found),
        tacacs=_logins(tree, found),
        snmp_users=_snmp(tree, address, found),
        gnmi_port=_gnmi(tree, address, found),
    )
    return system, services


def _own(found: CumulusReading) -> Iface | None:
    """The interface by which the switch itself is reached: eth0, or an SVI of its table."""
    ports = list(found.interfaces.values())
    return next(
        (iface for iface in ports if iface.kind == "svi" and iface.vrf == _MANAGEMENT),
        next((iface for iface in ports if iface.name == "eth0"), None),
    )


def _hashing(tree: Node, found: CumulusReading) -> int | None:
    at = ("system", "forwarding")
    for what in _HASHED:
        if flag(tree, *at, "ecmp-hash", what) is False:
            found.hazards.append(f"equal paths are chosen without the {what}")
    return number(tree, *at, "hash-seed")


def _saving(tree: Node, found: CumulusReading) -> None:
    enabled(tree, "system", "config", "auto-save")
    for odd in sorted({*node(tree, "system", "aaa")} - _LOGINS):
        found.hazards.append(f"{odd} is no word below `system aaa`: NVUE takes no such file")


def _lldp(tree: Node, top: str, found: CumulusReading) -> None:
    every = number(tree, top, "lldp", "tx-interval")
    times = number(tree, top, "lldp", "tx-hold-multiplier")
    if every is not None and every * (times or 4) > _LLDP_MOST_S:
        found.hazards.append(f"LLDP neighbours are believed for {every * (times or 4)} s")
    if times == 1:
        found.hazards.append("one late frame of LLDP loses a neighbour")


def _time(tree: Node, found: CumulusReading) -> tuple[str, ...]:
    out = []
    for vrf in list(node(tree, "service", "ntp")):
        out += _servers(tree, ("service", "ntp", vrf), ("iburst",), found)
        if vrf != _MANAGEMENT:
            found.hazards.append(f"time is asked for in table {vrf}")
    new = _servers(tree, ("system", "ntp"), ("iburst",), found)
    if new and text(tree, "system", "ntp", "vrf") != _MANAGEMENT:
        found.hazards.append("time is asked for outside the management table")
    if flag(tree, "system", "ntp", "state") is False:
        found.hazards.append("NTP is switched off")
    return (*out, *new)


def _servers(
    tree: Node, at: tuple[str, ...], flags: tuple[str, ...], found: CumulusReading
) -> list[str]:
    out = []
    for server in list(node(tree, *at, "server")):
        for one in flags:
            on = flag(tree, *at, "server", server, one)
            if on is False:
                found.hazards.append(f"server {server} is asked slowly: no {one}")
            found.says(f"whether it has {one}", f"server {server}", on is not None)
        here(tree, *at, "server", server)
        out.append(server)
    return out


def _logs(tree: Node, found: CumulusReading) -> tuple[str, ...]:
    out = []
    for vrf in list(node(tree, "service", "syslog")):
        out += _servers(tree, ("service", "syslog", vrf), (), found)
        if vrf != _MANAGEMENT:
            found.hazards.append(f"logs are sent in table {vrf}")
    for server in list(node(tree, "system", "syslog", "server")):
        if text(tree, "system", "syslog", "server", server, "vrf") != _MANAGEMENT:
            found.hazards.append(f"logs for {server} are sent outside the management table")
        here(tree, "system", "syslog", "server", server)
        out.append(server)
    return tuple(out)


def _logins(tree: Node, found: CumulusReading) -> tuple[str, ...]:
    at = ("system", "aaa", "tacacs")
    servers = []
    for key in list(node(tree, *at, "server")):
        own = node(tree, *at, "server", key)
        host, priority = text(own, "host"), number(own, "priority")
        name = host or key
        if (text(own, "prefer-ip-version") == "6") != (":" in name):
            found.hazards.append(f"TACACS+ server {name} is not asked by its own kind of address")
        if not text(own, "secret"):
            found.hazards.append(f"TACACS+ server {name} has no secret")
        order = int(key) if host is not None and is_whole(key) else priority
        servers.append((order is None, order or 0, name))
    if servers and text(tree, *at, "vrf") != _MANAGEMENT:
        found.hazards.append("TACACS+ is asked outside the management table")
    if flag(tree, *at, "enable") is False:
        found.hazards.append("TACACS+ is switched off")
    _order(tree, bool(servers), found)
    return tuple(name for _, _, name in sorted(servers))


def _order(tree: Node, asked: bool, found: CumulusReading) -> None:
    at = ("system", "aaa", "authentication-order")
    words = []
    for key in sorted(filter(is_whole, node(tree, *at)), key=int):
        step = [word for word in list(node(tree, *at, key)) if here(tree, *at, key, word)]
        words.append(" or ".join(step))
    listed = ("system", "aaa", "authentication", "order")
    if isinstance(peek(tree, *listed), list):
        words += map(str, take(tree, *listed))
    if asked and words != ["tacacs", "local"]:
        found.hazards.append(f"logins are asked of {words}, not of tacacs and then local")


def _snmp(tree: Node, address: str | None, found: CumulusReading) -> tuple[str, ...]:
    users = []
    for top in ("service", "system"):
        at = (top, "snmp-server")
        on = enabled(tree, *at)
        listening = list(node(tree, *at, "listening-address"))
        for listens in listening:
            if text(tree, *at, "listening-address", listens, "vrf") != _MANAGEMENT:
                found.hazards.append(f"SNMP listens on {listens} outside the management table")
            here(tree, *at, "listening-address", listens)
            if address is None or listens != address.split("/")[0]:
                found.hazards.append(f"SNMP listens on {listens}")
        for user in list(node(tree, *at, "username")):
            _snmp_user(node(tree, *at, "username", user), user, found)
            users.append(user)
            if not listening:
                found.hazards.append("there are SNMP users, and SNMP listens on no address")
            if not on:
                found.hazards.append("there are SNMP users, and SNMP is off")
    return tuple(sorted(users))


def _snmp_user(own: Node, user: str, found: CumulusReading) -> None:
    ok = False
    for auth in list(node(own, "auth-sha")):
        for secret in list(node(own, "auth-sha", auth, "encrypt-aes")):
            ok |= here(own, "auth-sha", auth, "encrypt-aes", secret)
    if not ok:
        found.hazards.append(f"SNMP user {user} reads without authentication and encryption")


def _gnmi(tree: Node, address: str | None, found: CumulusReading) -> int | None:
    at = ("system", "gnmi-server")
    port, on = number(tree, *at, "port"), flag(tree, *at, "state")
    listening = list(node(tree, *at, "listening-address")) or peek(tree, *at, "listening-address")
    if on and port is not None and not listening:
        found.hazards.append("gNMI is on, and no address that it listens on is said")
    for listens in list(node(tree, *at, "listening-address")):
        here(tree, *at, "listening-address", listens)
        if address is None or listens != address.split("/")[0]:
            found.hazards.append(f"gNMI listens on {listens}")
    listens_on = text(tree, *at, "listening-address")
    if listens_on is not None and (address is None or listens_on != address.split("/")[0]):
        found.hazards.append(f"gNMI listens on {listens_on}")
    return port if on else None
