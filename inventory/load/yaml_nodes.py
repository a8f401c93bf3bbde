"""YAML text to nodes: by libyaml where it reads a text as YAML 1.2 does, else by ruamel.yaml.

ruamel.yaml reads in Python and takes five to eight times as long: most of the time of a small site
went into it. libyaml knows YAML 1.1, so what the two versions write differently, and whatever is
broken, odd or deep, is left to ruamel.yaml, which also says what is wrong with it.

Source: YAML 1.2.2, 1.2 "YAML History" (what 1.2 changed).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml
from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.resolver import implicit_resolvers

from inventory.own_yaml import LOADER

# What readers have differed in, outside of comments: directives, further documents, complex keys,
# blocks of text but for `>-`, escapes, a colon without a blank after it, characters that are no
# line of text.
COMMENT = re.compile(r"^ *#.*", re.MULTILINE)
ODD = re.compile(
    r"^(?:%|---|\.\.\.)|(?:^|[\s\[{,])\?(?:\s|$)|(?:^|[\s\[{,])[|>](?!-$)|\||\\"
    r"|>-\n *\n|[\"'\]}]:\S|:[^\s/\w.:-]|[^\n -~\xa1-\u024f]",
    re.MULTILINE,
)
_DEEPEST = 40
_CORE = "tag:yaml.org,2002:"
# What a plain word is by its form in YAML 1.2: `no` and `1:30` are text.
_FORMS = [
    (tag, form, first) for versions, tag, form, first in implicit_resolvers if (1, 2) in versions
]


class Odd(Exception):
    """Anchors, aliases, tags, further documents, lists in lists further than people write them."""


def compose(text: str) -> Node | None:
    """The nodes of one document, with line and column each; None of an empty one.

    Raises what ruamel.yaml's `compose` does.
    """
    if not ODD.search(COMMENT.sub("", text)):
        try:
            return quick(text)
        except (yaml.YAMLError, Odd):
            pass  # The other one says it.
    return YAML(typ="safe", pure=True).compose(text)  # type: ignore[no-any-return]


def quick(text: str) -> Node | None:
    """As `compose`, by libyaml alone; raises Odd or yaml.YAMLError elsewhere."""
    events = yaml.parse(text, Loader=LOADER)
    next(events)  # of the stream
    if isinstance(next(events), yaml.StreamEndEvent):
        return None
    root = _node(next(events), events, 0)
    next(events)  # the document's end
    if not isinstance(next(events), yaml.StreamEndEvent):
        raise Odd
    return root


def _node(event: Any, events: Iterator[Any], depth: int) -> Node:
    """The node that begins with an event. Not PyYAML's: that dies of 100,000 lists in lists."""
    if isinstance(event, yaml.AliasEvent) or event.anchor or event.tag or depth > _DEEPEST:
        raise Odd
    at = event.start_mark, event.end_mark
    if isinstance(event, yaml.ScalarEvent):
        return ScalarNode(
            _tag(event.value) if event.implicit[0] else f"{_CORE}str", event.value, *at
        )
    inner = []
    is_list = isinstance(event, yaml.SequenceStartEvent)
    while not isinstance(one := next(events), yaml.CollectionEndEvent):
        inner.append(_node(one, events, depth + 1))
    if is_list:
        return SequenceNode(f"{_CORE}seq", inner, *at)
    pairs = list(zip(inner[::2], inner[1::2], strict=True))
    return MappingNode(f"{_CORE}map", pairs, *at)


def _tag(word: str) -> str:
    """The type of a plain word."""
    for tag, form, first in _FORMS:
        if word[:1] in first and form.match(word):
            return str(tag)
    return f"{_CORE}str"
