"""Where a site's, or one lab's, state lies: SSH files, record, evidence, reports, keys.

A lab's belongs to the checkout that built it. A real site's belongs to the people who run it: it
outlives checkouts and environments, so it lies beside the user's other state (XDG Base Directory
Specification 0.8, `XDG_STATE_HOME`), or in the folder that `RAILBED_STATE` names.
"""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from .load.files import label, yaml_mapping
from .load.site import site_folder
from .problems import InventoryError, Problem

STATE_VARIABLE = "RAILBED_STATE"
CLONE = Path(__file__).resolve().parents[1]
STATE_ROOT = CLONE / ".railbed"
RECORD = "record.sqlite"
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
    both are the same folder of the same repository, by its remote `origin`. InventoryError where
    the folder that RAILBED_STATE names holds the runs of another site.
    """
    if is_lab(site):
        return STATE_ROOT / "labs" / lab
    if named := os.environ.get(STATE_VARIABLE):
        return named_state(site, Path(named).absolute())
    folder = site_folder(site).resolve()
    return sites_root() / f"{folder.name}-{sha256(_same(folder)).hexdigest()[:8]}"


def named_state(site: str, state: Path) -> Path:
    """The state folder that somebody named for a site; InventoryError where it is another's.

    Another site's keys, host keys and evidence would be taken for this one's wherever two
    devices have one name.
    """
    name, path = _name(site), state / RECORD
    if name and (others := sorted(_sites_of(path) - {name})):
        found = f"runs of the site `{others[0]}`"
        expected = f"those of `{name}`, or none"
        hint = f"{STATE_VARIABLE} names this folder: unset it, or name one that is `{name}`'s alone"
        raise InventoryError([Problem(label(path), 1, 1, "", found, expected, hint)])
    return state


def _name(site: str) -> str:
    """What a site calls itself; "" where its file does not say, which whoever opens it hears."""
    marked = yaml_mapping(site_folder(site) / "fabric.yml", [])
    name = marked.value.get("site") if marked and isinstance(marked.value, dict) else None
    return name if isinstance(name, str) else ""


def _sites_of(path: Path) -> set[str]:
    """The sites whose runs a record holds; none where it cannot be read: who opens it says why.

    Nothing is written, and a run that is at work has its turn first.
    """
    if not path.is_file():
        return set()
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as held:
            return {str(name) for (name,) in held.execute("SELECT DISTINCT site FROM run")}
    except sqlite3.Error:
        return set()


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
