"""What a newcomer does first: a clean clone, and the demo, killed once. Tests use its lab."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.lab.kept import leftovers

ROOT = Path(__file__).parents[1]
# What the demo says at the moments at which it is killed. Later ones cost what they wait for.
EARLY = ("lab {lab}: 11 machines", "lab {lab} is up", "looking at every device", "wave oob")
LATE = ("wave nodes-canary", "wave spines-canary", "wave leaves-r1", "Applied again")
PASSED = "All as it must be"
_KEEP = """
import json, sys
from deploy.lab.kept import lab as kept
print(kept.keep(sys.argv[1], sys.argv[2], json.loads(sys.argv[3])).folder)
"""


@contextmanager
def clone(lab: str) -> Iterator[Path]:
    """A clone as a newcomer makes it; gone afterwards, and a lab of that name with it."""
    leftovers.remove(lab)
    with tempfile.TemporaryDirectory(prefix="railbed-newcomer-") as folder:
        try:
            yield cloned(Path(folder) / "railbed")
        finally:
            leftovers.remove(lab)


def cloned(made: Path) -> Path:
    """Of this working tree: what is not committed is in it, too."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(made)], check=True)
    asked = ["git", "ls-files", "-z", "--modified", "--others", "--exclude-standard"]
    changed = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, changed.split("\0")):
        (made / name).unlink(missing_ok=True)
        if (ROOT / name).exists():
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, made / name)
    return made


def killed(clone: Path, lab: str, moment: str) -> None:
    """The demo, ended by kill -9 as soon as it says this."""
    running = subprocess.Popen(
        [str(clone / "railbed"), "demo", "--lab", lab],
        cwd=clone,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert running.stdout is not None
    said: list[str] = []
    for line in running.stdout:
        said.append(line)
        if moment.format(lab=lab) in line:
            break
    else:
        raise AssertionError("".join(said))
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate()


def passes(clone: Path, lab: str, *options: str) -> str:
    """The whole demo, from nothing: it says so, and leaves its report. What it printed."""
    done = subprocess.run(
        [str(clone / "railbed"), "demo", "--lab", lab, *options],
        cwd=clone,
        capture_output=True,
        text=True,
        timeout=1500,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert PASSED in done.stdout
    assert list((clone / f".railbed/labs/{lab}/report").glob("run-*.html"))
    return done.stdout


def keep(clone: Path, lab: str, key: str, notes: dict[str, object]) -> Path:
    """Take the demo's lab down and keep it under `key`; the folder of what is kept."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", _KEEP, lab, key, json.dumps(notes)],
        cwd=clone,
        env={**os.environ, "PYTHONPATH": str(clone)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return Path(done.stdout.strip().splitlines()[-1])
