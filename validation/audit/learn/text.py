"""A proposed site as the text of `fabric.yml`: above each section what it rests on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from inventory.schema import SwitchProfile
from inventory.visible import one_line

from .guess import Guess

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*|[0-9.]+/[0-9]+|[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+")
_WORDS = frozenset({"yes", "no", "on", "off", "true", "false", "null", "y", "n"})
_HEAD = """\
# Proposed by `railbed audit PATH --learn FOLDER` from configurations alone. Read each reason:
# what is a guess is said by no configuration. Change it, then `railbed check`.
"""
_PROFILES = "# As railbed's own, but for the release that configurations say."
_LINE, _MOST_AGAINST = 100, 3


def fabric_yaml(sections: dict[str, Any], guesses: Iterable[Guess]) -> str:
    """The whole file; each guess stands above the section that its path begins with."""
    notes = list(guesses)
    parts = [_HEAD]
    for name, value in sections.items():
        mine = [one for one in notes if re.split(r"[.:]", one.path)[0] == name]
        lines = [*_reasons(mine), *_lines({name: value}, 0)]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def profiles_yaml(profiles: Mapping[str, SwitchProfile]) -> str:
    """The file of a site's own kinds of switches."""
    said = {
        name: one.model_dump(mode="json", exclude_defaults=True) for name, one in profiles.items()
    }
    return "\n".join([_PROFILES, *_lines(said, 0)]) + "\n"


def _reasons(guesses: Iterable[Guess]) -> Iterator[str]:
    for one in guesses:
        yield _cut(f"# {one.path} = {one.value}: {one.sure} ({one.by})")
        yield from (_cut(f"#   but {text}") for text in one.against[:_MOST_AGAINST])
        if len(one.against) > _MOST_AGAINST:
            yield f"#   and {len(one.against) - _MOST_AGAINST} more"


def _cut(text: str) -> str:
    line = one_line(" ".join(text.split()))
    return line if len(line) <= _LINE else f"{line[: _LINE - 3]}..."


def _lines(value: dict[str, Any], indent: int) -> Iterator[str]:
    pad = "  " * indent
    for key, one in value.items():
        flow = _flow(one)
        if not isinstance(one, dict | list) or len(f"{pad}{key}: {flow}") <= _LINE:
            yield f"{pad}{_word(key)}: {flow}"
        elif isinstance(one, dict):
            yield f"{pad}{_word(key)}:"
            yield from _lines(one, indent + 1)
        else:
            yield f"{pad}{_word(key)}:"
            for item in one:
                yield from _item(item, indent + 1)


def _item(item: Any, indent: int) -> Iterator[str]:
    pad = "  " * indent
    if not isinstance(item, dict) or len(pad) + len(_flow(item)) <= _LINE:
        yield f"{pad}- {_flow(item)}"
        return
    first, *rest = _lines(item, indent + 1)
    yield f"{pad}- {first.lstrip()}"
    yield from rest


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_word(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return _word(value) if isinstance(value, str) else json.dumps(value)


def _word(text: str) -> str:
    plain = _PLAIN.fullmatch(text) and text.lower() not in _WORDS
    return text if plain else json.dumps(text)
