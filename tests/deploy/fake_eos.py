"""The lab's model of EOS's command line behind real SSH on loopback, without what is under it.

The model (`deploy/lab/models/eos`) is a stand-in itself: it imports nothing of ours, and says where
what it says comes from. Here it forwards nothing, and goes wrong as it is told. There is no shell,
no exec channel and no SFTP: only a terminal.
"""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from typing import Self

import paramiko
from paramiko.common import AUTH_FAILED, AUTH_SUCCESSFUL, OPEN_SUCCEEDED

from deploy.lab.models import terminal as terminals
from deploy.lab.models.box import Box
from deploy.lab.models.eos import terminal as models
from deploy.lab.models.eos.box import EosBox, Session, stored

__all__ = ["FakeEos", "Served", "Session", "Terminal", "stored"]


class Served(Box):
    """A model that listens; `with FakeEos(...) as switch: switch.port`."""

    def __init__(self, startup: str, mac: str, host_key: paramiko.PKey, login: str) -> None:
        super().__init__(startup, mac)
        self.host_key, self.login = host_key, login
        self.password = ""
        self.logins = 0
        self._open: list[paramiko.Transport | socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._disarm()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        self.drop()

    def terminal(self, channel: paramiko.Channel) -> terminals.Terminal:
        raise NotImplementedError

    def knows(self, user: str) -> bool:
        """A local user, or nobody: no AAA server answers here."""
        return bool(re.search(rf"(?m)^username {re.escape(user)} ", self.store.running))

    def drop(self) -> None:
        while self._open:
            self._open.pop().close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            if not self.reachable:
                connection.close()
                continue
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            transport = paramiko.Transport(connection)
            self._open.append(transport)
            transport.add_server_key(self.host_key)
            try:
                transport.start_server(server=Login(self), event=threading.Event())
            except (paramiko.SSHException, EOFError, OSError):
                transport.close()


class OverSsh(terminals.Terminal):
    """A terminal that is a channel of SSH."""

    def __init__(self, switch: Box, channel: paramiko.Channel) -> None:
        super().__init__(switch, channel)
        self.transport = channel.get_transport()

    def cut(self) -> None:
        self.transport.close()


class Terminal(OverSsh, models.EosTerminal):
    """One terminal of one login."""


class FakeEos(Served, EosBox):
    """A switch of EOS."""

    @property
    def reachable(self) -> bool:
        port = re.search(r"(?ms)^interface Management1$(.*?)^\S", self.store.running + "\n!")
        return bool(port and " ip address " in port[1] and "shutdown" not in port[1])

    def terminal(self, channel: paramiko.Channel) -> Terminal:
        return Terminal(self, channel)


class Login(paramiko.ServerInterface):
    """Who may log in: to a terminal, and to what the switch takes without one."""

    def __init__(self, switch: Served) -> None:
        self.switch = switch

    def get_allowed_auths(self, username: str) -> str:
        return "publickey,password"

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        return self._as(username, bool(self.switch.login) and key.get_base64() == self.switch.login)

    def check_auth_password(self, username: str, password: str) -> int:
        return self._as(username, bool(self.switch.password) and password == self.switch.password)

    def _as(self, username: str, proved: bool) -> int:
        if self.switch.faults.refuse_login or not proved or not self.switch.knows(username):
            return AUTH_FAILED
        self.switch.logins += 1
        return AUTH_SUCCESSFUL

    def check_channel_request(self, kind: str, chanid: int) -> int:
        return OPEN_SUCCEEDED

    def check_channel_pty_request(self, *_: object) -> bool:
        return True

    def check_channel_shell_request(self, channel: paramiko.Channel) -> bool:
        threading.Thread(target=self.switch.terminal(channel).run, daemon=True).start()
        return True

    def check_channel_exec_request(self, channel: paramiko.Channel, command: bytes) -> bool:
        if not self.switch.takes(command.decode()):
            return False
        threading.Thread(target=self._attend, args=(channel, command.decode()), daemon=True).start()
        return True

    def _attend(self, channel: paramiko.Channel, command: str) -> None:
        with contextlib.closing(channel):
            self.switch.attend(command, channel)
