"""Evidence that was touched never passes: every frame of a real run, every way to touch it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.plugins.tiers import examples
from tests.validation.recorded import NOT_RECORDED, everything, judged, lab, recorded
from validation.evidence.store import EvidenceStore, Frame, dump
from validation.run import ValidationResult, validate
from validation.verdict import Verdict

Key = tuple[str, str]
SAMPLE = 4


@pytest.fixture(scope="module")
def healthy() -> ValidationResult:
    return judged(recorded("healthy"))


@pytest.fixture
def keys(healthy, sampled) -> list[Key]:
    """Every frame that a verdict needed; in the CI tier a few of them, drawn for each test."""
    every = sorted({frame for item in healthy.items for frame in item.frames})
    assert len(every) == 50
    return list(sampled(every, SAMPLE))


def needing(healthy: ValidationResult, *keys: Key) -> set[str]:
    wanted = set(keys)
    return {name for one in healthy.items if wanted & set(one.frames) for name in one.expectations}


def lay(folder: Path, change: Callable[[Frame], bytes]) -> EvidenceStore:
    """The healthy run as files, each frame's bytes passed by `change`, and loaded again."""
    files: dict[str, bytes] = {}
    for frame in recorded("healthy"):
        files[frame.device] = files.get(frame.device, b"") + change(frame)
    for device, data in files.items():
        (folder / f"{device}.frames").write_bytes(data)
    return EvidenceStore.load(folder)


def none_passes(healthy: ValidationResult, store: EvidenceStore, *keys: Key, **options) -> None:
    """What needed these frames is inconclusive, and says why; the rest is as it was."""
    now = validate(lab(), 40, store, None, everything(), leave_out=NOT_RECORDED, **options)
    touched = needing(healthy, *keys)
    assert touched
    for one in now.findings:
        if one.expectation in touched:
            assert one.verdict is Verdict.INCONCLUSIVE, one
            assert one.found
        else:
            assert one.verdict is Verdict.PASS, one


def only(key: Key, change: Callable[[Frame], bytes]) -> Callable[[Frame], bytes]:
    return lambda frame: change(frame) if (frame.device, frame.command) == key else dump(frame)


def test_files_that_nobody_touched_pass(healthy, tmp_path):
    store = lay(tmp_path, dump)
    assert judged(store).findings == healthy.findings


def test_a_removed_frame(healthy, keys, tmp_path):
    for key in keys:
        none_passes(healthy, lay(tmp_path, only(key, lambda _: b"")), key)


def test_a_payload_cut_short_with_lengths_made_to_match(healthy, keys, tmp_path):
    for key in keys:
        cut = only(key, lambda frame: dump(replace(frame, payload=frame.payload[:-1])))
        none_passes(healthy, lay(tmp_path, cut), key)


def test_a_payload_with_a_bit_changed(healthy, keys, tmp_path):
    def flip(frame: Frame) -> bytes:
        return dump(replace(frame, payload=frame.payload[:-2] + b"#" + frame.payload[-1:]))

    for key in keys:
        none_passes(healthy, lay(tmp_path, only(key, flip)), key)


def test_a_duplicated_frame(healthy, keys, tmp_path):
    for key in keys:
        none_passes(healthy, lay(tmp_path, only(key, lambda frame: dump(frame) * 2)), key)


def test_a_duplicate_that_says_something_else(healthy, keys, tmp_path):
    def lie(frame: Frame) -> bytes:
        other = replace(
            frame, payload=b"{}", byte_length=2, sha256=hashlib.sha256(b"{}").hexdigest()
        )
        return dump(frame) + dump(other)

    for key in keys:
        none_passes(healthy, lay(tmp_path, only(key, lie)), key)


def test_a_frame_swapped_with_another_device(healthy, keys, tmp_path):
    frames = {(one.device, one.command): one for one in recorded("healthy")}
    for key in keys:
        same = [one for one in frames if one[1] == key[1] and one[0] != key[0]]
        other = (same or [one for one in frames if one[0] != key[0]])[0]
        swap = {key: dump(frames[other]), other: dump(frames[key])}
        mixed = [one for one in frames if one[0] in (key[0], other[0])]
        none_passes(healthy, lay(tmp_path, replaced(swap)), *mixed)


def test_a_frame_of_another_device_under_this_name(healthy, keys, tmp_path):
    frames = {(one.device, one.command): one for one in recorded("healthy")}
    for key in keys:
        other = next(one for name, one in frames.items() if name[0] != key[0])
        forged = replace(frames[key], identity=other.identity)
        none_passes(healthy, lay(tmp_path, replaced({key: dump(forged)})), key)


def replaced(by_key: dict[Key, bytes]) -> Callable[[Frame], bytes]:
    return lambda frame: by_key.get((frame.device, frame.command), dump(frame))


def test_a_frame_of_the_right_name_and_another_machine(healthy, keys, tmp_path):
    for key in keys:

        def mac(frame: Frame) -> bytes:
            return dump(replace(frame, identity=replace(frame.identity, mac="02:00:00:00:00:99")))

        none_passes(healthy, lay(tmp_path, only(key, mac)), key)


def test_a_frame_of_another_plan(healthy, keys, tmp_path):
    for key in keys:
        other = only(key, lambda frame: dump(replace(frame, plan_digest="0" * 64)))
        none_passes(healthy, lay(tmp_path, other), key)


def test_a_frame_from_before_a_restart(healthy, keys, tmp_path):
    def before(frame: Frame) -> bytes:
        identity = replace(frame.identity, boot_id="another boot")
        return dump(replace(frame, identity=identity, time=frame.time - timedelta(days=1)))

    for key in keys:
        none_passes(healthy, lay(tmp_path, only(key, before)), key)


def test_a_command_that_did_not_finish(healthy, keys, tmp_path):
    for key in keys:
        late = only(key, lambda frame: dump(replace(frame, exit_status=124)))
        none_passes(healthy, lay(tmp_path, late), key)


def test_evidence_older_than_the_last_change(healthy, keys):
    for device in sorted({device for device, _ in keys}):
        store = recorded("healthy")
        mine = [(one.device, one.command) for one in store if one.device == device]
        newest = max(one.time for one in store if one.device == device)
        none_passes(healthy, store, *mine, changed={device: newest})


def test_a_file_cut_anywhere(healthy, keys, tmp_path):
    """What lies behind a cut is missing. Cut within a frame, the file is not as we wrote it: nobody
    can tell whose the rest was, and nothing of it holds.
    """
    for device in sorted({device for device, _ in keys})[:4]:
        lay(tmp_path, dump)
        path = tmp_path / f"{device}.frames"
        whole, at, lost = path.read_bytes(), 0, []
        for frame in [one for one in recorded("healthy") if one.device == device]:
            end = at + len(dump(frame))
            lost.append((end, (device, frame.command)))
            at = end
        for cut in (lost[0][0] // 2, lost[0][0], lost[-1][0] - 1):
            path.write_bytes(whole[:cut])
            is_whole = cut in {end for end, _ in lost}
            gone = [key for end, key in lost if end > cut or not is_whole]
            none_passes(healthy, EvidenceStore.load(tmp_path), *gone)


def altered(data: bytes) -> bytes:
    """A frame whose header was written by hand: its seal is of another one."""
    at = data.index(b'"device"') + 2
    return data[:at] + b"X" + data[at + 1 :]


FOREIGN: dict[str, Callable[[bytes, bytes], bytes]] = {
    "a frame": lambda _, other: other,
    "a frame cut in its line": lambda _, other: other[:40],
    "a frame cut in its header": lambda _, other: other[:200],
    "a frame cut at its end": lambda _, other: other[:-1],
    "a frame with an altered header": lambda _, other: altered(other),
    "its own with an altered header": lambda mine, _: altered(mine),
    "words": lambda _, __: b"words of a person\n",
    "one byte": lambda _, __: b"\n",
    "zeros": lambda _, __: bytes(512),
}


@pytest.mark.parametrize("place", ["before", "between", "after"])
@pytest.mark.parametrize("how", FOREIGN)
def test_a_file_with_foreign_bytes_proves_nothing_and_is_named(healthy, keys, tmp_path, how, place):
    device = min(device for device, _ in keys)
    mine = [one for one in recorded("healthy") if one.device == device]
    other = next(one for one in recorded("healthy") if one.device != device)
    lay(tmp_path, dump)
    foreign = FOREIGN[how](dump(mine[0]), dump(other))
    parts = [dump(one) for one in mine]
    parts.insert({"before": 0, "between": len(parts) // 2, "after": len(parts)}[place], foreign)
    (tmp_path / f"{device}.frames").write_bytes(b"".join(parts))
    (tmp_path / "silent.json").write_text(json.dumps({device: "it was busy"}))
    store = EvidenceStore.load(tmp_path)
    none_passes(healthy, store, *((device, one.command) for one in mine))
    its = [one for one in judged(store).findings if one.device == device]
    assert all(f"{device}.frames" in one.found for one in its)
    assert [f"{device}.frames" in one for one in store.problems] == [True]


@settings(
    max_examples=examples(10, full=25),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_a_changed_byte_anywhere_never_makes_a_pass(data, tmp_path):
    """In a broken run, no change of one byte turns a verdict into a pass."""
    before = {one.expectation: one.verdict for one in judged(recorded("stale_kernel"), 20).findings}
    files: dict[str, bytes] = {}
    for frame in recorded("stale_kernel"):
        files[frame.device] = files.get(frame.device, b"") + dump(frame)
    device = data.draw(st.sampled_from(sorted(files)))
    at = data.draw(st.integers(0, len(files[device]) - 1))
    byte = data.draw(st.integers(0, 255))
    bad = files[device]
    files[device] = bad[:at] + bytes([byte]) + bad[at + 1 :]
    for name, text in files.items():
        (tmp_path / f"{name}.frames").write_bytes(text)
    for one in judged(EvidenceStore.load(tmp_path), 20).findings:
        if one.verdict is Verdict.PASS:
            assert before[one.expectation] is Verdict.PASS


def test_nothing_at_all_is_inconclusive(healthy):
    now = judged(EvidenceStore())
    assert len(now.findings) == len(healthy.findings)
    assert {one.verdict for one in now.findings} == {Verdict.INCONCLUSIVE}


def test_judging_what_was_saved_leaves_the_folder_as_it_is(healthy, tmp_path):
    """Evidence that cannot be read is evidence too: nobody's judging removes it."""
    lay(tmp_path, dump)
    (tmp_path / "spine1.frames").write_bytes(b"no frame begins here\n")
    (tmp_path / "spine2.frames").unlink()
    (tmp_path / "spine2.frames").mkdir()
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    now = validate(lab(), 40, EvidenceStore.load(tmp_path), None, everything())
    assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
    assert (tmp_path / "spine2.frames").is_dir()
    lost = {one.verdict for one in now.findings if one.device in ("spine1", "spine2")}
    assert lost == {Verdict.INCONCLUSIVE}
