"""The least that can be changed on a switch: the words that say what one data port is for."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from .errors import DialectError
from .intent import Rendered


def with_text(held: Rendered, path: str, change: Callable[[str], str]) -> Rendered:
    """The same configuration, one file of it changed. `DialectError` as `change` and `nothing`."""
    if path not in {file.path for file in held.files}:
        raise nothing()
    files = (
        replace(file, text=change(file.text)) if file.path == path else file for file in held.files
    )
    return replace(held, files=tuple(files))


def block_described(text: str, head: re.Pattern[str], line: str) -> str:
    """A text in whose first block with this head `line` stands in place of its description.

    A block is its head and the lines below it that begin with a blank. `DialectError` where none
    has such a head.
    """
    lines = text.splitlines(keepends=True)
    at = next((number for number, one in enumerate(lines) if head.match(one)), None)
    if at is None:
        raise nothing()
    rest = lines[at + 1 :]
    end = next((number for number, one in enumerate(rest) if one[:1] != " "), len(rest))
    kept = [one for one in rest[:end] if not one.lstrip().startswith("description ")]
    return "".join((*lines[: at + 1], f"{line}\n", *kept, *rest[end:]))


def block_shut(text: str, head: str, line: str) -> str:
    """A text in whose block `head` the port is off by `line`. `DialectError` where it has none."""
    lines = text.splitlines(keepends=True)
    at = next((number for number, one in enumerate(lines) if one.rstrip() == head), None)
    if at is None:
        raise DialectError(f"it has no `{head}`")
    rest = lines[at + 1 :]
    end = next((number for number, one in enumerate(rest) if one[:1] != " "), len(rest))
    kept = [one for one in rest[:end] if one.strip() not in ("shutdown", "no shutdown")]
    return "".join((*lines[: at + 1], *kept, f"{line}\n", *rest[end:]))


def nothing() -> DialectError:
    """What is said of a switch on which nothing can be changed that harms nobody."""
    return DialectError(
        "its running configuration describes no data port", "describe one by hand first, and save"
    )
