"""SSH keys: one pair for the controller, one host key for each machine."""

from __future__ import annotations

import json
from pathlib import Path

from .command import run
from .paths import LabPaths

_HOST_KEY = Path("etc/ssh/ssh_host_ed25519_key")


def controller_key(state: Path) -> str:
    """The public half of `id_ed25519` in the state folder, made if it is not there."""
    private = state / "id_ed25519"
    if not private.exists():
        _generate(private, "railbed")
    return private.with_suffix(".pub").read_text()


def host_keys(paths: LabPaths, machines: tuple[str, ...]) -> None:
    """Give each machine a new host key, and list the public halves in `hostkeys.json`.

    The list is written before anything is reached over the network: it is first contact.
    """
    listed = {machine: _host_key(paths.upper(machine), machine) for machine in machines}
    (paths.state / "hostkeys.json").write_text(json.dumps(listed, indent=1, sort_keys=True) + "\n")


def _host_key(upper: Path, machine: str) -> str:
    private = upper / _HOST_KEY
    private.parent.mkdir(parents=True, exist_ok=True)
    _generate(private, machine)
    kind, key, _ = private.with_suffix(".pub").read_text().split(maxsplit=2)
    return f"{kind} {key}"


def _generate(private: Path, comment: str) -> None:
    run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(private)])
