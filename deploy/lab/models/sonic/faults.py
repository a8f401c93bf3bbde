"""What goes wrong on a machine on demand: a JSON object in /run, which a restart empties.

Nothing of railbed reads it: whoever tests writes it past the network (`railbed lab shell`).
A program is named by how its command line begins; as long as the file is there, it goes wrong.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

FILE = Path("/run/modelled-faults")


@dataclass(frozen=True, slots=True)
class Faults:
    """What goes wrong; all is off at first.

    `hang_on`: it never ends. `refuse_on`: it does nothing, and fails. `restart_on`: the switch
    restarts after it. `refuses`: tables of which SAI takes no change any more.
    """

    hang_on: str = ""
    refuse_on: str = ""
    restart_on: str = ""
    refuses: tuple[str, ...] = ()


def asked(file: Path = FILE) -> Faults:
    """None where there is no file; ValueError or TypeError for one that says something else."""
    said = json.loads(file.read_text()) if file.exists() else {}
    return Faults(**said | {"refuses": tuple(said.get("refuses", ()))})


def is_on(begin: str, line: str) -> bool:
    """Whether a fault is this command's."""
    return bool(begin) and line.startswith(begin)
