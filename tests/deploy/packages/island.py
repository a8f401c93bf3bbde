"""The two controllers between which packages are carried, and the folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.packages.fetch import missing
from deploy.session import Selection, open_plan
from inventory.plan import LockedPackage
from tests.deploy.command_line import Said, railbed


class Island:
    """The connected controller, the folder that is carried, and the controller without a mirror.

    A controller is a cache and a state folder; both have the site's inventory.
    """

    def __init__(self, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.site, self.folder, self.tmp_path = str(site), tmp_path / "usb", tmp_path
        self.monkeypatch = monkeypatch
        self.be("connected")
        assert railbed("packages", "refresh", "--site", self.site, "--write").returncode == 0

    def be(self, name: str) -> None:
        """Be this controller from here on."""
        self.monkeypatch.setattr(
            "deploy.packages.fetch.cache_folder", lambda: self.tmp_path / name / "cache"
        )
        self.monkeypatch.setattr(
            "deploy.packages.carry.cache_folder", lambda: self.tmp_path / name / "cache"
        )
        self.monkeypatch.setenv("RAILBED_STATE", str(self.tmp_path / name / "state"))

    def export(self) -> str:
        """Export as the connected controller; the fingerprint."""
        self.be("connected")
        said = railbed("packages", "export", str(self.folder), "--site", self.site)
        assert said.returncode == 0, said
        self.be("island")
        return said.stdout.strip()

    def bring(self, *options: str) -> Said:
        """Import as the other controller."""
        return railbed("packages", "import", str(self.folder), "--site", self.site, *options)

    def refused(self, *options: str) -> str:
        """What an import says that takes nothing."""
        before = missing(self.packages)
        said = self.bring(*options)
        assert said.returncode == 2, said
        assert said.stdout == ""
        assert missing(self.packages) == before
        return " ".join(said.stderr.split())

    def a_package(self) -> Path:
        """The file of chrony in the folder."""
        [path] = (self.folder / "packages").glob("chrony[_-]*")
        return path

    @property
    def packages(self) -> tuple[LockedPackage, ...]:
        """What the site's plan needs."""
        return open_plan(Selection(self.site, "lab")).packages.packages
