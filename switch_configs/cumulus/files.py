"""The files that this dialect owns on a switch, and what a change of each may do."""

from __future__ import annotations

from switch_configs.intent import ConfigFile

STARTUP = "/etc/nvue.d/startup.yaml"
ISOLATION = "/etc/cumulus/acl/policy.d/60_railbed_isolation.rules"
# All rules while new ones of ours wait to be confirmed. In /run: a restart installs the old ones.
TRIED = "/run/railbed-isolation"
TRIED_RULES = f"{TRIED}/60_railbed_isolation.rules"
# What shows the rules that are installed: those that are tried, else those that stay.
SHOW_RULES = (
    f'f={ISOLATION}; [ -d {TRIED} ] && f={TRIED_RULES}; if [ -f "$f" ]; then '
    'echo "rules 0 $(wc -c < "$f")"; base64 "$f"; fi; '
)
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
