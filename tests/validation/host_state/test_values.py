"""What a plan wants of a node has to be told: no value, or what is none, is never as planned.

Every number of every answer that some row depends on is replaced, and every answer is left empty.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from tests.validation import host_machine
from tests.validation.parse.test_number_tokens_host import HOSTILE, others, told
from tests.validation.stages.test_stage_host import FIRST, NODE, PLAN, SPARE
from validation.host_state.read import facts
from validation.host_state.rows import rows
from validation.manifest.ask_node import FAILED
from validation.parse.host.host_state import host_state, values

# No part of a name, an address or a digest.
_NUMBER = re.compile(r"(?<![\w.+-])-?\d+(?:\.\d+)?")
Put = Callable[[str], str]  # the answer with a word in the place of a number
# Nothing is an answer here: no unit has failed.
MAY_BE_EMPTY = (FAILED,)
ASKED = [one for one in FIRST if not one.startswith((*SPARE, "identity"))]


def wrong(name: str, text: str) -> frozenset[str]:
    """The rows that are not as planned with this answer."""
    found = facts(host_state(host_machine.state({name: (0, text)})))
    every = rows(PLAN, NODE.name, found)
    return frozenset(f"{row.part} {row.what}" for row in every if row.judged != "as planned")


@cache
def healthy(name: str) -> str:
    status, text = host_machine.answers()[name]
    assert not wrong(name, text) or status
    return text


@pytest.mark.parametrize("name", [one for one in ASKED if one not in MAY_BE_EMPTY])
def test_an_empty_answer_is_never_as_planned(name):
    if host_machine.answers()[name][0] == 0:
        assert wrong(name, "")


def places(name: str) -> Iterator[tuple[str, str, Put]]:
    """The numbers of an answer with the word after each, one of those that stand in lines alike.

    Files of a frame keep their sizes right.
    """
    text = healthy(name)
    if not name.startswith("values "):
        yield from _places(text, lambda changed: changed)
        return
    files = {
        path: said or ""
        for path, said in values(told(name, text), name.removeprefix("values ")).items()
    }
    for path, said in files.items():

        def framed(changed: str, path: str = path) -> str:
            return host_machine.files({**files, path: changed})

        yield from _places(said, framed)


def _places(text: str, framed: Put) -> Iterator[tuple[str, str, Put]]:
    seen: set[tuple[str, str]] = set()
    for token in _NUMBER.finditer(text):
        head, tail = text[: token.start()], text[token.end() :]
        line = head.rpartition("\n")[2], tail.partition("\n")[0]
        form = re.sub(r"\d+", "#", line[0]), re.sub(r"\d+", "#", line[1])
        if form in seen:
            continue
        seen.add(form)

        def put(word: str, head: str = head, tail: str = tail) -> str:
            return framed(head + word + tail)

        yield token[0], tail[:1], put


@pytest.mark.parametrize("name", ASKED)
def test_a_number_that_a_row_needs_has_to_be_one(name, sampled):
    """Where another number changes a row, what is no number changes one, too."""
    for number, after, put in sampled(places(name), 1):
        if any(wrong(name, put(other)) for other in others(number)[:2]):
            for word in sampled([one for one in HOSTILE if one != "1,5" or after != ","], 2):
                assert wrong(name, put(word)), (number, word, put("<HERE>")[-200:])
