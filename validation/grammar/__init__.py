"""The offline proof of syntax: grammars of the commands that may be put on a switch.

Written from the vendors' pages and public golden configurations, by another hand than the
templates that they judge. A line that a grammar does not know, where it stands, is a problem.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec

from validation.grammar.tree import GrammarProblem

__all__ = ["GrammarProblem", "languages", "problems"]

# Each has `problems(text, release)`; a dialect whose module is not there has no grammar.
MODULES = {"cumulus": "nvue.proof", "eos": "eos", "nxos": "nxos", "sonic": "sonic"}


@cache
def languages() -> tuple[str, ...]:
    """The dialects that have a grammar here, sorted."""
    return tuple(
        sorted(name for name, module in MODULES.items() if find_spec(f"{__name__}.{module}"))
    )


def problems(dialect: str, text: str, release: str = "") -> tuple[GrammarProblem, ...]:
    """All lines of a configuration that the system would refuse, by line; raises nothing on text.

    `release` is the system's, for dialects whose words differ between releases; empty is the
    newest one. Raises KeyError for a dialect without a grammar (`languages`).
    """
    if dialect not in languages():
        raise KeyError(f"no grammar for {dialect}")
    module = import_module(f"{__name__}.{MODULES[dialect]}")
    found: tuple[GrammarProblem, ...] = module.problems(text, release)
    return found
