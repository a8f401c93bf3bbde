"""Puts the units of a nightly look where systemd finds them, and takes them away again."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from deploy.errors import RailbedError
from deploy.files import write_atomically
from deploy.session import Selection, open_plan
from inventory import site_folder
from inventory.state import CLONE

from .schedule import MARK, Nightly, units, unset

SYSTEM = Path("/etc/systemd/system")
_LINGERS = Path("/var/lib/systemd/linger")
_TIMEOUT_S = 60
_SITE = re.compile(r'(?m)^Environment="RAILBED_SITE=(.*)"$')


@dataclass(frozen=True, slots=True)
class Scheduled:
    """The units by path, what happens with each, and what is to be known of them."""

    texts: Mapping[Path, str]
    done: Mapping[Path, str]
    notes: tuple[str, ...]
    written: bool


def schedule(
    selection: Selection, at: str, on_failure: str, *, write: bool, remove: bool
) -> Scheduled:
    """Say, or do where `write`, what brings the timer there or takes it away. RailbedError."""
    if selection.is_lab:
        raise RailbedError(f"{selection.site} is a lab's: nobody looks at it at night", "--site")
    plan, uid = open_plan(selection), os.geteuid()
    own, user = uid != 0, _name_of(uid)
    asked = Nightly(
        plan.site, site_folder(selection.site).resolve(), selection.state_dir, _program(), at,
        "" if own else user, on_failure,
    )  # fmt: skip
    folder = _own_units() if own else SYSTEM
    texts = {folder / name: text for name, text in units(asked).items()}
    held = {path: _held(path) for path in texts}
    goes = {path: None if remove else text for path, text in texts.items()}
    done = {path: _word(held[path], goes[path]) for path in texts}
    manager = ("systemctl", "--user") if own else ("systemctl",)
    if write:
        _do(manager, f"{asked.name}.timer", held, goes)
    notes = _others(held.values(), asked) + (() if remove else unset(plan.credentials))
    if own and not remove and not (_LINGERS / user).exists():
        notes += (f"`loginctl enable-linger {user}`: else none of your timers runs without you",)
    return Scheduled({} if remove else texts, done, notes, write)


def _others(held: Iterable[str | None], asked: Nightly) -> tuple[str, ...]:
    """Two folders of one name are two sites, whose units have one name."""
    found = (_SITE.search(text) for text in held if text)
    folders = {one[1].replace("%%", "%") for one in found if one} - {str(asked.folder)}
    return tuple(
        f"what is there now looks at {one}, another site of this name, or this one before it moved"
        for one in sorted(folders)
    )


def _name_of(uid: int) -> str:
    """Whose units they are. $USER and $LOGNAME keep another's name behind `su`."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        raise RailbedError(f"user {uid} has no name here", "as a user of this machine") from None


def _word(held: str | None, goes: str | None) -> str:
    if held == goes:
        return "is as asked for" if goes else "is not there"
    if goes is None:
        return "goes"
    return "is changed" if held else "is new"


def _program() -> Path:
    """The launcher of this clone, or what stands beside this Python."""
    launcher = CLONE / "railbed"
    return launcher if launcher.is_file() else Path(sys.executable).parent / "railbed"


def _own_units() -> Path:
    """Where the manager of a user looks first (systemd.unit(5), unit search path)."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "systemd/user"


def _held(path: Path) -> str | None:
    """What stands there; RailbedError for a unit of somebody else's."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise RailbedError(f"{path} cannot be read: {error}") from None
    if not text.startswith(MARK):
        raise RailbedError(f"{path} is not railbed's: somebody else wrote it", "move it away")
    return text


def _do(
    manager: tuple[str, ...],
    timer: str,
    held: Mapping[Path, str | None],
    goes: Mapping[Path, str | None],
) -> None:
    """Files first, and then what systemd is told; nothing where all is as asked for."""
    if not shutil.which(manager[0]):
        raise RailbedError("no systemd here", "without --write it is said which units are meant")
    removes = None in goes.values()
    if removes and any(text for path, text in held.items() if path.name == timer):
        _tell(*manager, "disable", "--now", timer)
    differs = dict(held) != dict(goes)
    for path, text in goes.items():
        try:
            if text is None:
                path.unlink(missing_ok=True)
            elif text != held[path]:
                write_atomically(path, text, 0o644)
        except OSError as error:
            raise RailbedError(f"{path} cannot be written: {error.strerror or error}") from None
    if differs:
        _tell(*manager, "daemon-reload")
    if not removes:
        _tell(*manager, "enable", timer)
        _tell(*manager, "restart" if differs else "start", timer)


def _tell(*command: str) -> None:
    said = " ".join(command)
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RailbedError(f"`{said}`: {error}", "the units are there: say it by hand") from None
    if done.returncode:
        why = " ".join(done.stderr.split()) or f"exit status {done.returncode}"
        raise RailbedError(f"`{said}`: {why}", "the units are there: say it by hand")
