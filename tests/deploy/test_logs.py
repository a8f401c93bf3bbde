"""The log of what was done: who sees it, where it lies, how large it grows, what is not in it."""

from __future__ import annotations

import logging
import multiprocessing
import os
import re
import stat
from pathlib import Path

import pytest

from deploy import logs, session
from deploy.context import no_journal
from deploy.logs import BoundedFile
from deploy.session import Selection
from tests.deploy.command_line import railbed
from tests.generated.sites import Size, generated_site

LINE = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (DEBUG|INFO|WARNING) \d+ (\w+\.)*\w+: .+"
)
LOG = logging.getLogger("deploy.here")


@pytest.fixture(autouse=True)
def _ended():
    yield
    logs.end()


@pytest.fixture
def site(tmp_path, monkeypatch) -> Path:
    """A site whose credentials are there and whose devices are nowhere; returns its state."""
    generated_site(tmp_path / "site", Size(pods=1, spines=1, rails=1, nodes_per_pod=2))
    (tmp_path / "state").mkdir()
    monkeypatch.setenv("RAILBED_STATE", str(tmp_path / "state"))
    (tmp_path / "config").touch()
    monkeypatch.setattr(session, "prepare", lambda *_: _Files(tmp_path))
    return Path(tmp_path / "state")


class _Files:
    def __init__(self, folder: Path) -> None:
        self.config, self.known_hosts = folder / "config", folder / "known_hosts"


def opened(state: Path) -> None:
    site = str(state.parent / "site")
    session.open_context(Selection(site, "lab"), lambda _: None, no_journal)


@pytest.mark.parametrize(
    ("verbose", "seen"), [(0, ""), (1, "info"), (2, "info debug"), (5, "info debug")]
)
def test_what_is_asked_for_is_printed_and_nothing_else(verbose, seen, capsys):
    logs.begin(verbose)
    LOG.info("info")
    LOG.debug("debug")
    printed = capsys.readouterr()
    assert printed.out == ""
    assert all(LINE.fullmatch(line) for line in printed.err.splitlines())
    assert " ".join(line.split()[-1] for line in printed.err.splitlines()) == seen


def test_a_command_keeps_a_log_in_the_state_folder_for_its_owner_alone(site, capsys):
    logs.begin(0)
    opened(site)
    logs.end()
    LOG.info("after the end")
    file = site / logs.NAME
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(site.stat().st_mode) == 0o700
    (line,) = file.read_text().splitlines()
    assert LINE.fullmatch(line)
    assert "deploy.session: opened site " in line
    assert capsys.readouterr().err == ""


def test_who_is_no_command_line_keeps_none(site):
    opened(site)
    assert not (site / logs.NAME).exists()


def test_a_command_says_by_v_what_it_opens(site, tmp_path, monkeypatch):
    """All the way: the option, the verb, the site; nobody is there at the end of its ssh."""
    program = tmp_path / "bin/ssh"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 255\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    (site / "id_ed25519").write_text("a key\n")  # by which servers and switches are asked
    (site / "id_ed25519").chmod(0o600)
    said = {}
    for options in ([], ["-v"], ["--verbose", "-v"]):
        done = railbed(*options, "drift", "--site", str(site.parent / "site"))
        said[len(options)] = done.stderr
    assert "deploy.session" not in said[0]
    assert "INFO" in said[1]
    assert "DEBUG" not in said[1]
    assert "ssh ended with" in said[2]
    assert "opened site" in (site / logs.NAME).read_text()


def test_a_file_that_cannot_be_opened_is_said_and_stops_nothing(site, capsys):
    (site / logs.NAME).mkdir()
    logs.begin(0)
    opened(site)
    LOG.info("goes on")
    assert capsys.readouterr().err == f"no log is kept: {site / logs.NAME}: Is a directory\n"


def test_a_link_is_not_followed(site, tmp_path):
    (site / logs.NAME).symlink_to(tmp_path / "theirs")
    logs.begin(0)
    opened(site)
    assert not (tmp_path / "theirs").exists()


def test_a_message_is_one_line_that_does_nothing(tmp_path):
    logs.begin(0)
    logs.keep(tmp_path)
    LOG.info("a\nb \x1b[2J %s", "c\r")
    (line,) = (tmp_path / logs.NAME).read_text().splitlines()
    assert line.endswith(r"a\nb \x1b[2J c\r")


def test_a_log_that_was_removed_is_begun_anew(tmp_path):
    logs.begin(0)
    logs.keep(tmp_path / "state")
    (tmp_path / "state" / logs.NAME).unlink()
    (tmp_path / "state").rmdir()
    LOG.info("lost: there is no folder")
    LOG.info("lost, too")
    (tmp_path / "state").mkdir()
    LOG.info("kept")
    assert (tmp_path / "state" / logs.NAME).read_text().endswith("kept\n")


def write(path: Path, who: int, lines: int, most_bytes: int) -> None:
    handler = BoundedFile(path, most_bytes)
    for number in range(lines):
        text = f"<{who}:{number}:{'x' * 80}>"
        handler.handle(logging.LogRecord("n", logging.INFO, "", 0, text, (), None))
    handler.close()


def test_it_is_bounded_in_size(tmp_path):
    path = tmp_path / logs.NAME
    write(path, 0, 1000, 4096)
    sizes = {one.name: one.stat().st_size for one in tmp_path.iterdir()}
    assert sizes.keys() == {logs.NAME, f"{logs.NAME}.1"}
    assert max(sizes.values()) < 4096 + 200
    assert path.read_text().splitlines()[-1].startswith("<0:999:")


def test_processes_at_once_spoil_nothing(tmp_path):
    """Four write at once, over a limit that is met once: no line is torn and none is lost."""
    path, count, fork = tmp_path / logs.NAME, 300, multiprocessing.get_context("spawn")
    limit = count * 4 * 70
    workers = [fork.Process(target=write, args=(path, who, count, limit)) for who in range(4)]
    for one in workers:
        one.start()
    for one in workers:
        one.join(60)
    assert [one.exitcode for one in workers] == [0] * 4
    told = [line for one in sorted(tmp_path.iterdir()) for line in one.read_text().splitlines()]
    assert len(list(tmp_path.iterdir())) == 2
    assert {stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()} == {0o600}
    wanted = {f"<{who}:{number}:{'x' * 80}>" for who in range(4) for number in range(count)}
    assert len(told) == len(wanted)
    assert set(told) == wanted


def test_libraries_are_not_heard(tmp_path, capsys):
    import deploy.switches.switch_push  # noqa: F401 - loads them

    before = logging.getLogger().level, list(logging.getLogger().handlers)
    logs.begin(2)
    logs.keep(tmp_path)
    assert (logging.getLogger().level, list(logging.getLogger().handlers)) == before
    for name in ("paramiko", "paramiko.transport", "netmiko", "ansible", "pyinfra", "asyncio"):
        logging.getLogger(name).debug("theirs")
        logging.getLogger(name).info("theirs")
        assert not logging.getLogger(name).isEnabledFor(logging.INFO)
    assert (tmp_path / logs.NAME).read_text() == ""
    assert "theirs" not in capsys.readouterr().err
