"""Published configurations of SONiC, as lines of our own that carry their values."""

from __future__ import annotations

from typing import Any

from tests.switch_configs.sonic.stock import stock

PORTS = ("Ethernet0", "Ethernet4")


def arista() -> dict[str, Any]:
    """Two ports of an Arista 7060X6-64PE.

    Follows sonic-buildimage, branch 202405, device/arista/x86_64-arista_7060x6_64pe:
    Arista-7060X6-64PE-O128S2/port_config.ini (lanes 17 to 24, 400 Gb/s, alias Ethernet1/1) and
    Arista-7060X6-64PE-256x200G/BALANCED (pools of 165,660,324 bytes with 29,520,896 of headroom,
    static thresholds of 167,546,528, headroom of 300,990 after 18,796, ECN 131,072 to 262,144).
    """
    lossless = "pg_lossless_200000_5m_profile"
    aliases = {
        "Ethernet0": ("17,18,19,20", "Ethernet1/1"),
        "Ethernet4": ("21,22,23,24", "Ethernet1/5"),
    }
    return {
        "DEVICE_METADATA": {
            "localhost": {
                "hostname": "arista-7060x6", "hwsku": "Arista-7060X6-64PE-256x200G",
                "platform": "x86_64-arista_7060x6_64pe", "type": "LeafRouter",
                "buffer_model": "traditional", "bgp_asn": "65100", "synchronous_mode": "enable",
            }
        },
        "PORT": {
            name: {
                "lanes": lanes, "alias": alias, "index": "1", "speed": "200000", "fec": "rs",
                "mtu": "9100", "admin_status": "up", "pfc_asym": "off",
            }
            for name, (lanes, alias) in aliases.items()
        },
        "CABLE_LENGTH": {"AZURE": dict.fromkeys(PORTS, "5m")},
        "BUFFER_POOL": {
            "ingress_lossless_pool": {
                "size": "165660324", "type": "ingress", "mode": "dynamic", "xoff": "29520896",
            },
            "egress_lossless_pool": {"size": "165660324", "type": "egress", "mode": "dynamic"},
        },
        "BUFFER_PROFILE": {
            "ingress_lossy_profile": {
                "pool": "ingress_lossless_pool", "size": "0", "static_th": "167546528",
            },
            "egress_lossy_profile": {
                "pool": "egress_lossless_pool", "size": "1778", "dynamic_th": "0",
            },
            "egress_lossless_profile": {
                "pool": "egress_lossless_pool", "size": "0", "static_th": "167546528",
            },
            lossless: {
                "pool": "ingress_lossless_pool", "xon": "0", "xoff": "300990", "size": "18796",
                "dynamic_th": "0", "xon_offset": "3556",
            },
        },
        "BUFFER_PG": {
            f"{port}|{group}": {"profile": profile}
            for port in PORTS
            for group, profile in (("0", "ingress_lossy_profile"), ("3-4", lossless))
        },
        "BUFFER_QUEUE": {
            f"{port}|{queues}": {"profile": profile}
            for port in PORTS
            for queues, profile in (
                ("0-2", "egress_lossy_profile"), ("3-4", "egress_lossless_profile"),
                ("5-7", "egress_lossy_profile"),
            )
        },
        "WRED_PROFILE": {
            "AZURE_LOSSLESS": {
                "ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "131072",
                "green_max_threshold": "262144", "green_drop_probability": "5",
            }
        },
        "QUEUE": {f"{port}|3": {"wred_profile": "AZURE_LOSSLESS"} for port in PORTS},
        "PFC_WD": {
            "GLOBAL": {"POLL_INTERVAL": "200"},
            "Ethernet0": {"action": "drop", "detection_time": "200", "restoration_time": "200"},
        },
    }  # fmt: skip


def sample() -> dict[str, Any]:
    """Management, logins, VLANs, bonds and lists.

    Follows sonic-buildimage, branch 202405, src/sonic-yang-models/tests/files/
    sample_config_db.json, the instance that SONiC's own tests take for valid.
    """
    return {
        "MGMT_PORT": {
            "eth0": {
                "alias": "eth0", "admin_status": "up", "speed": "1000", "autoneg": "off",
                "description": "Management port", "mtu": "3500",
            }
        },
        "MGMT_INTERFACE": {"eth0|10.11.150.11/16": {"gwaddr": "10.11.0.1"}},
        "MGMT_VRF_CONFIG": {"vrf_global": {"mgmtVrfEnabled": "true"}},
        "NTP": {"global": {"authentication": "disabled", "dhcp": "enabled", "vrf": "mgmt"}},
        "SYSLOG_SERVER": {
            "10.13.14.17": {"source": "1.1.1.1", "port": "514", "vrf": "default"},
            "20.1.1.1": {"source": "1.1.1.1", "port": "514", "vrf": "mgmt"},
        },
        "AAA": {"authentication": {"login": "local"}, "authorization": {"login": "local"}},
        "TACPLUS": {"global": {"auth_type": "pap", "timeout": "5"}},
        "TACPLUS_SERVER": {"192.168.1.1": {"timeout": "10"}},
        "SNMP_USER": {
            "testuser": {
                "SNMP_USER_TYPE": "Priv", "SNMP_USER_PERMISSION": "RO",
                "SNMP_USER_AUTH_TYPE": "SHA", "SNMP_USER_AUTH_PASSWORD": "auth_pass",
                "SNMP_USER_ENCRYPTION_TYPE": "AES", "SNMP_USER_ENCRYPTION_PASSWORD": "encr_pass",
            }
        },
        "GNMI": {
            "certs": {
                "ca_crt": "/etc/sonic/credentials/dsmsroot.cer",
                "server_crt": "/etc/sonic/credentials/server.cer",
                "server_key": "/etc/sonic/credentials/server.key",
            },
            "gnmi": {"client_auth": "true", "log_level": "2", "port": "50052"},
        },
        "PORT": {
            "Ethernet0": {"lanes": "65,66,67,68", "speed": "100000", "mtu": "9216"},
            "Ethernet24": {"lanes": "1,2,3,4", "speed": "100000", "fec": "rs"},
            "Ethernet26": {"lanes": "5,6", "speed": "50000", "description": "Servers:eth0"},
        },
        "PORTCHANNEL": {
            "PortChannel0004": {
                "admin_status": "up", "min_links": "1", "mtu": "9100", "lacp_key": "auto",
            }
        },
        "PORTCHANNEL_MEMBER": {"PortChannel0004|Ethernet24": {}},
        "VLAN": {
            "Vlan111": {
                "description": "svlan", "vlanid": "111", "mtu": "9216", "admin_status": "up",
            }
        },
        "VLAN_INTERFACE": {"Vlan111": {}, "Vlan111|10.222.10.65/26": {}},
        "VLAN_MEMBER": {
            "Vlan111|Ethernet0": {"tagging_mode": "untagged"},
            "Vlan111|PortChannel0004": {"tagging_mode": "untagged"},
        },
        "ACL_TABLE": {
            "V4-ACL-TABLE": {
                "type": "L3", "policy_desc": "V4-ACL-TABLE", "stage": "INGRESS",
                "ports": ["Ethernet26", "PortChannel0004"],
            }
        },
        "ACL_RULE": {
            "V4-ACL-TABLE|DEFAULT_DENY": {
                "PACKET_ACTION": "DROP", "IP_TYPE": "IPv4ANY", "PRIORITY": "0",
                "ETHER_TYPE": "2048",
            },
            "V4-ACL-TABLE|Rule_20": {
                "PACKET_ACTION": "FORWARD", "DST_IP": "10.222.72.0/26",
                "SRC_IP": "10.222.0.0/15", "PRIORITY": "999980", "L4_DST_PORT": "1520",
            },
        },
        "SCHEDULER": {
            "TEST@0": {
                "cbs": "256", "cir": "1250000", "meter_type": "bytes", "pbs": "1024",
                "pir": "25000000", "type": "DWRR", "weight": "20",
            }
        },
    }  # fmt: skip


PUBLISHED = {"arista 7060x6": arista, "nvidia sn5600": stock, "sonic's own sample": sample}
