"""What the box is, and how it spreads flows."""

from __future__ import annotations

from switch_configs.errors import DialectError
from switch_configs.intent import SwitchIntent

from ..names import DEVICE_TYPE, RELEASES, checked, is_dynamic
from .rows import Row, Tables

# A RoCE flow differs from another of its two hosts in its UDP source port only.
_FIELDS = ["SRC_IP", "DST_IP", "IP_PROTOCOL", "L4_SRC_PORT", "L4_DST_PORT"]


def tables(intent: SwitchIntent) -> Tables:
    """DEVICE_METADATA and VERSIONS."""
    return {
        "DEVICE_METADATA": {"localhost": _metadata(intent)},
        # Without it the switch takes the file for one of its first release, and migrates it.
        "VERSIONS": {"DATABASE": {"VERSION": RELEASES[intent.switch.release].database}},
    }


def _metadata(intent: SwitchIntent) -> Row:
    switch = intent.switch
    hardware = switch.hardware
    if not hardware.model or not hardware.platform:
        raise DialectError(
            f"{switch.name}: profile {switch.profile} names no model or platform",
            "SONiC must be told which box it runs on: add `model:` and `platform:`",
        )
    row: Row = {
        "bgp_asn": str(switch.asn),
        # frr.conf is ours and whole. The second line starts bfdd (supervisord.conf.j2 of
        # docker-fpm-frr), and frrcfgd, which has no BGP table to read, instead of bgpcfgd.
        "docker_routing_config_mode": "split-unified",
        "frr_mgmt_framework_config": "true",
        "hostname": checked(switch, switch.name, "host name", 63),
        "hwsku": checked(switch, hardware.model, "model", 255),
        "platform": checked(switch, hardware.platform, "platform", 255),
        "synchronous_mode": "enable",
        "timezone": "UTC",
        "type": DEVICE_TYPE[switch.tier],
    }
    if switch.buffers is not None:
        row["buffer_model"] = "dynamic" if is_dynamic(hardware.asic) else "traditional"
    if switch.management.mac:
        row["mac"] = switch.management.mac
    return row


def hashing(intent: SwitchIntent) -> Tables:
    """SWITCH_HASH where SONiC's driver for the ASIC has it: on Spectrum."""
    if not is_dynamic(intent.switch.hardware.asic):
        return {}
    return {"SWITCH_HASH": {"GLOBAL": {"ecmp_hash": list(_FIELDS)}}}
