"""How the command line speaks: answers on stdout, all else on stderr."""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import Any

from rich.console import Console

from .next_steps import as_typed


class Voice(Console):
    """A console whose every command runs as printed: for this site and lab, on one line."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as rich does; see `next_steps`."""
        said = [as_typed(one) if isinstance(one, str) else one for one in objects]
        if any(isinstance(one, str) and "railbed " in one for one in said):
            options["soft_wrap"] = True
        super().print(*said, **options)


err = Voice(stderr=True, highlight=False, emoji=False)
out = Voice(highlight=False, emoji=False)


def say(quiet: bool) -> Any:
    """Who tells people how a run goes; nobody when the answer is for a machine."""
    # Not markup: devices and engines say things in brackets.
    loud = partial(err.print, markup=False, soft_wrap=True)
    return (lambda _: None) if quiet else loud


def print_json(value: object) -> None:
    """One JSON value on stdout, keys sorted."""
    said = json.dumps(value, indent=1, sort_keys=True, default=str)
    sys.stdout.write(as_typed(said) + "\n")
