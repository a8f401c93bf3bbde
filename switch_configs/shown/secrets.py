"""The word that stands in a rendered configuration where a secret will be.

A rendered file, a diff and a log hold the word; the value is read at the last moment, by the
push, from where the site's `credentials` say that it lies.
"""

from __future__ import annotations

import re

WORD = re.compile(r"<<secret:([a-z][a-z0-9_]{0,61})>>")

HELD = "<<held>>"
"""Stands for a value that a switch shows in a form of its own only: nobody can compare it."""


_FORM = re.compile(rf"\b(key|password|secret) (?:\d\w?|sha512) {HELD}")


def bare(text: str) -> str:
    """The text with one and the same for every secret, whatever form it is in."""
    return _FORM.sub(rf"\1 {HELD}", re.sub(r"<<[^>]*>>", HELD, text))


def recognised(running: str, planned: str) -> str:
    """What runs, its lines as planned where they differ in nothing but a value that is hidden."""
    known = {bare(line): line for line in planned.splitlines(keepends=True) if WORD.search(line)}
    lines = running.splitlines(keepends=True)
    return "".join(known.get(bare(line), line) if HELD in line else line for line in lines)


def word(name: str) -> str:
    """The word for the secret that the site calls `name`."""
    return f"<<secret:{name}>>"


def names(text: str) -> tuple[str, ...]:
    """The secrets that a text asks for, sorted."""
    return tuple(sorted(set(WORD.findall(text))))
