"""What a switch runs without its secrets, for evidence; framed as in `fetch`.

EOS takes the secrets out itself (`show running-config sanitized`; recorded in napalm,
test/eos/mocked_data/test_get_config_sanitized), and a mask of ours takes out what is left.
"""

from __future__ import annotations

from switch_configs.shown import masked
from switch_configs.shown.masked import REMOVED

from .files import PENDING

_MAY = "( privilege [0-9]+| role [^ ]+| shell [^ ]+| nopassword)*"
_ACCOUNT = f"(no )?(username [^ ]+{_MAY}|aaa root( nopassword)?|enable)"
_LOGIN = f"({_ACCOUNT}( (secret|password|ssh-key))?)"
_MASK = masked.sed(
    (
        # Of an account stays whose it is, what it may and how it gets in: one that nobody planned
        # is told.
        rf"s/^({_ACCOUNT})$/\1/;t",
        rf"/^(username|aaa root|enable) /s/^{_LOGIN} .*/\1 {REMOVED}/;t",
        *masked.CLI,
    )
)
_RUNNING = masked.part(
    "running",
    "running 0",
    "timeout 10 FastCli -p 15 -c 'show running-config sanitized'",
    masked.whole("^! device: ", "end"),
    _MASK,
)
STATE_COMMAND = (
    f"echo railbed-fetch 1; {_RUNNING}"
    f"timeout 4 {PENDING} >/dev/null && echo pending; echo railbed-fetch end"
)
