"""The page's content, ready to print: pictures, and tables that are cut where they are long.

Nothing is lost by a cut: each says how much is left out, and the JSON beside the page has it all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Generic, TypeVar

from markupsafe import Markup

from inventory.plan import Plan
from validation.counters.added import Added
from validation.verdict import Finding, Verdict

from .charts import curve, heat, histogram, inline, pods, topology
from .charts.spread import groups
from .figures import COUNTS, Kind, Measured, by_kind, size_bytes
from .seen import numbered, seen, touched
from .story import DeviceChange, Story
from .suspects import Suspect

T = TypeVar("T")
MOST_SUSPECTS, MOST_OF_SUSPECT, MOST_FINDINGS, MOST_CHANGES = 12, 5, 300, 60
MOST_COUNTERS, MOST_ROWS, MOST_CHARTS = 40, 60, 24
MOST_LETTERS, MOST_DIFF_LINES = 400, 120


@dataclass(frozen=True, slots=True)
class Cut(Generic[T]):
    """The first rows, and how many more there are."""

    rows: tuple[T, ...]
    hidden: int


@dataclass(frozen=True, slots=True)
class SuspectCard:
    """A suspect with its number in the pictures, and the first findings that point at it."""

    number: int
    suspect: Suspect
    parts: int
    made_of: str
    sure: str
    findings: Cut[Finding]


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture with a heading and a sentence."""

    title: str
    said: str
    drawing: Markup


@dataclass(frozen=True, slots=True)
class CheckLine:
    """All expectations of one check, counted."""

    stage: int
    check: str
    passed: int
    failed: int
    inconclusive: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """Everything that the template prints beside the story itself."""

    suspects: Cut[SuspectCard]
    fabric: Markup
    pods: tuple[pods.Tile, ...]
    pairs: tuple[Chart, ...]
    histograms: Cut[Chart]
    curves: Cut[Chart]
    counters: Cut[Measured]
    added: Cut[Added]
    checks: tuple[CheckLine, ...]
    findings: Cut[Finding]
    changes: Cut[DeviceChange]
    parked: Cut[str]


def sheet(story: Story, plan: Plan) -> Sheet:
    """The content of a story's page; the plan says what the pictures look like."""
    marks = seen(plan, story.findings)
    return Sheet(
        suspects=_suspects(story),
        fabric=_fabric(story, plan, marks),
        pods=_pods(story, plan, marks),
        pairs=_pairs(story),
        histograms=_histograms(story),
        curves=_curves(story),
        counters=_counters(story),
        added=_added(story),
        checks=_checks(story.findings),
        findings=_findings(story.findings),
        changes=cut([_short_diff(change) for change in story.changes], MOST_CHANGES),
        parked=cut(story.parked, MOST_ROWS),
    )


def cut(rows: Sequence[T], most: int) -> Cut[T]:
    """The first rows of a table."""
    return Cut(tuple(rows[:most]), max(0, len(rows) - most))


def _fabric(story: Story, plan: Plan, marks: dict[str, Verdict]) -> Markup:
    if not topology.fits(plan):
        return Markup("")
    return topology.topology(plan, marks, numbered(plan, story.suspects[:MOST_SUSPECTS]))


def _pods(story: Story, plan: Plan, marks: dict[str, Verdict]) -> tuple[pods.Tile, ...]:
    """Without cables, what passes is marked by itself, and what is bad by the suspects."""
    if topology.fits(plan):
        return ()
    passing = {name: one for name, one in marks.items() if one is Verdict.PASS}
    return pods.tiles(plan, {**passing, **touched(plan, story.suspects)})


def _suspects(story: Story) -> Cut[SuspectCard]:
    cards = []
    for number, one in enumerate(story.suspects[:MOST_SUSPECTS], start=1):
        weight = story.weights[one.name]
        shown = cut([_short(finding) for finding in one.findings], MOST_OF_SUSPECT)
        cards.append(SuspectCard(number, one, weight.parts, weight.made_of, weight.sure, shown))
    return Cut(tuple(cards), max(0, len(story.suspects) - len(cards)))


def _short(one: Finding) -> Finding:
    """What a device said may be a screen long; its beginning says what it is."""
    found = inline.shortened(one.found, MOST_LETTERS)
    expected = inline.shortened(one.expected, MOST_LETTERS)
    return Finding(
        one.stage, one.check, one.device, one.expectation, one.verdict, one.suspect, found, expected
    )


def _short_diff(one: DeviceChange) -> DeviceChange:
    lines = one.diff.splitlines()
    if len(lines) <= MOST_DIFF_LINES:
        return one
    said = f"... {len(lines) - MOST_DIFF_LINES} more lines, in the JSON beside this page"
    diff = "\n".join([*lines[:MOST_DIFF_LINES], said])
    return DeviceChange(one.device, one.wave, one.impact, one.phases, diff, one.journal)


def _pairs(story: Story) -> tuple[Chart, ...]:
    charts = []
    for one in story.pairs:
        many = "a square is the worst of its flows" if one.by != "node" else "a square is one flow"
        if any(cell.count > 1 for cell in one.cells.values()):
            many = "a square is the worst of its flows"
        said = f"by {one.by}; rows send, columns receive; {many}"
        said += f"; usual {inline.amount(one.usual)} {one.unit}"
        title = f"Pairs: stage {one.stage:02d}, {one.check}"
        charts.append(Chart(title, said, heat.heat(title, one.places, one.cells)))
    return tuple(charts)


def _histograms(story: Story) -> Cut[Chart]:
    charts = [
        _histogram(kind, rows) for kind, rows in by_kind(story.figures).items() if len(rows) > 1
    ]
    return cut(charts, MOST_CHARTS)


def _histogram(kind: Kind, rows: Sequence[Measured]) -> Chart:
    good = [row.value for row in rows if row.verdict is not Verdict.FAIL]
    bad = [row.value for row in rows if row.verdict is Verdict.FAIL]
    found = groups(good) or groups([*good, *bad])
    said = f"{len(rows):,} figures"
    said += f", {len(bad)} fail" if bad else ""
    said += f"; {found.said(kind.unit)}" if found else ""
    title = f"Spread: stage {kind.stage:02d}, {kind}"
    return Chart(title, said, histogram.histogram(title, kind.unit, good, bad))


def _curves(story: Story) -> Cut[Chart]:
    """A chart for what was measured with several numbers of nodes: the median of each."""
    charts: dict[tuple[int, str, str], list[Measured]] = {}
    for figure in story.figures:
        if figure.kind.nodes and figure.kind.unit not in COUNTS:
            charts.setdefault((figure.kind.stage, figure.kind.what, figure.kind.unit), []).append(
                figure
            )
    made = [
        _curve(stage, what, unit, rows)
        for (stage, what, unit), rows in sorted(charts.items())
        if len({row.kind.nodes for row in rows}) > 1
    ]
    return cut(made, MOST_CHARTS)


def _curve(stage: int, what: str, unit: str, rows: Sequence[Measured]) -> Chart:
    sizes = sorted({row.kind.size for row in rows}, key=lambda size: (size_bytes(size), size))
    lines = {
        size: {
            nodes: median(
                row.value for row in rows if (row.kind.size, row.kind.nodes) == (size, nodes)
            )
            for nodes in sorted({row.kind.nodes for row in rows if row.kind.size == size})
        }
        for size in sizes
    }
    bad = frozenset((row.kind.size, row.kind.nodes) for row in rows if row.verdict is Verdict.FAIL)
    title = f"Scaling: stage {stage:02d}, {what}"
    return Chart(title, f"{unit} over nodes", curve.curve(title, unit, lines, bad))


def _counters(story: Story) -> Cut[Measured]:
    rows = [figure for figure in story.figures if figure.kind.unit in COUNTS]
    rank = [Verdict.FAIL, Verdict.INCONCLUSIVE, Verdict.PASS]
    shown = [row for row in rows if row.value or row.verdict is not Verdict.PASS]
    ordered = sorted(shown, key=lambda one: (rank.index(one.verdict), -one.value, one.expectation))
    found = cut(ordered, MOST_COUNTERS)
    return Cut(found.rows, len(rows) - len(found.rows))


def _added(story: Story) -> Cut[Added]:
    """What says something went wrong, or nearly did, first; plain traffic last."""
    plain = ("bytes", "packets")

    def rank(one: Added) -> tuple[bool, str, int, str]:
        name = one.counter.split()[-1] if not one.counter[-1:].isdigit() else one.counter
        return name.endswith(plain), one.counter, -one.value, one.place

    return cut(sorted(story.counters.rows, key=rank), MOST_COUNTERS)


def _checks(findings: Sequence[Finding]) -> tuple[CheckLine, ...]:
    groups: dict[tuple[int, str], list[Verdict]] = {}
    for finding in findings:
        groups.setdefault((finding.stage, finding.check), []).append(finding.verdict)
    return tuple(
        CheckLine(stage, check, *(found.count(verdict) for verdict in Verdict))
        for (stage, check), found in sorted(groups.items())
    )


def _findings(findings: Sequence[Finding]) -> Cut[Finding]:
    """All of a small run; of a large one what does not pass comes first."""
    ordered = list(findings)
    if len(ordered) > MOST_FINDINGS:
        ordered.sort(key=lambda one: one.verdict is Verdict.PASS)
    return Cut(tuple(map(_short, ordered[:MOST_FINDINGS])), max(0, len(ordered) - MOST_FINDINGS))
