"""Community SONiC as a switch: config_db.json, and its own frr.conf."""

from __future__ import annotations

import re

from switch_configs.intent import Dialect, OobIntent, SwitchIntent

from .dialect import Sonic
from .files import BUNDLE, CONFIG_DB
from .raw import RAW_TREE
from .readback import reserved

__all__ = ["BUNDLE", "DIALECT", "RAW_TREE", "not_loadable", "place_of", "reserved"]

DIALECT: Dialect = Sonic()
# Tables of CONFIG_DB are in capitals.
_OWN = re.compile(r'\s*\{\s*"[A-Z][A-Z0-9_]*"\s*:\s*\{')


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


def place_of(text: str) -> str:
    """Where a text of unknown origin lies on this system; "" where it is none of this system's."""
    return CONFIG_DB if _OWN.match(text) else ""
