"""How railbed logs in to a switch: what it says beside its key, and the way there.

A site's switches ask the same few AAA servers, which fall over when hundreds of logins come at
once: so few logins begin at a time, each once its switch has said hello. One that is restarting
holds nobody up.
"""

from __future__ import annotations

import contextlib
import select
import socket
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from threading import BoundedSemaphore
from typing import IO, Any

import paramiko
from paramiko.hostkeys import HostKeyEntry

from deploy.context import Context
from deploy.transport import credentials
from deploy.transport.host_lines import config_of, keys_of

from .push_session import DeviceUnreachable

CREDENTIALS = ("switch_password", "switch_enable")
CONNECT_S = 15
_ENABLE_S = 10.0
_AT_ONCE_BYTES = 65536
_SSH_PORT = 22
THERE = "is it powered, cabled, and does it have its lease?"

LOGINS = BoundedSemaphore(8)
"""Held by each login of this process from hello to prompt."""


@dataclass(frozen=True, slots=True)
class Login:
    """How to log in to a command line, beside the key; "" for what the site does not name."""

    password: str = field(default="", repr=False)
    enable: str = field(default="", repr=False)

    @classmethod
    def read(cls, context: Context) -> Login:
        """By reference, as the site names them. RailbedError."""
        named = dict(context.plan.credentials)
        plan, folder = context.plan, context.state_dir
        return cls(*(credentials.read(plan, folder, n) if n in named else "" for n in CREDENTIALS))


BY_KEY_ALONE = Login()


@dataclass
class Jump:
    """A ProxyJump by OpenSSH on a socket pair: paramiko has none of its own."""

    near: socket.socket
    process: subprocess.Popen[bytes]
    errors: IO[bytes]

    @classmethod
    def start(cls, config: Path, wanted: paramiko.SSHConfigDict) -> Jump:
        """Let ssh carry the connection, its standard streams on one end of the pair."""
        target = f"[{wanted['hostname']}]:{wanted.get('port', 22)}"
        command = ["ssh", "-F", str(config), "-W", target, wanted["proxyjump"]]
        near, far = socket.socketpair()
        errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        with far:
            process = subprocess.Popen(
                command,
                stdin=far.fileno(),
                stdout=far.fileno(),
                stderr=errors,
                start_new_session=True,
            )
        return cls(near, process, errors)

    def close(self) -> str:
        """End it; returns the last line that it wrote to standard error."""
        if self.errors.closed:
            return ""
        self.near.close()
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=5)
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        self.errors.close()
        return lines[-1] if lines else ""


class Wire:
    """A socket that takes all that came in one go: paramiko asks for each packet in parts.

    Each asking lets the other threads of a process go first, and a terminal that repeats a text
    sends hundreds of packets. One thread reads (paramiko's own).
    """

    def __init__(self, near: socket.socket) -> None:
        self._near = near
        self._held = memoryview(b"")

    def recv(self, size: int) -> bytes:
        """As a socket's."""
        if not self._held:
            self._held = memoryview(self._near.recv(_AT_ONCE_BYTES))
        taken, self._held = self._held[:size], self._held[size:]
        return bytes(taken)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._near, name)


def wanted_of(config: Path, device: str) -> paramiko.SSHConfigDict:
    """What the ssh_config wants of a login to a device."""
    return paramiko.SSHConfig.from_text(config_of(config, device)).lookup(device)


def trust(
    client: paramiko.SSHClient, known_hosts: Path, host: str, port: int
) -> paramiko.SSHClient:
    """Let it trust the keys that this file has of a host, and no other."""
    name = host if port == _SSH_PORT else f"[{host}]:{port}"  # as paramiko looks it up
    known = client.get_host_keys()
    for line in keys_of(known_hosts, name):
        with contextlib.suppress(paramiko.SSHException):  # no key: all as of a whole file
            if found := HostKeyEntry.from_line(line):
                kind = found.key.get_name()
                for one in found.hostnames:
                    if kind not in (known.lookup(one) or ()):
                        known.add(one, kind, found.key)
    return client


def over(wire: Any, **options: Any) -> paramiko.Transport:
    """SSH with a cipher that proves its packets itself, where the switch has one (RFC 5647).

    Without, paramiko compares the proof of each packet byte by byte: half of what reading costs.
    """
    made = paramiko.Transport(wire, **options)
    ciphers = made.get_security_options()
    ciphers.ciphers = sorted(ciphers.ciphers, key=lambda one: "-gcm@" not in one)
    return made


def reach(config: Path, wanted: paramiko.SSHConfigDict) -> tuple[socket.socket, Jump | None]:
    """A connection to a switch that has said hello (RFC 4253, 4.2), and what carries it.

    DeviceUnreachable where none comes.
    """
    jump = Jump.start(config, wanted) if wanted.get("proxyjump") else None
    near = jump.near if jump else _connected(wanted["hostname"], int(wanted.get("port", 22)))
    if not select.select([near], [], [], CONNECT_S)[0]:
        near.close()
        said = jump.close() if jump else ""
        why = f"no hello within {CONNECT_S} s{f'; jump host: {said}' if said else ''}"
        raise DeviceUnreachable(why, hint=THERE)
    return near, jump


def _connected(host: str, port: int) -> socket.socket:
    try:
        wire = socket.create_connection((host, port), CONNECT_S)
        # Short lines must not wait for each other's acknowledgements (tcp(7)).
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return wire
    except OSError as error:
        raise DeviceUnreachable(f"no connection: {error.strerror or error}", hint=THERE) from None


def make_privileged(connection: Any) -> None:
    """Reach the prompt at which everything may be asked; DeviceUnreachable where that fails."""
    try:
        connection.read_timeout_override = _ENABLE_S
        if not connection.check_enable_mode():
            connection.enable()
    except Exception:  # noqa: BLE001 - netmiko's own, paramiko's, the OS's errors
        with contextlib.suppress(Exception):
            connection.paramiko_cleanup()
        raise DeviceUnreachable(
            "the login has not the privilege to change anything",
            hint="give it the highest one, or name the secret of `enable` as `switch_enable`",
        ) from None


def unreachable(error: Exception, jump_said: str) -> DeviceUnreachable:
    """Say what happened and what to do; netmiko wraps it in a page of general advice."""
    cause = error.__context__ or error
    if isinstance(cause, paramiko.BadHostKeyException):
        return DeviceUnreachable(
            "its host key is not the one in known_hosts",
            hint="another machine answers, or the device was set up anew: compare on its console",
        )
    if isinstance(cause, paramiko.AuthenticationException):
        return DeviceUnreachable(
            "login refused",
            hint="it does not know the public half of ssh_key: `railbed enroll` brings it there",
        )
    if "not found in known_hosts" in str(cause):
        return DeviceUnreachable("its host key is unknown", hint="`railbed enroll` says what to do")
    said = f"{words(cause)}; jump host: {jump_said}" if jump_said else words(cause)
    return DeviceUnreachable(said, hint=THERE)


def words(error: BaseException) -> str:
    """What an error says, in one line; its kind where it says nothing."""
    text = " ".join(str(error).split())
    return text or type(error).__name__
