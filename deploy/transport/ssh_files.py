"""Writes the rendered ssh_config and known_hosts where every tool reads them.

Only text from `inventory` is written; who may be trusted comes from the first-contact
list `hostkeys.json`, never from the network.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path

from deploy.errors import RailbedError
from deploy.files import write_atomically
from inventory.load.json_text import parsed
from inventory.oob.ssh_config import known_hosts, ssh_config
from inventory.plan import Plan
from validation.evidence.whole_files import private_folder

from . import credentials

HOST_KEYS = "hostkeys.json"
_HINT = "`railbed lab up` writes it for a lab, elsewhere `railbed enroll` does"


@dataclass(frozen=True, slots=True)
class SshFiles:
    """Where the two files lie, as absolute paths, and where the jump host answers."""

    config: Path
    known_hosts: Path
    access: IPv4Address


def prepare(plan: Plan, state_dir: Path) -> SshFiles:
    """Render both files below `state_dir`/ssh (mode 600); RailbedError if a source is bad.

    A lab's `access.json` may name another address of the jump host than the site does.
    """
    state = state_dir.absolute()
    private_folder(state)
    files = SshFiles(state / "ssh" / "config", state / "ssh" / "known_hosts", access(plan, state))
    key = credentials.key_file(plan, state)
    host_keys = _object(state / HOST_KEYS)
    sockets = str(_control_dir(state))
    _write(files.config, ssh_config(plan, str(state), files.access, key, sockets))
    _write(files.known_hosts, known_hosts(plan, host_keys, files.access))
    return files


def _control_dir(state: Path) -> Path:
    """Make the folder of shared connections: ours alone, and short (unix(7): 108 bytes)."""
    user = os.geteuid()
    base = Path("/run/railbed") if user == 0 else Path(tempfile.gettempdir())
    name = hashlib.sha256(f"{user}:{state}".encode()).hexdigest()[:16]
    folder = base / f"ssh-{name}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.lstat()
    if status.st_uid != user or stat.S_IMODE(status.st_mode) != 0o700:
        raise RailbedError(f"{folder} is not ours alone", hint="remove it")
    return folder


def access(plan: Plan, state: Path) -> IPv4Address:
    """Where the jump host answers from here; RailbedError where a lab's file is bad."""
    path = state / "access.json"
    if not path.exists():
        return plan.oob.access
    try:
        return IPv4Address(_object(path)["address"])
    except (KeyError, ValueError):
        raise RailbedError(f'{path} has no IPv4 "address"', hint=_HINT) from None


def first_contact(state: Path) -> dict[str, str]:
    """The list of host keys, by device; none where it is not there yet. RailbedError."""
    return _object(state / HOST_KEYS) if (state / HOST_KEYS).exists() else {}


def _object(path: Path) -> dict[str, str]:
    try:
        value = parsed(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RailbedError(f"{path} is missing", hint=_HINT) from None
    except (OSError, ValueError) as error:
        why = type(error).__name__
        raise RailbedError(f"{path} cannot be read ({why})", hint=_HINT) from None
    if not isinstance(value, dict):
        raise RailbedError(f"{path} is not a JSON object", hint=_HINT)
    return {str(name): str(one) for name, one in value.items()}


def _write(path: Path, text: str) -> None:
    """Leave the file alone when it holds this text: a second run touches nothing."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        write_atomically(path, text, mode=0o600)
