"""The tables of CONFIG_DB that may be put on a switch, from SONiC's YANG models.

Source: github.com/sonic-net/sonic-buildimage, src/sonic-yang-models/yang-models (and
yang-templates for lists), branches 202405 to 202505; the file of a table is beside it. Only what
all three releases take is here. A table that is not here is refused, as SONiC passes over what
no model knows.

A kind says what a value may be: `ref:T,U` is a key of one of these tables, `refs:T` many of them
with commas between, `int:A..B`, `enum:a,b`, `re:PATTERN`, `text:A..B` (characters), `ip`,
`prefix`, `list:KIND` a JSON list. Keys are kinds with `|` between them; several forms in a tuple.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

_PORTS = "ref:PORT"
_NAME = r"re:[a-zA-Z0-9][-a-zA-Z0-9_]{0,31}"
_HASHED = (
    "list:enum:IN_PORT,DST_MAC,SRC_MAC,ETHERTYPE,VLAN_ID,IP_PROTOCOL,DST_IP,SRC_IP,L4_DST_PORT,"
    "L4_SRC_PORT,INNER_DST_MAC,INNER_SRC_MAC,INNER_ETHERTYPE,INNER_IP_PROTOCOL,INNER_DST_IP,"
    "INNER_SRC_IP,INNER_L4_DST_PORT,INNER_L4_SRC_PORT"
)
_UP = "enum:up,down"
_TRUE = "enum:true,false"
_U32, _U64 = "int:0..4294967295", "int:0..18446744073709551615"
_SPAN = "re:[0-7](-[0-7])?"
_SECRET = "text:1..65"
_ETHER_TYPE = r"re:0x0[6-9a-fA-F][0-9a-fA-F]{2}|0x[1-9a-fA-F][0-9a-fA-F]{3}|[1-9]\d{3,4}"


@dataclass(frozen=True)
class Table:
    """Rows of a table: forms of their keys, fields, those they must have, and the model."""

    keys: tuple[str, ...]
    fields: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    model: str = ""
    # Every field is an entry of a map: kind of its name, kind of its value.
    entries: tuple[str, str] | None = None


_WRED = {
    f"{colour}_{name}": kind
    for colour in ("green", "yellow", "red")
    for name, kind in (
        ("min_threshold", _U64), ("max_threshold", _U64), ("drop_probability", "int:0..100"),
    )
} | {f"wred_{colour}_enable": _TRUE for colour in ("green", "yellow", "red")}  # fmt: skip

TABLES: dict[str, Table] = {
    "AAA": Table(
        ("enum:authentication,authorization,accounting",),
        {
            "login": r"re:((ldap|tacacs\+|local|radius|default),)*"
            r"(ldap|tacacs\+|local|radius|default)",
            "failthrough": "enum:True,False,true,false",
            "fallback": "enum:True,False,true,false",
        },
        model="sonic-system-aaa",
    ),
    "ACL_RULE": Table(
        ("ref:ACL_TABLE|text:1..255",),
        {
            "PACKET_ACTION": "enum:DROP,ACCEPT,FORWARD,REDIRECT,DO_NOT_NAT",
            "PRIORITY": "int:0..999999",
            "SRC_IP": "prefix",
            "DST_IP": "prefix",
            "IP_PROTOCOL": "int:1..143",
            "L4_SRC_PORT": "int:0..65535",
            "L4_DST_PORT": "int:0..65535",
            "ETHER_TYPE": _ETHER_TYPE,
            "VLAN_ID": "int:1..4094",
            "IP_TYPE": "enum:ANY,IP,NON_IP,IPV4,IPV4ANY,IPv4ANY,NON_IPv4,IPV6,IPV6ANY,ARP",
        },
        ("PRIORITY",),
        "sonic-acl",
    ),
    "ACL_TABLE": Table(
        ("text:1..255",),
        {
            "policy_desc": "text:1..255",
            "type": "enum:L2,L3,L3V6,L3V4V6,MIRROR,MIRRORV6,MIRROR_DSCP,CTRLPLANE,PFCWD",
            "stage": "enum:ingress,egress,INGRESS,EGRESS",
            "services": "list:text:1..255",
            "ports": "list:ref:PORT,PORTCHANNEL",
        },
        ("type",),
        "sonic-acl",
    ),
    "BREAKOUT_CFG": Table(
        ("text:1..255",), {"brkout_mode": "text:1..64"}, model="sonic-breakout_cfg"
    ),
    "BUFFER_PG": Table(
        (f"{_PORTS}|{_SPAN}",),
        {"profile": "null:BUFFER_PROFILE"},
        ("profile",),
        "sonic-buffer-pg",
    ),
    "BUFFER_POOL": Table(
        ("text:1..64",),
        {
            "type": "enum:ingress,egress,both",
            "mode": "enum:static,dynamic",
            "size": _U64,
            "xoff": _U64,
            "percentage": "int:0..100",
        },
        ("type", "mode"),
        "sonic-buffer-pool",
    ),
    "BUFFER_PORT_EGRESS_PROFILE_LIST": Table(
        (_PORTS,), {"profile_list": "refs:BUFFER_PROFILE"},
        model="sonic-buffer-port-egress-profile-list",
    ),
    "BUFFER_PORT_INGRESS_PROFILE_LIST": Table(
        (_PORTS,), {"profile_list": "refs:BUFFER_PROFILE"},
        model="sonic-buffer-port-ingress-profile-list",
    ),
    "BUFFER_PROFILE": Table(
        ("text:1..128",),
        {
            "pool": "ref:BUFFER_POOL",
            "size": _U64,
            "dynamic_th": "int:-8..7",
            "static_th": _U64,
            "xon": _U64,
            "xoff": _U64,
            "xon_offset": _U64,
            "headroom_type": "enum:static,dynamic",
        },
        ("pool", "size"),
        "sonic-buffer-profile",
    ),
    "BUFFER_QUEUE": Table(
        (rf"{_PORTS}|re:(1[0-5]|[0-9])(-(1[0-5]|[0-9]))?",),
        {"profile": "ref:BUFFER_PROFILE"},
        model="sonic-buffer-queue",
    ),
    "CABLE_LENGTH": Table((_NAME,), model="sonic-cable-length", entries=(_PORTS, "re:[0-9]+m")),
    "DEFAULT_LOSSLESS_BUFFER_PARAMETER": Table(
        (_NAME,),
        {"default_dynamic_th": "int:-8..7", "over_subscribe_ratio": "int:0..65535"},
        ("default_dynamic_th",),
        "sonic-default-lossless-buffer-parameter",
    ),
    "DEVICE_METADATA": Table(
        ("enum:localhost",),
        {
            "bgp_asn": "int:0..4294967295",
            "bgp_router_id": "ip",
            "buffer_model": "enum:dynamic,traditional",
            "default_bgp_status": _UP,
            "default_pfcwd_status": "enum:disable,enable",
            "docker_routing_config_mode": "enum:separated,unified,split,split-unified",
            "frr_mgmt_framework_config": _TRUE,
            "hostname": "text:1..63",
            "hwsku": "text:1..255",
            "mac": "re:([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}",
            "platform": "text:1..255",
            "synchronous_mode": "enum:enable,disable",
            "timezone": "text:1..255",
            "type": "enum:ToRRouter,LeafRouter,SpineChassisFrontendRouter,ChassisBackendRouter,"
            "ASIC,MgmtToRRouter,SpineRouter,BackEndToRRouter,BackEndLeafRouter,EPMS,MgmtTsToR,"
            "BmcMgmtToRRouter,not-provisioned",
            "yang_config_validation": "enum:disable,enable",
        },
        model="sonic-device_metadata",
    ),
    "DNS_NAMESERVER": Table(("ip",), model="sonic-dns"),
    "DSCP_TO_TC_MAP": Table(
        (_NAME,), model="sonic-dscp-tc-map", entries=("int:0..63", "int:0..15")
    ),
    "FLEX_COUNTER_TABLE": Table(
        ("re:[A-Z0-9_]{1,64}",),
        {"FLEX_COUNTER_STATUS": "enum:enable,disable", "POLL_INTERVAL": "int:100..4294967295"},
        model="sonic-flex_counter",
    ),
    "GNMI": Table(
        ("enum:gnmi,certs",),
        {
            "ca_crt": r"re:(/[a-zA-Z0-9_-]+)*/([a-zA-Z0-9_-]+).cer",
            "server_crt": r"re:(/[a-zA-Z0-9_-]+)*/([a-zA-Z0-9_-]+).cer",
            "server_key": r"re:(/[a-zA-Z0-9_-]+)*/([a-zA-Z0-9_-]+).key",
            "client_auth": _TRUE,
            "log_level": "int:0..100",
            "port": "int:0..65535",
            "user_auth": "enum:password,jwt,cert",
        },
        model="sonic-gnmi",
    ),
    "INTERFACE": Table(
        (_PORTS, f"{_PORTS}|prefix"),
        {"ipv6_use_link_local_only": "enum:enable,disable", "vrf_name": "ref:VRF"},
        model="sonic-interface",
    ),
    "LOOPBACK_INTERFACE": Table(
        ("re:Loopback[0-9]{1,3}", "re:Loopback[0-9]{1,3}|prefix"),
        {"vrf_name": "ref:VRF"},
        model="sonic-loopback-interface",
    ),
    "LOSSLESS_TRAFFIC_PATTERN": Table(
        (_NAME,),
        {"mtu": "int:1..9216", "small_packet_percentage": "int:0..100"},
        ("mtu", "small_packet_percentage"),
        "sonic-lossless-traffic-pattern",
    ),
    "MAP_PFC_PRIORITY_TO_QUEUE": Table(
        (_NAME,), model="sonic-pfc-priority-queue-map", entries=("int:0..7", "int:0..7")
    ),
    "MGMT_INTERFACE": Table(
        ("ref:MGMT_PORT|prefix",), {"gwaddr": "ip"}, model="sonic-mgmt_interface"
    ),
    "MGMT_PORT": Table(
        ("re:eth[0-9]{1,4}",),
        {
            "admin_status": _UP, "alias": "text:1..128", "autoneg": "enum:on,off",
            "description": "text:0..255", "mtu": "int:1500..9216", "speed": "enum:10,100,1000",
        },
        model="sonic-mgmt_port",
    ),
    "MGMT_VRF_CONFIG": Table(
        ("enum:vrf_global",), {"mgmtVrfEnabled": _TRUE}, model="sonic-mgmt_vrf"
    ),
    "NTP": Table(
        ("enum:global",),
        {
            "admin_state": "enum:enabled,disabled", "authentication": "enum:enabled,disabled",
            "dhcp": "enum:enabled,disabled", "server_role": "enum:enabled,disabled",
            "vrf": "enum:mgmt,default",
        },
        model="sonic-ntp",
    ),
    "NTP_SERVER": Table(
        ("ip",),
        {
            "association_type": "enum:server,pool", "iburst": "enum:on,off",
            "admin_state": "enum:enabled,disabled", "version": "int:3..4",
        },
        model="sonic-ntp",
    ),
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": Table(
        (_NAME,), model="sonic-pfc-priority-priority-group-map", entries=("int:0..7", "int:0..7")
    ),
    "PFC_WD": Table(
        ("enum:GLOBAL", _PORTS),
        {
            "POLL_INTERVAL": "int:100..1000",
            "action": "enum:drop,forward,alert",
            "detection_time": "int:100..5000",
            "restoration_time": "int:100..60000",
        },
        model="sonic-pfcwd",
    ),
    "PORT": Table(
        ("re:Ethernet[0-9]{1,4}",),
        {
            "admin_status": _UP, "alias": "text:1..128", "autoneg": "enum:on,off",
            "adv_speeds": "re:all|[0-9]{1,7}(,[0-9]{1,7}){0,15}",
            "description": "text:0..255", "fec": "enum:rs,fc,none,auto", "index": "int:0..65535",
            "lanes": r"re:[0-9]{1,4}(,[0-9]{1,4}){0,15}", "link_training": "enum:on,off",
            "mtu": "int:68..9216", "pfc_asym": "enum:on,off", "speed": "int:1..800000",
            "subport": "int:0..8",
        },
        ("lanes", "speed"),
        "sonic-port",
    ),
    "PORTCHANNEL": Table(
        ("re:PortChannel[0-9]{1,4}",),
        {
            "admin_status": _UP, "description": "text:1..255", "fallback": _TRUE,
            "fast_rate": _TRUE, "lacp_key": "re:auto|[1-9][0-9]{0,4}", "min_links": "int:1..1024",
            "mtu": "int:1..9216",
        },
        ("admin_status",),
        "sonic-portchannel",
    ),
    "PORTCHANNEL_MEMBER": Table((f"ref:PORTCHANNEL|{_PORTS}",), model="sonic-portchannel"),
    "PORT_QOS_MAP": Table(
        ("enum:global", _PORTS),
        {
            "dscp_to_tc_map": "ref:DSCP_TO_TC_MAP",
            "tc_to_pg_map": "ref:TC_TO_PRIORITY_GROUP_MAP",
            "tc_to_queue_map": "ref:TC_TO_QUEUE_MAP",
            "pfc_to_queue_map": "ref:MAP_PFC_PRIORITY_TO_QUEUE",
            "pfc_to_pg_map": "ref:PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
            "pfc_enable": "re:[0-7](,[0-7])*",
            "pfcwd_sw_enable": "re:[0-7](,[0-7])*",
            "scheduler": "ref:SCHEDULER",
        },
        model="sonic-port-qos-map",
    ),
    "QUEUE": Table(
        (f"{_PORTS}|{_SPAN}",),
        {"scheduler": "ref:SCHEDULER", "wred_profile": "ref:WRED_PROFILE"},
        model="sonic-queue",
    ),
    "SCHEDULER": Table(
        ("text:1..64",),
        {
            "type": "enum:DWRR,WRR,STRICT", "weight": "int:1..100", "priority": "int:0..9",
            "meter_type": "enum:packets,bytes", "cir": _U64, "pir": _U64, "cbs": _U32, "pbs": _U32,
        },
        model="sonic-scheduler",
    ),
    "SNMP_AGENT_ADDRESS_CONFIG": Table(
        (r"ip|re:[0-9]{0,5}|re:mgmt|Vrf[a-zA-Z0-9_-]+",), model="sonic-snmp"
    ),
    "SNMP_USER": Table(
        (r"re:[^ :@,\\'\"]{4,32}",),
        {
            "SNMP_USER_TYPE": "enum:noAuthNoPriv,AuthNoPriv,Priv",
            "SNMP_USER_PERMISSION": "enum:RO,RW",
            "SNMP_USER_AUTH_TYPE": "enum:SHA,MD5,HMAC-SHA-2",
            "SNMP_USER_AUTH_PASSWORD": "text:8..64",
            "SNMP_USER_ENCRYPTION_TYPE": "enum:DES,AES",
            "SNMP_USER_ENCRYPTION_PASSWORD": "text:8..64",
        },
        ("SNMP_USER_TYPE", "SNMP_USER_PERMISSION", "SNMP_USER_ENCRYPTION_PASSWORD"),
        "sonic-snmp",
    ),
    "SWITCH_HASH": Table(
        ("enum:GLOBAL",),
        {
            "ecmp_hash": _HASHED,
            "lag_hash": _HASHED,
            "ecmp_hash_algorithm": "enum:CRC,XOR,RANDOM,CRC_32LO,CRC_32HI,CRC_CCITT,CRC_XOR",
        },
        model="sonic-hash",
    ),
    "SYSLOG_SERVER": Table(
        ("ip",),
        {
            "port": "int:0..65535", "protocol": "enum:tcp,udp", "source": "ip",
            "severity": "enum:none,debug,info,notice,warn,error,crit", "vrf": "enum:mgmt,default",
        },
        model="sonic-syslog",
    ),
    "TACPLUS": Table(
        ("enum:global",),
        {
            "auth_type": "enum:pap,chap,mschap,login", "passkey": _SECRET, "timeout": "int:1..60",
        },
        model="sonic-system-tacacs",
    ),
    "TACPLUS_SERVER": Table(
        ("ip",),
        {
            "auth_type": "enum:pap,chap,mschap,login", "passkey": _SECRET,
            "priority": "int:1..64", "tcp_port": "int:0..65535", "timeout": "int:1..60",
            "vrf": "enum:mgmt,default",
        },
        model="sonic-system-tacacs",
    ),
    "TC_TO_PRIORITY_GROUP_MAP": Table(
        (_NAME,), model="sonic-tc-priority-group-map", entries=("int:0..15", "int:0..7")
    ),
    "TC_TO_QUEUE_MAP": Table(
        (_NAME,), model="sonic-tc-queue-map", entries=("int:0..15", "int:0..7")
    ),
    "VERSIONS": Table(
        ("enum:DATABASE",),
        {"VERSION": r"re:version_([1-9]\d?_\d{1,2}_\d{1,2}|[1-9]\d{5}_\d{2})"},
        model="sonic-versions",
    ),
    "VLAN": Table(
        (r"re:Vlan(409[0-5]|40[0-8]\d|[1-3]\d{3}|[1-9]\d{2}|[1-9]\d|[2-9])",),
        {
            "admin_status": _UP, "alias": "text:1..255", "description": "text:1..255",
            "mtu": "int:1..9216", "vlanid": "int:2..4094",
        },
        model="sonic-vlan",
    ),
    "VLAN_INTERFACE": Table(
        ("ref:VLAN", "ref:VLAN|prefix"),
        {"secondary": _TRUE, "vrf_name": "ref:VRF"},
        model="sonic-vlan",
    ),
    "VLAN_MEMBER": Table(
        ("ref:VLAN|ref:PORT,PORTCHANNEL",),
        {"tagging_mode": "enum:tagged,untagged,priority_tagged"},
        ("tagging_mode",),
        "sonic-vlan",
    ),
    "VRF": Table(("re:Vrf[a-zA-Z0-9_-]+",), model="sonic-vrf"),
    "WRED_PROFILE": Table(
        (_NAME,),
        {
            "ecn": "enum:ecn_none,ecn_green,ecn_yellow,ecn_red,ecn_green_yellow,ecn_green_red,"
            "ecn_yellow_red,ecn_all",
            **_WRED,
        },
        model="sonic-wred-profile",
    ),
}  # fmt: skip
