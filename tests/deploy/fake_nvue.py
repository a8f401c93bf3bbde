"""The lab's model of NVUE without a machine, and its program `nv` for a shell that finds it.

The model (`deploy/lab/models/cumulus`) is a stand-in itself: it imports nothing of ours, and says
where what it says comes from. Here nothing is forwarded. The clock is the machine's and `later_s`,
so that a test need not wait for a timer.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

from deploy.lab.models.cumulus.nvue import Nvue, answer, new, restart
from deploy.lab.models.trees import Tree, merged

__all__ = ["Daemon", "Nvue", "Tree", "merged", "new", "restart"]

# `nv` itself: it hands its words to nvued, as the real one does over a socket. What the switch is
# doing, and `nv show` prints, lies beside it in files that are called as the command.
PROGRAM = """#!/bin/sh
[ "$1" != show ] || exec cat "{folder}/../told/nv $*"
echo "$*" > '{folder}/asked'
{{ read status; if [ "$status" = 0 ]; then cat; else cat >&2; fi; }} < '{folder}/told'
exit "$status"
"""


class Daemon:
    """nvued, asked by the program `nv` that it puts into `folder`. Use it with `with`."""

    def __init__(self, folder: Path, held: Tree) -> None:
        self.folder, self.held = folder, held
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def __enter__(self) -> Daemon:
        for name in ("asked", "told"):
            os.mkfifo(self.folder / name)
        (self.folder / "nv").write_text(PROGRAM.format(folder=self.folder))
        (self.folder / "nv").chmod(0o755)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        (self.folder / "asked").write_text("stop\n")
        self.thread.join()

    def serve(self) -> None:
        while (line := (self.folder / "asked").read_text().strip()) != "stop":
            status, told = answer(self.held, line.split())
            (self.folder / "told").write_text(f"{status}\n{told}\n" if told else f"{status}\n")
