"""What a switch runs without its secrets, for evidence; framed as in `running`.

This one is for the switch's bash, where vsh is the CLI (Cisco Nexus 9000 NX-OS Programmability
Guide, Bash). NX-OS has no word for a configuration without secrets.
"""

from __future__ import annotations

from switch_configs import masked

_BEGIN, _END = "railbed-fetch 1", "railbed-fetch end"

_MASK = masked.sed(
    (
        # A banner ends where its first character is again, and a mask must not take that. One
        # without an end would swallow the rest: a second head makes the answer unreadable.
        "/^banner (motd|exec) ./{",
        ":b",
        r"/^banner [a-z]+ (.).*\1/{d",
        "}",
        "$!{N",
        "bb",
        "}",
        f"s/.*/{_BEGIN}/",
        "}",
        "/^(username|userpassphrase|rmon) /d",
        *masked.CLI,
    )
)
STATE_COMMAND = (
    f'if r=$(timeout 12 vsh -c "show running-config" 2>/dev/null) && '
    f'r=$(printf "%s\\n" "$r" | {_MASK}); then '
    f'echo {_BEGIN}; printf "%s\\n" "$r"; echo {_END}; fi'
)
