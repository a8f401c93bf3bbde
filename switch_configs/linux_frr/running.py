"""What a device holds, as files that compare byte for byte with rendered ones.

FRR can run something else than its file says. The text of frr.conf here is the file's own
only where FRR runs exactly that; else it is what FRR runs, so that a difference is seen.
"""

from __future__ import annotations

import re
from itertools import groupby

from switch_configs.intent import ConfigFile, Rendered

from .fetch import Fetched, Held, parse
from .files import FRR, impact_of

_NOT_RUNNING = "! FRR does not run.\n"

# Not configuration: what FRR writes around it, and what it takes from the system and not
# from its file (the name is the kernel's, the version its own).
_AROUND = re.compile(r"!|#|Building configuration|Current configuration|exit$|exit-address|end$")
_WORDS = re.compile(r"Building configuration|Current configuration|end$")
_OF_THE_SYSTEM = re.compile(r"frr version |hostname ")


def running(device: str, dialect: str, fetched: str) -> Rendered:
    """The answer to the fetch command as files, sorted by path; may raise `DialectError`."""
    found = parse(device, fetched)
    held = (*(_file(one, found) for one in found.held), *_without_file(found))
    return Rendered(device, dialect, tuple(sorted(held)))


def _file(held: Held, found: Fetched) -> ConfigFile:
    text = _frr_text(held.text, found.running) if held.path == FRR else held.text
    return ConfigFile(held.path, text, held.owner, held.group, held.mode, impact_of(held.path))


def _without_file(found: Fetched) -> tuple[ConfigFile, ...]:
    """FRR runs something and has no file: that is not nothing."""
    if any(one.path == FRR for one in found.held) or not statements(found.running or ""):
        return ()
    text = _tidy(found.running or "")
    return (ConfigFile(FRR, text, "", "", "absent", impact_of(FRR)),)


def _frr_text(file: str, run: str | None) -> str:
    if run is None:
        return _NOT_RUNNING
    return file if statements(run) == statements(file) else _tidy(run)


def statements(text: str) -> list[str]:
    """Every statement after the blocks it stands in, sorted: FRR orders neighbours by age.

    Blocks are told by their indent, as FRR writes them.
    """
    blocks: list[tuple[int, str]] = []
    found = []
    for raw in text.splitlines():
        line = raw.strip()
        if not line or _AROUND.match(line) or _OF_THE_SYSTEM.match(line):
            continue
        indent = len(raw) - len(raw.lstrip())
        while blocks and blocks[-1][0] >= indent:
            blocks.pop()
        blocks.append((indent, line))
        found.append(" / ".join(one for _, one in blocks))
    return sorted(found)


def _tidy(text: str) -> str:
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
