"""No file content makes a traceback: mutated sites open, or say what is wrong."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inventory import InventoryError, Problem, open_site
from inventory.load.site import SITES
from inventory.topology.wiring import load_wiring
from tests.plugins.tiers import examples

FABRIC = (SITES / "lab" / "fabric.yml").read_bytes()
ASBUILT = (SITES / "lab" / "asbuilt.csv").read_bytes()
WIRING = (SITES / "lab" / "wiring.csv").read_bytes()
POISON = [
    b"\t", b"\0", b"\xff", b"{{", b"{%", b"&a ", b"*a", b"<<: ", b"!!python/name:os.system ",
    b"- ", b"? ", b": ", b"|", b">", b"%", b"@", b"`", b'"', b"'", b"[", b"]", b"{", b"}", b",",
    b"#", b"\r", b"\r\n", b"\n", b"---\n", b"...\n", b"9" * 5000, b"-1", b"0", b"4294967295",
    b"1e999", b".nan", b"null", b"~", b"true", b"2024-01-01", b"0x", b"0o9", b"1_", b"\xef\xbb\xbf",
    b"\xe2\x80\xa8", b"\xc2\x85", b"0.0.0.0/0", b"255.255.255.255/32", b"::/0", b"/33", b"[" * 3000,
    b"1024", b"2.5", b"  ", b"!", b"!!binary ", b"a: &x [*x]", b"!!set {a}", b"12:34:56",
]  # fmt: skip


def mutate(data: bytes, chance: random.Random) -> bytes:
    """A few cuts, doublings, swaps of lines and poison at random places."""
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) + 1)
        kind = chance.randrange(5)
        if kind == 0:
            data = data[:at] + chance.choice(POISON) + data[at:]
        elif kind == 1:
            data = data[:at] + data[at + chance.randint(1, 60) :]
        elif kind == 2:
            data = data[:at] + data[at - chance.randint(0, at) : at] + data[at:]
        elif kind == 3:
            lines = data.split(b"\n")
            chance.shuffle(lines)
            data = b"\n".join(lines)
        else:
            end = at + chance.randint(0, 12)
            data = data[:at] + chance.choice(POISON) + data[end:]
    return data


def opens_or_says(site: Path | str) -> bool:
    """Whether the site opens; anything but a plan or problems fails the test."""
    problems = problems_of(site)
    for problem in problems:
        assert problem.line >= 1
        assert problem.column >= 1
        assert len(str(problem).splitlines()) == 1
    return not problems


def problems_of(site: Path | str) -> tuple[Problem, ...]:
    try:
        open_site(site)
    except InventoryError as error:
        return error.problems
    return ()


@settings(
    max_examples=examples(60, full=300), deadline=None, suppress_health_check=list(HealthCheck)
)
@given(st.randoms(use_true_random=False), st.sampled_from(["fabric.yml", "asbuilt.csv"]))
def test_mutated_sites(tmp_path_factory, chance, name):
    folder = tmp_path_factory.getbasetemp() / "mutated"
    folder.mkdir(exist_ok=True)
    (folder / "fabric.yml").write_bytes(FABRIC)
    (folder / "asbuilt.csv").write_bytes(ASBUILT)
    (folder / name).write_bytes(mutate((folder / name).read_bytes(), chance))
    opens_or_says(folder)


@settings(
    max_examples=examples(20, full=100), deadline=None, suppress_health_check=list(HealthCheck)
)
@given(st.randoms(use_true_random=False))
def test_mutated_wiring(tmp_path_factory, chance):
    path = tmp_path_factory.getbasetemp() / "wiring.csv"
    path.write_bytes(mutate(WIRING, chance))
    with pytest.raises(InventoryError):
        load_wiring(path, devices={"oob1"})


def values() -> st.SearchStrategy[object]:
    """What YAML can say in place of any value, written as JSON."""
    plain = (
        st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=20)
        | st.floats(allow_nan=False, allow_infinity=False)
    )  # fmt: skip
    return st.recursive(
        plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner)
    )


@settings(
    max_examples=examples(40, full=200), deadline=None, suppress_health_check=list(HealthCheck)
)
@given(line=st.integers(0, FABRIC.count(b"\n") - 1), value=values())
def test_any_value_in_any_place(tmp_path_factory, line, value):
    import json

    folder = tmp_path_factory.getbasetemp() / "values"
    folder.mkdir(exist_ok=True)
    lines = FABRIC.decode().split("\n")
    key, colon, _ = lines[line].partition(":")
    lines[line] = f"{key}{colon} {json.dumps(value)}"
    (folder / "fabric.yml").write_text("\n".join(lines))
    (folder / "asbuilt.csv").write_bytes(ASBUILT)
    opens_or_says(folder)


def a_site(folder: Path) -> Path:
    (folder / "fabric.yml").write_bytes(FABRIC)
    (folder / "asbuilt.csv").write_bytes(ASBUILT)
    return folder


@pytest.mark.parametrize("name", ["fabric.yml", "asbuilt.csv"])
@pytest.mark.parametrize("kind", ["missing", "folder", "loop", "dangling", "to a folder", "fifo"])
def test_what_a_disk_can_hold(tmp_path, name, kind):
    path = a_site(tmp_path) / name
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "dangling":
        path.symlink_to(tmp_path / "nowhere")
    elif kind == "to a folder":
        path.symlink_to(tmp_path)
    elif kind == "fifo":
        os.mkfifo(path)
    assert not opens_or_says(tmp_path)


def test_the_mutations_reach_both_answers(tmp_path):
    """A mutator that always breaks, or never does, would show nothing."""
    site, answers = a_site(tmp_path), set()
    for seed in range(200):
        (site / "fabric.yml").write_bytes(mutate(FABRIC, random.Random(seed)))
        answers.add(opens_or_says(site))
    assert answers == {True, False}
