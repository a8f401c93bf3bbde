"""Where a site's, or one lab's, state lies: SSH files, record, evidence, reports."""

from __future__ import annotations

from pathlib import Path

from .load import site_folder

STATE_ROOT = Path(__file__).resolve().parents[1] / ".railbed"


def is_lab(site: str) -> bool:
    """A site is a lab's when its folder holds the cables as built by hand."""
    return (site_folder(site) / "wiring.csv").is_file()


def state_dir(site: str, lab: str) -> Path:
    """The folder of a site, or of the lab called `lab` where the site is a lab's."""
    if is_lab(site):
        return STATE_ROOT / "labs" / lab
    return STATE_ROOT / "sites" / site_folder(site).name
