"""Two configurations in commands, compared by hier_config: what would be entered, and where."""

from __future__ import annotations

from collections.abc import Iterator

from hier_config import HConfig, Platform, WorkflowRemediation, get_hconfig
from hier_config.child import HConfigChild


def sections(
    before: str, after: str, platform: str
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
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


def _lines(top: HConfigChild) -> Iterator[str]:
    for one in (top, *top.all_children_sorted()):
        sign = "-" if one.text.startswith("no ") or one.text.startswith("default ") else "+"
        yield f"{sign} {'  ' * (one.depth() - 1)}{one.text}"
