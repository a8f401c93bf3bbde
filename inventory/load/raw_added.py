"""A site's file with one `raw` stanza more: the text as it was, and lines put into it.

Comments, order and form are a person's, so nothing is written anew. What comes out says the same
as before and the stanza, or nothing comes out.
"""

from __future__ import annotations

import json
import re
from typing import Any, cast

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from inventory.problems import ExpectedError

from .yaml_positions import parse

Stanza = dict[str, str | list[str]]
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
_WORDS = re.compile(r"(?i)y|n|yes|no|true|false|on|off|null|inf|nan")


def with_raw(text: str, stanza: Stanza) -> tuple[str, str]:
    """The new text, and the lines that came into it; ExpectedError where nobody can put them in."""
    before = parse(text, "").value
    try:
        at, indent, head = _place(text)
    except (YAMLError, ValueError, RecursionError):
        raise _by_hand() from None
    added = head + _lines(stanza, indent)
    glue = "" if not text[:at] or text[:at].endswith("\n") else "\n"
    made = text[:at] + glue + added + text[at:]
    if not isinstance(before, dict):
        raise _by_hand()
    after = {**before, "raw": [*(before.get("raw") or ()), stanza]}
    marked = parse(made, "")
    if marked.problems or marked.value != after:
        raise _by_hand(marked.problems[0].found if marked.problems else "")
    return made, added


def _by_hand(why: str = "") -> ExpectedError:
    return ExpectedError(
        f"fabric.yml: nobody can put a raw stanza into its `raw`{f': {why}' if why else ''}",
        "write `raw` as a list of blocks, one `- ` each, or leave it out",
    )


def _place(text: str) -> tuple[int, int, str]:
    """Where the stanza goes: an offset at the begin of a line, its indent, what comes first."""
    root = YAML(typ="safe", pure=True).compose(text)
    if not isinstance(root, MappingNode):
        raise YAMLError("no mapping")
    found = next((one for one in root.value if one[0].value == "raw"), None)
    if found is None:
        return _end_of_line(text, _last(root)), 2, "\nraw:\n"
    key, value = found
    if isinstance(value, SequenceNode) and value.value and not value.flow_style:
        return _end_of_line(text, _last(value)), value.start_mark.column, ""
    if isinstance(value, ScalarNode) and value.value == "":
        return _end_of_line(text, key), 2, ""
    raise ValueError("written in one line")


def _last(node: Any) -> Node:
    """What stands last in a node: the end of a block is that of the comments behind it."""
    while isinstance(node, MappingNode | SequenceNode) and node.value and not node.flow_style:
        if isinstance(node, SequenceNode):
            node = node.value[-1]
            continue
        key, value = node.value[-1]
        # An empty value has no place of its own.
        node = key if isinstance(value, ScalarNode) and value.value == "" else value
    return cast("Node", node)


def _end_of_line(text: str, node: Node) -> int:
    at = node.end_mark.index
    if isinstance(node, ScalarNode) and node.style in ("|", ">"):
        return len(text[:at].rstrip("\n")) + 1 if "\n" in text[:at] else at
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def _lines(stanza: Stanza, indent: int) -> str:
    pad = " " * indent
    out: list[str] = []
    for key, value in stanza.items():
        if isinstance(value, str):
            out.append(f"{key}: {_scalar(value)}")
        elif key == "devices":
            out.append(f"{key}: [{', '.join(map(_scalar, value))}]")
        else:
            out += [f"{key}:", *(f"  - {json.dumps(one, ensure_ascii=False)}" for one in value)]
    marks = ["- ", *["  "] * (len(out) - 1)]
    return "".join(f"{pad}{mark}{line}\n" for mark, line in zip(marks, out, strict=True))


def _scalar(text: str) -> str:
    is_plain = _PLAIN.fullmatch(text) and not _WORDS.fullmatch(text)
    return text if is_plain else json.dumps(text, ensure_ascii=False)
