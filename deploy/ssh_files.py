"""Writes the rendered ssh_config and known_hosts where every tool reads them.

Only text from `inventory` is written; who may be trusted comes from the first-contact
list `hostkeys.json`, never from the network.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path

from inventory import ssh_config as texts
from inventory.plan import Plan

from . import credentials
from .errors import RailbedError


@dataclass(frozen=True, slots=True)
class SshFiles:
    """Where the two files lie; absolute paths."""

    config: Path
    known_hosts: Path


def write_ssh_files(plan: Plan, state_dir: Path, access: IPv4Address) -> SshFiles:
    """Render both files below `state_dir`/ssh (mode 600); RailbedError if a source is bad.

    `access` is where the jump host answers from here.
    """
    state = state_dir.absolute()
    files = SshFiles(state / "ssh" / "config", state / "ssh" / "known_hosts")
    key = credentials.key_file(plan, state)
    _write(files.config, texts.ssh_config(plan, str(state), access, key))
    _write(files.known_hosts, texts.known_hosts(plan, _host_keys(state), access))
    return files


def _host_keys(state: Path) -> dict[str, str]:
    path = state / "hostkeys.json"
    hint = "`railbed lab up` writes it for a lab; elsewhere it is the list of first contact"
    if not path.exists():
        raise RailbedError(f"no host keys: {path} is missing", hint=hint)
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RailbedError(
            f"{path} cannot be read ({type(error).__name__})", hint=hint
        ) from None
    if not isinstance(value, dict):
        raise RailbedError(f"{path} is not a JSON object", hint=hint)
    return {str(name): str(one) for name, one in value.items()}


def _write(path: Path, text: str) -> None:
    """Replace at once, so that another process never reads half; same text, no change."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(name, path)
