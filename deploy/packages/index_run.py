"""Runs the programs that write a repository's lists, on this machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from deploy.errors import RailbedError

_LIMIT_S = 600.0


def printed(package: str, folder: Path, *argv: str) -> str:
    """What a program of a Debian package prints, run in a folder; RailbedError where it fails."""
    try:
        done = subprocess.run(
            argv,
            cwd=folder,
            # The same bytes whatever the user's language is.
            env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8"},
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
    except FileNotFoundError:
        hint = f"apt-get install {package}"
        raise RailbedError(f"{argv[0]} is not installed", hint=hint) from None
    if done.returncode:
        raise RailbedError(f"{argv[0]}: {' '.join(done.stderr.split())}", exit_code=1)
    return done.stdout
