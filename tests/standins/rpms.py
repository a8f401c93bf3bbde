"""Builds .rpm files that hold what a test puts into them, and repositories of them.

SOURCE of the form: spec(5), rpmbuild(8), rpmsign(8), createrepo_c(8), modifyrepo_c(8).
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_GROUP = """<comps><group><id>core</id><name>Core</name><default>true</default>
<uservisible>false</uservisible><packagelist>{}</packagelist></group></comps>
"""


@dataclass(frozen=True, slots=True)
class Rpm:
    """A package; `version` is VERSION-RELEASE, `lines` are tags, `file` is one it brings."""

    name: str
    version: str
    requires: str = ""
    arch: str = "noarch"
    lines: str = ""
    file: str = ""

    @property
    def spec(self) -> str:
        """Its spec file."""
        version, _, release = self.version.rpartition("-")
        needs = f"Requires: {self.requires}\n" if self.requires else ""
        place = f"%{{buildroot}}{self.file}"
        brought = f"%install\ninstall -D /dev/null {place}\n" if self.file else ""
        return (
            f"Name: {self.name}\nVersion: {version}\nRelease: {release}\nSummary: stand-in\n"
            f"License: MIT\n{needs}{self.lines}\n%description\nA stand-in.\n"
            f"{brought}%files\n{self.file}\n"
        )


def build(rpms: Iterable[Rpm], folder: Path) -> list[Path]:
    """Build packages into a folder; their files, in order."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for rpm in rpms:
        with tempfile.TemporaryDirectory() as top:
            spec = Path(top) / "one.spec"
            spec.write_text(rpm.spec)
            where = [f"--define=_topdir {top}", f"--define=_rpmdir {top}/out"]
            argv = ["rpmbuild", "-bb", "--quiet", "--target", f"{rpm.arch}-linux", *where]
            subprocess.run([*argv, str(spec)], capture_output=True, check=True)
            [file] = Path(top).glob("out/*/*.rpm")
            made.append(folder / file.name)
            made[-1].write_bytes(file.read_bytes())
    return made


def sign(files: Iterable[Path], key: Path) -> None:
    """Sign packages by the key of a home of gpg."""
    # Debian's rpm looks for gpg2 by another name than Debian's gpg has.
    macros = [
        f"--define=_gpg_path {key}",
        "--define=_gpg_name standins",
        f"--define=__gpg {shutil.which('gpg')}",
    ]
    argv = ["rpmsign", "--addsign", *macros, *map(str, files)]
    subprocess.run(argv, capture_output=True, check=True)


def lists(folder: Path, core: Iterable[str], key: Path | None, modules: str = "") -> None:
    """Write the lists of a repository, with the group of a minimal system; signed by `key`.

    `modules` are documents of modulemd, version 2.
    """
    wanted = "".join(f'<packagereq type="mandatory">{name}</packagereq>' for name in core)
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as comps:
        comps.write(_GROUP.format(wanted))
        comps.flush()
        argv = ["createrepo_c", "--quiet", "--groupfile", comps.name, str(folder)]
        subprocess.run(argv, capture_output=True, check=True)
    if modules:
        with tempfile.TemporaryDirectory() as made:
            path = Path(made) / "modules.yaml"
            path.write_text(modules)
            argv = ["modifyrepo_c", "--mdtype=modules", str(path), str(folder / "repodata")]
            subprocess.run(argv, capture_output=True, check=True)
    (folder / "repodata/repomd.xml.asc").unlink(missing_ok=True)
    if key is not None:
        argv = ["gpg", "--batch", "--homedir", str(key), "--armor", "--detach-sign"]
        subprocess.run([*argv, str(folder / "repodata/repomd.xml")], check=True)
