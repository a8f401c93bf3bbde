"""What stands for this dialect's one text, and for its not being saved; neither is a file."""

from __future__ import annotations

from switch_configs.intent import ConfigFile

RUNNING = "/running-config"
"""No file on the switch: what `show running-config` prints."""
UNSAVED_FILE = "/railbed/unsaved"
"""Nor this: it stands for what runs and is not in the startup file, so a restart would lose it."""


def running_file(text: str) -> ConfigFile:
    """The text as a file; what a change does to traffic, `push` says by what changed."""
    return ConfigFile(RUNNING, text, "network-admin", "network-admin", "0600", "link flap")
