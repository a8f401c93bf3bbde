"""The launcher: one whole environment per lock, whatever interrupts or races it.

Its builds run here in a bare folder with a stand-in for uv, so they need no network. The
stand-in answers the two commands the launcher gives it (`uv venv`, `uv pip install`;
docs.astral.sh/uv/reference/cli) by making a venv without pip, and notes what it was given.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.tree import ROOT

pytestmark = pytest.mark.instances(keep=8, of="the launcher")

LOCK = ROOT / "requirements.lock"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PINNED = re.compile(r"^([a-z0-9-]+)==([^ \\]+)", re.MULTILINE)

FAKE_UV = """#!/bin/sh
set -eu
printf '%s|' "$@" >>"$SEEN/argv"; echo >>"$SEEN/argv"
env >>"$SEEN/env"
if [ "$1" = venv ]; then
    for last; do :; done
    "$4" -m venv --without-pip "$last"
    exit
fi
echo one >>"$SEEN/installs"
if [ -e "$SEEN/hang" ]; then echo $$ >"$SEEN/hanging"; exec sleep 60; fi
if [ -e "$SEEN/break" ]; then exit 1; fi
"""


class Clone:
    """A bare copy of what the launcher needs, with a stand-in uv on the PATH."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "a clone"
        self.seen = folder / "seen"
        self.bin = folder / "bin"
        for path in (self.root, self.seen, self.bin):
            path.mkdir()
        shutil.copy2(ROOT / "railbed", self.root)
        self.lock = self.root / "requirements.lock"
        self.lock.write_text("# nothing is needed\n")
        (self.bin / "uv").write_text(FAKE_UV)
        (self.bin / "uv").chmod(0o755)
        kept = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
        search = f"{self.bin}:/usr/sbin:/usr/bin:/sbin:/bin"
        self.started: list[subprocess.Popen[str]] = []
        own = {"PATH": search, "SEEN": str(self.seen), "PIP_CONFIG_FILE": os.devnull}
        self.env: dict[str, str] = {**kept, **own}

    def start(self, *args: str, **env: str) -> subprocess.Popen[str]:
        """Begin the launcher in another folder than the clone, in a group of its own."""
        process = subprocess.Popen(
            [str(self.root / "railbed"), *args],
            cwd=self.seen,
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.started.append(process)
        return process

    def end(self) -> None:
        """End what a failed test has left running; each leads a group of its own."""
        for process in self.started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate(timeout=60)

    def run(self, *args: str, **env: str) -> tuple[int, str, str]:
        """Exit status, stdout and stderr of one launch."""
        process = self.start(*args, **env)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def installs(self) -> int:
        """How often uv was asked to install."""
        noted = self.seen / "installs"
        return len(noted.read_text().splitlines()) if noted.exists() else 0

    def environments(self) -> list[str]:
        """The environments that are there, whole or not."""
        return sorted(
            path.name for path in (self.root / ".railbed/venv").iterdir() if path.is_dir()
        )


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Clone]:
    made = Clone(tmp_path)
    yield made
    made.end()


def wait_for(path: Path) -> str:
    """The text of a file that another process is about to write."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if path.exists() and (text := path.read_text().strip()):
            return text
        time.sleep(0.02)
    raise TimeoutError(path)


def test_builds_once_then_only_starts(clone):
    first = clone.run("--launcher-exec", "python", "-c", "import sys; print(sys.prefix)")
    second = clone.run("--launcher-exec", "python", "-c", "import sys; print(sys.prefix)")
    assert first[0] == second[0] == 0
    assert first[1] == second[1]
    assert Path(first[1].strip()).parent == clone.root / ".railbed/venv"
    assert "environment ready" in first[2]
    assert second[2] == ""
    assert clone.installs() == 1


def test_hands_arguments_and_exit_status_on(clone):
    (clone.root / "deploy").mkdir()
    (clone.root / "deploy/__main__.py").write_text("import sys\nprint(sys.argv[1:])\nsys.exit(3)\n")
    # A file of the same name in the working folder must not stand in for the clone's.
    (clone.seen / "deploy.py").write_text("print('a stranger')\n")
    status, out, _ = clone.run("lab", "up", "two words", "")
    assert (status, out) == (3, "['lab', 'up', 'two words', '']\n")


def test_a_link_to_it_works(clone):
    (clone.bin / "rb").symlink_to(clone.root / "railbed")
    done = subprocess.run(
        ["rb", "--launcher-info"], env=clone.env, capture_output=True, text=True, cwd=clone.seen
    )
    assert done.returncode == 0
    assert f"environment: {clone.root}/.railbed/venv/" in done.stdout


def test_a_build_killed_in_the_middle_is_made_anew(clone):
    (clone.seen / "hang").touch()
    process = clone.start("--launcher-exec", "true")
    wait_for(clone.seen / "hanging")
    [half] = clone.environments()[:1]
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    (clone.root / ".railbed/venv" / half / "left-over").touch()
    (clone.seen / "hang").unlink()
    status, _, err = clone.run("--launcher-exec", "true")
    assert (status, clone.installs(), clone.environments()) == (0, 2, [half])
    assert "environment ready" in err
    assert not (clone.root / ".railbed/venv" / half / "left-over").exists()


def test_two_launches_build_one_environment(clone):
    (clone.seen / "hang").touch()
    first = clone.start("--launcher-exec", "true")
    sleeper = int(wait_for(clone.seen / "hanging"))
    second = clone.start("--launcher-exec", "true")
    assert second.stderr
    assert "waiting" in second.stderr.readline()
    (clone.seen / "hang").unlink()
    os.kill(sleeper, signal.SIGKILL)  # that install fails: the first launch falls back to pip
    outcomes = [first.communicate(timeout=120), second.communicate(timeout=120)]
    assert [first.returncode, second.returncode] == [0, 0], outcomes
    assert clone.installs() == 1


def test_another_lock_makes_another_environment(clone):
    clone.run("--launcher-exec", "true")
    before = clone.environments()
    clone.lock.write_text("# another\n")
    assert clone.run("--launcher-exec", "true")[0] == 0
    after = clone.environments()
    assert len(before) == len(after) == 1
    assert before != after


def test_an_environment_in_use_is_kept(clone):
    clone.run("--launcher-exec", "true")
    [before] = clone.environments()
    held = subprocess.Popen(
        [str(clone.root / ".railbed/venv" / before / "bin/python"), "-c", "input()"],
        stdin=subprocess.PIPE,
    )
    try:
        clone.lock.write_text("# another\n")
        assert clone.run("--launcher-exec", "true")[0] == 0
        assert before in clone.environments()
        assert len(clone.environments()) == 2
    finally:
        held.communicate(b"\n", timeout=60)


def test_falls_back_to_pip_where_uv_fails(clone):
    (clone.seen / "break").touch()
    status, _, err = clone.run("--launcher-exec", "true")
    assert status == 0, err
    assert "installing with pip" in err


def test_pip_settings_reach_uv_by_environment_only(clone, tmp_path):
    conf = tmp_path / "pip.conf"
    conf.write_text(
        "[global]\n"
        "index-url = https://user:hidden@index.example/simple\n"
        "extra-index-url =\n  https://one.example/simple\n  https://two.example/simple\n"
        "trusted-host = index.example\n"
        "timeout = 77\n"
        "[install]\n"
        f"find-links = {tmp_path}\n"
    )
    status, _, err = clone.run("--launcher-exec", "true", PIP_CONFIG_FILE=str(conf))
    assert status == 0, err
    seen = dict(
        line.split("=", 1) for line in (clone.seen / "env").read_text().splitlines() if "=" in line
    )
    expected = {
        "UV_DEFAULT_INDEX": "https://user:hidden@index.example/simple",
        "UV_INDEX": "https://one.example/simple https://two.example/simple",
        "UV_INSECURE_HOST": "index.example",
        "UV_HTTP_TIMEOUT": "77",
        "UV_FIND_LINKS": str(tmp_path),
        "UV_PYTHON_DOWNLOADS": "never",
    }
    assert {name: seen.get(name) for name in expected} == expected
    assert "hidden" not in (clone.seen / "argv").read_text() + err
    kept = [path for path in clone.root.rglob("*") if path.is_file()]
    assert not [path for path in kept if b":hidden@" in path.read_bytes()]


def test_the_environment_of_pip_wins_over_its_files(clone, tmp_path):
    conf = tmp_path / "pip.conf"
    conf.write_text("[global]\nindex-url = https://file.example/simple\n")
    clone.run(
        "--launcher-exec",
        "true",
        PIP_CONFIG_FILE=str(conf),
        PIP_INDEX_URL="https://env.example/simple",
    )
    assert "UV_DEFAULT_INDEX=https://env.example/simple\n" in (clone.seen / "env").read_text()


def test_an_old_python_is_refused_in_words(clone):
    old = clone.bin / "python3.10"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    status, out, err = clone.run("check", RAILBED_PYTHON=str(old))
    assert (status, out) == (2, "")
    assert "no Python of at least 3.11" in err
    assert "RAILBED_PYTHON" in err


def test_a_locale_without_utf8_is_replaced(clone):
    """Ansible refuses any other (ansible.cli.initialize_locale)."""
    for given in ({"LC_ALL": "C"}, {"LANG": "POSIX"}, {"LANG": "de_DE.ISO-8859-1"}):
        _, out, _ = clone.run("--launcher-exec", "sh", "-c", "echo $LC_ALL", **given)
        assert out == "C.UTF-8\n"
    _, out, _ = clone.run("--launcher-exec", "sh", "-c", "echo $LC_ALL", LC_ALL="C.utf8")
    assert out == "C.utf8\n"


def test_lock_meets_pyproject():
    """What pyproject.toml asks for is in the lock, at a version it takes."""
    pinned = dict(PINNED.findall(LOCK.read_text()))
    extras = PYPROJECT["project"]["optional-dependencies"].values()
    asked = [*PYPROJECT["project"]["dependencies"], *(one for extra in extras for one in extra)]
    for line in asked:
        wanted = Requirement(line)
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        assert name in pinned, f"{name} is not locked: ./railbed --launcher-lock"
        assert wanted.specifier.contains(Version(pinned[name])), f"{line} but {pinned[name]}"


def test_lock_is_hashed_and_names_no_host():
    text = LOCK.read_text()
    assert not re.findall(r"https?://\S+|--index-url|--extra-index-url|--find-links", text)
    for entry in re.split(r"\n(?=[a-z0-9])", text):
        if PINNED.match(entry):
            assert "--hash=sha256:" in entry, entry
