"""Tables of CONFIG_DB that are the switch's own, and what a new switch holds in them.

Rows that SONiC adds by itself and nobody configures: from init_cfg.json, which every reload merges
in, and from daemons at their start. A push carries over what no plan names. A field is told where a
new switch has it otherwise or not at all. Values: sonic-buildimage, branches 202405, 202411 and
202505, which agree: files/build_templates/init_cfg.json.j2; src/sonic-config-engine/minigraph.py
(telemetry, REST); src/sonic-yang-models (defaults of SSH, console, memory); sonic-utilities,
scripts/db_migrator.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from switch_configs.intent import Own

from .json_text import parsed

_BANNER = "BANNER_MESSAGE"
# What a table is about; ways in first, and what protects or tells of them.
KINDS = {
    _BANNER: "banners", "GNMI": "gNMI", "PASSW_HARDENING": "rules for passwords",
    "RESTAPI": "API", "SERIAL_CONSOLE": "console", "SNMP": "SNMP", "SNMP_COMMUNITY": "SNMP",
    "SSH_SERVER": "SSH server", "TELEMETRY": "gNMI", "COPP_GROUP": "CoPP", "COPP_TRAP": "CoPP",
    "SYSLOG_CONFIG": "logs", "SYSLOG_CONFIG_FEATURE": "logs", "LOGGER": "logs", "XCVRD_LOG": "logs",
    "FEATURE": "features", "NTP": "time", "DHCP_RELAY": "DHCP", "DHCP_SERVER": "DHCP",
    "BGP_DEVICE_GLOBAL": "routing", "BMP": "routing", "AUTO_TECHSUPPORT": "system",
    "AUTO_TECHSUPPORT_FEATURE": "system", "CRM": "system", "DEBUG_COUNTER": "system",
    "DEVICE_METADATA": "system", "FLEX_COUNTER_TABLE": "system", "KDUMP": "system",
    "MEMORY_STATISTICS": "system", "SYSTEM_DEFAULTS": "system", "VERSIONS": "system",
}  # fmt: skip

_ANY = ".*"
_CERTIFICATES = {
    "server_crt": "/etc/sonic/telemetry/streamingtelemetryserver.cer",
    "server_key": "/etc/sonic/telemetry/streamingtelemetryserver.key",
    "ca_crt": "/etc/sonic/telemetry/dsmsroot.cer",
}
_GNMI = {"client_auth": "true", "port": "50051|8080", "log_level": "2"}
_SUPPORT = {"state": "enabled|disabled", "rate_limit_interval": "600",
            "available_mem_threshold": "10.0"}  # fmt: skip
# Table|row -> its fields, all of them regular expressions. What the box is, is any value: the
# plan's own words for it are in the same rows, and compared as such.
_SHIPPED: dict[str, dict[str, str]] = {
    r"AUTO_TECHSUPPORT\|GLOBAL": {
        "state": "enabled|disabled", "rate_limit_interval": "180", "max_techsupport_limit": "10.0",
        "max_core_limit": "5.0", "available_mem_threshold": "10.0", "min_available_mem": "200",
        "since": "2 days ago",
    },
    r"AUTO_TECHSUPPORT_FEATURE\|.+": _SUPPORT,
    r"BGP_DEVICE_GLOBAL\|STATE": {
        "tsa_enabled": "false", "wcmp_enabled": "false", "idf_isolation_state": "unisolated",
    },
    r"BMP\|table": {
        "bgp_neighbor_table": "true|false", "bgp_rib_in_table": "false",
        "bgp_rib_out_table": "false",
    },
    r"CRM\|Config": {
        "polling_interval": "300", ".+_threshold_type": "percentage", ".+_low_threshold": "70",
        ".+_high_threshold": "85",
    },
    r"DEVICE_METADATA\|localhost": {
        "(bgp_asn|buffer_model|docker_routing_config_mode|frr_mgmt_framework_config|hostname|hwsku"
        "|mac|platform|type|region|chassis_hostname|asic_id|asic_name)": _ANY,
        "default_bgp_status": "up", "default_pfcwd_status": "enable|disable",
        "synchronous_mode": "enable", "timezone": "UTC",
    },
    r"FEATURE\|(bgp|pmon|swss|syncd|radv|lldp|snmp|teamd|mgmt-framework|gnmi|gbsyncd)": {
        "state": "enabled",
    },
    r"FEATURE\|database": {"state": "always_enabled"},
    r"FEATURE\|(dhcp_relay|restapi|macsec|eventd|telemetry)": {"state": "enabled|disabled"},
    r"FEATURE\|(dhcp_server|iccpd|nat|p4rt|sflow|otel|mux)": {"state": "(always_)?disabled"},
    r"FEATURE\|.+": {
        "auto_restart": "enabled|always_enabled", "high_mem_alert": "disabled",
        "set_owner": "local|kube", "support_syslog_rate_limit": "true",
        "(delayed|has_timer|has_global_scope|has_per_asic_scope|check_up_status)": "(?i)true|false",
    },
    r"FLEX_COUNTER_TABLE\|.+": {"FLEX_COUNTER_STATUS": "enable", "POLL_INTERVAL": r"\d+"},
    r"FLEX_COUNTER_TABLE\|ACL": {"FLEX_COUNTER_STATUS": "disable"},
    r"(GNMI|TELEMETRY)\|certs": _CERTIFICATES,
    r"(GNMI|TELEMETRY)\|gnmi": _GNMI,
    r"KDUMP\|config": {
        "enabled": "true|false", "num_dumps": "3",
        "memory": "0M-2G:256M,2G-4G:320M,4G-8G:384M,8G-:448M",
    },
    r"LOGGER\|.+": {
        "LOGLEVEL": "NOTICE|INFO|WARN|ERROR", "LOGOUTPUT": "SYSLOG",
        "require_manual_refresh": "true|false",
    },
    r"MEMORY_STATISTICS\|memory_statistics": {
        "enabled": "false", "sampling_interval": "5", "retention_period": "15",
    },
    r"NTP\|global": {
        "authentication": "disabled", "dhcp": "enabled", "server_role": "disabled",
        "src_intf": "eth0", "admin_state": "enabled", "vrf": "default",
    },
    r"PASSW_HARDENING\|POLICIES": {
        "state": "disabled", "expiration": "180", "expiration_warning": "15", "history_cnt": "10",
        "len_min": "8", "reject_user_passw_match": "true",
        "(lower|upper|digits|special)_class": "true",
    },
    r"RESTAPI\|config": {
        "client_auth": "true", "allow_insecure": "false", "log_level": "info|trace",
    },
    r"RESTAPI\|certs": {
        "server_crt": "/etc/sonic/credentials/restapiserver.crt",
        "server_key": "/etc/sonic/credentials/restapiserver.key",
        "ca_crt": "/etc/sonic/credentials/restapica.crt",
        "client_crt_cname": "client.restapi.sonic",
    },
    r"SERIAL_CONSOLE\|POLICIES": {"inactivity_timeout": "15", "sysrq_capabilities": "disabled"},
    r"SNMP\|LOCATION": {"Location": "public"},
    r"SSH_SERVER\|POLICIES": {
        "authentication_retries": "6", "login_timeout": "120", "ports": "22",
        "inactivity_timeout": "15", "max_sessions": "0",
    },
    r"SYSLOG_CONFIG\|GLOBAL": {"rate_limit_interval": "0", "rate_limit_burst": "0"},
    r"SYSLOG_CONFIG_FEATURE\|.+": {"rate_limit_interval": "300", "rate_limit_burst": "20000"},
    r"SYSTEM_DEFAULTS\|.+": {"status": "enabled|disabled"},
    r"VERSIONS\|DATABASE": {"VERSION": _ANY},
    r"XCVRD_LOG\|Y_CABLE": {"log_verbosity": "notice"},
}  # fmt: skip
# Without these fields a server of gNMI lets everybody in (dockers/docker-sonic-gnmi).
_ASKED = re.compile(r"(GNMI|TELEMETRY)\|gnmi"), "client_auth"


def named(text: str) -> str:
    """What a config_db.json says of these tables, by table, row and field; no value.

    A push leaves it on the switch: all else in these tables is the switch's own, and stays.
    """
    said = parsed(text) or {}
    rows = {
        name: {key: dict.fromkeys(row, "") for key, row in said.get(name, {}).items()}
        for name in sorted(KINDS)
    }
    return json.dumps(rows, indent=1) + "\n"


def own(tables: dict[str, Any]) -> Iterator[Own]:
    """Field by field the tables of KINDS; a banner as a whole."""
    for name in sorted(KINDS.keys() & tables.keys()):
        for key, row in sorted(tables[name].items()):
            place = f"{name}|{key}"
            if name == _BANNER or not isinstance(row, dict):
                shown = isinstance(row, dict) and row.get("state") == "disabled"
                yield Own(KINDS[name], f"{place} {row!r}", shown and key == "global")
                continue
            yield from _fields(KINDS[name], place, row)


def _fields(kind: str, place: str, row: dict[str, Any]) -> Iterator[Own]:
    where, missing = _ASKED
    if where.fullmatch(place) and missing not in row:
        yield Own(kind, f"{place} without {missing}")
    known = [fields for rows, fields in _SHIPPED.items() if re.fullmatch(rows, place)]
    if not row:
        yield Own(kind, place, bool(known))
    for name, value in row.items():
        shipped = _is_shipped(known, name, str(value))
        yield Own(kind, f"{place} {name} {value!r}", shipped, f"{place} {name}")


def _is_shipped(known: list[dict[str, str]], name: str, value: str) -> bool:
    return any(
        re.fullmatch(field, name) and re.fullmatch(said, value)
        for fields in known
        for field, said in fields.items()
    )
