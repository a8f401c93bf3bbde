"""Every stage, with one frame of its evidence damaged: what needed the frame does not pass.

`test_mutations.py` damages one recorded run in more ways; this matrix holds for all stages.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from tests.validation import healthy
from tests.validation.healthy import Healthy
from validation.evidence.store import EvidenceStore, Frame, dump
from validation.ladder import ladder
from validation.manifest import node_state
from validation.run import ValidationResult, validate
from validation.verdict import Verdict

Key = tuple[str, str]
SAMPLE = 1
MODULES = healthy.modules()


def judged(case: Healthy, store: EvidenceStore) -> ValidationResult:
    others = frozenset(ladder()) - {case.stage}
    return validate(case.plan, case.stage, store, None, case.configured, leave_out=others)


@cache
def case_of(module: ModuleType) -> tuple[Healthy, ValidationResult]:
    case = module.healthy()
    return case, judged(case, case.store)


def test_every_stage_is_here():
    here = {module.healthy().stage for module in MODULES}
    assert here == set(ladder())


@pytest.mark.parametrize("module", MODULES, ids=lambda one: one.__name__.rpartition(".")[2])
def test_healthy_evidence_passes(module):
    case, result = case_of(module)
    bad = [one for one in result.findings if one.verdict is not Verdict.PASS]
    assert not bad
    assert {one.stage for one in result.findings} == {case.stage}


# What is measured leaves its number: history, comparison and the report live on these.
MEASURES = {
    15: {"ber", "optic"},
    42: {"wire"},
    45: {"burn", "disk", "memory", "nic_self", "nvlink", "nvlink_reduce"},
    50: {"bw", "coverage", "lat"},
    60: {"incast", "victim"},
    70: {"collective"},
    75: {"store", "store_fair", "store_gds", "store_total"},
    80: {"detect", "soak", "switchover"},
}


@pytest.mark.parametrize("module", MODULES, ids=lambda one: one.__name__.rpartition(".")[2])
def test_whatever_measures_keeps_its_figure(module):
    case, result = case_of(module)
    figures = {one.expectation for one in result.findings if one.figure}
    measured = {
        one.expectation for one in result.findings if one.check in MEASURES.get(case.stage, ())
    }
    assert figures == measured


def resealed(frame: Frame, payload: bytes) -> Frame:
    """A frame whose device really sent this payload."""
    sha256 = hashlib.sha256(payload).hexdigest()
    return replace(frame, payload=payload, byte_length=len(payload), sha256=sha256)


def swapped(frame: Frame, others: list[Frame]) -> bytes:
    """Another node's answer to the same question under this name; any other's where none is."""
    same = [one for one in others if one.command == frame.command] or others
    other = same[0] if same else frame
    return dump(replace(other, device=frame.device, command=frame.command))


DAMAGE: dict[str, Callable[[Frame, list[Frame]], bytes]] = {
    "removed": lambda _, __: b"",
    "cut on the way": lambda frame, _: dump(replace(frame, payload=frame.payload[:-1])),
    "cut at its source": lambda frame, _: dump(
        resealed(frame, frame.payload[: len(frame.payload) // 2])
    ),
    "empty": lambda frame, _: dump(resealed(frame, b"")),
    "duplicated": lambda frame, _: dump(frame) * 2,
    "of another node": swapped,
    "of another plan": lambda frame, _: dump(replace(frame, plan_digest="0" * 64)),
    "not finished": lambda frame, _: dump(replace(frame, exit_status=124)),
    "killed": lambda frame, _: dump(replace(frame, exit_status=137)),
    "ended badly with 1": lambda frame, _: dump(replace(frame, exit_status=1)),
    "ended badly with 255": lambda frame, _: dump(replace(frame, exit_status=255)),
}
ENDED = {"ended badly with 1": 1, "ended badly with 255": 255}
# An answer that says all is well by saying nothing is whole when it is empty.
SILENT_IS_WELL = {"systemctl list-units --failed --plain --no-legend --no-pager"}


def lay(folder: Path, case: Healthy, key: Key, how: str) -> EvidenceStore:
    """The healthy store as files, with one frame damaged, and loaded again."""
    files: dict[str, bytes] = {}
    others = [one for one in case.store if one.device != key[0]]
    for frame in case.store:
        mine = (frame.device, frame.command) == key
        data = DAMAGE[how](frame, others) if mine else dump(frame)
        files[frame.device] = files.get(frame.device, b"") + data
    for device, data in files.items():
        (folder / f"{device}.frames").write_bytes(data)
    return EvidenceStore.load(folder)


@pytest.mark.instances(keep=1, by="module")
@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("module", MODULES, ids=lambda one: one.__name__.rpartition(".")[2])
def test_damaged_evidence_never_passes(module, how, tmp_path, sampled):
    """What needed the frame is not passed; in the CI tier for one frame, drawn by the seed."""
    case, result = case_of(module)
    keys = sorted({frame for item in result.items for frame in item.frames})
    assert keys, "nothing was read"
    for key in sampled(keys, SAMPLE):
        if how in ("cut on the way", "cut at its source", "empty") and key[1] in SILENT_IS_WELL:
            continue  # nothing can be cut off it
        if ENDED.get(how) in node_state.MEANT.get(key[1], ()):
            continue  # its reader knows what this status means
        needing = {
            name
            for item in result.items
            if key in item.frames
            for name in item.expectations
            if not case.spares(key[1], name)
        }
        now = {one.expectation: one for one in judged(case, lay(tmp_path, case, key, how)).findings}
        passed = [now[name] for name in sorted(needing) if now[name].verdict is Verdict.PASS]
        assert needing
        assert not passed, f"{how}: {key[0]} {key[1]!r}"
