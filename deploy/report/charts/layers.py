"""A fabric in rows: boxes by tier, and lines between them with what is known of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from validation.verdict import Verdict

from . import inline

MOST_IN_A_ROW = 16
_ROW, _TOP, _BOX_H, _GAP = 110, 22, 30, 6
_BADGE = 4  # how far the sign at a box stands out of it, beyond the gap
_SIGNS = {Verdict.FAIL: "✗", Verdict.INCONCLUSIVE: "?"}


@dataclass(frozen=True, slots=True)
class Wire:
    """A cable between two boxes; `name` shows under a pointer, `word` stands upon it."""

    a: str
    b: str
    name: str
    verdict: Verdict | None
    word: str = ""


@dataclass(frozen=True, slots=True)
class _Spot:
    x: float
    y: float
    width: float


def drawn(
    rows: Sequence[Sequence[str]], wires: Iterable[Wire], seen: Mapping[str, Verdict], said: str
) -> Markup:
    """The picture; `seen` has the verdict of each box, `said` what the picture shows.

    A wire to a box that no row has is left out.
    """
    spots, width = _spots(rows)
    shown = [wire for wire in wires if wire.a in spots and wire.b in spots]
    lines = [_line(wire, spots) for wire in shown]
    signs = [sign for wire in shown for sign in _sign(wire, spots)]
    boxes = [part for row in rows for name in row for part in _box(name, spots[name], seen)]
    high = _TOP + _ROW * (len(rows) - 1) + _BOX_H + 10
    return inline.picture(width + _BADGE, high, said, [*lines, *boxes, *signs])


def _spots(rows: Sequence[Sequence[str]]) -> tuple[dict[str, _Spot], float]:
    """Boxes as wide as their names need; the widest row says how wide the picture is."""
    boxes = [max(len(name) for name in row) * inline.LETTER_PX + 14 for row in rows]
    needed = max((box + _GAP) * len(row) for box, row in zip(boxes, rows, strict=True))
    width = max(needed, float(inline.PHONE_PX - _BADGE))
    spots = {
        name: _Spot(width * (at + 0.5) / len(row), _TOP + _ROW * level, box)
        for level, (row, box) in enumerate(zip(rows, boxes, strict=True))
        for at, name in enumerate(row)
    }
    return spots, width


def _ends(wire: Wire, spots: Mapping[str, _Spot]) -> tuple[_Spot, _Spot]:
    a, b = spots[wire.a], spots[wire.b]
    return (b, a) if a.y > b.y else (a, b)


def _line(wire: Wire, spots: Mapping[str, _Spot]) -> Markup:
    a, b = _ends(wire, spots)
    return Markup(
        '<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"><title>{}</title></line>'
    ).format(
        _css(wire.verdict),
        inline.number(a.x),
        inline.number(a.y + _BOX_H / 2),
        inline.number(b.x),
        inline.number(b.y - _BOX_H / 2),
        f"{wire.name}: {_css(wire.verdict)}",
    )


def _sign(wire: Wire, spots: Mapping[str, _Spot]) -> list[Markup]:
    """A cross or a question mark upon the cable; its word beside it."""
    if wire.verdict not in _SIGNS or (wire.verdict is Verdict.INCONCLUSIVE and not wire.word):
        return []
    a, b = _ends(wire, spots)
    # Not in the middle, where cables cross: nearer to the lower end.
    x, y = a.x + (b.x - a.x) * 0.62, a.y + (b.y - a.y) * 0.62
    shown = f"{_SIGNS[wire.verdict]} {wire.word}".strip()
    wide = len(shown) * inline.LETTER_PX + 10
    return [
        inline.rect(x - wide / 2, y - 9, wide, 18, f"badge {wire.verdict}", wire.name, 9),
        inline.text(x, y + 4, shown, f"on-{wire.verdict}", "middle"),
    ]


def _box(name: str, spot: _Spot, seen: Mapping[str, Verdict]) -> list[Markup]:
    verdict = seen.get(name)
    x, y = spot.x - spot.width / 2, spot.y - _BOX_H / 2
    parts = [
        inline.rect(
            x, y, spot.width, _BOX_H, f"box {_css(verdict)}", f"{name}: {_css(verdict)}", 6
        ),
        inline.text(spot.x, spot.y + 4, name, "", "middle"),
    ]
    if verdict in _SIGNS:
        parts.append(inline.rect(x + spot.width - 9, y - 8, 16, 16, f"badge {verdict}", "", 8))
        sign = inline.text(x + spot.width - 1, y + 4, _SIGNS[verdict], f"on-{verdict}", "middle")
        parts.append(sign)
    return parts


def _css(verdict: Verdict | None) -> str:
    return str(verdict) if verdict else "unseen"
