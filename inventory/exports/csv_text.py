"""CSV without quoting: the format that `table.py` reads back."""

from __future__ import annotations

from collections.abc import Iterable


def csv_text(names: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A header line and one line a row. None of our names holds a comma or a quote."""
    return "\n".join([",".join(names), *map(",".join, rows), ""])
