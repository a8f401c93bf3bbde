"""Which labs a guarded run brought up, so that they can be removed when it is cut off.

The run's token is in the environment of all that it starts; `take_lab` writes it beside the
lab before anything of the lab exists. Inside one another, runs are a path of tokens.
"""

from __future__ import annotations

import os
import secrets
import sys
from contextlib import suppress

from deploy.errors import RailbedError
from deploy.lab import locks
from deploy.lab.paths import NAME, RUNTIME, LabPaths
from deploy.record.owner import Owner, alive, this_process

from . import leftovers

VARIABLE = "RAILBED_GUARD"


def new_token() -> str:
    """A token for a run of this process: who it is, and a random part."""
    me = this_process()
    return f"{me.pid}.{me.start_ticks}.{me.boot_id}.{secrets.token_hex(4)}"


def take(token: str) -> None:
    """From now on, labs that this process or one below it brings up are the run's."""
    outer = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = f"{outer}/{token}" if outer else token


def take_lab(paths: LabPaths) -> None:
    """Note, before a lab is built, whose it is; nobody's without a guard."""
    if path := os.environ.get(VARIABLE):
        RUNTIME.mkdir(parents=True, exist_ok=True)
        paths.owner.write_text(path)


def take_over(paths: LabPaths) -> None:
    """A lab that stands, of a run that was killed, is now of who asks for it, or nobody's."""
    if paths.owner.exists() and not _is_alive(paths.owner.read_text().split("/")[-1]):
        paths.owner.unlink()
        take_lab(paths)


def remove(token: str) -> tuple[str, ...]:
    """Remove the labs that the run brought up, whatever they are doing. Returns their names."""
    return _remove([name for name, path in _owned() if token in path])


def remove_orphans() -> tuple[str, ...]:
    """Remove labs of runs that were killed with all their guards."""
    if sys.platform != "linux" or os.geteuid():
        return ()
    return _remove([name for name, path in _owned() if not _is_alive(path[-1])])


def release(token: str) -> None:
    """Leave the run's labs up: they are the outer run's, or nobody's."""
    for name, path in _owned():
        if token in path:
            outer = path[: path.index(token)]
            owner = LabPaths(name).owner
            owner.write_text("/".join(outer)) if outer else owner.unlink(missing_ok=True)


def _owned() -> list[tuple[str, list[str]]]:
    """Each lab that a guarded run brought up, with the path of its tokens."""
    found = []
    for file in sorted(RUNTIME.glob("*.owner")):
        with suppress(FileNotFoundError):
            if NAME.fullmatch(file.stem) and (text := file.read_text()):
                found.append((file.stem, text.split("/")))
    return found


def _remove(names: list[str]) -> tuple[str, ...]:
    removed = []
    for name in names:
        try:
            with locks.held(LabPaths(name).lock, lambda: None):
                leftovers.remove(name)
            removed.append(name)
        except (RailbedError, OSError) as error:
            sys.stderr.write(f"railbed: lab {name} was not removed: {error}\n")
    return tuple(removed)


def _is_alive(token: str) -> bool:
    """Whether a run goes on; of a token that no run wrote nobody knows, and its lab is left."""
    try:
        pid, ticks, boot, _ = token.split(".")
    except ValueError:
        return True
    return alive(Owner(os.uname().nodename, boot, int(pid), int(ticks), ""))
