"""JSON of Arista EOS's command line, and its short names of ports.

A command that EOS refuses has `errors` in its JSON, or is a line that begins with `%` (EOS User
Manual, Command-Line Interface; eAPI's `errors` are described in its Command API guide).
"""

from __future__ import annotations

import re

from inventory.reading.fields import Unreadable, document, mapping, sequence
from switch_configs.answers.said import Said, ended_well
from switch_configs.shown.said import why

_SHORT = {"Et": "Ethernet", "Po": "Port-Channel", "Vl": "Vlan", "Ma": "Management"}
_NAME = re.compile(r"([A-Z][a-z])(\d\S*)")


def shown(said: Said) -> dict[str, object]:
    """The document. Raises Unreadable."""
    root = mapping(document(ended_well(said), "EOS"), "EOS's answer")
    if "errors" in root:
        words = "; ".join(str(one) for one in sequence(root["errors"], "EOS's errors"))
        raise Unreadable(f"EOS refused `{said.line}`: {why(words, ours=said.line)}")
    return root


def port_name(name: str) -> str:
    """A port's name in full: `Et1/1` is `Ethernet1/1`."""
    match = _NAME.fullmatch(name)
    return f"{_SHORT[match[1]]}{match[2]}" if match and match[1] in _SHORT else name
