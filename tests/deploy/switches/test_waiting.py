"""Answers are waited for, not looked for: little work, and no answer that is another line's."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import paramiko
import pytest
from netmiko.channel import SSHChannel

from deploy.switches import cli_session
from deploy.switches.cli_session import CliSession
from deploy.switches.login_run import Login, Wire, over
from deploy.switches.push_session import DeviceUnreachable
from deploy.switches.switch_push import connect
from tests.deploy import fake_eos
from tests.deploy.switches.test_eos_push import CLI, EOS, NAME, PLAN, bench  # noqa: F401

LINE_S = 0.3
CUT = "\r\n"


class Slow(fake_eos.Terminal):
    def _answer(self, line: str) -> bool:
        time.sleep(LINE_S)
        return super()._answer(line)


def test_a_slow_switch_is_looked_at_seldom(bench, monkeypatch):  # noqa: F811
    monkeypatch.setattr(fake_eos, "Terminal", Slow)
    looks = [0]
    read = SSHChannel.read_channel

    def counted(self: SSHChannel) -> str:
        looks[0] += 1
        return read(self)

    monkeypatch.setattr(SSHChannel, "read_channel", counted)
    context: Any = SimpleNamespace(
        plan=PLAN, ssh_config=bench.folder / "config", known_hosts=bench.folder / "known_hosts"
    )
    session: Any = connect(NAME, EOS.platform, context, bench.folder / "id", CLI, Login())
    try:
        assert "-gcm@" in session.connection.remote_conn_pre.get_transport().remote_cipher
        for _ in range(4):
            assert session.run("show running-config", 10).stdout
    finally:
        session.close()
    # Ten lines or so were waited for, 3 s in all: netmiko looks every 10 ms, and sees little more.
    assert looks[0] < 100


class Spoken:
    """A terminal that says these pieces, each when it is waited for."""

    def __init__(self, *pieces: str) -> None:
        self.pieces: Iterator[str] = iter(pieces)
        self.heard, self.remote_conn = "", SimpleNamespace(closed=False)

    def read_channel(self) -> str:
        heard, self.heard = self.heard, ""
        return heard

    def write_channel(self, out_data: str) -> None:
        pass

    def wait(self, timeout_s: float) -> None:
        self.heard = next(self.pieces, "")
        self.remote_conn.closed = self.heard == CUT
        if not self.heard:
            time.sleep(timeout_s)

    def paramiko_cleanup(self) -> None:
        pass


def session_of(*pieces: str) -> CliSession:
    assert CLI
    return CliSession(Spoken(*pieces), CLI, lambda: None)


def test_a_prompt_of_before_is_no_answer():
    late = session_of("\r\nleaf#", "show version\r\n", "Arista\r\nleaf#")
    assert late.run("show version", 5).stdout == "Arista\n"


def test_an_answer_that_takes_long_behind_an_old_prompt_is_waited_for(monkeypatch):
    """Its refusal is no success, and is not the next line's answer."""
    monkeypatch.setattr(cli_session, "_BEHIND_S", 0.1)
    late = session_of("\r\nleaf#", "commit\r\n", " ", "", "% Invalid input\r\nleaf#")
    assert late.run("commit", 5).exit_status == 1


def test_a_switch_that_repeats_nothing_is_understood_too(monkeypatch):
    monkeypatch.setattr(cli_session, "_BEHIND_S", 0.1)
    assert session_of("Arista\r\nleaf#").run("show version", 5).stdout == "Arista\n"


def test_a_connection_that_ends_behind_an_old_prompt_is_lost():
    late = session_of("\r\nleaf#", CUT)
    with pytest.raises(DeviceUnreachable, match="lost"):
        late.run("show version", 5)


def test_a_switch_of_old_may_have_any_cipher_that_paramiko_has():
    near, far = socket.socketpair()
    with near, far:
        usual = paramiko.Transport(near).get_security_options().ciphers
        mine = over(near).get_security_options().ciphers
    assert sorted(mine) == sorted(usual)
    assert [one for one in mine if "-gcm@" not in one] == [o for o in usual if "-gcm@" not in o]


def test_a_wire_takes_at_once_what_came_and_gives_what_is_asked_for():
    near, far = socket.socketpair()
    with near, far:
        wire = Wire(near)
        far.sendall(b"0123456789")
        assert wire.recv(4) == b"0123"
        near.setblocking(False)
        assert wire.recv(4) == b"4567"
        assert wire.recv(4) == b"89"
        with pytest.raises(BlockingIOError):
            wire.recv(4)
        far.close()
        assert wire.recv(4) == b""
        assert wire.fileno() == near.fileno()
