"""Seed, order and samples: the same for the same seed, and nothing is left out unsaid."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import pytest

from tests.plugins import seconds
from tests.plugins.seconds import Stopwatch, Took
from tests.tree import ROOT

TOY = """
import pytest
from hypothesis import given, settings, strategies
from tests.plugins.tiers import examples

@pytest.mark.instances(keep=3)
@pytest.mark.parametrize("number", range(20))
def test_sampled(number):
    pass

@pytest.mark.instances(keep=1, by="kind")
@pytest.mark.parametrize("number", range(10))
@pytest.mark.parametrize("kind", ["rail", "spine"])
def test_of_each_kind(kind, number):
    pass

@pytest.mark.instances(keep=1)
@pytest.mark.parametrize("number", [0, *(pytest.param(n, marks=pytest.mark.full) for n in (1, 2))])
def test_in_part(number):
    pass

@pytest.mark.instances(keep=1, of="a class of functions")
@pytest.mark.parametrize("part", range(2))
def test_of_one_kind(part):
    pass

@pytest.mark.instances(keep=1, of="a class of functions")
@pytest.mark.parametrize("part", range(2))
def test_of_another_kind(part):
    pass

@pytest.mark.instances(keep=1, of="a class of functions", but="secret")
def test_of_a_secret():
    pass

@pytest.mark.instances(keep=1, of="values of an argument", by="system")
@pytest.mark.parametrize("system", ["eos", "nxos", "sonic"])
def test_of_a_system(system):
    pass

@pytest.mark.instances(keep=1, of="values of an argument", by="system")
@pytest.mark.parametrize("system", ["eos", "nxos", "sonic"])
def test_of_the_same_system(system):
    pass

@pytest.mark.parametrize("number", range(6))
def test_dear(number):
    pass

@pytest.mark.parametrize("number", range(4))
def test_always(number, rng, sampled):
    print("drawn:", rng.random(), sampled(range(50), 2))

@settings(max_examples=examples(3))
@given(strategies.integers())
def test_of_examples(number):
    print("example:", number)
"""


# What earlier runs of the toy took: three of its dearest tests take as long as a class may.
TIMED = """
def pytest_configure(config):
    from tests.plugins import instances, seconds
    dear = seconds.Took(6 * instances.CLASS_S / 3, 6)
    seconds.shipped = instances.shipped = lambda: {
        "test_toy.py::test_dear": dear,
        "test_toy.py::test_always": seconds.Took(4 * 0.9 * instances.DEAR_S, 4),
    }
"""


@pytest.fixture
def run(tmp_path: Path):
    """Run the toy's tests in one process; what pytest printed, and the tests in order."""
    (tmp_path / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text())
    (tmp_path / "test_toy.py").write_text(TOY)
    (tmp_path / "timed.py").write_text(TIMED)

    def call(*args: str, where: str = "") -> tuple[str, list[str]]:
        config = ["-c", str(ROOT / "pyproject.toml"), f"--rootdir={tmp_path}"]
        command = [sys.executable, "-m", "pytest", "-vs", "-p", "no:cacheprovider", "-p", "timed"]
        done = subprocess.run(
            [*command, *config, *args, f"{tmp_path}{where}"], cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": f"{ROOT}:{tmp_path}"}, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
        return done.stdout, re.findall(r"::(test_\S+)", done.stdout)

    return call


def test_a_seed_repeats_order_samples_and_draws(run):
    out, first = run("--seed", "1")
    assert "seed: 1 " in out
    again, second = run("--seed", "1")
    assert first == second
    for word in ("drawn:", "example:"):
        assert re.findall(rf"{word}.*", out) == re.findall(rf"{word}.*", again)
    other, third = run("--seed", "2")
    assert first != third
    assert re.findall(r"drawn:.*", out) != re.findall(r"drawn:.*", other)


def test_each_class_and_each_value_is_kept_and_the_rest_counted(run):
    out, tests = run("--seed", "1")
    assert sum(name.startswith("test_sampled[") for name in tests) == 3
    for kind in ("rail", "spine"):
        assert sum(name.startswith("test_of_each_kind") and kind in name for name in tests) == 1
    assert sum(name.startswith("test_always") for name in tests) == 4
    assert sum(name.startswith("test_in_part[0") for name in tests) == 1
    assert sum(name.startswith(("test_of_one", "test_of_another")) for name in tests) == 2
    assert "test_of_a_secret" in tests
    assert sum(name.startswith("test_dear") for name in tests) == 3
    [system] = {name.partition("[")[2] for name in tests if "system[" in name}
    assert {f"test_of_a_system[{system}", f"test_of_the_same_system[{system}"} <= {*tests}
    assert "of 7 classes of tests, 44 instances were left out, 0 minutes" in out


def test_the_full_tier_leaves_nothing_out(run):
    out, tests = run("--full")
    assert len(tests) == 20 + 20 + 3 + 4 + 1 + 6 + 6 + 4 + 1
    assert "left out" not in out
    assert out.count("example:") > 10


def test_what_is_asked_for_by_name_always_runs(run):
    for number in (0, 7, 19):
        _, tests = run("--seed", "1", where=f"/test_toy.py::test_sampled[{number}]")
        assert tests == [f"test_sampled[{number}]"]
    _, tests = run("--seed", "1", where="/test_toy.py::test_dear")
    assert len(tests) == 6
    _, tests = run("--seed", "1", where="/test_toy.py")
    of_class = [name for name in tests if name.startswith(("test_of_one", "test_of_another"))]
    assert len(of_class) == 4, "a file that is named has all of its functions"
    assert sum("system[" in name for name in tests) == 2
    assert sum(name.startswith("test_sampled") for name in tests) == 3


def test_what_a_change_chose_is_not_drawn_once_more(run, tmp_path):
    """Nor is a function near the change cut down to what any run has of it."""
    chosen = tmp_path / "choice.json"
    names = ("test_of_one_kind", "test_of_another_kind", "test_dear", "test_sampled")
    shares = {f"test_toy.py::{name}": 1.0 for name in names} | {"test_toy.py::test_sampled": 0.15}
    chosen.write_text(json.dumps(shares))
    _, tests = run("--seed", "1", "-p", "tests.impact.plugin", f"--choice={chosen}")
    counts = Counter(name.partition("[")[0] for name in tests)
    assert counts == {
        "test_of_one_kind": 2, "test_of_another_kind": 2, "test_dear": 6, "test_sampled": 3
    }  # fmt: skip


def test_files_of_a_class_are_kept_whole(run, tmp_path):
    """Files that build a lab each: one of them with all of its tests, or none of them."""
    mark = 'import pytest\npytestmark = pytest.mark.instances(keep=1, files_of="labs")\n'
    functions = "def test_one(): pass\ndef test_two(): pass\n"
    (tmp_path / "test_toy.py").write_text(mark + functions)
    (tmp_path / "test_other.py").write_text(mark + functions)
    files = set()
    for seed in (0, 1):
        out, _ = run("--seed", str(seed))
        found = re.findall(r"(test_\w+\.py)::(test_\w+) PASSED", out)
        assert {name for _, name in found} == {"test_one", "test_two"}
        assert len({file for file, _ in found}) == 1
        files |= {file for file, _ in found}
    assert files == {"test_toy.py", "test_other.py"}


def test_without_a_seed_it_comes_from_the_commit(run):
    first, second = run()[1], run()[1]
    assert first == second


def test_a_run_that_was_cut_off_goes_on(run, tmp_path, monkeypatch):
    """What passed is not run again, what failed is, and nothing else is drawn in its place."""
    toy = tmp_path / "test_toy.py"
    toy.write_text(
        "import os\nimport pytest\n"
        "def test_good(): pass\ndef test_bad(): assert 'MENDED' in os.environ\n"
        "@pytest.mark.instances(keep=1)\n@pytest.mark.parametrize('number', range(5))\n"
        "def test_drawn(number): pass\n"
    )
    with pytest.raises(AssertionError, match="1 failed, 2 passed"):
        run("--seed", "1")
    monkeypatch.setenv("MENDED", "1")
    assert run("--seed", "1", "--resume")[1] == ["test_bad"]


def test_what_takes_long_is_drawn_as_often_as_what_does_not(run, tmp_path):
    """Else a dear instance of a class would never run, and nobody would see that."""
    (tmp_path / "test_toy.py").write_text(
        "import pytest\npytestmark = pytest.mark.instances(keep=1, of='a class')\n"
        "def test_long(): pass\ndef test_short(): pass\n"
    )
    (tmp_path / "timed.py").write_text(
        "def pytest_configure(config):\n"
        "    from tests.plugins import instances, seconds\n"
        "    long = seconds.Took(100_000.0, 1)\n"
        "    instances.shipped = lambda: {'test_toy.py::test_long': long}\n"
    )
    ran = Counter(name for seed in range(12) for name in run("--seed", str(seed))[1])
    assert sum(ran.values()) == 12
    assert 3 <= ran["test_long"] <= 9


def test_what_a_function_takes_counts_what_was_left_out_of_it():
    watch = Stopwatch()
    for name in ("tests/test_toy.py::test_some[0]", "tests/test_toy.py::test_some[1]"):
        watch.pytest_runtest_logreport(report(name, "setup", 1.0))
        watch.pytest_runtest_logreport(report(name, "call", 2.0))
    watch.pytest_runtest_logreport(report("tests/test_toy.py::test_skipped", "setup", 0.0))
    watch.left_out = {"tests/test_toy.py::test_some": 6, "tests/test_toy.py::test_other": 1}
    assert watch.whole() == {
        "tests/test_toy.py::test_some": Took(24.0, 8),
        "tests/test_toy.py::test_skipped": Took(0.0, 1),
    }


def test_runs_that_end_at_once_do_not_take_each_others_files(tmp_path):
    kept = tmp_path / "seconds.csv"
    took = {f"tests/plugins/test_sampling.py::test_{n}": Took(1.0, 1) for n in range(50)}
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: seconds._write(kept, took), range(40)))
    assert seconds._read(kept) == took
    assert list(tmp_path.iterdir()) == [kept]


def report(name: str, when: Literal["setup", "call"], took_s: float) -> pytest.TestReport:
    return pytest.TestReport(name, ("", 0, ""), {}, "passed", None, when, duration=took_s)
