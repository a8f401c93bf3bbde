"""How long both engines take to read superpod-10k: 10,240 GPUs, every port as built.

`ansible-inventory --list` runs our script, reads what it prints and prints it again; pyinfra
imports its source. Whole processes, their start included. Prints its figures and ends with a
RESULT line; run as `python -m tests.bench.ansible_list`.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from inventory.load.site import site_folder
from tests.generated.sites import make_up_asbuilt

from .results import Ran, best, compiled, result

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "inventory" / "ansible_source.py"
SITE = "superpod-10k"
_BYTES_PER_MB = 1_000_000
_PYINFRA = "from inventory.pyinfra_source import hosts; print(len(hosts()))"


def line(what: str, ran: Ran) -> str:
    """One line of the table."""
    size = len(ran.out) / _BYTES_PER_MB
    return f"{what}: {ran.wall_s:.2f} s ({ran.cpu_s:.2f} s of processor), {size:.1f} MB printed"


def main() -> None:
    """Time the script alone, Ansible with it, and pyinfra's source."""
    tool = Path(sys.executable).with_name("ansible-inventory")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(site_folder(SITE), folder / "site")
        make_up_asbuilt(folder / "site")
        env = {
            **compiled(folder),
            "PATH": f"{tool.parent}:{os.environ['PATH']}",
            "RAILBED_SITE": str(folder / "site"),
            "RAILBED_STATE": str(folder / "state"),
        }
        print(line("our script", best(3, [sys.executable, str(SCRIPT), "--list"], ROOT, env)))
        print(line("pyinfra's source", best(3, [sys.executable, "-c", _PYINFRA], ROOT, env)))
        listed = best(3, [str(tool), "-i", str(SCRIPT), "--list"], ROOT, env)
    print(line("ansible-inventory --list", listed))
    print(result("ansible_list_10k_gpus", listed.wall_s, "s", 10))


if __name__ == "__main__":
    main()
