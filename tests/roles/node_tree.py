"""A tree of files that stands for a node's, with one program of a role on it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from deploy.lab.hardware import TOOLS
from roles.pyinfra_role import text_of

from .owned import variables

# What programs read and write. Tools of this machine are found by PATH.
_PLACES = ("/sys/", "/proc/", "/run/", "/etc/", "/boot/", "/var/lib/", "/usr/local/sbin/")


class Node:
    """A folder with the program and its configuration; the program's paths lead into it."""

    def __init__(
        self,
        root: Path,
        role: str,
        program: str,
        config: str,
        more: dict[str, Any],
        settings: str = "",
    ):
        self.root = root
        self.role = role
        self.config = config
        # The template of its configuration, where that has another name.
        self.settings = settings or config
        self.program = self.write(f"/{program}", self.text(program, {}))
        (root / "var/lib").mkdir(parents=True, exist_ok=True)
        self.ask(more)

    def text(self, template: str, more: dict[str, Any]) -> str:
        """A text of the role whose paths lead into the folder."""
        text = text_of(self.role, template, {**variables(self.role), **more})
        for place in _PLACES:
            text = text.replace(place, f"{self.root}{place}")
        return text

    def ask(self, more: dict[str, Any]) -> None:
        """Write the program's configuration anew."""
        values = {**variables(self.role), **more}
        text = text_of(self.role, f"{self.settings}.j2", values)
        self.write(f"/etc/default/railbed-{self.config}", text)

    def write(self, path: str, text: str) -> Path:
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place

    def tool(self, name: str, body: str) -> None:
        """A program of the node that comes before this machine's."""
        self.write(f"/tools/{name}", f"#!/bin/sh\n{body}\n").chmod(0o755)

    def read(self, path: str) -> str:
        return (self.root / path.lstrip("/")).read_text().strip()

    def has(self, path: str) -> bool:
        return (self.root / path.lstrip("/")).exists()

    def run(
        self, *arguments: str, program: str = "", **env: str
    ) -> subprocess.CompletedProcess[str]:
        """Run the program, or the text of another one."""
        what = ["/bin/sh", "-c", program, "sh"] if program else ["/bin/sh", str(self.program)]
        path = f"{self.root}/tools:{TOOLS}:/usr/sbin:/usr/bin:/sbin:/bin"
        return subprocess.run(
            [*what, *arguments],
            env={"PATH": path, "STANDIN_ROOT": str(self.root), **env},
            capture_output=True,
            text=True,
            timeout=30,
        )
