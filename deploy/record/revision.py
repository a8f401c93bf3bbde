"""Who made a file, and from which commit of the clone: words for people, believed by nobody."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

from deploy.servers.engine_run import ROOT


def author() -> str:
    """The user who typed the command: whom sudo(8) names, else the owner of the process."""
    try:
        return os.environ.get("SUDO_USER") or pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid {os.getuid()}"


def revision(root: Path = ROOT) -> str:
    """The commit of the clone as git has it (gitrepository-layout(5)); empty where there is none.

    What was changed since and not committed is not in it.
    """
    git = root / ".git"
    try:
        head = (git / "HEAD").read_text().strip()
        if not head.startswith("ref: "):
            return head
        name = head.removeprefix("ref: ")
        if (git / name).is_file():
            return (git / name).read_text().strip()
        packed = (line.split() for line in (git / "packed-refs").read_text().splitlines())
        return next((line[0] for line in packed if line[1:] == [name]), "")
    except OSError:
        return ""
