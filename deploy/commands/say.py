"""How the command line speaks: answers on stdout, all else on stderr."""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import Any

from rich.console import Console
from rich.text import Text

from inventory.visible import visible

from .next_steps import as_typed, in_all


class Voice(Console):
    """A console whose every command runs as printed: for this site and lab, on one line.

    Text is never markup, and what would act on the terminal is shown as its escape.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"highlight": False, "emoji": False, "markup": False, **options})

    def render_str(self, text: str, **options: Any) -> Text:
        """As rich does, of what can be printed; whatever is a string comes by here."""
        return super().render_str(visible(text), **options)

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as rich does; see `next_steps`."""
        said = [as_typed(one) if isinstance(one, str) else one for one in objects]
        if any(isinstance(one, str) and "railbed " in one for one in said):
            options["soft_wrap"] = True
        super().print(*said, **options)


err = Voice(stderr=True)
out = Voice()


def say(quiet: bool) -> Any:
    """Who tells people how a run goes; nobody when the answer is for a machine."""
    loud = partial(err.print, soft_wrap=True)
    return (lambda _: None) if quiet else loud


def print_json(value: object) -> None:
    """One JSON value on stdout, keys sorted."""
    said = json.dumps(in_all(value, as_typed), indent=1, sort_keys=True, default=str)
    sys.stdout.write(said + "\n")
