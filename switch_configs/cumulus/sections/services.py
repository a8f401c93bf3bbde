"""`service` and `system`: name, time, logs, logins, SNMP, gNMI, LLDP; startup file kept.

Sources: NVIDIA Cumulus Linux 5.14, NTP, Syslog, TACACS+ (eight servers, the lowest priority
first), NVUE CLI (auto save); NVUE Command Reference, SNMP Server, gNMI, LLDP; the What's New
pages named in `words`.
"""

from __future__ import annotations

from ipaddress import ip_address

from inventory.plan import Management, SwitchServices
from switch_configs.errors import DialectError
from switch_configs.shown import secrets

from .. import values
from ..tree import Listed, Tree, put
from ..words import Words

# The least interval that NVUE takes; a neighbour stays while three frames of four are lost, as
# IEEE 802.1AB has it.
_LLDP_EVERY_S, _LLDP_TIMES = 10, 4
_MOST_TACACS = 8


def services(
    device: str, services: SwitchServices, management: Management, words: Words, tree: Tree
) -> None:
    """What a switch asks of others and answers itself; all in the management table."""
    put(tree, "system", "hostname", value=values.name(device, device, "switch name"))
    # Startup is written by `nv config save`, so that a change nobody confirmed is not in it.
    for key, word in words.auto_save_off.items():
        put(tree, "system", "config", "auto-save", key, value=word)
    put(tree, *words.lldp, "tx-interval", value=_LLDP_EVERY_S)
    put(tree, *words.lldp, "tx-hold-multiplier", value=_LLDP_TIMES)
    _time(services, words, tree)
    for server in services.syslog:
        put(tree, *words.syslog, "server", _server(device, server))
        if words.syslog[0] == "system":
            put(tree, *words.syslog, "server", server, "vrf", value="mgmt")
    _logins(device, services, words, tree)
    _snmp(device, services, management, words, tree)
    _gnmi(device, services, management, words, tree)


def _server(device: str, text: str) -> str:
    try:
        return str(ip_address(text))
    except ValueError:
        return values.name(device, text, "server")


def _time(services: SwitchServices, words: Words, tree: Tree) -> None:
    for server in services.ntp:
        put(tree, *words.ntp, "server", server, "iburst", value=words.on)
    if services.ntp and words.ntp[0] == "system":
        put(tree, *words.ntp, "vrf", value="mgmt")
        put(tree, *words.ntp, "state", value="enabled")


def _logins(device: str, services: SwitchServices, words: Words, tree: Tree) -> None:
    tacacs = services.tacacs
    if tacacs is None:
        return
    if len(tacacs.servers) > _MOST_TACACS:
        raise DialectError(f"{device}: more than {_MOST_TACACS} TACACS+ servers")
    at, key = ("system", "aaa", "tacacs"), secrets.word(tacacs.key)
    for priority, server in enumerate(tacacs.servers, start=1):
        one = (*at, "server", str(priority) if words.by_priority else _server(device, server))
        if words.by_priority:
            put(tree, *one, "host", value=_server(device, server))
        else:
            put(tree, *one, "priority", value=priority)
        put(tree, *one, "secret", value=key)
        if ":" in server:
            put(tree, *one, "prefer-ip-version", value=6)
    if words.by_priority:
        put(tree, *at, "enable", value="on")
    put(tree, *at, "vrf", value="mgmt")
    if words.logins_listed:
        put(tree, "system", "aaa", "authentication", "order", value=Listed("tacacs,local"))
        return
    put(tree, "system", "aaa", "authentication-order", "1", "tacacs")
    put(tree, "system", "aaa", "authentication-order", "2", "local")


def _snmp(
    device: str, services: SwitchServices, management: Management, words: Words, tree: Tree
) -> None:
    snmp = services.snmp
    if snmp is None:
        return
    for key, word in words.snmp_enable.items():
        put(tree, *words.snmp, key, value=word)
    at = (*words.snmp, "listening-address", str(management.address.ip))
    put(tree, *at, "vrf", value="mgmt")
    user = (*words.snmp, "username", values.name(device, snmp.user, "SNMP user"))
    auth, priv = secrets.word(snmp.auth), secrets.word(snmp.priv)
    put(tree, *user, "auth-sha", auth, "encrypt-aes", priv)


def _gnmi(
    device: str, services: SwitchServices, management: Management, words: Words, tree: Tree
) -> None:
    if services.gnmi_port is None:
        return
    if words.gnmi is None:
        raise DialectError(
            f"{device}: Cumulus Linux has a gNMI server of its own from release 5.13 on",
            "leave `gnmi_port` out, or use 5.13.0 or later",
        )
    put(tree, *words.gnmi, "listening-address", management.address.ip)
    put(tree, *words.gnmi, "port", value=services.gnmi_port)
    put(tree, *words.gnmi, "state", value="enabled")
