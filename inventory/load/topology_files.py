"""NCCL's topology files, where a profile names one: XML beside the site's profiles.

NCCL finds the topology of a bare server itself. In a virtual machine PCIe bridges are hidden, and
its maker publishes a file (`NCCL_TOPO_FILE`, NCCL user guide).
"""

from __future__ import annotations

from pathlib import Path as FilePath
from xml.etree import ElementTree

from inventory.problems import Problem
from inventory.schema import NodeProfile

from .files import is_there, label, text_of


def topologies(
    folder: FilePath, profiles: dict[str, NodeProfile], problems: list[Problem]
) -> dict[str, str]:
    """The text of each file that a profile names, by its name."""
    named = {profile.collectives.topology for profile in profiles.values() if profile.collectives}
    found: dict[str, str] = {}
    for name in sorted(one for one in named if one):
        path = folder / "profiles" / name
        if not is_there(path):
            expected = "the topology file that a profile names in `collectives.topology`"
            problems.append(Problem(label(path), 1, 1, "", "no such file", expected))
        elif (text := text_of(path, problems, "an XML file")) is not None:
            problems += _wrong(path, text)
            found[name] = text.strip()
    return found


def _wrong(path: FilePath, text: str) -> list[Problem]:
    """NCCL reads `<system version="1">` (src/graph/xml.cc), and ignores a file that has none."""
    expected = "NCCL's topology: `<system version=...>` at the root"
    try:
        root = ElementTree.fromstring(text)  # a file of the site's own
    except ElementTree.ParseError as error:
        line, column = error.position
        return [Problem(label(path), line, column + 1, "", "no well-formed XML", expected)]
    if root.tag != "system":
        return [Problem(label(path), 1, 1, "", f"`<{root.tag}>`", expected)]
    return []
