"""The transport over OpenSSH, with a stand-in `ssh` that does what ssh(1) documents."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from deploy.transport.ssh_run import AS_ROOT, SshTransport, is_shared


@pytest.fixture
def ssh(tmp_path, monkeypatch):
    """Puts a program named ssh first on PATH; ssh(1): 255 is ssh's own failure."""

    def install(body: str) -> SshTransport:
        program = tmp_path / "ssh"
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        return SshTransport(tmp_path / "config")

    return install


def test_the_script_goes_in_and_its_output_comes_back(ssh, tmp_path):
    transport = ssh(f'echo "$@" >{tmp_path}/argv; exec sh -s')
    reply = transport.run("leaf1", "printf 'a\\000b'; hostname >/dev/null", 10)
    assert (reply.stdout, reply.exit_status, reply.error) == (b"a\0b", 0, "")
    argv = (tmp_path / "argv").read_text().split()
    assert argv[:2] == ["-F", f"{tmp_path}/config"]
    assert argv[-1 - len(AS_ROOT.split()) :] == ["leaf1", *AS_ROOT.split()]
    assert "BatchMode=yes" in argv


@pytest.mark.parametrize(("uid", "through"), [(0, ""), (1000, "sudo -n -- sh -s\n")])
def test_a_script_runs_as_root_whoever_logs_in(ssh, tmp_path, uid, through):
    transport = ssh(f'for last; do :; done; PATH={tmp_path}/bin:$PATH; exec sh -c "$last"')
    (tmp_path / "bin").mkdir()
    for name, line in (
        ("id", f"[ $1 = -u ] && echo {uid}"),
        ("sudo", f'echo sudo "$@" >{tmp_path}/through; shift 2; exec "$@"'),
    ):
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    (tmp_path / "through").write_text("")
    assert transport.run("leaf1", "echo 'a  b'; exit 3", 10).stdout == b"a  b\n"
    assert (tmp_path / "through").read_text() == through


def test_a_sudo_that_would_ask_says_what_to_prepare(ssh):
    # sudo(8), -n: "sudo will display an error message and exit".
    reply = ssh("echo 'sudo: a password is required' >&2; exit 1").run("leaf1", "true", 10)
    why = "sudo: a * is required; the user must be allowed to run it without, in /etc/sudoers.d"
    assert reply.error == f"{why} of the device"


def test_why_ssh_failed_is_kept(ssh):
    transport = ssh("echo 'leaf1: Permission denied\n(publickey).' >&2; exit 255")
    reply = transport.run("leaf1", "true", 10)
    assert (reply.exit_status, reply.error) == (255, "ssh: leaf1: Permission denied (publickey).")


def test_a_script_that_failed_says_so(ssh):
    reply = ssh("exec sh -s").run("leaf1", "echo half; exit 97", 10)
    assert reply.stdout == b"half\n"
    assert reply.error == "the script ended with status 97: no reason given"


def test_no_end_in_time_ends_the_child_and_keeps_what_came(ssh, tmp_path):
    transport = ssh(f"echo $$ >{tmp_path}/pid; echo half; exec sleep 1000")
    reply = transport.run("leaf1", "true", 0.5)
    assert (reply.stdout, reply.exit_status) == (b"half\n", None)
    assert "no end within 0.5 s" in reply.error
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}").exists()


def test_a_child_that_will_not_end_is_killed(ssh, tmp_path):
    transport = ssh(f"echo $$ >{tmp_path}/pid; trap '' TERM; while :; do sleep 0.2; done")
    assert transport.run("leaf1", "true", 0.5).exit_status is None
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}").exists()


def test_a_master_that_stays_behind_keeps_nobody_waiting(ssh, tmp_path):
    """ssh_config(5), ControlPersist: the master holds the streams after ssh has ended."""
    transport = ssh(f"sleep 1000 & echo $! >{tmp_path}/master; echo done")
    try:
        reply = transport.run("leaf1", "true", 10)
        assert (reply.stdout, reply.error) == (b"done\n", "")
    finally:
        os.kill(int((tmp_path / "master").read_text()), 9)


def test_a_machine_without_ssh_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    reply = SshTransport(tmp_path / "config").run("leaf1", "true", 10)
    assert (reply.exit_status, reply.error) == (
        None,
        "ssh cannot be started: No such file or directory",
    )


def test_an_ssh_that_cannot_be_started_shares_no_connection(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not is_shared(tmp_path / "config", "leaf1")
    assert "cannot be started" in SshTransport(tmp_path / "config").run("leaf1", "true", 5).error
