"""Which shell lines are one program and its words, so that no shell need run them."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"([a-z/][a-z0-9_./-]*)(?: [A-Za-z0-9_./:=,@%+' -]*)?")
# Those of bash(1) and dash(1) that `_PLAIN` would take, also where a program of the name exists:
# a shell runs its own.
_NO_PROGRAM = re.compile(
    "alias|bg|bind|break|builtin|caller|case|cd|chdir|command|compgen|complete|compopt"
    "|continue|coproc|declare|dirs|disown|do|done|echo|elif|else|enable|esac|eval|exec|exit"
    "|export|false|fc|fg|fi|for|function|getopts|hash|help|history|if|in|jobs|kill|let|local"
    "|logout|mapfile|popd|printf|pushd|pwd|read|readarray|readonly|return|select|set|shift"
    "|shopt|source|suspend|test|then|time|times|trap|true|type|typeset|ulimit|umask|unalias"
    "|unset|until|wait|while"
)


def is_one_program(line: str) -> bool:
    """Whether a program that starts others may have `line` as its last words, unquoted.

    Words hold nothing that a shell changes but single quotes around them; a builtin or reserved
    word is no program (POSIX, Shell Command Language 2.2, 2.4 and 2.14; bash(1), SHELL BUILTINS).
    """
    name = _PLAIN.fullmatch(line)
    if name is None or line.count("'") % 2:
        return False
    return _NO_PROGRAM.fullmatch(name[1]) is None
