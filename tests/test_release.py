"""What a reader of a release sees first agrees with what is released."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.tree import PACKAGES, ROOT, files

MAX_README_WORDS = 700
CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
TARGET = re.compile(r"\]\([^)]*\)")
# What a folder of the rooms may hold. Another kind of file is asked for by a line here.
SUFFIXES = {
    "", ".conf", ".csv", ".grammar", ".ini", ".j2", ".md", ".py", ".rules", ".service", ".sh",
    ".toml", ".yml",
}  # fmt: skip
ON_A_DISK = "/disk/"
LEFT_BEHIND = re.compile(r"(^\.|~$|\.(bak|log|orig|pyc|rej|swp|tmp)$)")


def project() -> dict[str, object]:
    return dict(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"])


def words(page: str) -> int:
    """The words of a page that are read: no code blocks, no targets of links, no marks."""
    read = TARGET.sub("]", CODE.sub("", page))
    return sum(bool(re.search(r"\w", one)) for one in read.split())


def sections(changelog: str) -> list[str]:
    """The versions that a changelog has a section for, as they stand in its heads."""
    return re.findall(r"^## \[([^\]]+)\]", changelog, re.MULTILINE)


def stray(path: Path) -> bool:
    """Whether a file of the rooms is of a kind that nobody puts there on purpose.

    On the disk of a model files are of every kind that its system has.
    """
    known = path.suffix in SUFFIXES or ON_A_DISK in path.as_posix()
    return bool(LEFT_BEHIND.search(path.name)) or not known


def test_words_are_counted_as_they_are_read():
    page = "# A name\n\n```\n$ not this\n```\n\n| [a](b c.md) | d |\n|---|---|\ne <- f\n"
    assert words(page) == 6


def test_the_readme_is_read_in_three_minutes():
    assert words((ROOT / "README.md").read_text()) <= MAX_README_WORDS


def test_the_command_line_says_the_version_of_the_project():
    done = subprocess.run(
        [sys.executable, "-P", "-m", "deploy", "--version"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"railbed {project()['version']}\n"


def test_the_version_stands_in_one_place():
    version = re.escape(str(project()["version"]))
    said = re.compile(rf"""^(__version__|version)\b.*["']{version}["']""", re.MULTILINE)
    found = [
        path
        for path in files()
        if path.suffix in {".py", ".toml"} and said.search((ROOT / path).read_text())
    ]
    assert found == [Path("pyproject.toml")]


def test_the_changelog_has_a_section_for_what_is_released():
    version = str(project()["version"])
    found = sections((ROOT / "CHANGELOG.md").read_text())
    assert len(found) == len(set(found))
    assert version in found or ("Unreleased" in found and ".dev" in version)


def test_the_rooms_hold_no_stray_file():
    assert not [path.as_posix() for path in files() if path.parts[0] in PACKAGES if stray(path)]


def test_a_stray_file_is_noticed():
    names = ("core.dump", "notes.txt", "plan.py.orig", ".hidden", "a.pyc", "copy~")
    assert all(stray(Path("deploy") / name) for name in names)


def test_the_licence_is_named():
    named = project()
    assert named["license"] == "Apache-2.0"
    assert named["license-files"] == ["LICENSE"]
    assert "Apache License" in (ROOT / "LICENSE").read_text()
    assert "Licence: Apache-2.0" in (ROOT / "README.md").read_text()
