"""Where a site's, or one lab's, state lies: SSH files, record, evidence, reports, keys.

A lab's belongs to the checkout that built it. A real site's belongs to the people who run it: it
outlives checkouts and environments, so it lies beside the user's other state (XDG Base Directory
Specification 0.8, `XDG_STATE_HOME`), or in the folder that `RAILBED_STATE` names.
"""

from __future__ import annotations

import os
import re
from hashlib import sha256
from pathlib import Path

from .load import site_folder

STATE_VARIABLE = "RAILBED_STATE"
CLONE = Path(__file__).resolve().parents[1]
STATE_ROOT = CLONE / ".railbed"
_ORIGIN = re.compile(
    r"""^\s*\[remote\s+"origin"\]\s*$(?:\n(?!\s*\[).*)*?\n\s*url\s*=\s*(\S+)""", re.MULTILINE
)
# A URL's user and password say who fetched, not which repository it is.
_WHO = re.compile(r"(?<=://)[^/@]*@")


def is_lab(site: str) -> bool:
    """A site is a lab's when its folder holds the cables as built by hand."""
    return (site_folder(site) / "wiring.csv").is_file()


def state_dir(site: str, lab: str) -> Path:
    """The folder of a site, or of the lab called `lab` where the site is a lab's.

    Two folders of one name are two sites, whose keys and records never serve each other, unless
    both are the same folder of the same repository, by its remote `origin`.
    """
    if is_lab(site):
        return STATE_ROOT / "labs" / lab
    if named := os.environ.get(STATE_VARIABLE):
        return Path(named).absolute()
    folder = site_folder(site).resolve()
    return sites_root() / f"{folder.name}-{sha256(_same(folder)).hexdigest()[:8]}"


def sites_root() -> Path:
    """Where the states of real sites lie; XDG wants an absolute path and ignores another."""
    named = Path(os.environ.get("XDG_STATE_HOME", ""))
    root = named if named.is_absolute() else Path.home() / ".local" / "state"
    return root / "railbed"


def _same(folder: Path) -> bytes:
    """What two checkouts of one site have in common; its place where there is no such thing."""
    for parent in folder.parents:
        if (parent / ".git").exists():
            origin = "" if parent == CLONE else _origin(parent / ".git")
            return os.fsencode(f"{origin} {folder.relative_to(parent)}" if origin else folder)
    return os.fsencode(folder)


def _origin(git: Path) -> str:
    """The URL of a repository's remote `origin`; "" where it has none that can be read."""
    try:
        if git.is_file():  # a worktree, or a submodule (gitrepository-layout(5))
            named = git.parent / git.read_text().removeprefix("gitdir:").strip()
            common = named / "commondir"
            git = named / common.read_text().strip() if common.is_file() else named
        found = _ORIGIN.search((git / "config").read_text())
    except (OSError, UnicodeDecodeError):
        return ""
    return _WHO.sub("", found[1]).removesuffix("/").removesuffix(".git") if found else ""
