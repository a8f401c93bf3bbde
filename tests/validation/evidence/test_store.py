"""Evidence on disk: the same frames come back, and files are whole or not there."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switch_configs.shown.said import said
from validation.evidence.store import (
    EvidenceError,
    EvidenceStore,
    Frame,
    Identity,
    dump,
    read_frames,
)

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


NUMBERS = ("exit_status", "byte_length", "clock_s")
WORDS = ("device", "command", "plan_digest", "hostname", "mac", "boot_id", "sha256", "errors")
NO_NUMBER: tuple[object, ...] = (
    *("0", "1_0", " 1", "\u0661", "", 0.0, 0.9, 1e300, True, False, -1, -(10**400), 10**400),
    *(float("inf"), float("-inf"), float("nan"), [], [0], {}),
)
NO_WORD: tuple[object, ...] = (None, 5, 0.5, True, [], ["leaf1"], {}, "\ud800")
NO_TIME: tuple[object, ...] = (
    *(None, 5, "", "now", "2026-01-02T03:04:05", "2026-13-02T03:04:05+00:00", []),
    *("2026-01-02T03:04:05+05:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"),
)
GONE = ("gone",)


def remade(field: str, value: object) -> bytes:
    """A frame, sealed as it must be, of which one field says something else."""
    line, _, rest = dump(frame()).partition(b"\n")
    size = int(line.split()[1])
    said = {**json.loads(rest[:size]), field: value}
    header = json.dumps({key: one for key, one in said.items() if one != GONE}).encode()
    seal = hashlib.sha256(header).hexdigest().encode()
    opening = b"railbed-frame %d %s %s\n" % (len(header), line.split()[2], seal)
    return opening + header + rest[size:]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *((field, value) for field in NUMBERS for value in NO_NUMBER),
        *((field, None) for field in NUMBERS if field != "clock_s"),
        *((field, value) for field in WORDS for value in NO_WORD),
        *(("time", value) for value in NO_TIME),
        *((field, GONE) for field in (*NUMBERS[:2], *WORDS, "time")),
        *(("exit_status", 256), ("exit_status", int("9" * 4000))),
    ],
    ids=lambda one: "gone" if one is GONE else ascii(one)[:30],
)
def test_a_header_says_numbers_words_and_a_time_or_it_is_none(field, value):
    assert remade("errors", "a\nb") != remade("errors", "")
    frames, wrong = read_frames(remade(field, value))
    assert frames == ()
    assert [one.endswith("is not one") for one in wrong] == [True]


@pytest.mark.parametrize("header", ["[" * 100_000, "null", "[]", '"', "5", '{"clock_s": 1e', "\0"])
def test_a_header_that_is_no_object_is_told(header):
    seal = hashlib.sha256(header.encode()).hexdigest()
    data = f"railbed-frame {len(header)} 0 {seal}\n{header}\n\n".encode()
    frames, (wrong,) = read_frames(data)
    assert frames == ()
    assert wrong.endswith("is not one")


@given(
    st.sampled_from([*NUMBERS, *WORDS, "time"]),
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=4,
    ),
)
def test_whatever_a_header_says_is_read_as_it_stands_or_not_at_all(field, value):
    frames, wrong = read_frames(remade(field, value))
    assert bool(frames) != bool(wrong)
    for one in frames:
        assert read_frames(dump(one))[0] == (one,)
        held = {**vars_of(one.identity), **vars_of(one)}[field]
        assert type(held) is type(value) or field == "time"
        assert field == "time" or held == (said(value, one.command) if field == "errors" else value)


def vars_of(one: Frame | Identity) -> dict[str, object]:
    return {name: getattr(one, name) for name in one.__slots__}


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
    assert store.problems == ("leaf2: its evidence file leaf2.frames holds a frame of leaf1",)


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
    for bad in ("[", "[]", "[" * 100_000, "5"):
        (tmp_path / "silent.json").write_text(bad)
        assert EvidenceStore.load(tmp_path).silent == {}


@pytest.mark.parametrize("bad", ["[", "[5]", "{}", "[" * 100_000, "\udcff"])
def test_what_a_run_was_asked_is_read_or_nothing_is_judged(tmp_path, bad):
    (tmp_path / "asked.json").write_bytes(bad.encode(errors="surrogateescape"))
    with pytest.raises(EvidenceError, match="cannot be read"):
        EvidenceStore.load(tmp_path)
