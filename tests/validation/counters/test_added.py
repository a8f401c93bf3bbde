"""What ports counted while loads ran, from the snapshots of a recorded run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deploy.report import html_page, story_json, tell
from tests.deploy.told_runs import lab_run
from tests.validation.recorded import EVIDENCE, lab
from validation.counters.added import AllAdded, added
from validation.evidence.store import EvidenceStore

RUN = EVIDENCE / "congestion" / "healthy"


@pytest.fixture(scope="module")
def store() -> EvidenceStore:
    return EvidenceStore.load(RUN)


def test_every_pair_of_snapshots_is_summed_port_by_port(store):
    found = added(lab(), store)
    assert found.read > 20
    assert found.unread == 0
    sent = {one.place: one.value for one in found.rows if one.counter == "tx_bytes"}
    assert sent["leaf-p1-r0:swp1"] > 1_000_000
    assert any(one.place.startswith("node-") for one in found.rows)
    assert all(one.value > 0 for one in found.rows)


def test_snapshots_that_are_cut_or_swapped_are_counted_as_unread(store):
    whole, other = added(lab(), store), EvidenceStore()
    spoilt = "before"
    for frame in store:
        words = frame.command.split()
        if frame.device == "leaf-p1-r0" and spoilt in words:
            other.add([replace(frame, payload=frame.payload[: len(frame.payload) // 2])])
        else:
            other.add([frame])
    found = added(lab(), other)
    assert found.unread > 0
    assert found.read == whole.read - found.unread
    assert not any(one.place.startswith("leaf-p1-r0:") for one in found.rows)


def test_evidence_without_loads_has_none():
    assert added(lab(), EvidenceStore()) == AllAdded()


def test_the_report_shows_them_and_its_json_has_all(store, tmp_path):
    plan, record, row = lab_run(tmp_path)
    story = tell(plan, record, row, store)
    page = html_page(story, plan)
    assert "Ports, what they counted under load" in page
    assert len(story_json(story)["counters"]["rows"]) == len(story.counters.rows)
    assert "counted under load" not in html_page(tell(plan, record, row), plan)
