"""What devices, files and people wrote is shown, and acts on nothing: no terminal, no page."""

from __future__ import annotations

import dataclasses
import io
import json
import sys
import types
import typing
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.console import Console

from deploy import show
from deploy.backups import told as backups_told
from deploy.commands.say import Voice
from deploy.imports import asbuilt as asbuilt_import
from deploy.imports import lists as list_import
from deploy.lab.status import LabStatus
from deploy.measuring import measure, preview
from deploy.record import rows, runs, timing
from deploy.record.journal import Record
from deploy.report import files as report_files
from deploy.report import tell
from deploy.report.audit import explain as audit_explain
from deploy.report.audit import story as audit_story
from deploy.rollout import look, runbook, saved_plan, survey
from deploy.servers import bios, drift, node_look
from deploy.switches import compare
from inventory import open_site
from inventory.visible import one_line, visible
from validation.audit import audit
from validation.audit import rule as audit_rule
from validation.evidence.store import EvidenceStore
from validation.miscabling import solve
from validation.verdict import Figure, Finding, Verdict

ACTS = "\x1b[2J\x07\r\x85\u202e\u2066\u200b\udc9b"
WORDS = "cable [/] x [bold]y[/bold] :f0:"
HOSTILE = f"{WORDS}{ACTS}\nFORGED\n"
MODULES = (
    *(
        audit_story,  # first: a finding of an audit is called as one of a run is
        audit_explain,
        audit_rule,
        audit,
        asbuilt_import,
        list_import,
        bios,
        solve,
        compare,
        drift,
        look,
        measure,
        node_look,
        preview,
    ),
    *(rows, runbook, saved_plan, survey, timing, runs, show),
)
NAMES = {name: one for module in MODULES for name, one in vars(module).items()}
NAMES["LabStatus"] = LabStatus
PLAN = open_site("lab")
AT = "2026-01-01T00:00:00+00:00"


def hostile(kind: Any) -> Any:
    """A value of a type, with the worst words wherever it has words."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind is PLAN.__class__:
        return dataclasses.replace(
            PLAN,
            site=HOSTILE,
            undeployable=(HOSTILE,),
            assumptions=tuple(
                dataclasses.replace(one, name=HOSTILE, source=HOSTILE, measured=False)
                for one in PLAN.assumptions[:2]
            ),
            nodes=tuple(dataclasses.replace(one, name=HOSTILE) for one in PLAN.nodes),
        )
    if kind is Finding:  # with a figure, and one that points at something
        return Finding(
            50, *(HOSTILE,) * 3, Verdict.FAIL, *(HOSTILE,) * 4, Figure(1.0, "s", HOSTILE)
        )
    if kind is Path:
        return Path(HOSTILE)
    if kind is bool:
        return False
    if kind in (int, float):
        return kind(1)
    if kind is datetime:
        return datetime(2026, 1, 1, tzinfo=UTC)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return list(kind)[-1]
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind, localns=NAMES | vars(sys.modules[kind.__module__]))
        named = {one.name: hostile(hints[one.name]) for one in dataclasses.fields(kind)}
        if kind.__module__ == rows.__name__:  # a row of the record is refused without them
            named |= {name: AT for name in named if name in ("started", "ended", "began", "at")}
        return kind(**named)
    if origin in (typing.Union, types.UnionType):
        return hostile(inner[0])
    if origin is typing.Literal:
        return inner[0]
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {hostile(inner[0]): hostile(inner[1])}
    if origin is tuple and inner[-1] is not Ellipsis:
        return tuple(map(hostile, inner))
    if isinstance(origin, type) and issubclass(origin, Collection):
        made = [hostile(inner[0])]
        return frozenset(made) if issubclass(origin, frozenset) else tuple(made)
    return HOSTILE


def shown(call: typing.Callable[..., None], out: Console, file: io.StringIO) -> str:
    hints = typing.get_type_hints(call, localns=NAMES | call.__globals__)
    wanted = {name: kind for name, kind in hints.items() if name not in ("out", "return")}
    call(**{name: hostile(kind) for name, kind in wanted.items()}, out=out)
    return file.getvalue()


def inert(text: str) -> bool:
    return all(one.isprintable() or one == "\n" for one in text)


TEXTS = [getattr(show, name) for name in show.__all__ if name.endswith("_text")]
TEXTS += [compare.compared_text]
TEXTS += [getattr(backups_told, name) for name in vars(backups_told) if name.endswith("_text")]


@pytest.mark.parametrize("make", [Voice, Console])
@pytest.mark.parametrize("call", TEXTS, ids=lambda one: one.__name__)
def test_no_answer_lets_what_it_tells_act(call, make):
    file = io.StringIO()
    if call.__name__ == "plan_text":  # of the whole plan, not of a device by its name
        call(hostile(type(PLAN)), show.Look(everything=True), make(file=file, width=10_000))
    said = file.getvalue() or shown(call, make(file=file, width=10_000), file)
    assert inert(said), said
    assert not [line for line in said.splitlines() if line.startswith("FORGED")]
    told = [line for line in said.splitlines() if "FORGED" in line]
    assert [line for line in told if WORDS in line], said


def test_a_console_shows_what_would_act_in_any_text():
    file = io.StringIO()
    Voice(file=file, width=10_000).print(HOSTILE, end="")
    assert file.getvalue() == f"{WORDS}{visible(ACTS)}\nFORGED\n"
    assert inert(file.getvalue())


def test_plain_text_is_left_alone():
    for text in ("", "Zürich 漢字 [x] \\n", "a b"):
        assert visible(text) == one_line(text) == text
    assert visible("a\n\tb") == "a\n\tb"
    assert one_line("a\n\tb") == r"a\n\tb"


def test_no_form_of_a_report_lets_it_act(tmp_path):
    with_words = Record(tmp_path / "record.sqlite")
    run = with_words.begin_run(PLAN.site, PLAN.digest)
    with_words.begin_wave(run, HOSTILE.replace("\udc9b", ""), "switches", ["spine1"])
    wave = HOSTILE.replace("\udc9b", "")
    with_words.add_findings(run, wave, [hostile(Finding)], (20, 50))
    with_words.end_wave(run, wave, "stop", [HOSTILE])
    with_words.end_run(run, wave)
    story = tell(PLAN, with_words, with_words.runs()[0], EvidenceStore())
    paths = report_files._write(story, PLAN, tmp_path)
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert "FORGED" in text
        assert all(one.isprintable() or one in "\n\t" for one in text), path
        if path.suffix == ".md":
            assert not [line for line in text.splitlines() if line.startswith("FORGED")]
    by_ending = {path.suffix: path.read_text(encoding="utf-8") for path in paths}
    ElementTree.fromstring(by_ending[".xml"])
    json.loads(by_ending[".json"])


def test_a_saved_plan_of_anybody_speaks_in_its_own_lines(tmp_path):
    path = tmp_path / "plan.json"
    text = saved_plan._JSON.dump_json(dataclasses.replace(_saved(), author="x")).decode()
    said = json.loads(text) | {
        "author": HOSTILE.replace("\udc9b", ""),
        "seen": {"\x1b[/]\n": "silent"},
    }
    path.write_text(json.dumps(said), encoding="utf-8")
    file = io.StringIO()
    show.saved_text(saved_plan.read(path), path, Voice(file=file, width=10_000))
    assert inert(file.getvalue())
    assert r"\x1b[/]\n" in file.getvalue()


def _saved() -> saved_plan.SavedPlan:
    one = look.Difference("spine1", "link flap", "+ a\x1b[2J\r\n- [/]")
    return saved_plan.SavedPlan("lab", "lab", "", "d", "c", "now", {}, (one,), "a", "")
