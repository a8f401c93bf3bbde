"""The one file of this dialect, and what lies beside it during a push."""

from __future__ import annotations

from switch_configs.intent import ConfigFile

STARTUP = "/mnt/flash/startup-config"
CANDIDATE = "/mnt/flash/railbed-candidate"
CHECKPOINT = "/mnt/flash/railbed-checkpoint"
SESSION = "railbed"


def config_file(text: str) -> ConfigFile:
    """The configuration as it must lie on the device.

    Its impact is the least that a change of it can have; `push` finds what one really does.
    """
    return ConfigFile(STARTUP, text, "root", "eosadmin", "0660", "runtime")
