"""What pyinfra is started with: nothing that it sends or acknowledges waits in the kernel."""

from __future__ import annotations

import subprocess
import sys

import pytest

from deploy.servers.engine_run import ROOT

# In a process of its own: the import has gevent patch the whole process. A connection that says
# which options of TCP were set when, and one message of RFC 4253, 6: an empty payload of type 2.
_SAYS = """
import deploy.servers.pyinfra_program_run as program
import paramiko, socket
assert paramiko.transport.Packetizer is paramiko.packet.Packetizer
NAMES = {socket.TCP_NODELAY: "nodelay", socket.TCP_QUICKACK: "acknowledged"}

class Connection:
    left = bytes([0, 0, 0, 12, 10, 2]) + bytes(10)
    def recv(self, count):
        part, self.left = self.left[:count], self.left[count:]
        print("read")
        return part
    def settimeout(self, seconds): pass
    def close(self): pass

class OverTcp(Connection):
    def setsockopt(self, level, option, value):
        assert (level, value) == (socket.IPPROTO_TCP, 1)
        print(NAMES[option])

"""
_READ = "print(paramiko.transport.Packetizer({}()).read_message()[0])"


def says(*lines: str) -> list[str]:
    argv = [sys.executable, "-P", "-c", _SAYS + "\n".join(lines)]
    env = {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_what_is_sent_goes_at_once_and_each_message_is_acknowledged_when_it_was_read():
    told = says("program.undelay()", _READ.format("OverTcp"))
    assert told == ["nodelay", "read", "read", "acknowledged", "2"]


def test_paramiko_alone_leaves_both_to_the_kernel():
    assert says(_READ.format("OverTcp")) == ["read", "read", "2"]


def test_a_channel_through_a_jump_host_has_no_such_options():
    assert says("program.undelay()", _READ.format("Connection")) == ["read", "read", "2"]


@pytest.mark.parametrize("option", ["TCP_NODELAY", "TCP_QUICKACK"])
def test_a_connection_that_paramiko_opens_takes_them(option):
    lines = (
        "program.undelay()",
        "server = socket.create_server(('127.0.0.1', 0))",
        "client = socket.create_connection(server.getsockname())",
        f"client.setsockopt(socket.IPPROTO_TCP, socket.{option}, 0)",
        "tcp = paramiko.Transport(client).packetizer",
        f"tcp._set(socket.{option})",
        f"print(client.getsockopt(socket.IPPROTO_TCP, socket.{option}) != 0)",
    )
    assert says(*lines) == ["True"]


@pytest.mark.parametrize(("first", "waits"), [("", False), ("program.undelay()", True)])
def test_keys_that_come_after_half_a_minute_are_waited_for(first, waits):
    lines = (
        first,
        "import threading; from unittest import mock",
        "started = []",
        "class Timer:",
        "    def __init__(self, seconds, _): started.append(seconds)",
        "    def start(self): pass",
        "with mock.patch.object(threading, 'Timer', Timer):",
        "    paramiko.transport.Packetizer(OverTcp()).start_handshake(15)",
        "print(started[0] > 30)",
    )
    assert says(*lines)[-1] == str(waits)
