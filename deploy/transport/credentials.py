"""Credentials by reference: what a site names is read here, at the last moment.

A reference is `file:PATH` (relative to the state folder) or `env:NAME`. The value never
enters the plan, a log, the record, an argument list or an error message.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from deploy.errors import RailbedError
from inventory.plan import Plan

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read(plan: Plan, state_dir: Path, name: str) -> str:
    """Read credential `name`, without its end of line; RailbedError names the reference."""
    kind, rest = _reference(plan, name)
    if kind == "env":
        return _from_environment(name, rest)
    path = _private_file(name, state_dir / rest, f"file:{rest}")
    try:
        return path.read_text(encoding="utf-8").removesuffix("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise _unusable(name, f"file:{rest}", f"cannot be read ({type(error).__name__})") from None


def key_file(plan: Plan, state_dir: Path, name: str = "ssh_key") -> Path:
    """Find the private key that other programs (ssh, netmiko) read themselves."""
    kind, rest = _reference(plan, name)
    if kind != "file":
        raise _unusable(name, f"{kind}:{rest}", "must be a file: ssh reads the key itself")
    return _private_file(name, (state_dir / rest).absolute(), f"file:{rest}")


def _reference(plan: Plan, name: str) -> tuple[str, str]:
    reference = dict(plan.credentials).get(name)
    if reference is None:
        raise RailbedError(
            f"site {plan.site} names no credential '{name}'",
            hint=f"add `{name}: file:PATH` under credentials in fabric.yml",
        )
    kind, _, rest = reference.partition(":")
    if kind not in ("file", "env") or not rest:
        # What stands here may be the secret itself, so it is not repeated.
        raise _unusable(name, "its reference", "is neither file:PATH nor env:NAME")
    return kind, rest


def _from_environment(name: str, variable: str) -> str:
    value = os.environ.get(variable, "")
    if not value:
        raise _unusable(name, f"env:{variable}", "is not set, or empty")
    return value


def _private_file(name: str, path: Path, reference: str) -> Path:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise _unusable(name, reference, f"cannot be read ({error.strerror}: {path})") from None
    if not stat.S_ISREG(mode):
        raise _unusable(name, reference, f"is not a plain file ({path})")
    if mode & _OTHERS:
        raise _unusable(name, reference, f"is open to others, chmod 600 {path}")
    return path


def _unusable(name: str, reference: str, why: str) -> RailbedError:
    return RailbedError(
        f"credential '{name}': {reference} {why}",
        hint="credentials are references in fabric.yml; the value lies outside the site",
    )
