"""A switch to push to, on loopback: OpenSSH's outside, and a toy configuration store inside.

It imports nothing of ours. What each reply imitates:
- login, exec and sftp channels, exit status: RFC 4254, 6 (paramiko's server half); a refused
  key, an unknown host key, a cut transport look to a client as sshd's do.
- a shell that prints `root@NAME:~# ` (bash, PS1 of Debian's /root/.bashrc).
- `cat` of procfs and sysfs: one line each (proc(5); Linux, ABI sysfs-class-net: `address`).
- an unknown word: `bash: line 1: WORD: command not found`, status 127 (bash(1), EXIT STATUS).
- `toy check` refuses in the words of `vtysh -C` of FRR 8.4: `line 1: % Unknown command: ...`.
- `toy arm|confirm|undo`: a confirmed commit with a timeout and a persistent marker, as RFC
  6241, 8.4 describes it: without `confirm` in time, or at a restart, the old comes back.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import socket
import threading
from dataclasses import dataclass, field

import paramiko
from paramiko.common import AUTH_FAILED, AUTH_SUCCESSFUL, OPEN_SUCCEEDED
from paramiko.sftp import SFTP_OK

IDENTITY = re.compile(r"cat /proc/sys/kernel/hostname /sys/class/net/(\S+)/address")
MOVE = re.compile(r"chown (\S+):(\S+) (\S+) && chmod (\d+) \3 && mv -f \3 (\S+)")
CUTS_MANAGEMENT = "no management"
GRANTED_S = 10.0


@dataclass
class Faults:
    """What goes wrong; everything is off at first.

    `drop_on`: the transport is cut when this command has done its work, before it answers.
    `hang_on`: this command never answers. `mute`: connections are taken and never served.
    `fail_on`: this command fails after it has done its work. `restart_on`: the switch
    restarts after it.
    """

    refuse_login: bool = False
    mute: bool = False
    drop_on: str = ""
    hang_on: str = ""
    fail_on: str = ""
    restart_on: str = ""


@dataclass
class Store:
    """The configuration: `saved` survives a restart, `running` does not."""

    saved: dict[str, str] = field(default_factory=dict)
    running: dict[str, str] = field(default_factory=dict)
    candidate: dict[str, str] = field(default_factory=dict)
    pending: str = ""

    def go_back(self) -> None:
        """What the timer does, and a restart."""
        if self.pending:
            self.running, self.pending = dict(self.saved), ""


class FakeSwitch:
    """A listening switch; `with FakeSwitch(...) as switch: switch.port`."""

    def __init__(self, hostname: str, mac: str, host_key: paramiko.PKey, login: str) -> None:
        self.hostname, self.mac = hostname, mac
        self.host_key, self.login = host_key, login
        self.faults, self.store = Faults(), Store()
        self.commands: list[str] = []
        self.logins = 0
        self.files: dict[str, bytes] = {}
        self.modes: dict[str, int] = {}
        self._open: list[paramiko.Transport | socket.socket] = []
        self._timer: threading.Timer | None = None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._thread = threading.Thread(target=self._serve)
        self._over = threading.Event()

    def __enter__(self) -> FakeSwitch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._disarm()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        self.drop()

    @property
    def reachable(self) -> bool:
        return CUTS_MANAGEMENT not in "".join(self.store.running.values())

    def restart(self) -> None:
        """Power off and on: sessions end, the marker is found, the saved files are read."""
        self.drop()
        self._disarm()
        self.store.go_back()

    def drop(self) -> None:
        """Cut every connection."""
        while self._open:
            self._open.pop().close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            if self.faults.mute:
                self._open.append(connection)
            elif self.reachable:
                self._login(connection)
            else:
                connection.close()

    def _login(self, connection: socket.socket) -> None:
        transport = paramiko.Transport(connection)
        self._open.append(transport)
        transport.add_server_key(self.host_key)
        transport.set_subsystem_handler("sftp", paramiko.SFTPServer, Sftp, self)
        try:
            transport.start_server(server=Login(self), event=threading.Event())
        except (paramiko.SSHException, EOFError, OSError):
            transport.close()

    def answer(self, command: str) -> tuple[str, str, int] | None:
        """stdout, stderr and status of a command; None where the connection is cut."""
        self.commands.append(command)
        reply = self._do(command)
        faults = self.faults
        if is_on(faults.hang_on, command):
            self._over.wait()
        if is_on(faults.restart_on, command):
            self.restart()
        if is_on(faults.drop_on, command) or is_on(faults.restart_on, command):
            return None
        if is_on(faults.fail_on, command):
            return "", f"{command}: failed\n", 1
        return reply if self.reachable else None

    def _do(self, command: str) -> tuple[str, str, int]:
        if IDENTITY.fullmatch(command):
            return f"{self.hostname}\n{self.mac}\n", "", 0
        if command.startswith("mkdir -p -- "):
            return "", "", 0
        if match := MOVE.fullmatch(command):
            self.store.candidate[match[5]] = self.files.pop(match[3]).decode()
            return "", "", 0
        word, _, rest = command.partition(" ")
        if word == "toy":
            return self._toy(*rest.split())
        return "", f"bash: line 1: {word}: command not found\n", 127

    def _toy(self, verb: str, *words: str) -> tuple[str, str, int]:
        store = self.store
        if verb == "show":
            return json.dumps(store.running), "", 0
        if verb == "check":
            bad = [text for text in store.candidate.values() if "bogus" in text]
            return "", *(("line 1: % Unknown command: bogus\n", 2) if bad else ("", 0))
        if verb == "arm":
            store.pending = "since the test began"
            self._arm(float(words[0]))
        elif verb == "apply" and not store.pending:
            return "", "not armed\n", 1
        elif verb == "apply":
            store.running = {**store.running, **store.candidate}
        elif verb == "confirm" and not store.pending:
            return "", "too late\n", 1
        elif verb == "confirm":
            self._disarm()
            store.saved, store.pending = dict(store.running), ""
        elif verb == "undo":
            self._disarm()
            store.go_back()
        elif verb == "discard":
            store.candidate = {}
        return (f"{store.pending}\n" if verb == "pending" and store.pending else ""), "", 0

    def _arm(self, seconds: float) -> None:
        self._disarm()
        self._timer = threading.Timer(seconds, self.store.go_back)
        self._timer.start()

    def _disarm(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer.join()


def is_on(begin: str, command: str) -> bool:
    """Whether a fault slot names this command."""
    return bool(begin) and command.startswith(begin)


class Login(paramiko.ServerInterface):
    """Who may log in, and what a session may open."""

    def __init__(self, switch: FakeSwitch) -> None:
        self.switch = switch

    def get_allowed_auths(self, username: str) -> str:
        return "publickey"

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        known = username == "root" and key.get_base64() == self.switch.login
        if self.switch.faults.refuse_login or not known:
            return AUTH_FAILED
        self.switch.logins += 1
        return AUTH_SUCCESSFUL

    def check_channel_request(self, kind: str, chanid: int) -> int:
        return OPEN_SUCCEEDED

    def check_channel_pty_request(self, *_: object) -> bool:
        return True

    def check_channel_shell_request(self, channel: paramiko.Channel) -> bool:
        threading.Thread(target=shell, args=(self.switch, channel), daemon=True).start()
        return True

    def check_channel_exec_request(self, channel: paramiko.Channel, command: bytes) -> bool:
        words = (self.switch, channel, command.decode())
        threading.Thread(target=execute, args=words, daemon=True).start()
        return True


def shell(switch: FakeSwitch, channel: paramiko.Channel) -> None:
    """Greet, prompt, and after each line prompt again; `exit` ends it."""
    prompt = f"\r\nroot@{switch.hostname}:~# ".encode()
    try:
        channel.sendall(b"Linux 6.1.0 x86_64\r\n" + prompt)
        while line := channel.recv(4096):
            if line.strip() == b"exit":
                break
            channel.sendall(line.strip() + prompt)
        channel.close()
    except (OSError, EOFError):
        return


def execute(switch: FakeSwitch, channel: paramiko.Channel, command: str) -> None:
    """Run one command of an exec channel, once the client has ended its input.

    It does so when its request is granted: an answer (or an end) that overtakes the grant is one
    of this fake's threads, and no sshd's.
    """
    with contextlib.suppress(TimeoutError):
        channel.settimeout(GRANTED_S)
        while channel.recv(4096):
            pass
    channel.settimeout(None)
    reply = switch.answer(command)
    if reply is None:
        channel.get_transport().close()
        return
    try:
        channel.sendall(reply[0].encode())
        channel.sendall_stderr(reply[1].encode())
        channel.send_exit_status(reply[2])
        channel.close()
    except (OSError, EOFError):
        return


class Upload(io.BytesIO):
    """A file that lies on the switch once it is closed."""

    def __init__(self, files: dict[str, bytes], path: str) -> None:
        super().__init__()
        self.files, self.path = files, path

    def close(self) -> None:
        if not self.closed:
            self.files[self.path] = self.getvalue()
        super().close()


class Taken(paramiko.SFTPHandle):
    """A file that is being sent; who may read it is known before anything is in it, or open."""

    def __init__(self, flags: int, switch: FakeSwitch, path: str) -> None:
        super().__init__(flags)
        self.switch, self.path = switch, path
        self.writefile = Upload(switch.files, path)
        switch.modes[path] = 0o644

    def chattr(self, attr: paramiko.SFTPAttributes) -> int:
        if attr.st_mode is not None and not self.writefile.getvalue():
            self.switch.modes[self.path] = attr.st_mode & 0o777
        return SFTP_OK


class Sftp(paramiko.SFTPServerInterface):
    """Takes files; nothing else."""

    def __init__(self, server: Login, switch: FakeSwitch) -> None:
        super().__init__(server)
        self.switch = switch

    def open(self, path: str, flags: int, attr: paramiko.SFTPAttributes) -> paramiko.SFTPHandle:
        return Taken(flags, self.switch, path)
