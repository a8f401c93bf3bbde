"""What all charts draw with: SVG inline in a page, styled by its CSS; words and numbers."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor, log10

from markupsafe import Markup

PHONE_PX = 340  # what is left of 390 px between the margins of a page and of a card
LETTER_PX = 6.4  # the widest that a letter of the 11 px text is on average


def picture(width: float, height: float, label: str, parts: Iterable[Markup]) -> Markup:
    """A whole SVG of that size in pixels; `label` says what it shows."""
    # A fixed size: it is never scaled down, so its words stay as large as they are.
    return Markup(
        '<svg width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img" aria-label="{2}">{3}</svg>'
    ).format(number(width), number(height), label, Markup("").join(parts))


def text(x: float, y: float, words: str, css: str = "", anchor: str = "start") -> Markup:
    """One line; `y` is its baseline. `anchor` is start, middle or end."""
    return Markup('<text x="{}" y="{}" class="{}"{}>{}</text>').format(
        number(x), number(y), css, _anchored(anchor), words
    )


def _anchored(anchor: str) -> Markup:
    return Markup("") if anchor == "start" else Markup(' text-anchor="{}"').format(anchor)


def rect(
    x: float, y: float, width: float, height: float, css: str, title: str = "", rounded: int = 0
) -> Markup:
    """A box, with words that show under a pointer."""
    inner = Markup("<title>{}</title>").format(title) if title else Markup("")
    corner = Markup(' rx="{}"').format(rounded) if rounded else Markup("")
    return Markup('<rect x="{}" y="{}" width="{}" height="{}"{} class="{}">{}</rect>').format(
        number(x), number(y), number(width), number(height), corner, css, inner
    )


def line(x1: float, y1: float, x2: float, y2: float, css: str) -> Markup:
    """A straight line."""
    return Markup('<line x1="{}" y1="{}" x2="{}" y2="{}" class="{}"/>').format(
        number(x1), number(y1), number(x2), number(y2), css
    )


def path(points: Iterable[str], css: str) -> Markup:
    """Many shapes at once."""
    return Markup('<path d="{}" class="{}"/>').format("".join(points), css)


def box_path(x: float, y: float, side: float) -> str:
    """A square as a part of a path."""
    size = number(side)
    return f"M{number(x)} {number(y)}h{size}v{size}h-{size}z"


def number(value: float) -> str:
    """At most one decimal: pixels need no more."""
    return f"{round(value, 1):g}"


def shortened(words: str, most: int) -> str:
    """At most so many letters; the middle is left out, because names differ at their ends."""
    if len(words) <= most:
        return words
    head = (most - 1) // 2
    return f"{words[:head]}\N{HORIZONTAL ELLIPSIS}{words[len(words) - (most - 1 - head) :]}"


def many(count: int, tier: str) -> str:
    """`1 leaf`, `8 leaves`."""
    word = {"leaf": "leaves"}.get(tier, f"{tier}s") if count != 1 else tier
    return f"{count:,} {word}"


def amount(value: float) -> str:
    """A figure as people read it: three digits that count."""
    if value == 0:
        return "0"
    digits = max(0, 2 - floor(log10(abs(value))))
    return f"{value:,.{min(digits, 6)}f}" if abs(value) < 1e7 else f"{value:.3g}"


def round_steps(low: float, high: float, most: int) -> tuple[float, ...]:
    """Round values from below `low` to above `high`, at most so many steps between them."""
    width = max(high - low, abs(high) * 1e-9, 1e-12)
    rough = width / max(most, 1)
    power = 10.0 ** floor(log10(rough))
    step = next(
        power * one for one in (1, 2, 2.5, 5, 10, 20) if ceil(width / (power * one)) <= most
    )
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return tuple(step * at for at in range(first, max(last, first + 1) + 1))
