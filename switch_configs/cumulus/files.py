"""The files that this dialect owns on a switch, and what a change of each may do."""

from __future__ import annotations

from switch_configs.intent import ConfigFile

STARTUP = "/etc/nvue.d/startup.yaml"
ISOLATION = "/etc/cumulus/acl/policy.d/60_railbed_isolation.rules"
# Stands for a configuration that runs, and that a restart forgets.
UNSAVED = "/etc/nvue.d/startup.yaml (not saved)"
# Whose change waits. In /run: a restart, which goes back by itself, ends what waits.
OURS = "/run/railbed-push"


def startup(text: str) -> ConfigFile:
    """NVUE's tree; `push` says of each change what it does, this is the worst that is common."""
    return ConfigFile(STARTUP, text, "root", "root", "0600", "link flap")


def isolation(text: str) -> ConfigFile:
    """Rules that `cl-acltool` installs; new rules do not touch other traffic."""
    return ConfigFile(ISOLATION, text, "root", "root", "0644", "runtime")
