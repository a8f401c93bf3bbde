"""Two FRR configurations side by side: what FRR shows in another order is not another thing."""

from __future__ import annotations

import re
from itertools import groupby

# Not configuration: what FRR writes around it, and what it takes from the system and not
# from its file (the name is the kernel's, the version its own).
_AROUND = re.compile(
    r"!|#|Building configuration|Current configuration|exit$|exit-vrf$|exit-address-family|end$"
)
_WORDS = re.compile(r"Building configuration|Current configuration|end$")
_OF_THE_SYSTEM = re.compile(r"frr version |hostname ")


def is_statement(line: str) -> bool:
    """Whether a line says something, and not only where FRR writes it."""
    return bool(line) and not _AROUND.match(line) and not _OF_THE_SYSTEM.match(line)


def statements(text: str) -> list[str]:
    """Every statement after the blocks it stands in, sorted, once: FRR orders neighbours by age.

    Blocks are told by their indent, as FRR writes them; one that is begun again goes on.
    """
    blocks: list[tuple[int, str]] = []
    found = []
    for raw in text.splitlines():
        line = raw.strip()
        if not is_statement(line):
            continue
        indent = len(raw) - len(raw.lstrip())
        while blocks and blocks[-1][0] >= indent:
            blocks.pop()
        blocks.append((indent, line))
        found.append(" / ".join(one for _, one in blocks))
    return sorted(set(found))


def tidy(text: str) -> str:
    """What FRR runs, without the words around it and with neighbours by name."""
    body = [line for line in text.splitlines() if line and not _WORDS.match(line)]
    lines: list[str] = []
    for _, group in groupby(enumerate(body), key=_neighbours_apart):
        lines += sorted((line for _, line in group), key=_neighbour_of)
    return "".join(f"{line}\n" for line in lines)


def _neighbours_apart(numbered: tuple[int, str]) -> tuple[int, int]:
    """One key for neighbour lines that follow each other, another for every other line."""
    number, line = numbered
    is_neighbour = line.lstrip().startswith("neighbor ")
    return (len(line) - len(line.lstrip()), -1) if is_neighbour else (0, number)


def _neighbour_of(line: str) -> str:
    words = line.split()
    return words[1] if words[0] == "neighbor" else ""
