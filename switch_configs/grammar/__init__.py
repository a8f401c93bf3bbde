"""The offline proof of syntax: grammars of the commands that may be put on a switch.

Written from the vendors' pages and public golden configurations, by another hand than the
templates that they judge. A line that a grammar does not know, where it stands, is a problem.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from inventory.switches import systems
from switch_configs.grammar.tree import GrammarProblem

__all__ = ["GrammarProblem", "languages", "problems"]

# Each has `problems(text, release)`, and `FILE_END` where it judges only files of that end; a
# system whose package has no such module has no grammar.
_MODULE = "grammar.proof"


@cache
def languages() -> tuple[str, ...]:
    """The dialects that have a grammar here, sorted."""
    packages = {name: f"{package}.{_MODULE}" for name, package in systems.packages().items()}
    return tuple(name for name, module in packages.items() if _is_there(module))


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # its package has no folder `grammar`
        return False


def problems(dialect: str, text: str, release: str = "") -> tuple[GrammarProblem, ...]:
    """All lines of a configuration that the system would refuse, by line; raises nothing on text.

    `release` is the system's, for dialects whose words differ between releases; empty is the
    newest one. Raises KeyError for a dialect without a grammar (`languages`).
    """
    if dialect not in languages():
        raise KeyError(f"no grammar for {dialect}")
    found: tuple[GrammarProblem, ...] = _module(dialect).problems(text, release)
    return found


def file_end(dialect: str) -> str:
    """How the names of the files end that its grammar judges; "" is all of them."""
    end: str = getattr(_module(dialect), "FILE_END", "")
    return end


def _module(dialect: str) -> ModuleType:
    return import_module(f"{systems.packages()[dialect]}.{_MODULE}")
