"""A switch as its configuration says it: recognised by content, read back without a plan."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from switch_configs import DialectError, dialect, places_of
from switch_configs.intent import ConfigFile, Rendered
from switch_configs.readback.facts import PortFacts, SwitchFacts


class Text(str):
    """A text, and the name of the file that it was found in, where its place does not say it."""

    __slots__ = ("file",)
    file: str


def text_of(file: str, text: str) -> Text:
    """The text of a file."""
    made = Text(text)
    made.file = file
    return made


@dataclass(frozen=True, slots=True)
class Box:
    """One switch: its facts, and its texts by the names of the files that they came in."""

    name: str
    system: str
    facts: SwitchFacts
    texts: Mapping[str, str]

    def port(self, name: str) -> PortFacts | None:
        """The facts of a port of this name."""
        return next((port for port in self.facts.ports if port.name == name), None)

    def place(self, words: str) -> str:
        """`file:line` of the first line that has these words whole; the file where none has."""
        whole = re.compile(rf"(?<![\w.:/-]){re.escape(words)}(?![\w.:/-])")
        for file, text in sorted(self.texts.items()):
            for number, line in enumerate(text.splitlines(), start=1):
                if words and whole.search(line):
                    return f"{file}:{number}"
        return min(self.texts, default="")


@dataclass(frozen=True, slots=True)
class NotRead:
    """A file or folder of which nothing is known, and why."""

    source: str
    why: str


def box(source: str, texts: Mapping[str, str]) -> Box | NotRead:
    """What one switch's texts say, by the path of each on the switch or, of a lone file, anyhow.

    Never raises on text: what cannot be understood is a `NotRead`.
    """
    found = [
        (place != path, system, place, path)
        for path, text in texts.items()
        for system, place in places_of(text).items()
    ]
    if not found:
        return NotRead(source, "no system that is known here: is it a whole configuration?")
    _, system, place, path = min(found)
    placed = {place if where == path and len(texts) == 1 else where: where for where in texts}
    files = tuple(
        ConfigFile(where, str(texts[placed[where]]), "root", "root", "0644", "none")
        for where in sorted(placed)
    )
    try:
        facts = dialect(system).readback(Rendered(source, system, files))
    except DialectError as error:
        return NotRead(source, f"{system}: {error.message}")
    except (ValueError, KeyError, RecursionError) as error:
        return NotRead(source, f"{system}: it cannot be understood ({type(error).__name__})")
    name = facts.hostname or source.rpartition("/")[2].partition(".")[0]
    shown = {_shown(source, path, text): text for path, text in texts.items()}
    return Box(name, system, facts, shown)


def _shown(source: str, path: str, text: str) -> str:
    if isinstance(text, Text):
        return text.file
    return f"{source}{path}" if path[0] == "/" else path
