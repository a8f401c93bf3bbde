"""Community SONiC as a switch: config_db.json, and its own frr.conf."""

from __future__ import annotations

from switch_configs.intent import Dialect, OobIntent, SwitchIntent

from .dialect import Sonic
from .readback import reserved

__all__ = ["DIALECT", "not_loadable", "reserved"]

DIALECT: Dialect = Sonic()


def not_loadable(intent: SwitchIntent | OobIntent) -> str:
    """A cold boot needs the box's own MAC, which only `asbuilt.csv` knows.

    At boot only init_cfg.json and this file are merged (sonic-buildimage, docker_image_ctl.j2), and
    without DEVICE_METADATA.mac vlanmgrd, vxlanmgrd and teammgrd throw (sonic-swss, cfgmgr), which
    ends containers swss and teamd.
    """
    if intent.switch.management.mac:
        return ""
    return (
        f"no MAC of {intent.switch.management.port} in asbuilt.csv: after a cold boot without "
        "`mac` the containers swss and teamd end"
    )
