"""The one file of this dialect, and what lies beside it during a push."""

from __future__ import annotations

from switch_configs.intent import ConfigFile

STARTUP = "/mnt/flash/startup-config"
CANDIDATE = "/mnt/flash/railbed-candidate"
PENDING_FILE = "/railbed/pending"
"""No file of the switch: it stands for a change that nobody confirmed, so it always differs."""
# The state of a session whose commit waits for its confirmation, as napalm's EOS driver reads it.
PENDING = "FastCli -p 15 -c 'show configuration sessions' 2>/dev/null | grep pendingCommitTimer"


def config_file(text: str) -> ConfigFile:
    """The configuration as it must lie on the device.

    Its impact is the least that a change of it can have; `push` finds what one really does.
    """
    return ConfigFile(STARTUP, text, "root", "eosadmin", "0660", "runtime")
