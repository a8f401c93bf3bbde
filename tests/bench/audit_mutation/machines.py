"""What FRR itself makes of a frr.conf: a third opinion on labels.

A bgpd without routes or ports of its own loads the file, as `vtysh -b` does, and prints its
running configuration. Equal prints are equal behaviour, of what bgpd reads; prints that differ
need not be: numbers of entries, and names, are in them. Needs root and FRR.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

BGPD = Path("/usr/lib/frr/bgpd")
# What a person reads, and what one daemon of many does not own.
_SILENT = re.compile(r"^\s*(neighbor \S+ description|Building|Current|!|$)")


def running(text: str) -> tuple[str, ...]:
    """The lines of bgpd's running configuration after it has loaded a frr.conf."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "frr.conf").write_text(text)
        own = ["--vty_socket", folder]
        pid = Path(folder) / "bgpd.pid"
        subprocess.run(
            [BGPD, *own, "-i", pid, "-n", "-Z", "-S", "-p", "0", "-f", "/dev/null", "-d",
             "-u", "root", "-g", "root"], check=True, capture_output=True, timeout=20,
        )  # fmt: skip
        try:
            asked = (["-f", f"{folder}/frr.conf"], ["-c", "show running-config"])
            told = [
                subprocess.run(
                    ["vtysh", *own, *words], check=False, capture_output=True, text=True, timeout=20
                )
                for words in asked
            ][-1]
        finally:
            subprocess.run(["kill", pid.read_text().strip()], check=False)
        return tuple(line for line in told.stdout.splitlines() if not _SILENT.match(line))
