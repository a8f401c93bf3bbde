"""What pyinfra is started with: nothing that it sends or acknowledges waits in the kernel."""

from __future__ import annotations

import subprocess
import sys

from deploy.engine_run import ROOT

# In a process of its own: the import has gevent patch the whole process.
_CONNECTED = """
import deploy.pyinfra_program_run as program
import paramiko, socket
assert paramiko.transport.Packetizer is paramiko.packet.Packetizer
{patched}
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
transport = paramiko.Transport(client)
print(client.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
"""


def delays_nothing(patched: str) -> bool:
    argv = [sys.executable, "-P", "-c", _CONNECTED.format(patched=patched)]
    env = {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout) != 0


def test_a_connection_sends_at_once_what_paramiko_alone_would_hold_back():
    assert delays_nothing("program.prompt()")
    assert not delays_nothing("")
