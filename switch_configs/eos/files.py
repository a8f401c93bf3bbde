"""The one file of this dialect, and what says that a change of it waits."""

from __future__ import annotations

from switch_configs.intent import ConfigFile

STARTUP = "/mnt/flash/startup-config"
PENDING_FILE = "/railbed/pending"
"""No file of the switch: it stands for a change that nobody confirmed, so it always differs."""
UNSAVED_FILE = "/railbed/unsaved"
"""Nor this: it stands for what runs and is not in the startup file, so a restart would lose it."""


def config_file(text: str) -> ConfigFile:
    """The configuration as it must lie on the device.

    Its impact is the least that a change of it can have; `push` finds what one really does.
    """
    return ConfigFile(STARTUP, text, "root", "eosadmin", "0660", "runtime")
