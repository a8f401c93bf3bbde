"""The fabric as configurations show it: boxes by tier, as far as links and open ends say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from deploy.report.charts import pods
from deploy.report.charts.layers import MOST_IN_A_ROW, Wire, drawn
from inventory.exports.view import natural
from validation.audit.links import Link
from validation.verdict import Verdict

from .findings import is_of_links
from .story import Story

_MOST_PICTURES = 8
# Of its used ports: a box with so many open ends, and no fewer than its neighbours, has servers
# below it. Where only some switches were read, spines have open ends, too.
_BOTTOM_SHARE, _ALIKE = 0.25, 0.1
_TIERS = ("leaf", "spine", "superspine")
Rows = list[list[str]]


@dataclass(frozen=True, slots=True)
class Part:
    """Boxes that links join: with its cables where there is room, else a square each."""

    name: str
    drawing: Markup
    is_wide: bool


def parts(story: Story) -> tuple[Part, ...]:
    """The parts of the fabric with findings first, larger ones before small ones."""
    marks, boxes = _marks(story, with_links=True), _marks(story, with_links=False)
    wires = _wires(story)
    found = list(_components(story))
    found.sort(key=lambda rows: (not _bad(rows, marks), -sum(map(len, rows)), rows[0][0]))
    made = []
    for rows in found[:_MOST_PICTURES]:
        count = sum(map(len, rows))
        name = f"{count} switches, {rows[-1][0]} .." if count > 1 else rows[0][0]
        mine = {one for row in rows for one in row}
        if max(map(len, rows)) <= MOST_IN_A_ROW and count > 1:
            inside = [wire for wire in wires if wire.a in mine]
            bad = sum(wire.verdict is Verdict.FAIL for wire in inside)
            said = f"{count} switches, {len(inside)} links, {bad} with a finding"
            made.append(Part(name, drawn(rows, inside, boxes, said), is_wide=True))
        else:
            made.append(Part(name, pods.tile(name, _tiers(rows), marks).drawing, is_wide=False))
    return tuple(made)


def _tiers(rows: Rows) -> dict[str, list[str]]:
    """Rows by a name for each, from the top; what is above spines is one."""
    if len(rows) == 1:
        return {"device": rows[0]}
    top = [[name for row in rows[:-2] for name in row]] if rows[2:] else []
    return dict(zip(reversed(_TIERS[: len(top) + 2]), (*top, *rows[-2:]), strict=True))


def _marks(story: Story, *, with_links: bool) -> dict[str, Verdict]:
    """By box: fails where a finding is critical or major, open where one is minor.

    Open, too, where lines that may concern the lossless path were not understood.
    Where links are drawn, what is wrong between two boxes marks neither of them.
    """
    marks = {box.name: Verdict.PASS for box in story.audit.network.boxes}
    marks |= {one.box: Verdict.INCONCLUSIVE for one in story.unread if one.concern}
    for one in reversed(story.findings):
        if with_links or not is_of_links(one.rule):
            for place in one.places:
                name = place.subject.partition(":")[0]
                marks[name] = Verdict.INCONCLUSIVE if one.severity == "minor" else Verdict.FAIL
    return marks


def _bad(rows: Rows, marks: Mapping[str, Verdict]) -> bool:
    return any(marks[name] is Verdict.FAIL for row in rows for name in row)


def _wires(story: Story) -> list[Wire]:
    bad = {
        place.subject: one.severity
        for one in story.findings
        if is_of_links(one.rule)
        for place in one.places
    }
    return [
        Wire(link.a.box.name, link.b.box.name, f"{link.a} -- {link.b}", _verdict(link, bad))
        for link in story.audit.network.links
    ]


def _verdict(link: Link, bad: Mapping[str, str]) -> Verdict:
    of_it = {bad[str(end)] for end in (link.a, link.b) if str(end) in bad}
    if of_it <= {"minor"}:
        return Verdict.INCONCLUSIVE if of_it else Verdict.PASS
    return Verdict.FAIL


def _components(story: Story) -> Iterator[Rows]:
    """Boxes that links join, in rows from the top; those of no link are one row together."""
    beside = defaultdict[str, set[str]](set)
    for link in story.audit.network.links:
        beside[link.a.box.name].add(link.b.box.name)
        beside[link.b.box.name].add(link.a.box.name)
    if alone := [box.name for box in story.audit.network.boxes if box.name not in beside]:
        yield [sorted(alone, key=natural)]
    left = set(beside)
    while left:
        inside, edge = set[str](), {min(left)}
        while edge:
            inside |= edge
            edge = {far for one in edge for far in beside[one]} - inside
        left -= inside
        yield _rows(story, inside, beside)


def _rows(story: Story, names: set[str], beside: Mapping[str, set[str]]) -> Rows:
    """The lowest tier has open ends; each other one is as many links above it."""
    share = {name: _open_share(story, name) for name in names}
    tier = {
        name
        for name in names
        if share[name] >= _BOTTOM_SHARE
        and all(share[far] <= share[name] + _ALIKE for far in beside[name])
    }
    if not tier:
        most = max(len(beside[name]) for name in names)
        tier = {name for name in names if len(beside[name]) < most} or set(names)
    above = {far for name in tier for far in beside[name]} - tier
    tier |= {name for name in names - above if share[name] and beside[name] <= above}
    rows, seen = list[list[str]](), set[str]()
    while tier:
        rows.append(sorted(tier, key=natural))
        seen |= tier
        tier = {far for name in tier for far in beside[name]} - seen
    return rows[::-1]


def _open_share(story: Story, name: str) -> float:
    """How many of its used ports lead to nothing that was read."""
    ends = len(story.open_ports.get(name, ()))
    return ends / (ends + len(story.audit.network.links_of[name]))
