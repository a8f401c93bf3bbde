"""Builds .deb files of what is put into them: the same bytes every time.

SOURCE of the form: Debian Policy 5.3 (control), 6 (maintainer scripts), 7 (relations);
reproducible-builds.org, SOURCE_DATE_EPOCH.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from validation.evidence.aside import scratch

EPOCH_S = 1_767_225_600  # 2026-01-01, so that no file is from the future of a slow clock

File = bytes | str | Path


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic link to `target`."""

    target: str


@dataclass(frozen=True, slots=True)
class Deb:
    """A package. Relations are control fields as written; a file is its content.

    Files below a folder named bin or sbin, and maintainer scripts, can be executed.
    """

    name: str
    version: str
    depends: str = ""
    arch: str = "amd64"
    fields: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, File | Link] = field(default_factory=dict)
    scripts: Mapping[str, str] = field(default_factory=dict)
    conffiles: tuple[str, ...] = ()

    @property
    def file_name(self) -> str:
        """The name of its file, without the epoch (Policy 5.6.12)."""
        return f"{self.name}_{self.version.rpartition(':')[2]}_{self.arch}.deb"


def build(debs: Iterable[Deb], folder: Path) -> list[Path]:
    """Build packages into a folder; their files, in order. The same name twice is an error."""
    folder.mkdir(parents=True, exist_ok=True)
    made: list[Path] = []
    for deb in debs:
        path = folder / deb.file_name
        if path in made:
            raise ValueError(f"{deb.file_name} twice")
        _build(deb, path)
        made.append(path)
    return made


def _build(deb: Deb, path: Path) -> None:
    with scratch("deb") as made:
        tree = made / "tree"
        (tree / "DEBIAN").mkdir(parents=True)
        tree.chmod(0o755)
        (tree / "DEBIAN/control").write_text(control(deb), encoding="utf-8")
        for name, text in deb.scripts.items():
            _place(tree / "DEBIAN" / name, text, 0o755)
        if deb.conffiles:
            lines = "".join(f"{one}\n" for one in deb.conffiles)
            (tree / "DEBIAN/conffiles").write_text(lines, encoding="utf-8")
        for name, content in sorted(deb.files.items()):
            runs = bool({"bin", "sbin", "init.d", "tools"} & set(Path(name).parent.parts))
            _place(tree / name.lstrip("/"), content, 0o755 if runs else 0o644)
        for one in tree.rglob("*"):
            if one.is_dir():
                one.chmod(0o755)
        argv = ["dpkg-deb", "--root-owner-group", "-Zgzip", "-z9", "--build", str(tree), str(path)]
        env = {**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH_S), "LC_ALL": "C"}
        subprocess.run(argv, env=env, capture_output=True, check=True)


def _place(path: Path, content: File | Link, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, Link):
        path.symlink_to(content.target)
        return
    if isinstance(content, Path):
        shutil.copyfile(content, path)
    elif isinstance(content, str):
        path.write_text(content, encoding="utf-8")
    else:
        path.write_bytes(content)
    path.chmod(mode)


def control(deb: Deb) -> str:
    """The control file of a package."""
    relations = {"Depends": deb.depends} if deb.depends else {}
    fields = {
        "Package": deb.name,
        "Version": deb.version,
        "Architecture": deb.arch,
        "Maintainer": "stand-ins of labs <standin@example.org>",
        "Priority": "optional",
        **relations,
        **deb.fields,
        "Description": f"stand-in of {deb.name}, for labs without hardware",
    }
    return "".join(f"{name}: {value}\n" for name, value in fields.items())
