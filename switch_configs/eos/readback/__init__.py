"""An EOS running configuration, ours or not -> SwitchFacts.

Shares nothing with the templates or their view. What it does not understand it lists.
"""

from __future__ import annotations

from switch_configs.intent import Rendered
from switch_configs.readback.doubled import doubled
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
        nodes = tree(file.text)
        read(file.text, nodes, found)
        for node in nodes:
            if node.words[0] == "interface":
                found.hazards += doubled(node.words[-1], (one.text for one in node.below))
    try:
        return facts(found)
    except (ValueError, IndexError, KeyError) as error:
        found = EosReading(unread=[*found.unread, f"cannot be put together: {error}"])
        return facts(found)
