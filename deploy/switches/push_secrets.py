"""Secrets of switches: read at the last moment, put into files as they leave, hidden in answers.

Plans, diffs, journals and checks hold words (`switch_configs.shown.secrets`). A push sends files
with the values in the words' places; lines of the running configuration that are planned lines
with their values read as planned, and any other value that a switch repeats becomes its word again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from deploy.errors import RailbedError
from deploy.transport import credentials
from inventory.plan import Plan
from inventory.switches.abilities import of
from switch_configs.diff import masked
from switch_configs.intent import ConfigFile, Rendered
from switch_configs.shown.secrets import HELD, WORD, bare, names, word

# What JSON, YAML between quotes and command lines all take as it is; a system may take less.
_TAKEN = re.compile(r"[A-Za-z0-9._+/=@:-]{1,128}")
_ANOTHER = "(another secret)"


@dataclass(frozen=True, slots=True)
class Secrets:
    """Values by name, and where they go."""

    values: Mapping[str, str] = field(default_factory=dict, repr=False)

    def put_into(self, file: ConfigFile) -> ConfigFile:
        """The file as it is sent. KeyError for a word whose value nobody read."""
        return replace(file, text=self._filled(file.text))

    def filled(self, one: Rendered) -> Rendered:
        """The whole configuration as it is loaded. KeyError as `put_into`."""
        return replace(one, files=tuple(self.put_into(file) for file in one.files))

    def recognised(self, running: Rendered, planned: Rendered) -> Rendered:
        """What runs, as it may be shown and compared with what is planned.

        A planned line with its secret, or with one that the system hides (`HELD`), is written as
        planned; with another, it still differs.
        """
        lines = {
            line
            for file in planned.files
            for line in file.text.splitlines(keepends=True)
            if WORD.search(line)
        }
        known = {self._filled(line): line for line in lines}
        hidden = {bare(line): line for line in lines}
        shapes = [(_shape(line), WORD.sub(_ANOTHER, line)) for line in sorted(lines)]

        def seen(line: str) -> str:
            if HELD in line:
                return hidden.get(bare(line), line)
            others = (other for shape, other in shapes if shape.fullmatch(line))
            return known.get(line) or next(others, line)

        return replace(running, files=tuple(_each_line(file, seen) for file in running.files))

    def hidden(self, text: str) -> str:
        """The text with words in place of values, and without what else looks like a secret."""
        for name, value in sorted(self.values.items(), key=lambda one: (-len(one[1]), one[0])):
            text = text.replace(value, word(name))
        return masked(text)

    def _filled(self, text: str) -> str:
        return WORD.sub(lambda found: self.values[found[1]], text)


def _shape(line: str) -> re.Pattern[str]:
    """A planned line with any value where its secret goes."""
    literal = (re.escape(part) for part in WORD.split(line)[::2])
    return re.compile("[^\\n]*".join(literal))


def _each_line(file: ConfigFile, seen: Callable[[str], str]) -> ConfigFile:
    return replace(file, text="".join(map(seen, file.text.splitlines(keepends=True))))


def read_secrets(plan: Plan, state_dir: Path, made: Sequence[Rendered]) -> Secrets:
    """Read what these configurations ask for.

    RailbedError, never with a value: a secret is not there, or a system would read it otherwise.
    """
    asked = {
        rendered.device: sorted({n for file in rendered.files for n in names(file.text)})
        for rendered in made
    }
    values = {
        name: credentials.read(plan, state_dir, name)
        for name in sorted({name for of_one in asked.values() for name in of_one})
    }
    for one in made:
        never = set(of(one.dialect).not_in_secrets)
        for name in asked[one.device]:
            if not _TAKEN.fullmatch(values[name]) or not never.isdisjoint(values[name]):
                raise RailbedError(
                    f"credential '{name}': its value has a character that {one.dialect} would "
                    "read otherwise, or more than 128 of them",
                    hint="letters, digits and ._+/=- are taken everywhere",
                )
    return Secrets(values)
