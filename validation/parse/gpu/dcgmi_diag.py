"""`dcgmi diag -j`: what DCGM's diagnostic found, test by test and GPU by GPU.

DCGM 3 has its results under `DCGM GPU Diagnostic`, with `gpu_id` or a list `gpu_ids`; DCGM 4 under
`DCGM Diagnostic`, with entities, a `test_summary` a test and serial numbers in `entity_groups`
(github.com/NVIDIA/DCGM, testing/python3/dcgm_diag_schema.json). Lists may hold nulls, text may
stand before the document (dcgmi/tests of both), and a test may pass although it could not do
its work (issues/284): its warnings are kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from inventory.reading.fields import Unreadable, document, mapping, needed, sequence, text_of
from inventory.reading.numbers import Whole

Status = Literal["pass", "fail", "warn", "skip", "not run"]
_STATUS: dict[str, Status] = {
    "pass": "pass",
    "fail": "fail",
    "warn": "warn",
    "skip": "skip",
    "skipped": "skip",
    "not run": "not run",
    "notrun": "not run",
}
_V3, _V4 = "DCGM GPU Diagnostic", "DCGM Diagnostic"
_GPU_GROUP = "GPU"
_ENTITY = Whole("DCGM's number of a GPU", "1", 0, 1023)
# What it says where it could not do all it should; DCGM_FR_MEMORY_ALLOC's text (dcgm_errors.h).
_NOT_DONE = re.compile(r"(couldn't|could not|unable to|failed to) \S*\s*allocate", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Result:
    """One result of a test; `gpu` is DCGM's number, None where it is about the whole node."""

    gpu: int | None
    status: Status
    said: tuple[str, ...]

    @property
    def doubtful(self) -> bool:
        """Passed, but with a warning: it may not have done its work."""
        return self.status == "pass" and bool(self.said)


@dataclass(frozen=True, slots=True)
class DiagTest:
    """One test, under the name that both major versions understand; `summary` is DCGM 4's."""

    category: str
    name: str
    summary: Status | None
    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class Diag:
    """A whole diagnostic. `serials` are GPUs' serial numbers, as far as it tells any."""

    major: int
    tests: tuple[DiagTest, ...]
    serials: tuple[tuple[int, str], ...]


def diag(text: str) -> Diag:
    """Read a document. Raises Unreadable where it is cut, tells an error, or contradicts itself."""
    whole = mapping(document(text[max(text.find("{"), 0) :], "dcgmi"), "dcgmi")
    keys = [key for key in (_V3, _V4) if key in whole]
    if len(keys) != 1:
        raise Unreadable(f"dcgmi's document has {len(keys)} diagnostics")
    root = mapping(whole[keys[0]], keys[0])
    for part in (whole, root):
        if said := part.get("runtime_error") or part.get("Warning"):
            raise Unreadable(f"dcgmi: {str(said)[:160]}")
    categories = _present(needed(root, "test_categories", keys[0]), "test_categories")
    tests = [test for row in categories for test in _category(row)]
    if not any(test.results for test in tests):
        raise Unreadable("dcgmi ran no test")
    return Diag(3 if keys[0] == _V3 else 4, tuple(tests), _serials(whole))


def _present(value: object, what: str) -> list[dict[str, object]]:
    return [mapping(one, what) for one in sequence(value, what) if one is not None]


def _category(row: dict[str, object]) -> list[DiagTest]:
    name = text_of(row, "category", "a category of dcgmi")
    return [_test(name, one) for one in _present(needed(row, "tests", name), f"tests of {name}")]


def _test(category: str, said: dict[str, object]) -> DiagTest:
    name = text_of(said, "name", category)
    rows = _present(needed(said, "results", name), f"results of {name}")
    results = tuple(result for row in rows for result in _results(name, row))
    summary = None
    if "test_summary" in said:
        summary = _status(mapping(said["test_summary"], name), name)
        worse = {result.status for result in results} & {"fail", "warn"}
        if summary == "pass" and worse:
            raise Unreadable(f"dcgmi sums {name} up as passed, and a GPU has {min(worse)}")
    elif not results:
        raise Unreadable(f"dcgmi's test {name} has no result")
    return DiagTest(category, name, summary, results)


def _results(name: str, row: dict[str, object]) -> list[Result]:
    status, said = _status(row, name), _said(row, name)
    return [Result(gpu, status, said) for gpu in _gpus(row, name)]


def _status(row: dict[str, object], name: str) -> Status:
    said = text_of(row, "status", name).strip().lower()
    if said not in _STATUS:
        raise Unreadable(f"dcgmi's test {name} has the status {said!r}")
    return _STATUS[said]


def _gpus(row: dict[str, object], name: str) -> list[int | None]:
    if "entity_group" in row or "entity_id" in row:
        if text_of(row, "entity_group", name) != _GPU_GROUP:
            return [None]
        return [_ENTITY.of(row, "entity_id", name)]
    listed = row.get("gpu_id", row.get("gpu_ids"))
    if listed is None:
        return [None]
    return [_ENTITY.read(one) for one in str(listed).split(",")]


def _said(row: dict[str, object], name: str) -> tuple[str, ...]:
    """Warnings, and what else says that the test could not do its work."""
    out = [_text(one) for one in sequence(row.get("warnings", []), name) if one is not None]
    info = row.get("info", [])
    notes = [_text(one) for one in (info if isinstance(info, list) else [info]) if one is not None]
    return (*out, *(note for note in notes if _NOT_DONE.search(note)))


def _text(value: object) -> str:
    words = value.get("warning", value) if isinstance(value, dict) else value
    return " ".join(str(words).split())


def _serials(whole: dict[str, object]) -> tuple[tuple[int, str], ...]:
    found: dict[int, str] = {}
    for group in _present(whole.get("entity_groups", []), "entity_groups"):
        if group.get("entity_group") != _GPU_GROUP:
            continue
        for one in _present(needed(group, "entities", "entity_groups"), "entities"):
            if serial := str(one.get("serial_num", "")):
                found[_ENTITY.of(one, "entity_id", "entities")] = serial
    return tuple(sorted(found.items()))
