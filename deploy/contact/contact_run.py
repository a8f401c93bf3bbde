"""Asks devices for their host keys, tries the site's login, and puts its key there.

Who is logged in to was checked before: by the known_hosts that it is given, and no other.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import paramiko

from deploy.switches.login_run import CONNECT_S, over, reach, trust, wanted_of, words
from deploy.switches.push_session import DeviceUnreachable
from deploy.transport.channel_run import drained, exit_status
from deploy.transport.ssh_run import SshTransport

from .keys import HostKey

_SCAN_S = 15  # of all places at once
_LIMIT_S = 60.0
_SCAN = ["ssh-keyscan", "-T", str(_SCAN_S), "-t", "ed25519,ecdsa,rsa"]
_SAID_CHARACTERS = 300
_SSH_SAYS_BYTES = 4096  # of a key that changed a page
_WRONG = "its host key is not the known one"
_REFUSED = "login refused"
_ROOT_LINE = b"railbed: root"
_IS_ROOT = 'if [ "$(id -u)" = 0 ] || sudo -n true; then echo "railbed: root"; fi\n'
_CHANGED = re.compile(r"IDENTIFICATION HAS CHANGED|Host key verification failed|No \S+ host key is")
_SENT = re.compile(r"key sent by the remote host is\s+(SHA256:[A-Za-z0-9+/]{43})")
# ssh-copy-id(1): appended once, whoever ends the file without a newline. sshd wants both to be
# the user's alone (sshd(8), StrictModes); SELinux has labels of its own for them.
_INSTALL = """\
set -eu
umask 077
cd
mkdir -p .ssh
touch .ssh/authorized_keys
read -r line
kind=${line%% *}; rest=${line#* }; text=${rest%% *}
if ! grep -qF -- "$kind $text" .ssh/authorized_keys; then
    [ -z "$(tail -c 1 .ssh/authorized_keys)" ] || echo >>.ssh/authorized_keys
    printf '%s\\n' "$line" >>.ssh/authorized_keys
fi
command -v restorecon >/dev/null 2>&1 && restorecon -F .ssh .ssh/authorized_keys || true
"""


_REMOTE = shlex.join(["sh", "-c", _INSTALL])


@dataclass(frozen=True, slots=True)
class Way:
    """What lets us in beside the known login: a private key, a password ("" for none)."""

    key_file: Path | None = None
    password: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Probe:
    """What one login met. `sent` is the fingerprint of a key that was not the known one."""

    login: bool
    root: bool = False
    wrong_key: bool = False
    refused: bool = False
    sent: str = ""
    error: str = ""


def scanned(addresses: Iterable[str], *, certified: bool) -> str:
    """What ssh-keyscan hears at addresses that are reached from here; "" where it cannot start."""
    with suppress(OSError, subprocess.TimeoutExpired):
        lines = list[str]()
        for kinds in ((), ("-c",)) if certified else ((),):
            done = subprocess.run(
                [*_SCAN, *kinds, "--", *addresses],
                capture_output=True,
                text=True,
                stdin=subprocess.DEVNULL,
                timeout=_LIMIT_S,
                check=False,
            )
            lines.append(done.stdout)
        return "".join(lines)
    return ""


def scanned_by(config: Path, jump: str, addresses: list[str], *, certified: bool) -> str:
    """The same, asked by the jump host of what it reaches, all in one trip."""
    places = " ".join(addresses)  # addresses of the plan, which no shell takes apart
    scans = [" ".join([*_SCAN, *kinds, "--", places]) for kinds in (["-c"], [])]
    chosen = scans if certified else scans[1:]
    script = "".join(f"{one} 2>/dev/null || true\n" for one in chosen)
    limit_s = _LIMIT_S + len(addresses)
    reply = SshTransport(config, remote="sh -s").run(jump, script, limit_s)
    return reply.stdout.decode("utf-8", "replace")


def probed(config: Path, device: str) -> Probe:
    """Log in with the site's key, to a shell, and ask whether that login may be root."""
    reply = SshTransport(config, "sh -s", _SSH_SAYS_BYTES).run(device, _IS_ROOT, _LIMIT_S)
    if reply.exit_status == 0:
        root = _ROOT_LINE in reply.stdout
        return Probe(login=True, root=root)
    sent = _SENT.search(reply.error)
    return Probe(
        login=False,
        wrong_key=bool(_CHANGED.search(reply.error)),
        refused="Permission denied" in reply.error,
        sent=sent[1] if sent else "",
        error=reply.error,
    )


def probed_command_line(config: Path, known_hosts: Path, device: str, way: Way) -> Probe:
    """Log in to a system without a shell; what that login may do there is not asked."""
    try:
        with opened(config, known_hosts, device, way):
            return Probe(login=True, root=True)
    except DeviceUnreachable as error:
        return _met(error)


def installed(config: Path, known_hosts: Path, device: str, way: Way, public_key: str) -> str:
    """Have a login take this key too, once; returns why it could not, "" where it does now."""
    try:
        with opened(config, known_hosts, device, way) as client:
            stdin, stdout, _ = client.exec_command(_REMOTE, timeout=_LIMIT_S)
            stdin.write(public_key.strip() + "\n")
            stdin.flush()
            stdin.channel.shutdown_write()
            deadline = time.monotonic() + _LIMIT_S
            out, said = drained(stdout.channel, deadline)
            status = exit_status(stdout.channel, deadline)
    except DeviceUnreachable as error:
        return str(error.message)
    except (OSError, EOFError, paramiko.SSHException) as error:
        return words(error)
    if status == 0:
        return ""
    text = " ".join((said or out).decode("utf-8", "replace").split())[:_SAID_CHARACTERS]
    return text or f"its shell ended with {status}"


@contextmanager
def opened(config: Path, known_hosts: Path, device: str, way: Way) -> Iterator[paramiko.SSHClient]:
    """A session of a device's login by key or password; DeviceUnreachable where there is none.

    The password is sent only once the device has proved that its key is the known one.
    """
    wanted = wanted_of(config, device)
    near, jump = reach(config, wanted)
    client = trust(
        paramiko.SSHClient(), known_hosts, wanted["hostname"], int(wanted.get("port", 22))
    )
    try:
        try:
            client.connect(
                wanted["hostname"],
                port=int(wanted.get("port", 22)),
                username=wanted.get("user", "root"),
                password=way.password or None,
                key_filename=str(way.key_file) if way.key_file else None,
                sock=near,
                timeout=CONNECT_S,
                banner_timeout=CONNECT_S,
                auth_timeout=CONNECT_S,
                allow_agent=False,
                look_for_keys=False,
                transport_factory=over,
            )
        except (OSError, EOFError, paramiko.SSHException) as error:
            raise _no_session(error) from None
        yield client
    finally:
        client.close()
        near.close()
        if jump:
            jump.close()


def _no_session(error: Exception) -> DeviceUnreachable:
    if isinstance(error, paramiko.BadHostKeyException):
        sent = HostKey(error.key.get_name(), error.key.get_base64()).fingerprint
        return DeviceUnreachable(f"{_WRONG}: it sent {sent}")
    if isinstance(error, paramiko.AuthenticationException):
        return DeviceUnreachable(_REFUSED)
    return DeviceUnreachable(words(error))


def _met(error: DeviceUnreachable) -> Probe:
    said = str(error.message)
    wrong = said.startswith(_WRONG)
    sent = said.rpartition(" ")[2] if wrong else ""
    return Probe(False, wrong_key=wrong, refused=said == _REFUSED, sent=sent, error=said)
