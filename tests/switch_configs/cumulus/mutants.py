"""Mutants of NVUE's YAML: every leaf and key dropped, every last character changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from switch_configs.intent import Rendered

OTHER = {**dict.fromkeys("012345689", "7"), "7": "6", "q": "x"}


def lines(rendered: Rendered) -> Iterator[tuple[str, int, str]]:
    for file in rendered.files:
        for number, line in enumerate(file.text.splitlines()):
            if line.strip() and not line.strip().startswith("#"):
                yield file.path, number, line


def mutants(line: str) -> Iterator[str]:
    """The line gone, and each of its words without it or with another last character."""
    yield ""
    for match in re.finditer(r"[^\s:'{}]+", line):
        word = match[0]
        other = OTHER.get(word[-1], "q")
        yield line[: match.start()] + word[:-1] + other + line[match.end() :]


def with_line(rendered: Rendered, path: str, number: int, line: str) -> Rendered:
    files = []
    for file in rendered.files:
        text = file.text.splitlines()
        if file.path == path:
            text[number] = line
        files.append(replace(file, text="\n".join(text) + "\n"))
    return replace(rendered, files=tuple(files))
