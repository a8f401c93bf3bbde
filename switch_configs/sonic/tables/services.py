"""How the switch is reached, and the servers that it asks, all in the management table."""

from __future__ import annotations

from ipaddress import ip_address

from switch_configs.errors import DialectError
from switch_configs.intent import SwitchIntent
from switch_configs.shown.secrets import word

from ..names import checked
from .rows import Rows, Tables

_TACACS_MOST, _NTP_MOST, _PRIORITY_MOST = 8, 10, 64
# Where SONiC's own documentation of the GNMI table puts them.
_CERTIFICATES = {
    "ca_crt": "/etc/sonic/telemetry/dsmsroot.cer",
    "server_crt": "/etc/sonic/telemetry/streamingtelemetryserver.cer",
    "server_key": "/etc/sonic/telemetry/streamingtelemetryserver.key",
}


def management(intent: SwitchIntent) -> Tables:
    """MGMT_PORT, MGMT_INTERFACE and MGMT_VRF_CONFIG."""
    said = intent.switch.management
    port = checked(intent.switch, said.port, "management port", 15)
    return {
        "MGMT_PORT": {port: {"admin_status": "up", "alias": port}},
        "MGMT_INTERFACE": {f"{port}|{said.address}": {"gwaddr": str(said.gateway)}},
        "MGMT_VRF_CONFIG": {"vrf_global": {"mgmtVrfEnabled": "true"}},
    }


def servers(intent: SwitchIntent) -> Tables:
    """NTP, syslog, TACACS+, SNMPv3 and gNMI; of each nothing where nobody asks for it."""
    services = intent.services
    _count(intent, services.ntp, _NTP_MOST, "NTP servers")
    # `config interface` and hostcfgd want the table of management said at each.
    syslog: Rows = {_address(one): {"vrf": "mgmt"} for one in services.syslog}
    ntp: Rows = {_address(one): {"iburst": "on"} for one in services.ntp}
    return {
        "NTP": {"global": {"vrf": "mgmt"}} if ntp else {},
        "NTP_SERVER": ntp,
        "SYSLOG_SERVER": syslog,
        **_tacacs(intent),
        **_snmp(intent),
        **_gnmi(intent),
    }


def _address(text: str) -> str:
    return str(ip_address(text))


def _count(intent: SwitchIntent, found: tuple[str, ...], most: int, what: str) -> None:
    if len(found) > most:
        raise DialectError(f"{intent.switch.name}: {len(found)} {what}, and SONiC takes {most}")


def _tacacs(intent: SwitchIntent) -> Tables:
    """Servers with the highest priority are asked first (sonic-host-services, hostcfgd)."""
    said = intent.services.tacacs
    if said is None:
        return {}
    _count(intent, said.servers, _TACACS_MOST, "TACACS+ servers")
    rows: Rows = {
        _address(one): {"priority": str(_PRIORITY_MOST - at), "vrf": "mgmt"}
        for at, one in enumerate(said.servers)
    }
    return {
        "AAA": {"authentication": {"login": "tacacs+,local"}},
        "TACPLUS": {"global": {"passkey": word(said.key)}},
        "TACPLUS_SERVER": rows,
    }


def _snmp(intent: SwitchIntent) -> Tables:
    said = intent.services.snmp
    if said is None:
        return {}
    user = checked(intent.switch, said.user, "SNMP user", 32)
    if len(user) < 4 or set(user) & set(" :@,\\'\""):
        raise DialectError(
            f"{intent.switch.name}: SNMP user {user!r} cannot be said in SONiC",
            "4 to 32 characters, and none of blank : @ , \\ ' \"",
        )
    agent = f"{intent.switch.management.address.ip}|161|mgmt"
    return {
        "SNMP_AGENT_ADDRESS_CONFIG": {agent: {}},
        "SNMP_USER": {
            user: {
                "SNMP_USER_AUTH_PASSWORD": word(said.auth),
                "SNMP_USER_AUTH_TYPE": "SHA",
                "SNMP_USER_ENCRYPTION_PASSWORD": word(said.priv),
                "SNMP_USER_ENCRYPTION_TYPE": "AES",
                "SNMP_USER_PERMISSION": "RO",
                "SNMP_USER_TYPE": "Priv",
            }
        },
    }


def _gnmi(intent: SwitchIntent) -> Tables:
    """With certificates: without them SONiC answers gNMI without TLS, to everybody."""
    port = intent.services.gnmi_port
    if port is None:
        return {}
    return {
        "GNMI": {
            "certs": dict(_CERTIFICATES),
            "gnmi": {"client_auth": "true", "log_level": "2", "port": str(port)},
        }
    }
