"""Rules for `cl-acltool` -> ports that do not see each other.

Source: NVIDIA Cumulus Linux 5.14, Access Control List Configuration.
"""

from __future__ import annotations

import re

_ACCEPT = re.compile(r"-A FORWARD -i (\S+) -j ACCEPT")
_DROP = re.compile(r"-A FORWARD -i swp\+ -o (\S+) -j DROP")


def read(text: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Isolated ports, ports that reach all, and the lines that were not understood.

    A rule that drops holds for what no earlier rule accepts.
    """
    isolated: list[str] = []
    trunks: list[str] = []
    unread: list[str] = []
    section = ""
    for line in text.splitlines():
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        accept, drop = _ACCEPT.fullmatch(words), _DROP.fullmatch(words)
        if words.startswith("["):
            section = words
        elif section == "[ebtables]" and accept and not isolated:
            trunks.append(accept[1])
        elif section == "[ebtables]" and drop:
            isolated.append(drop[1])
        else:
            unread.append(words)
    return tuple(isolated), tuple(trunks), tuple(unread)
