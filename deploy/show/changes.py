"""What differs on a device, before it is approved: one printer for every command that shows it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from rich.console import Console

from inventory.visible import one_line
from validation.meaning import subjects_said

from .words import print_line

if TYPE_CHECKING:  # see rollout.py
    from deploy.differences import Detail
    from deploy.rollout.look import Difference
    from validation.meaning import Meaning

# Of one file; all of them are in the JSON.
MOST_LINES = 40
_PATHS = {"lossless": "bold red", "forwarding": "red", "control": "yellow"}
_COLOURS = {"+": "green", "-": "red"}


def print_difference(one: Difference, out: Console) -> None:
    """A device that would change: its details, or where nobody asked for them its text."""
    print_line(out, (one.device, "bold"), f" would change, impact: {one.impact}")
    if one.drain:
        _print(out, "  ", one.drain)
    print_means(one.means, out)
    if one.details:
        print_details(one.details, out)
        return
    for line in one.text.splitlines():
        print_line(out, f"    {line}", style=_COLOURS.get(line[:1], ""))


def print_means(means: Sequence[Meaning], out: Console) -> None:
    """What a switch's change does to traffic, the lossless class first."""
    for one in means[:MOST_LINES]:
        whose = subjects_said(one)
        said = f"{whose}: {one.what}" if whose else one.what
        _print(out, f"  {one.path} ", said, _PATHS.get(one.path, ""))
        _print(out, "      does   ", one.effect)
    if len(means) > MOST_LINES:
        print_line(out, f"  and {len(means) - MOST_LINES} more; --json has them")


def print_details(details: Sequence[Detail], out: Console) -> None:
    """Under each role or file: what differs, wanted and found or by lines, impact and cause."""
    for place, mine in groupby(details, key=lambda one: one.place):
        print_line(out, "  ", (place, "bold"))
        for detail in mine:
            _print(out, "    ", detail.what)
            if detail.wanted or detail.found:
                _print(out, "      wanted ", detail.wanted, "green")
                _print(out, "      found  ", detail.found, "red")
            for line in detail.lines[:MOST_LINES]:
                _print(out, "      ", line, _COLOURS.get(line[:1], ""))
            if len(detail.lines) > MOST_LINES:
                print_line(out, f"      and {len(detail.lines) - MOST_LINES} more; --json has them")
            _print(out, "      impact ", f"{detail.impact}: {detail.reason}")
            if detail.cause:
                _print(out, "      cause  ", detail.cause)


def _print(out: Console, head: str, text: str, style: str = "") -> None:
    """A text beside its head, folded at the console's width under itself."""
    width = max(out.width - len(head), 20)
    pieces = textwrap.wrap(one_line(text), width, break_on_hyphens=False) or [""]
    for number, piece in enumerate(pieces):
        print_line(out, f"{head if number == 0 else ' ' * len(head)}{piece}", style=style)
