"""Each file of tests passes alone: none leans on what another file left in a process."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.plugins.packing import is_lab
from tests.tree import ROOT

# The linters and the wheel have nothing in a process that another file could have left there.
_LONG = {"tests/test_lint.py", "tests/test_wheel.py", "tests/test_launcher.py"}
ITSELF = "tests/test_alone.py"
FILES = [
    name
    for path in sorted((ROOT / "tests").rglob("test_*.py"))
    if not is_lab(ROOT, name := str(path.relative_to(ROOT))) and name not in {*_LONG, ITSELF}
]


@pytest.mark.instances(keep=1)
@pytest.mark.parametrize("file", FILES)
def test_a_file_passes_alone(file: str, request: pytest.FixtureRequest) -> None:
    """In a process of its own, with this run's order and draws."""
    argv = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", file]
    seed = ["--seed", str(request.config.option.seed)]
    done = subprocess.run([*argv, *seed], cwd=ROOT, capture_output=True, text=True, check=False)
    # 5: all of its tests are others' (marked lab in part, or left out).
    assert done.returncode in {0, 5}, done.stdout
