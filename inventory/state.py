"""Where a site's, or one lab's, state lies: SSH files, record, evidence, reports."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from .load import SITES, site_folder

STATE_ROOT = Path(__file__).resolve().parents[1] / ".railbed"


def is_lab(site: str) -> bool:
    """A site is a lab's when its folder holds the cables as built by hand."""
    return (site_folder(site) / "wiring.csv").is_file()


def state_dir(site: str, lab: str) -> Path:
    """The folder of a site, or of the lab called `lab` where the site is a lab's.

    Two folders of one name are two sites: keys and records of one must not serve the other.
    """
    if is_lab(site):
        return STATE_ROOT / "labs" / lab
    folder = site_folder(site).absolute()
    if folder.parent == SITES:
        return STATE_ROOT / "sites" / folder.name
    return STATE_ROOT / "sites" / f"{folder.name}-{sha256(bytes(folder)).hexdigest()[:8]}"
