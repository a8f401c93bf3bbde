"""The word that stands in a rendered configuration where a secret will be.

A rendered file, a diff and a log hold the word; the value is read at the last moment, by the
push, from where the site's `credentials` say that it lies.
"""

from __future__ import annotations

import re

WORD = re.compile(r"<<secret:([a-z][a-z0-9_]{0,61})>>")

HELD = "<<held>>"
"""Stands for a value that a switch shows in a form of its own only: nobody can compare it."""


def word(name: str) -> str:
    """The word for the secret that the site calls `name`."""
    return f"<<secret:{name}>>"


def names(text: str) -> tuple[str, ...]:
    """The secrets that a text asks for, sorted."""
    return tuple(sorted(set(WORD.findall(text))))
