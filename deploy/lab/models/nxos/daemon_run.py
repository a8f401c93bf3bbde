"""An NX-OS switch as a machine, from its boot on."""

from __future__ import annotations

from pathlib import Path

from ..daemon_run import Machine, attend, write_whole
from ..under_run import System
from .box import NxosBox, Place
from .routing import routing
from .shows import told
from .terminal import NxosTerminal
from .wanted import MANAGEMENT, wanted

_KEPT = Path("/mnt/cfg")
_PLACES: dict[Place, Path] = {
    "startup": _KEPT,
    "checkpoints": _KEPT / "checkpoints",
    "bootflash": Path("/bootflash"),
}


class Switch(Machine, NxosBox):
    """A switch with a disk for what it keeps, and a bootflash for files."""

    system = System(
        management=MANAGEMENT,
        description="Cisco Nexus Operating System (NX-OS) Software (a model of it)",
        wanted=wanted,
        routing=routing,
        told=told,
    )

    def begins(self) -> None:
        """With the files and checkpoints that a restart left."""
        for place in _PLACES.values():
            place.mkdir(exist_ok=True, mode=0o700)
        store = self.store
        for path in sorted(_PLACES["bootflash"].glob("[!.]*")):
            store.flash[f"bootflash:/{path.name}"] = path.read_bytes()
        for path in sorted(_PLACES["checkpoints"].glob("[!.]*")):
            store.checkpoints[path.name] = path.read_text()
        super().begins()

    def keeps(self, place: Place, name: str, content: bytes | None) -> None:
        """On the disk."""
        path = _PLACES[place] / name
        if content is None:
            path.unlink(missing_ok=True)
        else:
            write_whole(path, content)


if __name__ == "__main__":
    attend(Switch((_KEPT / "startup-config").read_text(), ""), NxosTerminal)
