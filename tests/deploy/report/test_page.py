"""A report tells what a run found, escapes what devices said, and stands alone."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from deploy.record.journal import Record
from deploy.record.rows import ChangeRow
from deploy.report import html_page, tell
from deploy.report.coverage import coverage
from deploy.report.rungs import rungs
from inventory import open_site, site_folder
from tests.validation import roce_site
from validation.judging.junit import junit
from validation.verdict import Finding, Verdict

BAD = Finding(
    20, "bgp", "leaf-p1-r0", "bgp:leaf-p1-r0:swp5", Verdict.FAIL, "port leaf-p1-r0:swp5",
    "<script>alert(1)</script>", "AS 1 & AS 2", "switch it on",
)  # fmt: skip
DARK = Finding(20, "lldp", "spine1", "lldp:spine1:swp1", Verdict.INCONCLUSIVE, "", "no answer")
GOOD = Finding(20, "lldp", "spine2", "lldp:spine2:swp1", Verdict.PASS)


@pytest.fixture
def page(tmp_path: Path) -> str:
    record = Record(tmp_path / "record.sqlite")
    plan = open_site("lab")
    run = record.begin_run(plan.site, plan.digest)
    record.begin_wave(run, "spines-canary", "switches", ["spine1"])
    row = ChangeRow("spines-canary", "spine1", "diff", "", "link flap", "a", "b", "+mtu 9216")
    record.change(run, row)
    record.add_findings(run, "spines-canary", [BAD, DARK, GOOD])
    record.end_wave(run, "spines-canary", "stop", ["port leaf-p1-r0:swp5: is off"])
    record.end_run(run, "stop at the gate")
    return html_page(tell(plan, record, record.runs()[0]), plan)


def test_the_suspect_comes_before_the_waves_with_what_to_do(page):
    assert page.index("port leaf-p1-r0:swp5") < page.index("Waves and gates")
    assert "What to do: switch it on" in page
    assert "1 of 3 expectations pass" in page


def test_what_a_device_said_cannot_act_in_the_page(page):
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_the_page_needs_nothing_from_elsewhere(page):
    assert not re.findall(r"(?:src|href)=", page)
    assert "url(" not in page


def test_the_lab_says_first_what_it_cannot_show(page):
    assert page.index("Nothing here shows that a fabric is lossless") < page.index("Ladder")


def test_the_drawing_marks_the_cable_of_the_suspect_and_only_it(page):
    lines = re.findall(r'<line class="(\w+)"[^>]*><title>([^<]*)', page)
    failed = [title for css, title in lines if css == "fail"]
    assert failed == ["leaf-p1-r0:swp5 -- spine1:swp1: fail"]
    assert len(lines) == 16


def test_the_change_is_shown_with_its_diff_and_impact(page):
    assert "impact: link flap" in page
    assert "+mtu 9216" in page


def test_a_run_without_findings_is_never_a_pass(tmp_path):
    record = Record(tmp_path / "record.sqlite")
    plan = open_site("lab")
    run = record.begin_run(plan.site, plan.digest)
    record.end_run(run, "failed")
    assert tell(plan, record, record.runs()[0]).verdict is Verdict.INCONCLUSIVE


def test_tests_that_no_profile_asks_for_or_that_wait_for_a_lock_are_not_proved():
    plan = open_site(site_folder("pod-256"))
    memory = Finding(45, "memory", "node-1", "memory:node-1", Verdict.PASS)
    said = coverage(plan, [memory], rungs([memory], frozenset({45}))).unproved
    told = [one for one in said if "hgx-h100: " in one]
    later = "no DCGM, no burn, no all_reduce inside the node on hgx-h100: what they need is not"
    assert told == [
        "Stage 45 runs no scratch disk, no STREAM on hgx-h100: its `acceptance` names none",
        f"Stage 45 runs {later} locked yet",
    ]
    quiet = coverage(plan, (), rungs((), frozenset({40}))).unproved
    assert not any("Stage 45" in one and "no STREAM" in one for one in quiet)


def test_systems_that_tell_no_error_ratios_are_not_proved_to_have_good_links():
    plan = roce_site.plan()
    plan = replace(plan, switches=tuple(replace(one, dialect="nxos") for one in plan.switches))
    light = Finding(15, "optic", "spine1", "optic:spine1:Ethernet0", Verdict.PASS)
    said = coverage(plan, [light], rungs([light], frozenset({15}))).unproved
    [told] = (one for one in said if "error ratios" in one)
    assert told.startswith("Stage 15 reads no bit error ratios from nxos")
    quiet = coverage(plan, (), rungs((), frozenset({40}))).unproved
    assert not any("error ratios" in one for one in quiet)


def test_in_junit_inconclusive_is_an_error():
    root = ElementTree.fromstring(junit([BAD, DARK, GOOD]))
    suite = root.find("testsuite")
    assert suite is not None
    assert (suite.get("failures"), suite.get("errors"), suite.get("skipped")) == ("1", "1", "0")
