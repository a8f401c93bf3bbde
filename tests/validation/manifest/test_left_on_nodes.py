"""A trip that was killed outright leaves a folder on its node; a later one takes it away."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from validation.evidence.gather import MAKER, Ask, script

ROOT = Path(__file__).parents[3]
TEXTS = {
    "trip": script([Ask.line("true")], "lo", "0" * 32),
    "host state": (ROOT / "validation/on_node/host_state.sh").read_text(encoding="utf-8"),
}
DAY_S = 24 * 3600


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_old_folders_of_ours_go_and_nothing_else(tmp_path, text):
    base, theirs = tmp_path / "tmp", tmp_path / "theirs"
    names = ("railbed.oldoldoldo", "railbed.newnewnewn", "tmp.oldoldoldo", "railbed.$(touch x)")
    for folder in (theirs, *(base / name for name in names)):
        folder.mkdir(parents=True)
        (folder / "kept").write_text("")
    (base / "railbed.linklinkli").symlink_to(theirs)
    (base / "railbed.filefilefi").write_text("")
    for one in base.iterdir():
        if "new" not in one.name:
            then = time.time() - 2 * DAY_S
            os.utime(one, (then, then), follow_symlinks=False)
    environment = {**os.environ, "TMPDIR": str(base)}
    subprocess.run(
        ["sh"], input=text, text=True, env=environment, cwd=tmp_path, capture_output=True
    )
    left = {one.name for one in base.iterdir()}
    assert left == {*names, "railbed.linklinkli", "railbed.filefilefi"} - {names[0], names[3]}
    assert (theirs / "kept").exists()
    assert not (tmp_path / "x").exists()


# -- what has its maker in its name ------------------------------------------------------------

SHELLS = [one for one in ("dash", "bash", "busybox") if shutil.which(one)]
# Each script up to where its work begins, and then at work for long.
AT_WORK = '\n: >"$HERE/at-work"; sleep 60 & echo $! >"$HERE/sleeper"; wait\n'
HEADS = {
    "trip": TEXTS["trip"].split("printf '%s\\n' begin-")[0],
    "host state": TEXTS["host state"].split("printf 'railbed-host-state")[0],
}
OTHER_BOOT = "railbed.1.1.00000000-1.abcdefghij"


def test_both_scripts_have_the_same_words():
    assert MAKER in TEXTS["host state"]
    assert MAKER in TEXTS["trip"]


class Here:
    """A folder for temporary files, and scripts that keep theirs in it."""

    def __init__(self, folder: Path, head: str, shell: str):
        self.folder, self.head = folder, head
        self.words = [*([shell, "sh"] if shell == "busybox" else [shell]), "-s", "--"]
        self.base, self.target = folder / "tmp", folder / "out" / "NODE.state"
        for one in (self.base, self.target.parent):
            one.mkdir()
        if head is HEADS["host state"]:
            self.words.append(str(self.target))

    def run(self, then: str = "\n") -> subprocess.Popen[bytes]:
        environment = {**os.environ, "TMPDIR": str(self.base), "HERE": str(self.folder)}
        process = subprocess.Popen(
            self.words, stdin=subprocess.PIPE, env=environment, stdout=subprocess.DEVNULL
        )
        assert process.stdin
        process.stdin.write((self.head + then).encode())
        process.stdin.close()
        return process

    @contextmanager
    def at_work(self) -> Iterator[subprocess.Popen[bytes]]:
        """A run that has made what it needs and is not done."""
        mark, sleeper = self.folder / "at-work", self.folder / "sleeper"
        mark.unlink(missing_ok=True)
        process = self.run(AT_WORK)
        try:
            for _ in range(1000):
                if mark.exists() and sleeper.exists() and sleeper.read_text().endswith("\n"):
                    break
                time.sleep(0.01)
            yield process
        finally:
            process.kill()
            process.wait()
            os.kill(int(sleeper.read_text()), signal.SIGKILL)
            sleeper.unlink()

    def left(self) -> set[str]:
        """What lies where scripts keep things, the targets that came out whole left out."""
        found = {*self.base.iterdir(), *self.target.parent.iterdir()} - {self.target}
        return {one.name for one in found}


@pytest.fixture(params=[(head, shell) for head in HEADS for shell in SHELLS], ids=" ".join)
def here(request: pytest.FixtureRequest, tmp_path: Path) -> Here:
    head, shell = request.param
    return Here(tmp_path, HEADS[head], shell)


@pytest.mark.parametrize("is_reaped", [True, False], ids=["gone", "zombie"])
def test_what_a_killed_run_left_goes_with_the_next(here, is_reaped):
    with here.at_work() as process:
        process.kill()
        if is_reaped:
            process.wait()
        else:
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        left = here.left()
        assert len(left) == len(here.words) - 2 if "busybox" not in here.words else left
        here.run().wait()
        assert here.left() == set()


def test_what_a_living_run_has_stays(here):
    with here.at_work():
        mine = here.left()
        assert mine
        assert here.run().wait() == 0
        assert here.left() == mine


def test_a_number_that_another_process_has_got_is_no_owner(here):
    """The same PID and another start: proc_pid_stat(5), field 22."""
    with here.at_work():
        (work,) = here.base.iterdir()
        number, start = work.name.split(".")[1:3]
        other = here.base / work.name.replace(f".{start}.", f".{int(start) - 1}.")
        other.mkdir()
        assert number == other.name.split(".")[1]
        here.run().wait()
        assert work.exists()
        assert not other.exists()


def dead(here: Here) -> str:
    """The name of what a dead run has left."""
    with here.at_work() as process:
        process.kill()
        process.wait()
        (work,) = here.base.iterdir()
    shutil.rmtree(work)
    return work.name


def test_a_link_another_users_and_of_another_boot_stays(here, tmp_path):
    name, theirs = dead(here), tmp_path / "theirs"
    (theirs / "kept").mkdir(parents=True)
    (here.base / name).symlink_to(theirs)
    (here.base / OTHER_BOOT).mkdir()
    kept = {name, OTHER_BOOT}
    if os.geteuid() == 0:
        (here.base / f"{name}.x").mkdir()
        os.chown(here.base / f"{name}.x", 65534, 65534)
        kept.add(f"{name}.x")
    here.run().wait()
    assert {one.name for one in here.base.iterdir()} == kept
    assert (theirs / "kept").is_dir()
    os.utime(here.base / OTHER_BOOT, (0, 0))
    here.run().wait()
    assert {one.name for one in here.base.iterdir()} == kept - {OTHER_BOOT}


@pytest.mark.parametrize("name", ["railbed.$(touch x).1.{}", "railbed.a\nb.*.{}", "railbed....{}"])
def test_a_name_is_only_a_name(here, tmp_path, name):
    where = dead(here).split(".")[3]
    odd = here.base / name.format(where)
    odd.mkdir()
    here.run().wait()
    assert not (tmp_path / "x").exists()
    assert here.base.is_dir()
