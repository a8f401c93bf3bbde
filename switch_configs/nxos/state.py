"""What a switch runs without its secrets, for evidence: lines for its command line.

NX-OS has no word for a configuration without secrets, so a mask of ours takes them out.
"""

from __future__ import annotations

import re

from switch_configs.shown import masked
from switch_configs.shown.masked import REMOVED

from .running import BEGIN, END

_ROLE = "role (network-(admin|operator)|vdc-(admin|operator))"

# A job may hold any command. One without an end hides what is below it, so that makes the answer
# unreadable too.
_JOBS = (
    "/^scheduler job name /,/^ *end-job *$/{",
    "/^scheduler job name /b",
    "/^ *end-job *$/b",
    f"$s/.*/{BEGIN}/;t",
    rf"s/^( *)[^ ].*/\1{REMOVED}/",
    "b",
    "}",
)
# Recorded configurations have users wrapped at 80 columns, wherever that is in a key.
_WRAPPED = (
    rf"/^(snmp-server user| *description| *name) /!s/((^| )auth (md5|sha[0-9-]*)) .*/\1 {REMOVED}/",
    rf"s/^( ?)((0x)?[0-9A-Fa-f]+ )?priv .*/\1priv {REMOVED}/",
    rf"s/^( ?)(0x)?[0-9A-Fa-f]+ *$/\1{REMOVED}/",
    rf"/^snmp-server user /!s/^( ?)[^ ].* (localized(V2)?key)/\1{REMOVED} \2/",
    rf"s/^[^ ]+ +role [^ ]+$/{REMOVED}/",
)
MASK = masked.sed(
    (
        *_JOBS,
        # A banner ends where its first character is again, and a mask must not take that. One
        # without an end would swallow the rest: a second head makes the answer unreadable.
        "/^banner (motd|exec) ./{",
        ":b",
        r"/^banner [a-z]+ (.).*\1/{",
        rf"s/^(banner [a-z]+ ).*/\1^{REMOVED}^/",
        "b",
        "}",
        "$!{N",
        "bb",
        "}",
        f"s/.*/{BEGIN}/",
        "}",
        # Which names are logins tells whose an SNMP user is.
        # Of an account stays what it may do, where the maker named that.
        rf"s/^(username [^ ]+ password [0-9] !) +({_ROLE}) *$/\1 \2/;t",
        r"s/^(username [^ ]+ password [0-9] !)( .*)?$/\1/;t",
        rf"s/^(username [^ ]+ password( [0-9])?) [^ ]+ +({_ROLE}) *$/\1 {REMOVED} \3/;t",
        rf"s/^(username [^ ]+ (password( [0-9])?|sshkey)) .*/\1 {REMOVED}/;t",
        r"s/^(username [^ ]+ role [^ ]+) *$/\1/;t",
        "/^(username|userpassphrase|rmon) /d",
        # The kind and length of the host's key.
        "/^ssh key [a-z]+ [0-9]+ *$/b",
        *_WRAPPED,
        *masked.CLI,
    )
)
SECRET = re.compile(r"show (running|startup)-config")
STATE_COMMAND = f"echo {BEGIN}\nshow running-config\necho {END}"
