"""Pictures can be read: nothing overlaps, nothing is cut off, the numbers are those of the plan."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings

from inventory.exports import topology_svg
from inventory.exports.picture import shapes
from inventory.exports.picture.folded import runs
from inventory.exports.picture.folding import fold
from inventory.exports.picture.scene import scene_of
from inventory.plan import Plan
from tests.inventory.exports.plans import generated, lab, large, shipped, sizes, three_tiers
from tests.plugins.tiers import examples

CHEAP = settings(
    max_examples=examples(10, full=25), deadline=None, suppress_health_check=list(HealthCheck)
)
NS = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float
    what: str = ""

    def meets(self, other: Box) -> bool:
        wide = self.left < other.right and other.left < self.right
        return wide and self.top < other.bottom and other.top < self.bottom

    def holds(self, other: Box) -> bool:
        wide = self.left <= other.left and other.right <= self.right
        return wide and self.top <= other.top and other.bottom <= self.bottom

    def is_crossed(self, x1: float, y1: float, x2: float, y2: float) -> bool:
        apart = max(x1, x2) <= self.left or min(x1, x2) >= self.right
        if apart or max(y1, y2) <= self.top or min(y1, y2) >= self.bottom:
            return False
        steps = [at / 100 for at in range(101)]
        points = ((x1 + (x2 - x1) * t, y1 + (y2 - y1) * t) for t in steps)
        return any(self.left < x < self.right and self.top < y < self.bottom for x, y in points)


def root_of(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


def numbers(element: ElementTree.Element, *names: str) -> list[float]:
    return [float(element.attrib[name]) for name in names]


def words(root: ElementTree.Element) -> Iterator[Box]:
    for one in root.iter(f"{NS}text"):
        text = one.text or ""
        x, y = numbers(one, "x", "y")
        size = int(one.attrib["font-size"])
        width = shapes.width_of(text, size)
        left = x - {"start": 0.0, "middle": width / 2, "end": width}[one.attrib["text-anchor"]]
        yield Box(left, y - 0.75 * size, left + width, y + 0.2 * size, text)


def boxes(root: ElementTree.Element) -> Iterator[Box]:
    for one in root.iter(f"{NS}rect"):
        if one.attrib["fill"] == shapes.PAPER and one.attrib["stroke"] != "none":
            x, y, width, height = numbers(one, "x", "y", "width", "height")
            yield Box(x, y, x + width, y + height)


def beside(shown: list[Box]) -> Iterator[tuple[Box, Box]]:
    """The pairs that share some of their width: no other two can meet."""
    line = sorted(shown, key=lambda one: one.left)
    for at, one in enumerate(line):
        for other in line[at + 1 :]:
            if other.left >= one.right:
                break
            yield one, other


def must_be_legible(text: str) -> None:
    root = root_of(text)
    width, height = numbers(root, "width", "height")
    shown, covers = list(words(root)), list(boxes(root))
    page = Box(0, 0, width, height)
    assert [one.what for one in shown if not page.holds(one)] == []
    assert [(a.what, b.what) for a, b in beside(shown) if a.meets(b)] == []
    bare = [one for one in shown if not any(cover.holds(one) for cover in covers)]
    lines = [numbers(one, "x1", "y1", "x2", "y2") for one in root.iter(f"{NS}line")]
    assert [one.what for one in bare if any(one.is_crossed(*line) for line in lines)] == []


@given(size=sizes())
@CHEAP
def test_generated_sites_are_legible(size):
    plan = generated(size)
    must_be_legible(topology_svg(plan))
    must_be_legible(topology_svg(plan, "oob"))


@pytest.mark.parametrize("plane", ["compute", "oob"])
def test_the_lab_and_a_large_site_are_legible(plane):
    must_be_legible(topology_svg(lab(), plane))
    must_be_legible(topology_svg(large(), plane))


@pytest.mark.parametrize("shape", [(2, 2, 4, 2), (4, 8, 8, 16, 3), (2, 2, 16, 20), (3, 2, 1, 1)])
def test_three_tiers_are_legible(shape):
    must_be_legible(topology_svg(three_tiers(*shape)))


@pytest.mark.parametrize("plane", ["compute", "storage", "business", "oob"])
@pytest.mark.parametrize("site", ["pod-256", "superpod-10k"])
def test_our_sites_are_legible(site, plane):
    must_be_legible(topology_svg(shipped(site), plane))


def test_texts_that_meet_are_found_wherever_they_stand():
    text = topology_svg(lab())
    must_be_legible(text)
    [place] = [one for one in re.findall(r"<text [^>]*>[^<]*</text>", text) if ">spine1<" in one]
    with pytest.raises(AssertionError):
        must_be_legible(text.replace(place, place + place.replace("spine1", "spine9")))


def test_no_two_boxes_of_a_small_site_overlap():
    found = list(boxes(root_of(topology_svg(lab()))))
    assert len(found) == 10
    assert not [1 for a, b in combinations(found, 2) if a.meets(b)]


def test_a_small_site_is_drawn_device_by_device_and_cable_by_cable():
    root = root_of(topology_svg(lab()))
    said = {one.what for one in words(root)}
    compute = [one for one in lab().cables if one.plane == "compute"]
    assert {end.device for one in compute for end in (one.a, one.b)} <= said
    colours = {"#0969da", "#e16f24"}
    drawn = [one for one in root.iter(f"{NS}line") if one.attrib["stroke"] in colours]
    assert len(drawn) == len(compute) + 2  # and two in the legend


def test_a_large_site_is_folded_with_its_numbers():
    text = topology_svg(large())
    said = {one.what for one in words(root_of(text))}
    assert "20 pods, each like this" in said
    assert f"16 {shapes.TIMES} spine" in said
    assert f"16 {shapes.TIMES} node" in said
    assert "2,560 links" in said
    assert "5,120 links" in said
    assert "0.2 Gb/s, 2 a pair" in said
    assert f"160 {shapes.TIMES} leaf: 3.2 Gb/s down, 6.4 Gb/s up = 1 : 2" in said
    assert "node-p01-01" not in text
    assert len(text) < 20_000


def test_a_pod_that_differs_is_drawn_beside_the_others():
    said = {one.what for one in words(root_of(topology_svg(unlike())))}
    assert {"8 pods, each like this", "pod 9", f"9 {shapes.TIMES} node"} <= said


def unlike() -> Plan:
    return three_tiers(pods=9, spines_per_pod=2, rails=8, nodes=12, missing=3)


@given(size=sizes())
@CHEAP
def test_folding_loses_nobody(size):
    scene = scene_of(generated(size), "compute")
    folded = fold(scene)
    stood_for = sum(
        stack.count * max(1, len(one.pods)) for one in folded.folds for stack in one.stacks
    )
    assert stood_for == len(scene.members)


def test_runs_of_numbers():
    assert runs((1, 2, 3, 5, 7, 8)) == "1 to 3, 5, 7 to 8"
