"""The wheel is whole: every file of the rooms is in it, and it works outside the clone."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.tree import PACKAGES, ROOT, files

BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
LOOK = """
import deploy.commands.main, inventory
from inventory import open_site
print(inventory.__file__)
print(open_site("lab").site)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a copy of the clone, because a build leaves things behind."""
    source, made = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for path in files():
        (source / path.parent).mkdir(parents=True, exist_ok=True)
        (source / path).write_bytes((ROOT / path).read_bytes())
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(made)], cwd=source, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    [built] = made.glob("*.whl")
    return built


def test_holds_every_file_of_the_rooms_and_nothing_else(wheel):
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == {path.as_posix() for path in files() if path.parts[0] in PACKAGES}


def test_names_its_command(wheel):
    with zipfile.ZipFile(wheel) as archive:
        [entry] = [name for name in archive.namelist() if name.endswith("entry_points.txt")]
        assert "railbed = deploy.commands.main:main" in archive.read(entry).decode()


def test_works_outside_the_clone(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "lib")
    done = subprocess.run(
        [sys.executable, "-P", "-c", LOOK],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path / "lib"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(tmp_path / "lib/inventory/__init__.py"), "lab"]


def test_audits_for_a_user_without_a_home_and_leaves_nothing(wheel, tmp_path):
    library, here = tmp_path / "lib", tmp_path / "here"
    here.mkdir()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(library)
    (here / "leaf1.cfg").write_text("! device: leaf1 (DCS-7060X6, EOS-4.33.1F)\nhostname leaf1\n")
    before = set(tmp_path.rglob("*"))
    done = subprocess.run(
        [sys.executable, "-P", "-m", "deploy", "audit", "leaf1.cfg", "--json"],
        cwd=here,
        env={
            "PYTHONPATH": str(library),
            "PATH": "/usr/bin:/bin",
            "HOME": "/nonexistent",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1, 3), done.stderr
    assert json.loads(done.stdout)["format"] == "railbed audit 1"
    assert set(tmp_path.rglob("*")) == before
