"""Evidence counts from a device's last change until now, by clocks that agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.plugins.tiers import examples
from tests.validation.recorded import NOT_RECORDED, everything, lab, recorded
from validation.evidence import age
from validation.evidence.store import EvidenceStore, dump, read_frames
from validation.evidence.trust import CLOCK_SLACK_S, Trust, controller_off
from validation.run import validate
from validation.verdict import Finding, Verdict

GATHERED = max(one.time for one in recorded("healthy"))
SOON = GATHERED + timedelta(seconds=5)


def shifted(by: timedelta, clocks: Mapping[str, float] | None = None) -> EvidenceStore:
    """The healthy run, dated otherwise; `clocks`: by how much devices' clocks were ahead."""
    store = EvidenceStore()
    for one in recorded("healthy"):
        ahead = None if clocks is None else clocks.get(one.device, 0.0)
        told = None if ahead is None else int(one.time.timestamp() + ahead)
        store.add([replace(one, time=one.time + by, identity=replace(one.identity, clock_s=told))])
    return store


def judge(
    store: EvidenceStore, now: datetime = SOON, changed: datetime | None = None
) -> tuple[Finding, ...]:
    names = {one.device: changed for one in store} if changed else {}
    trust = replace(Trust.of(lab(), names), clock=lambda: now)
    return judged_by(trust, store)


def judged_by(trust: Trust, store: EvidenceStore) -> tuple[Finding, ...]:
    return validate(
        lab(), 40, store, None, everything(), leave_out=NOT_RECORDED, trust=trust
    ).findings


def verdicts(found: tuple[Finding, ...]) -> set[Verdict]:
    return {one.verdict for one in found}


def test_the_run_as_it_was_gathered_passes() -> None:
    assert verdicts(judge(shifted(timedelta(0)))) == {Verdict.PASS}
    assert verdicts(judge(shifted(timedelta(0), {}))) == {Verdict.PASS}


@pytest.mark.parametrize("days", [1 / 24, 1, 366, 36500])
def test_a_run_from_the_future_proves_nothing(days: float) -> None:
    found = judge(shifted(timedelta(days=days)))
    assert verdicts(found) == {Verdict.INCONCLUSIVE}
    assert all("after now" in one.found and "timedatectl" in one.found for one in found)


@pytest.mark.parametrize("days", [1 / 24, 1, 366])
def test_a_run_shifted_before_the_last_change_proves_nothing(days: float) -> None:
    changed = GATHERED - timedelta(minutes=30)
    assert verdicts(judge(shifted(timedelta(0)), changed=changed)) == {Verdict.PASS}
    assert verdicts(judge(shifted(-timedelta(days=days)), changed=changed)) == {
        Verdict.INCONCLUSIVE
    }


@pytest.mark.parametrize("days", [-366, -1, 1, 366])
def test_evidence_whose_date_the_devices_contradict_proves_nothing(days: float) -> None:
    """Their clocks went with each trip: the date alone cannot be moved."""
    late = max(SOON, SOON + timedelta(days=days))
    found = judge(shifted(timedelta(days=days), {}), now=late)
    assert verdicts(found) == {Verdict.INCONCLUSIVE}
    assert all("this host's clock was" in one.found for one in found)


def test_one_device_with_a_wrong_clock_costs_the_others_nothing() -> None:
    one = next(iter(recorded("healthy"))).device
    assert verdicts(judge(shifted(timedelta(0), {one: 86400.0}))) == {Verdict.PASS}


def test_a_change_that_is_dated_after_now_names_the_remedy() -> None:
    found = judge(shifted(timedelta(0)), changed=SOON + timedelta(days=9))
    assert verdicts(found) == {Verdict.INCONCLUSIVE}
    assert all("railbed runs --clock-was-ahead" in one.found for one in found)


def test_a_record_that_begins_after_now_names_the_remedy() -> None:
    store = shifted(timedelta(0))
    trust = replace(Trust.of(lab(), {}, since=SOON + timedelta(days=30)), clock=lambda: SOON)
    found = judged_by(trust, store)
    assert verdicts(found) == {Verdict.INCONCLUSIVE}
    assert all("railbed runs --clock-was-ahead" in one.found for one in found)


def test_evidence_from_before_a_record_that_was_begun_anew_is_stale() -> None:
    store = shifted(timedelta(0))
    trust = replace(Trust.of(lab(), {}, since=SOON), clock=lambda: SOON)
    assert verdicts(judged_by(trust, store)) == {Verdict.INCONCLUSIVE}


H = 3600.0
BOTH = "either may be wrong"
BLAMED: dict[str, tuple[dict[str, float], str]] = {
    "one of one": ({"leaf1": 8 * H}, BOTH),
    "one of one, at 1970": ({"spine1": -1.79e9}, BOTH),
    "two of two": ({"a": 8 * H, "b": 8 * H}, BOTH),
    "two of three": ({"a": 8 * H, "b": 8 * H, "c": 0}, BOTH),
    "three, each by itself": ({"a": 8 * H, "b": -3 * H, "c": 99 * H}, BOTH),
    "three agree among more that agree with this host": (
        {"a": H, "b": H, "c": H, "d": 0, "e": 0, "f": 5 * H, "g": 9 * H},
        BOTH,
    ),
    "three of three": ({"a": 8 * H, "b": 8 * H + 20, "c": 8 * H - 20}, "this host's clock was"),
    "three of five": ({"a": -H, "b": -H, "c": -H, "d": 0, "e": 0}, "this host's clock was"),
}


@pytest.mark.parametrize("how", BLAMED)
def test_this_host_is_blamed_where_three_or_more_agree_and_else_both_are_named(how: str) -> None:
    clocks, word = BLAMED[how]
    told = controller_off(clocks)
    assert word in told
    assert ("this host's clock was" in told) == (word != BOTH)
    assert "timedatectl" in told
    for device, ahead in clocks.items():
        assert (f"{device} is" in told) == (abs(ahead) > CLOCK_SLACK_S)
    way = "behind" if how != "three of five" else "ahead of"
    assert word == BOTH or f"hours {way}" in told or f"minutes {way}" in told


def test_a_canary_with_a_wrong_clock_is_named_with_this_host() -> None:
    one = next(iter(recorded("healthy"))).device
    store = EvidenceStore()
    store.add(frame for frame in shifted(timedelta(0), {one: 8 * H}) if frame.device == one)
    mine = [finding for finding in judge(store) if finding.device == one]
    assert verdicts(tuple(mine)) == {Verdict.INCONCLUSIVE}
    assert any(f"{one} is 8 hours ahead" in finding.found for finding in mine)
    assert not any("this host's clock was" in finding.found for finding in mine)


def test_a_fleet_of_wrong_clocks_is_not_told_one_by_one() -> None:
    told = controller_off({f"node-{number}": 8 * H for number in range(1000)})
    assert "1000 of 1000 devices" in told
    assert len(told) < 400


@pytest.mark.parametrize("days", [0, 0.9, 1.1, 366, 3650])
def test_old_evidence_is_told_with_its_age_and_whose_clock_says_so(days: float) -> None:
    device = next(iter(recorded("healthy"))).device
    both: tuple[Mapping[str, float] | None, ...] = (None, {})
    for clocks in both:
        store, now = shifted(timedelta(0), clocks), SOON + timedelta(days=days)
        notes = " ".join(age.notes(store, now))
        assert bool(age.words(store, now)) == (days > 1)
        assert ("days old" in notes or "hours old" in notes) == (days > 1)
        assert (f"{round(days)} days old" in notes) == (days > 100)
        assert ("no second clock" in notes) == (clocks is None)
    wrong = shifted(timedelta(0), {device: -5 * 24 * H})
    assert any(f"{device} is 5 days behind" in one for one in age.notes(wrong, SOON))
    assert age.notes(EvidenceStore(), SOON) == ()


@settings(max_examples=examples(50))
@given(st.lists(st.floats(-1e9, 1e9), max_size=9))
def test_this_host_is_doubted_where_more_than_half_disagree(ahead: list[float]) -> None:
    off = sum(abs(one) > CLOCK_SLACK_S for one in ahead)
    told = controller_off({str(number): one for number, one in enumerate(ahead)})
    assert bool(told) == (off * 2 > len(ahead))


def test_the_clock_of_a_device_is_kept_in_its_file() -> None:
    (one,) = list(recorded("healthy"))[:1]
    for clock_s in (None, 0, 1764000000):
        kept = replace(one, identity=replace(one.identity, clock_s=clock_s))
        assert read_frames(dump(kept))[0] == (kept,)


def test_a_file_with_a_frame_of_another_device_proves_nothing(tmp_path) -> None:
    store = recorded("healthy")
    by_device: dict[str, bytes] = {}
    for one in store:
        by_device[one.device] = by_device.get(one.device, b"") + dump(one)
    names = sorted(by_device)
    for name, data in by_device.items():
        (tmp_path / f"{name}.frames").write_bytes(data)
    other = next(one for one in store if one.device == names[1])
    with (tmp_path / f"{names[0]}.frames").open("ab") as file:
        file.write(dump(other))
    found = judge(EvidenceStore.load(tmp_path))
    mine = [one for one in found if one.device == names[0]]
    assert mine
    assert verdicts(tuple(mine)) == {Verdict.INCONCLUSIVE}
    assert all(f"holds a frame of {names[1]}" in one.found for one in mine)
    assert datetime.now(UTC) > GATHERED
