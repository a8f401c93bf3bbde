"""Evidence on disk: the same frames come back, and files are whole or not there."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validation.evidence import EvidenceStore, Frame, Identity, dump, read_frames

WHO = Identity("leaf1", "02:00:00:00:00:01", "5a7c")
WHEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def frame(payload: bytes = b"[]", command: str = "ip -j link show", device: str = "leaf1") -> Frame:
    digest = hashlib.sha256(payload).hexdigest()
    return Frame(device, command, "d" * 64, WHEN, WHO, 0, len(payload), digest, payload, "a\nb")


@given(
    st.lists(st.tuples(st.binary(max_size=200), st.text(max_size=40)), max_size=5),
)
def test_frames_come_back_as_they_went(parts):
    frames = tuple(frame(payload, command) for payload, command in parts)
    found, wrong = read_frames(b"".join(dump(one) for one in frames))
    assert found == frames
    assert wrong == ()


def test_a_payload_that_looks_like_frames_is_one_payload():
    inner = dump(frame(b"lie", "vtysh"))
    found, wrong = read_frames(dump(frame(inner + b"\n" + inner)))
    assert [one.payload for one in found] == [inner + b"\n" + inner]
    assert wrong == ()


def test_a_sealed_header_of_another_make_is_refused():
    header = json.dumps({"device": "leaf1"}).encode()
    seal = hashlib.sha256(header).hexdigest()
    data = f"railbed-frame {len(header)} 0 {seal}\n".encode() + header + b"\n\n"
    assert read_frames(data) == ((), (f"the header at byte {data.index(header)} is not one",))


def test_a_store_keeps_the_newest_answer_and_saves_it(tmp_path):
    store = EvidenceStore(tmp_path / "evidence")
    store.add([frame(b"old")])
    store.add([frame(b"new"), frame(b"other", device="leaf2")])
    store.save()
    again = EvidenceStore.load(tmp_path / "evidence")
    assert [one.payload for one in again] == [b"new", b"other"]
    assert again.problems == ()
    assert sorted(path.name for path in (tmp_path / "evidence").iterdir()) == [
        "leaf1.frames",
        "leaf2.frames",
        "silent.json",
    ]


def test_saving_leaves_no_older_evidence_of_other_devices(tmp_path):
    for device in ("leaf1", "leaf2"):
        store = EvidenceStore(tmp_path)
        store.add([frame(device=device)])
        store.save()
    assert [one.device for one in EvidenceStore.load(tmp_path)] == ["leaf2"]


def test_the_same_evidence_is_the_same_bytes(tmp_path):
    for name, order in (("a", (1, 2)), ("b", (2, 1))):
        store = EvidenceStore(tmp_path / name)
        store.add(frame(command=f"command {number}") for number in order)
        store.save()
    assert (tmp_path / "a/leaf1.frames").read_bytes() == (tmp_path / "b/leaf1.frames").read_bytes()


def test_a_frame_in_another_devices_file_is_told(tmp_path):
    (tmp_path / "leaf2.frames").write_bytes(dump(frame()))
    store = EvidenceStore.load(tmp_path)
    assert store.get("leaf1", "ip -j link show") is None
    assert store.problems == ("leaf2: holds a frame of leaf1",)


def test_a_device_name_that_would_leave_the_folder_is_refused(tmp_path):
    with pytest.raises(ValueError, match="cannot name"):
        EvidenceStore(tmp_path).add([frame(device="../leaf1")])


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(FileNotFoundError):
        EvidenceStore.load(tmp_path / "nowhere")


def test_why_a_device_was_silent_is_kept_and_is_only_words(tmp_path):
    store = EvidenceStore(tmp_path)
    store.silent["leaf2"] = "ssh: no route"
    store.save()
    assert EvidenceStore.load(tmp_path).silent == {"leaf2": "ssh: no route"}
    (tmp_path / "silent.json").write_text("[")
    assert EvidenceStore.load(tmp_path).silent == {}
