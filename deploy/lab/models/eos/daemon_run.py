"""An EOS switch as a machine, from its boot on."""

from __future__ import annotations

from pathlib import Path

from ..daemon_run import Machine, attend, write_whole
from ..under_run import System
from .box import EosBox
from .routing import routing
from .shows import told
from .terminal import EosTerminal
from .wanted import wanted

_FLASH = Path("/mnt/flash")
_STARTUP = "startup-config"


class Switch(Machine, EosBox):
    """A switch with a flash."""

    system = System(
        management="Management1",
        description="Arista Networks EOS version 4.36.0F (a model of it)",
        wanted=wanted,
        routing=routing,
        told=told,
    )

    def saves(self, path: str, text: str) -> None:
        """And a restart finds it, whole."""
        super().saves(path, text)
        write_whole(_FLASH / path, text.encode())


if __name__ == "__main__":
    attend(Switch((_FLASH / _STARTUP).read_text(), ""), EosTerminal)
