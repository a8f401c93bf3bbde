"""What a switch runs without its secrets, for evidence: lines for its command line.

EOS takes the secrets out itself (`show running-config sanitized`; recorded in napalm,
test/eos/mocked_data/test_get_config_sanitized), and a mask of ours takes out what is left.
"""

from __future__ import annotations

import re

from switch_configs.shown import masked
from switch_configs.shown.masked import REMOVED

from .sessions import SESSIONS

_MAY = "( privilege [0-9]+| role [^ ]+| shell [^ ]+| nopassword)*"
_ACCOUNT = f"(no )?(username [^ ]+{_MAY}|aaa root( nopassword)?|enable)"
_LOGIN = f"({_ACCOUNT}( (secret|password|ssh-key))?)"
MASK = masked.sed(
    (
        # Of an account stays whose it is, what it may and how it gets in: one that nobody planned
        # is told.
        rf"s/^({_ACCOUNT})$/\1/;t",
        rf"/^(username|aaa root|enable) /s/^{_LOGIN} .*/\1 {REMOVED}/;t",
        *masked.CLI,
    )
)
SECRET = re.compile(r"show (running-config|startup-config|session-config)\b")
SANITIZED = "show running-config sanitized"
STATE_COMMAND = f"{SESSIONS}\n{SANITIZED}"
