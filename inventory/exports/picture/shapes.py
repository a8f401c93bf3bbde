"""The shapes of an SVG file that stands alone: two decimals at most, the same bytes each time."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

INK = "#1f2328"
FAINT = "#59636e"
EDGE = "#8c959f"
PANEL = "#f6f8fa"
RULE = "#d1d9e0"
PAPER = "#ffffff"
TIMES = "\N{MULTIPLICATION SIGN}"

TITLE_PX = 26
HEAD_PX = 15
TEXT_PX = 13
# Wide letters of the fonts below; so a text is never longer than this says.
_EM_WIDTH = 0.6


def document(width_px: float, height_px: float, title: str, parts: Iterable[str]) -> str:
    """A whole SVG file on white paper."""
    size = f'width="{_n(width_px)}" height="{_n(height_px)}"'
    view = f'viewBox="0 0 {_n(width_px)} {_n(height_px)}"'
    font = "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view} {font}>'
    named = f"<title>{escape(title, quote=False)}</title>"
    return "\n".join([head, named, rect(0, 0, width_px, height_px, PAPER), *parts, "</svg>", ""])


def rect(
    x: float,
    y: float,
    width: float,
    height: float,
    fill: str,
    edge: str = "none",
    round_px: int = 0,
) -> str:
    """A rectangle, with an edge of one pixel where one is named."""
    at = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
    return f'<rect {at} rx="{round_px}" fill="{fill}" stroke="{edge}"/>'


def line(
    x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1, dashed: bool = False
) -> str:
    """A straight line."""
    at = f'x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}"'
    dash = ' stroke-dasharray="9 3"' if dashed else ""
    return f'<line {at} stroke="{colour}" stroke-width="{_n(width)}"{dash}/>'


def text(
    x: float,
    y: float,
    words: str,
    size: int = TEXT_PX,
    colour: str = INK,
    anchor: str = "start",
    bold: bool = False,
) -> str:
    """One line of text; `y` is its baseline."""
    weight = ' font-weight="bold"' if bold else ""
    how = f'font-size="{size}" fill="{colour}" text-anchor="{anchor}"{weight}'
    return f'<text x="{_n(x)}" y="{_n(y)}" {how}>{escape(words, quote=False)}</text>'


def width_of(words: str, size: int = TEXT_PX) -> float:
    """The most pixels that a text takes."""
    return len(words) * size * _EM_WIDTH


def _n(value: float) -> str:
    return f"{round(value, 2):.12g}"
