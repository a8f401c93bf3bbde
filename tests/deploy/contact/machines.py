"""Machines that nobody has met yet: SSH on loopback (paramiko's server half), a folder as home.

They import nothing of ours. What they imitate:
- sshd(8): keys of `~/.ssh/authorized_keys` let in, else a password; a host key of its own.
- a jump host: forwarded connections (RFC 4254, 7.2) lead to the machines behind it, and its
  `ssh-keyscan` is this machine's, which asks them and prints the address that it was given.
- sudo(8), -n: it never asks, and says what it would have needed.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which

import paramiko
from paramiko.common import (
    AUTH_FAILED,
    AUTH_SUCCESSFUL,
    OPEN_FAILED_CONNECT_FAILED,
    OPEN_SUCCEEDED,
)

GRANTS = '#!/bin/sh\n[ "$1" = -n ] && shift; [ "$1" = -- ] && shift; exec "$@"\n'
REFUSES = "#!/bin/sh\necho 'sudo: a password is required' >&2; exit 1\n"
ORDINARY = '#!/bin/sh\n[ "$1" = -u ] && echo 1000\n'
KEYSCAN = """#!/bin/sh
kinds=
for one; do case $one in -c) kinds=-c ;; esac; done
for one; do
    while read -r address port; do
        [ "$address" = "$one" ] || continue
        {real} -T 15 $kinds -t ed25519 -p "$port" 127.0.0.1 | sed "s/^[^ #]* /$address /"
    done <"$HOME/behind"
done
"""


@dataclass
class Machine:
    """A listening machine; `with Machine(...) as one: one.port`."""

    home: Path
    user: str = "root"
    password: str = ""
    address: str = "127.0.0.1"
    port: int = 0
    behind: Mapping[str, Machine] = field(default_factory=dict)
    passwords: list[str] = field(default_factory=list)
    logins: int = 0

    def __post_init__(self) -> None:
        self.programs = self.home / "bin"
        (self.home / ".ssh").mkdir(parents=True)
        self.programs.mkdir()
        self.sudo(GRANTS)
        self._put("ssh-keyscan", KEYSCAN.format(real=which("ssh-keyscan")))
        if self.user != "root":
            self._put("id", ORDINARY)
        self.new_host_key()

    def _put(self, name: str, text: str) -> None:
        (self.programs / name).write_text(text)
        (self.programs / name).chmod(0o755)

    def sudo(self, program: str) -> None:
        """Its sudo from now on."""
        self._put("sudo", program)

    def new_host_key(self) -> None:
        """As a machine that was set up anew has one."""
        path = self.home / "host_key"
        path.unlink(missing_ok=True)
        keygen(path)
        self.host_key = paramiko.Ed25519Key.from_private_key_file(str(path))

    @property
    def line(self) -> str:
        """Its host key as a public key file has it."""
        return f"ssh-ed25519 {self.host_key.get_base64()}"

    @property
    def authorized(self) -> Path:
        return self.home / ".ssh/authorized_keys"

    def takes(self, key: str) -> bool:
        """Whether sshd would let this base64 in."""
        there = self.authorized.is_file()
        return there and any(
            key in line.split() for line in self.authorized.read_text().splitlines()
        )

    def __enter__(self) -> Machine:
        places = (f"{name} {one.port}\n" for name, one in self.behind.items())
        (self.home / "behind").write_text("".join(places))
        self._listener = socket.create_server((self.address, self.port))
        self.port = int(self._listener.getsockname()[1])
        self._open: list[paramiko.Transport] = []
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        while self._open:
            self._open.pop().close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            transport = paramiko.Transport(connection)
            self._open.append(transport)
            transport.add_server_key(self.host_key)
            with contextlib.suppress(paramiko.SSHException, EOFError, OSError):
                transport.start_server(server=Login(self, transport), event=threading.Event())

    def run(self, command: str, given: bytes) -> subprocess.CompletedProcess[bytes]:
        """A command of its login's shell, here."""
        env = {"HOME": str(self.home), "PATH": f"{self.programs}:/usr/bin:/bin"}
        return subprocess.run(
            ["sh", "-c", command], input=given, capture_output=True, env=env, cwd="/", timeout=60
        )


class Login(paramiko.ServerInterface):
    """Who is let in, and what a session may open."""

    def __init__(self, machine: Machine, transport: paramiko.Transport) -> None:
        self.machine, self.transport = machine, transport

    def get_allowed_auths(self, username: str) -> str:
        return "publickey,password"

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        known = username == self.machine.user and self.machine.takes(key.get_base64())
        self.machine.logins += known
        return AUTH_SUCCESSFUL if known else AUTH_FAILED

    def check_auth_password(self, username: str, password: str) -> int:
        self.machine.passwords.append(password)
        known = username == self.machine.user and password == self.machine.password != ""
        return AUTH_SUCCESSFUL if known else AUTH_FAILED

    def check_channel_request(self, kind: str, chanid: int) -> int:
        return OPEN_SUCCEEDED

    def check_channel_direct_tcpip_request(
        self, chanid: int, origin: tuple[str, int], destination: tuple[str, int]
    ) -> int:
        target = self.machine.behind.get(destination[0])
        if target is None or destination[1] != 22:
            return OPEN_FAILED_CONNECT_FAILED
        threading.Thread(target=self._carry, args=(chanid, target), daemon=True).start()
        return OPEN_SUCCEEDED

    def _carry(self, chanid: int, target: Machine) -> None:
        channel = self.transport.accept(30)
        while channel is not None and channel.get_id() != chanid:
            channel = self.transport.accept(30)
        if channel is None:
            return
        with socket.create_connection((target.address, target.port)) as far:
            back = threading.Thread(target=_pump, args=(far.recv, channel.sendall, channel.close))
            back.start()
            _pump(channel.recv, far.sendall, lambda: far.shutdown(socket.SHUT_WR))
            back.join()

    def check_channel_exec_request(self, channel: paramiko.Channel, command: bytes) -> bool:
        words = (self.machine, channel, command.decode())
        threading.Thread(target=_execute, args=words, daemon=True).start()
        return True


def _pump(read: object, write: object, end: object) -> None:
    with contextlib.suppress(OSError, EOFError):
        while data := read(32768):  # type: ignore[operator]
            write(data)  # type: ignore[operator]
    with contextlib.suppress(OSError, EOFError):
        end()  # type: ignore[operator]


def _execute(machine: Machine, channel: paramiko.Channel, command: str) -> None:
    given = b""
    with contextlib.suppress(OSError, EOFError):
        while data := channel.recv(32768):
            given += data
        done = machine.run(command, given)
        channel.sendall(done.stdout)
        channel.sendall_stderr(done.stderr)
        channel.send_exit_status(done.returncode)
        channel.close()


def keygen(path: Path, *more: str) -> None:
    """A pair of keys, by ssh-keygen."""
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "a comment", "-f", str(path)]
    subprocess.run([*words, *more], check=True, stdin=subprocess.DEVNULL, timeout=30)


def loopback() -> str:
    """An address of this process's own in 127.0.0.0/8, for a port 22."""
    pid = os.getpid()
    return f"127.{64 + (pid >> 16) % 64}.{(pid >> 8) % 256}.{pid % 256 or 1}"
