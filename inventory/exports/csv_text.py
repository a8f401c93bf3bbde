"""CSV: without quoting, as `table.py` reads it back, or with sentences that people wrote."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from io import StringIO

# What a spreadsheet takes for a formula where a cell begins with it (OWASP, CSV Injection).
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(names: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A header line and one line a row. None of our names holds a comma or a quote."""
    return "\n".join([",".join(names), *map(",".join, rows), ""])


def quoted_csv(names: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """The same with quotes where a cell needs them (RFC 4180): sentences hold commas."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows([names, *rows])
    return text.getvalue()


def sentence(text: str) -> str:
    """Words that people wrote, as a cell that no spreadsheet computes.

    Only these: numbers may be negative, and our names and `-` begin no formula.
    """
    return f"'{text}" if text.startswith(_FORMULA) else text
