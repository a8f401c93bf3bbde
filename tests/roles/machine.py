"""A tree of files that stands for a node, on which a role's program or script is run."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deploy.lab.hardware import TOOLS
from roles.pyinfra_role import text_of

from .owned import variables

# Folders of a node that lead into the tree.
PLACES = ("/boot/", "/etc/", "/lib/modules/", "/proc/", "/run/", "/sys/", "/usr/sbin/",
          "/usr/share/railbed/", "/var/lib/")  # fmt: skip


@dataclass
class Machine:
    """The tree, and tools of it (`bin/`) that come before all others."""

    root: Path
    env: dict[str, str] = field(default_factory=dict)

    def write(self, path: str, text: str) -> Path:
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place

    def read(self, path: str) -> str:
        return (self.root / path.lstrip("/")).read_text().strip()

    def has(self, path: str) -> bool:
        return (self.root / path.lstrip("/")).exists()

    def tool(self, name: str, body: str) -> None:
        """A tool that notes its words in `said` and then does `body`."""
        self.write(f"/bin/{name}", f'#!/bin/sh\necho "{name} $*" >>"{self.root}/said"\n{body}\n')
        (self.root / "bin" / name).chmod(0o755)

    def said(self) -> list[str]:
        """What tools were asked since the last time."""
        place = self.root / "said"
        lines = place.read_text().splitlines() if place.exists() else []
        place.unlink(missing_ok=True)
        return lines

    def text(self, role: str, template: str, more: dict[str, Any], case: str = "") -> str:
        """A text of the role whose paths lead into the tree."""
        text = text_of(role, template, {**variables(role, case), **more})
        for place in PLACES:
            text = text.replace(place, f"{self.root}{place}")
        return text

    def run(self, script: str, *words: str) -> subprocess.CompletedProcess[str]:
        path = f"{self.root}/bin:{TOOLS}:/usr/sbin:/usr/bin:/sbin:/bin"
        return subprocess.run(
            ["dash", "-c", script, "program", *words],
            env={"PATH": path, "STANDIN_ROOT": str(self.root), **self.env},
            capture_output=True,
            text=True,
            timeout=30,
        )
