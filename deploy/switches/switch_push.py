"""Pushes configuration to switches over SSH. The only user of netmiko.

netmiko logs in (address, user and jump from the rendered ssh_config, host keys strict,
one key file) and reads the prompt. Where a shell answers, commands then run on exec channels of
the same SSH connection and files go by its SFTP: a terminal would fold line ends into the running
configuration, hide exit statuses, and hang up a running apply when the session is cut. Where the
system's own command line answers (`switch_configs.intent.Cli`), `cli_session` types.
"""

from __future__ import annotations

import contextlib
import io
import logging
import shlex
import socket
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from threading import Event
from typing import Any

import netmiko
import paramiko
from netmiko.scp_handler import SCPConn

from deploy.context import Context
from deploy.transport import credentials
from deploy.transport.channel_run import drained, exit_status
from switch_configs import cli, dialect
from switch_configs.intent import Cli, ConfigFile
from switch_configs.shown.said import said

from .cli_session import CliSession
from .login_run import (
    BY_KEY_ALONE,
    CONNECT_S,
    LOGINS,
    Jump,
    Login,
    Wire,
    make_privileged,
    over,
    reach,
    trust,
    unreachable,
    wanted_of,
    words,
)
from .push_device import Drain
from .push_flow import Push
from .push_result import PushResult
from .push_secrets import read_secrets
from .push_session import (
    DeviceUnreachable,
    FabricProof,
    Pace,
    PushStopped,
    Reply,
    Session,
    Snapshot,
    SyntaxProof,
    unasked,
    unkept,
)

LOG = logging.getLogger(__name__)
PACE = Pace()

_LOOK_S = 0.1
_MORE_S = 0.01
_NO_SUDO = (
    "let it, in /etc/sudoers.d of the switch (README of its system), or name another login in "
    "`switch_services.logins`"
)

# Their worker threads print tracebacks of every cut connection; what matters is raised.
for _name in ("paramiko", "netmiko"):
    logging.getLogger(_name).setLevel(logging.CRITICAL + 1)


def push(
    context: Context,
    switch_name: str,
    dry_run: bool,
    *,
    prove: SyntaxProof,
    pace: Pace = PACE,
    works: FabricProof = unasked,
    drain: Drain | None = None,
    snapshot: Snapshot = unkept,
) -> PushResult:
    """Bring one switch to its plan, or leave it as it was.

    The caller holds the lock. `prove` says what is wrong with a rendered configuration,
    offline; nothing is confirmed while `works` names anything, and `drain` comes before it;
    `snapshot` keeps what runs before it is changed. Device trouble is a result; for our own input
    are RailbedError (a credential) and DialectError (what its system cannot print).
    """
    return push_of(context, switch_name, dry_run, prove, pace, works, drain, snapshot).run()


def push_of(
    context: Context,
    name: str,
    dry_run: bool,
    prove: SyntaxProof,
    pace: Pace,
    works: FabricProof,
    drain: Drain | None = None,
    snapshot: Snapshot = unkept,
) -> Push:
    """The push that `push` does, not begun; raises what is our own input's."""
    plan = context.plan
    tongue = dialect(plan.any_switch[name].dialect)
    spoken = cli(tongue.name)
    key = credentials.key_file(plan, context.state_dir)
    login = Login.read(context) if spoken else BY_KEY_ALONE
    new = context.render(name)
    return Push(
        context=context,
        switch=name,
        dialect=tongue,
        new=new,
        prove=prove,
        connect=lambda: connect(name, tongue.platform, context, key, spoken, login),
        dry_run=dry_run,
        pace=pace,
        secrets=read_secrets(plan, context.state_dir, [new]),
        cli=spoken,
        works=works,
        drain=drain,
        snapshot=snapshot,
    )


def connect(
    device: str,
    platform: str,
    context: Context,
    key: Path,
    spoken: Cli | None = None,
    login: Login = BY_KEY_ALONE,
) -> Session:
    """Make a new session, from TCP and login up; DeviceUnreachable if that fails.

    `spoken` is of a system without a shell: the session then is at its privileged prompt.
    """
    wanted = wanted_of(context.ssh_config, device)
    began = time.monotonic()
    near, jump = reach(context.ssh_config, wanted)
    hang_up = jump.close if jump else near.close
    try:
        with LOGINS:
            connection = _logged_in(near, platform, wanted, context, key, login)
            if spoken:
                make_privileged(connection)
    except DeviceUnreachable:
        hang_up()
        raise
    except Exception as error:  # noqa: BLE001 - netmiko's own, paramiko's, the OS's errors
        LOG.warning("%s: no session: %s", device, type(error.__context__ or error).__name__)
        raise unreachable(error, hang_up() or "") from None
    if spoken:
        carry = partial(_carry, connection, context, wanted)
        return CliSession(connection, spoken, hang_up, carry)
    LOG.debug("%s: session opened in %.2f s", device, time.monotonic() - began)
    made = NetmikoSession(connection, jump, sudo=wanted.get("user", "root") != "root")
    try:
        made.require_root()
    except DeviceUnreachable:
        made.close()
        raise
    return made


def _logged_in(
    near: socket.socket,
    platform: str,
    wanted: paramiko.SSHConfigDict,
    context: Context,
    key: Path,
    login: Login,
) -> Waiting:
    """Netmiko's connection at its first prompt; raises what it raises."""
    driver = netmiko.ssh_dispatcher(platform)
    known = {"known_hosts": context.known_hosts}
    waiting: Any = type(driver.__name__, (Waiting, driver), known)
    made: Waiting = waiting(
        device_type=platform,
        host=wanted["hostname"],
        port=int(wanted.get("port", 22)),
        username=wanted.get("user", "root"),
        password=login.password or None,
        secret=login.enable,
        sock=Wire(near),
        # `use_keys` would offer every key of the user's own ~/.ssh as well.
        use_keys=False,
        key_file=str(key),
        allow_agent=False,
        ssh_strict=True,
        conn_timeout=CONNECT_S,
        banner_timeout=CONNECT_S,
        auth_timeout=CONNECT_S,
        session_log=None,
    )
    return made


class Waiting(netmiko.BaseConnection):
    """A connection of netmiko's that sleeps until something comes.

    Netmiko looks a hundred times a second: beside many others, that was most of the work.
    """

    known_hosts: Path
    _came: Event
    _shell: Any
    _is_reading = False

    def establish_connection(self, width: int = 511, height: int = 1000) -> None:
        """As netmiko's; what comes is then told by paramiko (`BufferedPipe.set_event`)."""
        super().establish_connection(width, height)
        self._came, self._shell = Event(), self.remote_conn
        self._shell.in_buffer.set_event(self._came)

    def _connect_params_dict(self) -> dict[str, Any]:
        """As netmiko's, over what costs less."""
        return {**super()._connect_params_dict(), "transport_factory": over}

    def _build_ssh_client(self) -> paramiko.SSHClient:
        """As netmiko's, which knows the keys of this switch."""
        return trust(super()._build_ssh_client(), self.known_hosts, self.host, self.port)

    def wait(self, timeout_s: float) -> None:
        """Until there is something to read and most of the rest has come, or so long."""
        if self._came.wait(timeout_s):
            # Once it has ended, its event stays set.
            time.sleep(_MORE_S if self._shell.recv_ready() else min(timeout_s, _LOOK_S))

    def read_until_pattern(self, *args: Any, **kwargs: Any) -> str:
        """As netmiko's, which reads again and again."""
        self._is_reading = True
        try:
            return super().read_until_pattern(*args, **kwargs)
        finally:
            self._is_reading = False

    def read_channel(self) -> str:
        """What came; while netmiko waits for a pattern, not before something did."""
        if self._is_reading and not self._read_buffer:
            self.wait(_LOOK_S)
        return super().read_channel()

    def strip_ansi_escape_codes(self, string_buffer: str) -> str:
        """As netmiko's thirty patterns, each of which begins with an escape."""
        is_escaped = "\x1b" in string_buffer
        return super().strip_ansi_escape_codes(string_buffer) if is_escaped else string_buffer


def _carry(
    connection: netmiko.BaseConnection,
    context: Context,
    wanted: paramiko.SSHConfigDict,
    file: ConfigFile,
) -> None:
    """Put a file there by SCP, over a connection of its own; PushStopped if that fails."""
    jump = Jump.start(context.ssh_config, wanted) if wanted.get("proxyjump") else None
    connection.sock = jump.near if jump else None
    try:
        with LOGINS:  # one more of the same account
            wire = SCPConn(connection, socket_timeout=CONNECT_S)
        try:
            wire.scp_client.putfo(io.BytesIO(file.text.encode()), file.path, mode="0600")
        finally:
            wire.close()
    except Exception as error:  # noqa: BLE001 - netmiko's own, paramiko's, scp's, the OS's errors
        why = said(str(error), file.path) or type(error).__name__
        raise PushStopped(
            f"{file.path} was not sent by SCP: {why}",
            hint="is SCP served there, as the README of its system says, and is there room?",
        ) from None
    finally:
        if jump:
            jump.close()


@dataclass
class NetmikoSession:
    """A `push_flow.Session` over one netmiko connection.

    `sudo`: the login is not root's, so commands and files go through `sudo -n`, which never asks.
    """

    connection: netmiko.BaseConnection
    jump: Jump | None
    sudo: bool = False
    _sftp: paramiko.SFTPClient | None = field(default=None, init=False)

    def run(self, command: str, timeout_s: float) -> Reply:
        """Run one shell command to its end; too slow or cut is DeviceUnreachable."""
        return self._run(as_root(command) if self.sudo else command, timeout_s)

    def require_root(self) -> None:
        """DeviceUnreachable where the login may not do all without a password."""
        if self.sudo and self.run("true", CONNECT_S).exit_status:
            raise DeviceUnreachable("its login may not use sudo without a password", hint=_NO_SUDO)

    def _run(self, command: str, timeout_s: float, given: bytes = b"") -> Reply:
        deadline = time.monotonic() + timeout_s
        try:
            channel = self._transport().open_session(timeout=CONNECT_S)
            with channel:
                channel.exec_command(command)
                channel.settimeout(timeout_s)
                channel.sendall(given)
                channel.shutdown_write()
                out, err = drained(channel, deadline)
                status = exit_status(channel, deadline)
        except TimeoutError:
            raise DeviceUnreachable(f"no answer within {timeout_s:.0f} s") from None
        except (OSError, EOFError, paramiko.SSHException) as error:
            raise DeviceUnreachable(f"the session was lost ({words(error)})") from None
        if status < 0:
            raise DeviceUnreachable("the session was lost before the command ended")
        return Reply(out.decode(errors="replace"), err.decode(errors="replace"), status)

    def send(self, file: ConfigFile, timeout_s: float) -> Reply:  # noqa: ARG002
        """Put a file in place under another name first, then move it with owner and mode."""
        path, part = shlex.quote(file.path), f"{file.path}.part"
        self._must(f"mkdir -p -- {shlex.quote(str(PurePosixPath(file.path).parent))}")
        put = self._piped if self.sudo else self._uploaded
        if why := put(part, file.text.encode()):
            raise DeviceUnreachable(f"{file.path} was not sent ({why})")
        quoted = shlex.quote(part)
        owner = shlex.quote(f"{file.owner}:{file.group}")
        self._must(f"chown {owner} {quoted} && chmod {file.mode} {quoted} && mv -f {quoted} {path}")
        return Reply("", "", 0)

    def close(self) -> None:
        """Log out; never raises."""
        with contextlib.suppress(Exception):
            self.connection.disconnect()
        if self.jump:
            self.jump.close()

    def _must(self, command: str) -> None:
        reply = self.run(command, CONNECT_S)
        if reply.exit_status:
            raise DeviceUnreachable(f"`{command}` failed: {said(reply.stderr.strip(), command)}")

    def _uploaded(self, part: str, text: bytes) -> str:
        """By SFTP; says why it did not work."""
        try:
            with self._files().open(part, "w") as remote:
                remote.chmod(0o600)  # before there is anything to read in it
                remote.write(text)
        except (OSError, EOFError, paramiko.SSHException) as error:
            return words(error)
        return ""

    def _piped(self, part: str, text: bytes) -> str:
        """By standard input: SFTP would write as the login, who may not write there."""
        line = f"umask 077 && rm -f {shlex.quote(part)} && cat > {shlex.quote(part)}"
        reply = self._run(as_root(line), CONNECT_S, text)
        if not reply.exit_status:
            return ""
        return said(reply.stderr.strip(), line) or f"exit status {reply.exit_status}"

    def _transport(self) -> paramiko.Transport:
        client = self.connection.remote_conn_pre
        transport = client.get_transport() if client else None
        if transport is None:
            raise EOFError("not connected")
        return transport

    def _files(self) -> paramiko.SFTPClient:
        if self._sftp is None:
            self._sftp = paramiko.SFTPClient.from_transport(self._transport())
        if self._sftp is None:
            raise EOFError("no SFTP on this device")
        return self._sftp


def as_root(command: str) -> str:
    """The command for a login that may use sudo without a password; it fails where one is asked."""
    return f"sudo -n -- sh -c {shlex.quote(command)}"
