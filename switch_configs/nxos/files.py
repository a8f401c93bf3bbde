"""The one file of this dialect: the running configuration, as the switch shows it."""

from __future__ import annotations

from switch_configs.intent import ConfigFile

RUNNING = "/running-config"
"""No file on the switch: what `show running-config` prints."""


def running_file(text: str) -> ConfigFile:
    """The text as a file; what a change does to traffic, `push` says by what changed."""
    return ConfigFile(RUNNING, text, "network-admin", "network-admin", "0600", "link flap")
