"""An EOS running configuration, ours or not -> SwitchFacts.

Shares nothing with the templates or their view. What it does not understand it lists.
"""

from __future__ import annotations

from switch_configs.intent import Rendered
from switch_configs.readback.facts import SwitchFacts

from .facts import facts
from .reading import EosReading
from .top import read
from .tree import tree


def readback(rendered: Rendered) -> SwitchFacts:
    """What the file says; never raises."""
    found = EosReading()
    for file in rendered.files:
        if not file.path.endswith("startup-config"):
            found.unread.append(f"{file.path}: no reader")
            continue
        read(file.text, tree(file.text), found)
    try:
        return facts(found)
    except (ValueError, IndexError, KeyError) as error:
        found = EosReading(unread=[*found.unread, f"cannot be put together: {error}"])
        return facts(found)
