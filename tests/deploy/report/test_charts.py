"""The pictures of a report: readable at any size, never by colour alone, and no false groups."""

from __future__ import annotations

import random
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from deploy.record.journal import Record
from deploy.report import html_page, markdown, story_json, tell
from deploy.report.charts import curve, heat, histogram, inline
from deploy.report.charts.spread import groups
from deploy.report.figures import by_kind, measured
from deploy.report.rungs import State, rungs
from deploy.report.suspects import suspects, weights
from inventory import open_site
from tests.deploy import told_runs
from validation.stage import Stage
from validation.verdict import Figure, Finding, Verdict

NARROW = 390  # of a phone, in CSS pixels


def figures(seed: int, count: int, *middles: float) -> list[float]:
    noise = random.Random(seed)
    return [noise.gauss(noise.choice(middles), 1.5) for _ in range(count)]


@pytest.mark.parametrize("count", [12, 60, 400, 5000])
def test_one_heap_of_figures_is_never_called_two_groups(count):
    called = [seed for seed in range(100) if groups(figures(seed, count, 390.0))]
    assert called == []


@pytest.mark.parametrize("count", [400, 5000])
def test_two_heaps_are_called_two_groups(count):
    found = [groups(figures(seed, count, 390.0, 378.0)) for seed in range(50)]
    assert all(found)
    assert all(abs(one.low_middle - 378) < 1 for one in found if one)
    assert all(abs(one.high_middle - 390) < 1 for one in found if one)


def test_a_few_bad_figures_do_not_press_the_others_into_one_bar():
    drawn = histogram.histogram("x", "Gb/s", figures(1, 500, 390.0, 378.0), [40.0, 41.0])
    bars = [float(one) for one in re.findall(r'height="([\d.]+)" class="bar"', drawn)]
    assert len(bars) > 15
    valley = 5 + bars[5:-5].index(min(bars[5:-5]))
    assert bars[valley] < 0.1 * min(max(bars[:valley]), max(bars[valley:])), "it is not seen"
    assert drawn.count('class="bar failed"') == 1
    assert "✗" in drawn


@pytest.mark.parametrize("values", [[5.0], [5.0, 5.0], [0.0, 0.0], [1e-6, 2e-6], [1.0, 1e9]])
def test_any_figures_have_a_histogram(values):
    for good, bad in ((values, []), ([], values)):
        ElementTree.fromstring(histogram.histogram("x", "us", good, bad))


def test_a_curve_has_a_mark_for_each_line_and_a_cross_where_it_fails():
    lines = {"1M": {2: 10.0, 4: 9.0}, "8G": {2: 48.0, 4: 47.0, 512: 20.0}}
    drawn = curve.curve("alltoall", "GB/s", lines, frozenset({("8G", 512)}))
    assert drawn.count("✗") == 1
    assert "● 1M" in drawn
    assert "■ 8G" in drawn
    assert "dash0" in drawn
    assert "dash1" in drawn


def test_a_heat_map_says_in_words_what_each_square_is():
    cells = {
        ("a", "b"): heat.Cell(Verdict.PASS, 0.97, 1, "pass, 388 Gb/s"),
        ("b", "a"): heat.Cell(Verdict.FAIL, 0.5, 2, "fail, least 200 Gb/s of 2 flows"),
    }
    drawn = heat.heat("bw", ["a", "b"], cells)
    assert "b to a: fail, least 200 Gb/s of 2 flows" in drawn
    assert ">97</text>" in drawn
    assert drawn.count("✗") == 1


@pytest.mark.parametrize(("share", "shade"), [(1.2, 4), (0.96, 4), (0.93, 3), (0.81, 1), (0, 0)])
def test_shades_are_steps_of_five_percent(share, shade):
    assert heat.shade_of(share) == shade


@pytest.mark.parametrize(
    ("low", "high", "most"), [(0, 48.7, 4), (0.08, 0.2, 6), (377, 396, 32), (1, 1, 4), (0, 1e-9, 3)]
)
def test_steps_are_round_and_hold_what_they_must(low, high, most):
    steps = inline.round_steps(low, high, most)
    assert steps[0] <= low + 1e-9
    assert steps[-1] >= high - 1e-9
    assert 2 <= len(steps) <= most + 2


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> str:
    plan, record, row = told_runs.slow_lab_run(tmp_path_factory.mktemp("slow"))
    return html_page(tell(plan, record, row), plan)


def pictures(page: str) -> list[str]:
    return re.findall(r"<svg.*?</svg>", page, re.DOTALL)


def test_every_picture_of_a_small_site_fits_a_phone_and_has_a_name(slow):
    assert len(pictures(slow)) == 3
    for one in pictures(slow):
        root = ElementTree.fromstring(one)
        assert root.get("role") == "img"
        assert root.get("aria-label")
        assert float(root.get("width") or 0) <= NARROW - 50
    assert "font: 11px" in slow
    assert not re.search(r"font-size: ?(\d|10)px", slow)


def test_what_fails_has_a_sign_wherever_it_has_a_colour(slow):
    fabric = pictures(slow)[0]
    assert len(re.findall(r'<line class="fail"', fabric)) == 1
    assert "✗ 1" in fabric
    for one in re.findall(r'class="(?:state )?word (\w+)"[^>]*>([^<]*)<', slow):
        assert one[1].strip()[0] in "✓✗?-·123456789", one


class _Open(HTMLParser):
    """Which elements are open; raises where one ends that is not the innermost."""

    # HTML, 13.1.2: these have no end tag.
    VOID = frozenset({"meta", "br", "hr", "img", "col", "input", "link", "wbr"})

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in self.VOID:
            self.elements.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.elements.pop() == tag, f"</{tag}> in line {self.getpos()[0]}"


def test_every_element_of_the_page_is_closed(slow, fleet):
    """A browser guesses where a table ends that nobody closed; a page must not leave it to that."""
    for page in (slow, fleet[0]):
        reader = _Open()
        reader.feed(page)
        assert reader.elements == []


def test_headings_do_not_skip_a_level(slow):
    levels = [int(one) for one in re.findall(r"<h(\d)", slow)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))


def test_the_verdict_comes_first_then_ladder_suspects_and_what_is_not_proved(slow):
    order = ["✗ FAIL", "Look at cable leaf-p1-r0:swp2", ">Ladder<", ">Suspects,", "not proved<"]
    places = [slow.index(one) for one in order]
    assert places == sorted(places)


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, int]:
    """10,240 rail NICs with three flows each: the page, its Markdown, how many findings."""
    plan = open_site("superpod-10k")
    nic = plan.nodes[200].rails[3]
    bad = {f"{plan.nodes[200].name}:{nic.index}": (0.5, f"cable {plan.cable_at[nic.leaf]}")}
    folder = tmp_path_factory.mktemp("fleet")
    record = Record(folder / "record.sqlite")
    found = told_runs.fleet(plan, 1, 3, bad)
    story = tell(plan, record, told_runs.keep(record, plan, found, (50, 70), "fail"))
    return html_page(story, plan), markdown(story), len(story_json(story)["findings"])


def test_the_page_of_a_fleet_is_small_and_whole(fleet):
    page, short, count = fleet
    assert len(page.encode()) < 3_000_000
    assert count > 30_000
    assert len(short) < 8_000
    for one in pictures(page):
        assert float(ElementTree.fromstring(one).get("width") or 0) <= NARROW - 50


def test_the_pods_with_a_suspect_come_first_and_name_it(fleet):
    page, _, _ = fleet
    tiles = re.findall(
        r'<section><h3>([^<]*)</h3><svg.*?</svg>\s*(?:<p class="small">([^<]*))?', page
    )
    assert tiles[0][0] == "pod 3"
    assert tiles[0][1].startswith("✗ leaf-p03-r3, ✗ node-p03-")
    assert not any(said for _, said in tiles[1:])


def found(stage: int, verdict: Verdict, figure: Figure | None = None) -> Finding:
    return Finding(stage, "c", "d", f"c:{stage}:{verdict}", verdict, figure=figure)


STAGES = {
    number: Stage(number, "t", needs, "", loads=number > 40)
    for number, needs in ((20, ()), (40, (20,)), (50, (20, 40)), (70, (50,)), (80, ()))
}


def test_a_rung_says_why_it_has_no_answer():
    findings = [
        found(20, Verdict.PASS),
        found(40, Verdict.FAIL),
        found(50, Verdict.INCONCLUSIVE),
        found(70, Verdict.INCONCLUSIVE, Figure(1, "GB/s")),
    ]
    made = {one.stage: one for one in rungs(findings, frozenset({20, 40, 50, 70}), STAGES)}
    assert [one.state for one in made.values()] == [
        State.PASS, State.FAIL, State.NOT_RUN, State.INCONCLUSIVE, State.NOT_ASKED,
    ]  # fmt: skip
    assert "stage 40" in made[50].why
    assert "--through 80" in made[80].why


def test_what_was_asked_and_has_nothing_to_ask_says_so():
    (one,) = rungs([], frozenset({80}), {80: STAGES[80]})
    assert (one.state, one.why) == (State.NOT_ASKED, "the plan has nothing to ask here")


def test_figures_of_other_sizes_or_rank_counts_never_meet():
    names = [
        "all_reduce:8G:2nodes",
        "all_reduce:8G:4nodes",
        "all_reduce:64M:2nodes",
        "alltoall:8G:2nodes",
    ]
    some = [
        Finding(70, name.partition(":")[0], "n", name, Verdict.PASS, figure=Figure(1, "GB/s"))
        for name in names
    ]
    assert len(by_kind(measured(some))) == len(names)
    assert [str(kind) for kind in by_kind(measured(some[:1]))] == ["all_reduce 8G 2 nodes"]


def test_markdown_is_short_and_what_devices_said_cannot_act_in_it(tmp_path: Path):
    plan, record, row = told_runs.lab_run(tmp_path)
    found = [*record.findings(row.id)]
    bad = next(at for at, one in enumerate(found) if one.verdict is Verdict.FAIL)
    said = "<b>[x](http://y)</b> | `z`\n# title"
    found[bad] = Finding(20, "bgp", "d", "bgp:d", Verdict.FAIL, "a *suspect*", said)
    story = tell(plan, record, told_runs.keep(record, plan, found, (20,), "fail"))
    text = markdown(story)
    assert "\\<b\\>\\[x\\](http://y)" in text
    assert "**a \\*suspect\\***" in text
    assert "\n# title" not in text
    assert text.index("## Go and look at") < text.index("## Not proved")
    assert len(text.splitlines()) < 80


def test_the_json_has_every_finding(tmp_path: Path):
    plan, record, row = told_runs.slow_lab_run(tmp_path)
    whole = story_json(tell(plan, record, row))
    assert len(whole["findings"]) == len(record.findings(row.id)) == 202
    assert whole["suspects"][0]["parts"] == 5
    bad = [one for one in whole["findings"] if one["verdict"] == "fail"]
    assert all(one["figure"]["unit"] == "Gb/s" for one in bad)


def test_the_words_of_stage_70_are_sizes_and_numbers_of_nodes():
    names = [
        f"collective:all_reduce:{n}:node-p1-01:{size}"
        for n in (2, 16)
        for size in ("small", "large")
    ]
    names.append("collective:jobs:alltoall:16:node-p1-01:large")
    some = measured(
        Finding(70, "collective", "node-p1-01", name, Verdict.PASS, figure=Figure(1, "GB/s"))
        for name in names
    )
    assert sorted({(one.kind.what, one.kind.size, one.kind.nodes) for one in some}) == [
        ("collective all_reduce", "large", 2),
        ("collective all_reduce", "large", 16),
        ("collective all_reduce", "small", 2),
        ("collective all_reduce", "small", 16),
        ("collective jobs alltoall", "large", 16),
    ]


def test_how_sure_the_locator_is_stands_in_the_report():
    found = "slow with 4 [1 of 3 alike: cable or optics between switches; likely (95.00%)]"
    bad = Finding(50, "bw", "n1", "bw:rail0:n1>n2", Verdict.FAIL, "cable a:1 -- b:1", found)
    weight = weights(suspects([bad]), [bad])["cable a:1 -- b:1"]
    assert (weight.parts, weight.made_of) == (3, "cable or optics between switches")
    assert weight.sure.startswith("likely (95.00%): 1 expectation points at it")
