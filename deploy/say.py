"""How the command line speaks: answers on stdout, all else on stderr."""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import Any

from rich.console import Console

err = Console(stderr=True, highlight=False, emoji=False)
out = Console(highlight=False, emoji=False)


def say(quiet: bool) -> Any:
    """Who tells people how a run goes; nobody when the answer is for a machine."""
    # Not markup: devices and engines say things in brackets.
    loud = partial(err.print, markup=False, soft_wrap=True)
    return (lambda _: None) if quiet else loud


def print_json(value: object) -> None:
    """One JSON value on stdout, keys sorted."""
    sys.stdout.write(json.dumps(value, indent=1, sort_keys=True, default=str) + "\n")
