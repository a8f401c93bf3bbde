"""A stock SN5600: our own lines with the values that SONiC's templates give.

sonic-buildimage, branch 202405: files/build_templates/qos_config.j2 (maps, PFC on 3 and 4,
weights 14 and 15, ECN 1 to 2 MB at 5 %) and device/mellanox/x86_64-nvidia_sn5600-r0/ACS-SN5600
(lanes, pools, profiles).
"""

from __future__ import annotations

from typing import Any

# DSCP -> TC where it is not 1.
_STOCK = {3: 3, 4: 4, 5: 2, 8: 0, 46: 5, 48: 6}
_SAME = {str(one): str(one) for one in range(8)}


def stock() -> dict[str, Any]:
    """One port of an SN5600 after `config qos reload`."""
    port = "Ethernet0"
    marking = {"ecn": "ecn_all"}
    for colour in ("green", "yellow", "red"):
        marking |= {
            f"wred_{colour}_enable": "true", f"{colour}_min_threshold": "1048576",
            f"{colour}_max_threshold": "2097152", f"{colour}_drop_probability": "5",
        }  # fmt: skip
    maps = ("dscp_to_tc_map", "tc_to_queue_map", "tc_to_pg_map", "pfc_to_queue_map")
    return {
        "DEVICE_METADATA": {
            "localhost": {
                "hostname": "str-sn5600", "hwsku": "ACS-SN5600", "buffer_model": "dynamic",
                "platform": "x86_64-nvidia_sn5600-r0", "type": "ToRRouter", "bgp_asn": "65100",
                "mac": "00:11:22:33:44:55", "default_pfcwd_status": "enable",
            }
        },
        "PORT": {
            port: {
                "lanes": "0,1,2,3,4,5,6,7", "alias": "etp1", "index": "1", "speed": "800000",
                "mtu": "9100", "admin_status": "up", "fec": "rs",
            }
        },
        "DSCP_TO_TC_MAP": {
            "AZURE": {str(one): str(_STOCK.get(one, 1)) for one in range(64)}
        },
        "TC_TO_QUEUE_MAP": {"AZURE": _SAME},
        "TC_TO_PRIORITY_GROUP_MAP": {
            "AZURE": {**dict.fromkeys(_SAME, "0"), "3": "3", "4": "4", "7": "7"}
        },
        "MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": _SAME},
        "PORT_QOS_MAP": {
            "global": {"dscp_to_tc_map": "AZURE"},
            port: {**dict.fromkeys(maps, "AZURE"), "pfc_enable": "3,4", "pfcwd_sw_enable": "3,4"},
        },
        "SCHEDULER": {
            "scheduler.0": {"type": "DWRR", "weight": "14"},
            "scheduler.1": {"type": "DWRR", "weight": "15"},
        },
        "WRED_PROFILE": {"AZURE_LOSSLESS": marking},
        "QUEUE": {
            f"{port}|{one}": {"scheduler": "scheduler.1", "wred_profile": "AZURE_LOSSLESS"}
            if one in (3, 4)
            else {"scheduler": "scheduler.0"}
            for one in range(7)
        },
        "BUFFER_POOL": {
            "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic"},
            "egress_lossless_pool": {"type": "egress", "mode": "dynamic", "size": "158229504"},
            "egress_lossy_pool": {"type": "egress", "mode": "dynamic"},
        },
        "BUFFER_PROFILE": {
            "ingress_lossy_profile": {
                "pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3",
            },
            "egress_lossless_profile": {
                "pool": "egress_lossless_pool", "size": "0", "dynamic_th": "7",
            },
            "q_lossy_profile": {"pool": "egress_lossy_pool", "size": "0", "dynamic_th": "3"},
        },
        "BUFFER_PG": {
            f"{port}|0": {"profile": "ingress_lossy_profile"}, f"{port}|3-4": {"profile": "NULL"},
        },
        "BUFFER_QUEUE": {
            f"{port}|0-2": {"profile": "q_lossy_profile"},
            f"{port}|3-4": {"profile": "egress_lossless_profile"},
            f"{port}|5-6": {"profile": "q_lossy_profile"},
        },
        "CABLE_LENGTH": {"AZURE": {port: "5m"}},
        "DEFAULT_LOSSLESS_BUFFER_PARAMETER": {"AZURE": {"default_dynamic_th": "0"}},
        "LOSSLESS_TRAFFIC_PATTERN": {"AZURE": {"mtu": "1024", "small_packet_percentage": "100"}},
    }  # fmt: skip
