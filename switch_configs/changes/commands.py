"""Two configurations in commands, compared by hier_config: what would be entered, and where."""

from __future__ import annotations

from collections.abc import Iterator

from hier_config import HConfig, Platform, WorkflowRemediation, get_hconfig
from hier_config.child import HConfigChild

from .line import Line, Section


def sections(before: str, after: str, platform: str) -> Iterator[Section]:
    """Top-level sections in the order of entry; `- ` lines take away, `+ ` lines add."""
    kind = Platform[platform]
    work = WorkflowRemediation(_read(kind, before), _read(kind, after))
    for top in work.remediation_config.all_children_sorted():
        if top.depth() == 1:
            yield _where(top), tuple(_lines(top))


def _read(kind: Platform, text: str) -> HConfig:
    """Comments are not entered, and so not compared."""
    kept = (line for line in text.splitlines() if not line.lstrip().startswith("!"))
    return get_hconfig(kind, "\n".join(kept))


def _where(top: HConfigChild) -> tuple[str, ...]:
    return (top.text.removeprefix("no "),)


def _lines(top: HConfigChild) -> Iterator[Line]:
    for one in (top, *top.all_children_sorted()):
        if one.is_leaf or one.depth() == 1:
            sign = "-" if one.text.startswith(("no ", "default ")) else "+"
            chain = tuple(each.text for each in one.lineage())
            # The head of a stanza is where its lines stand: alone it says that all of it goes.
            place = () if one is top and not one.is_leaf else chain
            inward = "  " * (one.depth() - 1)
            yield Line(place, sign, (*chain[:-1], f"{inward}{one.text}"))
