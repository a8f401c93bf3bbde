"""What a switch runs without its secrets, for evidence; framed as in `fetch`.

EOS takes the secrets out itself (`show running-config sanitized`; recorded in napalm,
test/eos/mocked_data/test_get_config_sanitized), and a mask of ours takes out what is left.
"""

from __future__ import annotations

from switch_configs import masked

from .files import PENDING

_MASK = masked.sed(
    (
        # Accounts are the switch's own; `running` leaves them out too.
        "/^(username|aaa root|enable (password|secret)) /d",
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
