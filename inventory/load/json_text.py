"""JSON from files that anybody may have damaged: a value, or one kind of error."""

from __future__ import annotations

import json
import math
from typing import Any


def parsed(text: str | bytes) -> Any:
    """The value. Raises ValueError, also for what nests too deep and for numbers without end."""
    try:
        return json.loads(text, parse_float=_finite, parse_constant=_finite)
    except RecursionError:
        raise ValueError("it nests too deep") from None


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no number")
    return number
