"""What this program makes aside is taken away by the next run, if its maker was killed outright."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
# One program for each way to make something aside; it is killed while that is there.
MAKERS = {
    "scratch": (
        "from validation.evidence.aside import scratch\n"
        "with scratch('x', here) as file: at_work(file)"
    ),
    "a file's": "from validation.evidence.aside import aside\nat_work(aside(here / 'report.html'))",
    "whole": (
        "from validation.evidence.whole_files import write_whole\nwrite_whole(here / 'one', b'x')"
    ),
    "atomic": "from deploy.files import write_atomically\nwrite_atomically(here / 'one', 'x')",
}
SHELL = """
import os, pathlib, signal, sys, time
here = pathlib.Path(sys.argv[1])
def at_work(made):
    made.touch(); print('at work', flush=True); time.sleep(60)
def sync(number):
    print('at work', flush=True); time.sleep(60)
if sys.argv[2] == 'stay': os.fsync = sync
else: time.sleep = lambda _: None
"""


def run(maker: str, folder: Path, then: str) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-c", SHELL + MAKERS[maker], str(folder), then]
    return subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE)


def names(folder: Path) -> set[str]:
    return {one.name for one in folder.iterdir()}


def end(maker: str, folder: Path) -> int:
    with run(maker, folder, "end") as process:
        return process.wait()


@pytest.mark.parametrize("maker", MAKERS)
def test_the_next_run_takes_away_what_a_dead_one_left_and_only_that(maker, tmp_path):
    living, killed = (run(maker, tmp_path, "stay") for _ in range(2))
    try:
        for one in (living, killed):
            assert one.stdout
            one.stdout.readline()
        killed.send_signal(signal.SIGKILL)
        os.waitid(os.P_PID, killed.pid, os.WEXITED | os.WNOWAIT)
        (kept,) = (name for name in names(tmp_path) if f".{living.pid}." in name)
        (left,) = (name for name in names(tmp_path) if f".{killed.pid}." in name)
        number, start = left.split("railbed.")[1].split(".")[:2]
        again = left.replace(f".{number}.{start}.", f".{os.getpid()}.{start}.")
        other = left.replace(f".{number}.{start}.", f".{number}.{start}.00000000-1.")
        (tmp_path / again).mkdir()
        (tmp_path / other).mkdir()
        (tmp_path / f"{left}.link").symlink_to("/nowhere")
        assert end(maker, tmp_path) == 0
        found = names(tmp_path)
        assert {left, again} & found == set()
        assert {kept, other, f"{left}.link"} <= found
    finally:
        for one in (living, killed):
            one.kill()
            one.communicate()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_another_users_stays(tmp_path):
    with run("scratch", tmp_path, "stay") as killed:
        assert killed.stdout
        killed.stdout.readline()
        killed.kill()
    (left,) = tmp_path.iterdir()
    os.chown(left, 65534, 65534)
    assert end("scratch", tmp_path) == 0
    assert list(tmp_path.iterdir()) == [left]


# Under a lock that keeps all others out, or under names that are always the same.
LOCKED = {
    "deploy/packages/gpg_run.py", "deploy/lab/machines/image.py", "deploy/lab/kept/store.py",
    "deploy/transport/ssh_files.py",
}  # fmt: skip


def test_nothing_is_made_under_a_name_that_has_no_maker():
    """`TemporaryFile` has no name at all, so nothing of it stays (open(2), O_TMPFILE)."""
    named = re.compile(
        r"\bmkd?s?temp\(|NamedTemporaryFile|TemporaryDirectory|with_name\(f?\"\.(?!\{path\.name\[)"
    )
    rooms = ("inventory", "switch_configs", "validation", "deploy")
    found = {
        str(path.relative_to(ROOT))
        for room in rooms
        for path in (ROOT / room).rglob("*.py")
        # The tools of a lab's machines write on these, which go with them.
        if path.parent.name != "tools" and named.search(path.read_text(encoding="utf-8"))
    }
    assert found <= LOCKED, found - LOCKED


def test_no_script_makes_a_name_without_its_maker():
    scripts = (path for path in ROOT.glob("roles/*/files/**/*") if path.is_file())
    named = (
        *ROOT.glob("roles/**/*.j2"),
        *ROOT.glob("*/**/*.sh"),
        ROOT / "validation/evidence/gather.py",
    )
    texts = (*scripts, *named)
    for path in texts:
        for line in path.read_text(encoding="utf-8").splitlines():
            assert "mktemp" not in line or "$mine." in line, f"{path}: {line}"
