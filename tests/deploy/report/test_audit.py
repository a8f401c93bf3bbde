"""What is told of an audit: one mistake once, what is new, what is answered for, in every form."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

from deploy import show
from deploy.errors import RailbedError
from deploy.report.audit import picture
from deploy.report.audit.baseline import read_baseline
from deploy.report.audit.explain import all_rules, explained
from deploy.report.audit.files import check_endings, write_forms
from deploy.report.audit.findings import findings, fingerprint, known_rules
from deploy.report.audit.machine import audit_json
from deploy.report.audit.markdown import audit_markdown
from deploy.report.audit.page import audit_page
from deploy.report.audit.picture import parts
from deploy.report.audit.said import not_judged
from deploy.report.audit.sarif import sarif
from deploy.report.audit.story import Asked, Story, tell
from deploy.report.audit.suppress import Suppression, read_suppressions
from inventory import open_site
from inventory.own_yaml import own_yaml
from inventory.problems import InventoryError
from switch_configs import render
from tests.secrets import LINES, PLANTED
from tests.tree import ROOT
from tests.validation.audit.hosts import bundle
from validation.audit.audit import Audit, audit
from validation.audit.box import NotRead
from validation.audit.known import NotJudged
from validation.audit.rule import Problem, Severity

TODAY = date(2026, 11, 25)
NAMES = ("leaf-p1-r0", "leaf-p1-r1", "spine1", "spine2")


def problem(
    subject: str,
    found: str = "IP MTU 9216; x has 1500",
    rule: str = "mtu-ends",
    severity: Severity = "critical",
    place: str = "a.cfg:1",
) -> Problem:
    return Problem(rule, severity, subject, place, found, "packets are lost", "one MTU")


@cache
def good() -> Audit:
    plan = open_site("pod-256")
    return audit(
        {name: {file.path: file.text for file in render(plan, name).files} for name in NAMES}
    )


def told(*problems: Problem, **asked: object) -> Story:
    return tell("here", replace(good(), problems=problems), Asked(TODAY, **asked))  # type: ignore[arg-type]


def entry(rule: str, subject: str, until: str = "2027-01-31") -> Suppression:
    return Suppression(rule, subject, "moved next week", date.fromisoformat(until), "s.yml:2")


def text(story: Story, width: int = 200, *, terminal: bool = False) -> str:
    out = Console(file=io.StringIO(), width=width, force_terminal=terminal, color_system=None)
    show.audit_text(story, out)
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


# One mistake is one finding.


def test_one_mistake_on_800_ports_is_one_finding_with_a_count():
    many = [problem(f"leaf{n % 8}:swp{n}", f"IP MTU 9216; spine{n % 4}:Ethernet{n} has 1500")
            for n in range(800)]  # fmt: skip
    [one] = findings(many)
    assert (len(one.places), one.told) == (800, "mtu-ends, 800 places")
    said = text(told(*many))
    assert said.count("why: ") == 1
    assert "and 796 more places, all with --json" in said
    assert len(audit_json(told(*many))["findings"][0]["places"]) == 800


def test_two_mistakes_are_two_and_many_values_are_one_with_the_rare_first():
    two = [problem("a:1"), problem("b:1", "IP MTU 9216; x has 9000")]
    assert len(findings(two)) == 2
    common = [problem(f"leaf{n}:swp1", f"IP MTU 9216; x has {n % 8}") for n in range(80)]
    [one] = findings([*common, problem("leaf9:swp9", "IP MTU 9216; x has 1500")])
    assert one.found == "IP MTU 9216; x has 1500"


def test_names_without_numbers_are_names_where_boxes_have_them():
    two = [problem("red:a", "as blue has"), problem("blue:a", "as red has")]
    assert (len(findings(two)), len(findings(two, {"red", "blue"}))) == (2, 1)


def test_worst_first_then_what_is_inside_a_box_then_what_is_on_most():
    inside = problem("a", "none", "lossless-without-ecn")
    link = [problem(f"leaf{n}:swp1") for n in range(3)]
    minor = problem("b", "w", "weights", "minor")
    found = findings([minor, *link, inside])
    assert [one.rule for one in found] == ["lossless-without-ecn", "mtu-ends", "weights"]


def test_a_fingerprint_outlives_moved_lines_and_not_another_value():
    one = problem("a:1", "no watchdog on swp1 and 31 more (line 7)")
    moved = problem("a:1", "no watchdog on swp1 and 30 more (line 9)", place="b.cfg:99")
    assert fingerprint(one) == fingerprint(moved)
    known = problem("a:1", "IP MTU 9216; b:1 has 1500 (one link by descriptions)")
    assert fingerprint(known) == fingerprint(
        problem("a:1", "IP MTU 9216; b:1 has 1500 (one link by addresses of 10.0.0.0/31)")
    )
    others = (problem("a:1", "IP MTU 9216; x has 9000"), problem("a:2"), problem("a:1", rule="x"))
    assert len({fingerprint(each) for each in (*others, problem("a:1"))}) == 4


# What counts.


@pytest.mark.parametrize(
    ("severity", "fail_on", "code"),
    [("minor", "minor", 1), ("minor", "major", 0), ("major", "major", 1), ("critical", "major", 1)],
)
def test_the_exit_code_obeys_the_asked_severity(severity, fail_on, code):
    story = told(problem("a", severity=severity), fail_on=fail_on)
    assert story.exit_code == code
    assert ("none is major or worse" in text(story)) == (code == 0)


def test_what_is_not_known_is_no_pass_and_no_fail():
    story = tell("here", replace(good(), unread={("spine1", "QoS"): 3}), Asked(TODAY))
    assert story.exit_code == 3
    assert "not understood: lines of 1 switch: 3 on QoS" in text(story)
    assert "INCONCLUSIVE" in audit_page(story)


def test_lines_that_were_not_understood_are_said_once_with_their_files():
    unread = {("spine1", "QoS"): 3, ("spine1", "SNMP"): 1}
    story = tell("here", replace(good(), unread=unread), Asked(TODAY))
    said = text(story)
    where = "spine1/etc/sonic/config_db.json, spine1/etc/sonic/frr/frr.conf"
    assert f"not known: 3 lines on QoS of spine1 are not understood: {where}" in said
    assert f"beside: 1 line on SNMP of spine1 is not understood: {where}" in said
    assert said.count("on QoS") == 2  # in the summary, and there


def test_what_could_not_be_judged_is_a_line_a_rule():
    never = [NotJudged("hash-seed", "eos", "unknowable", "never said", ("a",)),
             NotJudged("hash-seed", "sonic", "run time", "a show", ("b", "c")),
             NotJudged("hash-seed", "nxos", "unknowable", "never said", ("d",))]  # fmt: skip
    story = replace(told(), not_judged=tuple(never))
    line = "hash-seed: unknowable on eos, nxos; run time on sonic"
    assert f"not judged: {line}\n" in text(story)
    assert f"- {line}\n" in audit_markdown(story)
    assert "never said" in audit_page(story)
    assert "not judged: 1 rule: hash-seed; " in text(story)


def test_what_no_server_says_is_told_in_every_form_and_is_no_clean_bill():
    """Servers have a column of the page beside the systems; a NIC that its port needs is named."""
    texts = {path: bundle.texts()[path] for path in ("/etc/nccl.conf", "/mlnx_qos_-i_ens1")}
    leaf = good().network.box["leaf-p1-r0"]
    story = tell("here", audit({leaf.name: leaf.texts, bundle.NAME: texts}), Asked(TODAY))
    assert (story.findings, story.exit_code, story.verdict.value) == ((), 3, "inconclusive")
    why = f"{bundle.NAME}:ens1: its switch port pauses, and nothing says its ecn_priorities"
    lines = ("nic-tos: not said on servers", "nic-fec: run time on servers")
    for form in (text(story), audit_markdown(story).replace("\\_", "_")):
        assert why in form
    said = audit_json(story)["not_judged"]
    assert {"servers"} == {one["system"] for one in said if one["rule"] == "nic-tos"}
    assert [one["boxes"] for one in said if one["rule"] == "nic-fec"] == [(bundle.NAME,)]
    assert set(lines) <= set(not_judged(story))
    page = audit_page(story)
    assert why in page
    row = page[page.index("<code>nic-tos</code>") :]
    cells = re.findall(r'data-is="(\w+)" class="how( soft)?">([^<]+)<', row)[:2]
    assert cells == [("cumulus", " soft", "configuration"), ("servers", "", "not said")]
    assert explained("nic-tos").judged["servers"] == "by its configuration"


def test_only_what_is_new_counts_and_what_was_mended_is_told(tmp_path):
    old, stays, away = problem("spine1:Ethernet0"), problem("spine2"), problem("lost:swp1")
    file = tmp_path / "old.json"
    write_forms(told(old, stays, away), [file])
    story = told(stays, baseline=read_baseline(file))
    assert (story.exit_code, len(story.known)) == (0, 1)
    said = text(story)
    assert "mended: mtu-ends, 1 place: spine1:Ethernet0" in said
    assert "not read now: mtu-ends, 1 place: lost:swp1" in said
    assert "nothing new is wrong" in said
    again = told(stays, problem("leaf-p1-r0:swp1"), baseline=read_baseline(file))
    assert (again.exit_code, [one.places[0].subject for one in again.findings]) == (
        1,
        ["leaf-p1-r0:swp1"],
    )
    write_forms(again, [file])  # what was known stays known in the next one
    assert told(stays, baseline=read_baseline(file)).exit_code == 0


@pytest.mark.parametrize(
    "data", ["", "[]", "{}", '{"format": "railbed audit 1"}', "\x00", "[" * 9**5]
)
def test_a_baseline_that_is_none_is_a_sentence(tmp_path, data):
    file = tmp_path / "old.json"
    file.write_text(data)
    with pytest.raises(RailbedError, match=r"old\.json: .*expected"):
        read_baseline(file)
    with pytest.raises(RailbedError, match="cannot be read"):
        read_baseline(tmp_path / "none")


# What somebody answers for.


def test_what_is_answered_for_is_shown_and_does_not_count():
    story = told(problem("leaf1:swp1"), suppressions=(entry("mtu-ends", "leaf1:*"),))
    assert story.exit_code == 0
    for form in (
        text(story),
        audit_page(story),
        audit_markdown(story),
        json.dumps(audit_json(story)),
    ):
        assert "moved next week" in form
        assert "2027-01-31" in form
    [result] = sarif(story)["runs"][0]["results"]
    assert result["suppressions"][0]["kind"] == "external"


def test_an_entry_that_ended_counts_again_and_odd_ones_are_told():
    bad = [problem("leaf1:swp1"), problem("leaf1:swp2")]
    entries = (
        entry("mtu-ends", "leaf1:swp1", "2026-11-24"),
        entry("mtu-ends", "leaf1:swp2", "2026-11-25"),
        entry("mtu-end", "*"),
        entry("fec-ends", "leaf*"),
    )
    story = told(*bad, suppressions=entries)
    assert [one.places[0].subject for one in story.findings] == ["leaf1:swp1"]
    assert story.notes == (
        "s.yml:2: mtu-ends at 'leaf1:swp1' ended on 2026-11-24: 1 place counts",
        "s.yml:2: there is no rule 'mtu-end'; did you mean 'mtu-ends'?",
        "s.yml:2: fec-ends finds nothing at 'leaf*': take it away",
    )


def test_a_file_of_suppressions_is_read_with_both_kinds_of_days(tmp_path):
    file = tmp_path / "s.yml"
    file.write_text(
        "suppress:\n"
        "  - {rule: mtu-ends, subject: '*', reason: why, until: 2027-01-31}\n"
        "  - rule: fec-ends\n    subject: leaf1\n    reason: because\n    until: '2027-02-01'\n"
    )
    one, two = read_suppressions(file)
    assert (one.until, one.at) == (date(2027, 1, 31), f"{file}:2")
    assert (two.subject, two.until.month) == ("leaf1", 2)
    file.write_text("# nothing yet\n")
    assert read_suppressions(file) == ()


BROKEN = """\
suppress:
  - rule: mtu-ends
    subject: leaf1
    until: 2027-02-30
  - rules: mtu-ends
    subject: 7
    reason: ""
    until: soon
  - text
other: 1
"""


def test_everything_wrong_with_the_file_is_said_at_once_with_its_place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path(".railbed-audit.yml").write_text(BROKEN)
    with pytest.raises(InventoryError) as caught:
        read_suppressions(None)
    said = str(caught.value).splitlines()
    assert [
        re.sub(r": found .*", "", line).partition(".railbed-audit.yml:")[2] for line in said
    ] == [
        "2:5 suppress[0].reason",
        "4:12 suppress[0].until",
        "5:5 suppress[1].rule",
        "5:5 suppress[1].rules",
        "6:14 suppress[1].subject",
        "7:5 suppress[1].reason",
        "8:12 suppress[1].until",
        "9:5 suppress[2]",
        "10:1 other",
    ]
    assert "did you mean 'rule'?" in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "data",
    [b"- a\n", b"suppress: {}\n", b"suppress: [\n", b"\xff\xfe", b"x", b"suppress: &a [*a]\n"],
)
def test_no_damage_of_the_file_is_a_traceback_or_is_taken(tmp_path, data):
    file = tmp_path / "s.yml"
    file.write_bytes(data)
    with pytest.raises((InventoryError, RailbedError)):
        read_suppressions(file)


# The forms.


def test_the_page_stands_alone_and_nothing_in_it_acts():
    page = audit_page(
        told(problem("leaf-p1-r0:swp1", "<script>alert(1)</script>"), problem("spine1"))
    )
    assert not re.findall(r"(?:src|href)=|url\(|<script", page)
    assert "&lt;script&gt;alert(1)" in page
    assert "@media print" in page
    assert "prefers-color-scheme: dark" in page


def test_a_page_and_a_comment_of_many_findings_stay_small():
    words = ("MTU", "rate", "FEC", "hash", "pause", "class", "policy", "timer", "seed", "weight")
    many = [problem(f"leaf{n}:swp{m}", f"{a} {b} {c}")
            for a in words for b in words for c in words for n in (1,) for m in (1, 2)]  # fmt: skip
    assert len(findings(many)) == 1000
    assert len(audit_markdown(told(*many))) < 65_536
    assert len(audit_page(told(*many))) < 1_000_000


def test_markdown_says_it_and_does_not_act():
    said = audit_markdown(told(problem("leaf1:swp1", "a | <b> `c`")))
    assert said.startswith("# ✗ Audit: 1 finding, the worst is critical\n")
    assert r"a \| \<b\> \`c\`" in said
    assert "`a.cfg:1` leaf1:swp1" in said


def test_sarif_has_what_code_scanning_reads(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    (tmp_path / "here/a.cfg").write_text("x")
    done = sarif(told(problem("leaf1:swp1", place="a.cfg:7"), problem("b", severity="minor")))
    [run] = done["runs"]
    assert (done["version"], run["tool"]["driver"]["name"]) == ("2.1.0", "railbed")
    first, second = run["results"]
    assert run["tool"]["driver"]["rules"][first["ruleIndex"]]["id"] == first["ruleId"] == "mtu-ends"
    assert (first["level"], second["level"]) == ("error", "note")
    where = first["locations"][0]["physicalLocation"]
    assert where == {"artifactLocation": {"uri": "here/a.cfg"}, "region": {"startLine": 7}}
    assert len(first["partialFingerprints"]["railbedAudit/v1"]) == 32
    assert run["invocations"][0]["exitCode"] == 1


def test_json_keeps_its_keys():
    said = audit_json(told(problem("spine1")))
    assert sorted(said) == [
        "exit_code", "fail_on", "findings", "format", "gone", "hosts", "inconclusive", "known",
        "links", "mended", "not_judged", "not_read", "not_understood", "notes", "open_ports",
        "path", "severities", "suppressed", "switches",
    ]  # fmt: skip
    assert sorted(said["findings"][0]) == [
        "fix", "found", "places", "rule", "says", "severity", "why"
    ]  # fmt: skip
    readme = (Path(show.__file__).parents[1] / "report/audit/README.md").read_text()
    assert not [key for key in said if f"`{key}`" not in readme]


def test_an_ending_that_is_no_form_is_refused_before_any_work(tmp_path):
    check_endings([Path("a.html"), Path("b.md"), Path("c.json"), Path("d.sarif")])
    with pytest.raises(RailbedError, match=r"found the ending '\.pdf'"):
        check_endings([Path("a.pdf")])
    (tmp_path / "x.md").mkdir()
    with pytest.raises(RailbedError, match="found a folder"):
        check_endings([tmp_path / "x.md"])


def test_a_file_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RailbedError, match="cannot be written"):
        write_forms(told(), [tmp_path / "file/below.md"])


def test_ports_that_lead_to_no_text_are_counted():
    """Of a leaf those to servers and to the spines that were not read; no port of a link."""
    story = told()
    assert set(story.open_ports) == set(NAMES)
    assert {"swp1s0", "swp21"} <= set(story.open_ports["leaf-p1-r0"])
    assert not story.open_ports.keys() & {"lo"}
    for name, ports in story.open_ports.items():
        assert not [port for port in ports if (name, port) in good().network.far_end]


def test_the_picture_guesses_tiers_from_links_and_open_ends():
    [one] = parts(told(problem("leaf-p1-r0:swp19")))
    assert one.is_wide
    assert "4 switches, 8 links, 1 with a finding" in one.drawing
    height = {
        name: float(y) for y, name in re.findall(r'y="([0-9.]+)"[^>]*>([a-z0-9-]+)<', one.drawing)
    }
    assert height["spine1"] == height["spine2"] < height["leaf-p1-r0"] == height["leaf-p1-r1"]


def test_a_wide_fabric_is_squares_by_tier():
    rows = [["u"], ["t"], ["s1", "s2"], [f"leaf{n}" for n in range(20)]]
    assert {name: len(row) for name, row in picture._tiers(rows).items()} == {
        "superspine": 2, "spine": 2, "leaf": 20
    }  # fmt: skip
    assert list(picture._tiers(rows[2:])) == ["spine", "leaf"]
    assert list(picture._tiers(rows[3:])) == ["device"]


def test_lines_fold_on_a_terminal_and_are_whole_in_a_pipe():
    story = told(problem("leaf1:swp1", "words that go on " * 20))
    assert max(map(len, text(story, 60, terminal=True).splitlines())) <= 60
    assert "words that go on " * 19 in text(story, 60)


def test_what_configurations_say_cannot_act_on_a_terminal():
    said = text(
        told(problem("leaf1:swp1", "a\x1b[31mb\nc", place="x\x1b]0;y.cfg:1")), terminal=True
    )
    assert "\x1b" not in said
    assert r"a\x1b[31mb\nc" in said


def test_no_secret_of_a_configuration_is_in_any_form():
    plan = open_site("pod-256")
    texts = {name: {file.path: file.text for file in render(plan, name).files} for name in NAMES}
    extra = "\n".join(LINES)
    storage = {
        file.path: f"{file.text}\n{extra}\n" for file in render(plan, "storage-spine1").files
    }
    for path, said in storage.items():
        storage[path] = said.replace("no shutdown", f"no shutdown\n   {LINES[0]}")
    story = tell("here", audit({**texts, "storage-spine1": storage}), Asked(TODAY))
    forms = (text(story), audit_page(story), audit_markdown(story),
             json.dumps(audit_json(story)), json.dumps(sarif(story)))  # fmt: skip
    assert story.unread
    assert not [kind for kind, secret in PLANTED.items() for form in forms if secret in form]


# What a rule says.


def test_each_rule_explains_itself():
    for name, severity, says in all_rules():
        one = explained(name)
        assert (one.severity, one.says) == (severity, says)
        assert set(one.judged) >= {"sonic", "cumulus", "eos", "nxos", "linux_frr"}
        assert set(one.fixes) <= set(one.judged)


def test_examples_are_of_rules_that_there_are():
    folder = Path(show.__file__).parents[1] / "report/audit"
    assert set(own_yaml(folder / "examples.yml")) <= set(known_rules())


def test_an_unknown_rule_is_refused_with_near_names():
    with pytest.raises(RailbedError, match="no rule 'mtu-end'") as caught:
        explained("mtu-end")
    assert "did you mean 'mtu-ends'?" in caught.value.hint


def test_a_file_that_was_read_and_may_lack_lines_is_not_called_unread():
    """Signs of lost lines are told beside what could not be read at all."""
    found = replace(good(), not_read=(NotRead(min(good().network.boxes[0].texts), "lines lost?"),))
    said = text(tell("here", found, Asked(TODAY)))
    assert "in doubt: 1 sign that lines of 1 file are missing" in said
    assert "not read" not in said.partition("in doubt")[0]
    found = replace(good(), not_read=(NotRead("x.bin", "no text"),))
    said = text(tell("here", found, Asked(TODAY)))
    assert "not read: 1 source, each named below" in said
    assert "in doubt" not in said


def test_the_hint_on_a_baseline_writes_over_no_file_of_another_kind(tmp_path):
    (tmp_path / "README.md").write_text("# no audit")
    with pytest.raises(RailbedError) as refused:
        read_baseline(tmp_path / "README.md")
    assert "--out audit.json" in str(refused.value.hint)


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md"])
def test_what_people_read_first_says_how_many_rules_there_are(page):
    said = re.findall(r"\b(\d+) rules\b", (ROOT / page).read_text(encoding="utf-8"))
    assert said == [str(len(all_rules()))]
