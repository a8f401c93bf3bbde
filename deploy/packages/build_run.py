"""Builds one package in a clean root folder, cut off from the network; gets its source before.

The root has the packages of its lock and no others, each by its digest. It is made and left
behind in namespaces that end with the build (unshare(1)).
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tarfile
import urllib.request
from http.client import HTTPException
from pathlib import Path

from deploy.errors import RailbedError
from deploy.lab.command import JAIL, last_words
from inventory.schema.versions import Build
from inventory.software.lock import VersionsFile
from validation.evidence.aside import aside

from .built import flat

_SCRIPT, _PACK = (Path(__file__).with_name(name) for name in ("build.sh", "pack.sh"))
_LIMIT_S = 4 * 3600.0
_WORD_S = 60.0
_CHUNK = 2**20


def source(row: Build, beside: Path, cache: Path) -> Path:
    """The source of a build, checked by its digest, in the cache; RailbedError where it is not it.

    A file is looked for `beside` the row's own.
    """
    kept = cache / "sources" / f"{row.sha256}.tar"
    if kept.is_file() and digest(kept) == row.sha256:
        return kept
    kept.parent.mkdir(parents=True, exist_ok=True)
    made = aside(kept)
    try:
        if "://" in row.archive:
            with (
                urllib.request.urlopen(row.archive, timeout=_WORD_S) as reply,
                made.open("wb") as to,
            ):
                shutil.copyfileobj(reply, to, _CHUNK)
        else:
            shutil.copyfile(beside / row.archive, made)
        if (found := digest(made)) != row.sha256:
            raise RailbedError(
                f"{row.archive} is not the source that was named: SHA-256 {found}, "
                f"expected {row.sha256}",
                hint="an honest release never changes: find out why before naming another digest",
                exit_code=1,
            )
        made.replace(kept)
    except (OSError, HTTPException, ValueError) as error:
        why = getattr(error, "strerror", None) or getattr(error, "reason", None) or error
        raise RailbedError(
            f"no source of {row.package}: {row.archive}: {why}", exit_code=1
        ) from None
    finally:
        made.unlink(missing_ok=True)
    return kept


def build(
    row: Build, root: VersionsFile, version: str, archive: Path, debs: dict[str, Path], folder: Path
) -> Path:
    """The package's file, in `folder`, which is empty and of root's own; what was said is in `log`.

    `debs` are the files of the root's packages, by name. Raises RailbedError with the end of what
    was said.
    """
    flat(folder / "repo", {f"{name}.deb": path for name, path in debs.items()}, root.suite)
    (folder / "in").mkdir()
    shutil.copyfile(archive, folder / "in/source.tar")
    texts = {
        "run": "\n".join(row.run) + "\n",
        "control": control(row, version, root.arch),
        "copyright": copyright_head(row),
        "licence": row.licence_file,
    }
    shutil.copyfile(_PACK, folder / "in/pack.sh")
    for name, text in texts.items():
        (folder / "in" / name).write_text(text, encoding="utf-8")
    argv = [
        *(*JAIL, "unshare", "--net", "--ipc"),
        *("/bin/sh", str(_SCRIPT), str(folder), root.suite, root.arch),
        *(",".join(sorted(debs)), str(newest_s(archive)), ", ".join(row.depends)),
    ]
    _said(argv, folder / "log", row.package)
    return folder / "made.deb"


def control(row: Build, version: str, arch: str) -> str:
    """The fields of a package (Debian Policy 5.3), without what it depends on."""
    return (
        f"Package: {row.package}\nVersion: {version}\nArchitecture: {arch}\n"
        "Maintainer: the site's own <root@localhost>\nSection: misc\nPriority: optional\n"
        f"Description: {row.package} {row.version}, built from {row.archive.rpartition('/')[2]}\n"
    )


def copyright_head(row: Build) -> str:
    """The copyright file up to the licence's own text (Debian's copyright-format 1.0)."""
    return (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        f"Source: {row.archive}\n\nFiles: *\nCopyright: as below\nLicense: {row.licence}\n"
    )


def newest_s(archive: Path) -> int:
    """When the newest file of a source was made, in seconds since 1970: the date of its package.

    RailbedError for what is no tar file, or has other things in it than files, folders and links.
    """
    newest = 0
    try:
        with tarfile.open(archive) as tar:
            for one in tar:
                if not (one.isreg() or one.isdir() or one.issym() or one.islnk()):
                    raise RailbedError(
                        f"{archive}: {one.name!r} is no plain file, folder or link", exit_code=1
                    )
                newest = max(newest, int(one.mtime))
    except (tarfile.TarError, OSError, EOFError, ValueError, OverflowError) as error:
        raise RailbedError(f"{archive} is no tar file: {error}") from None
    return newest


def files_of(deb: Path) -> frozenset[str]:
    """The paths of all files that a package brings; RailbedError for what is no package."""
    argv = ["dpkg-deb", "--fsys-tarfile", str(deb)]
    try:
        with (
            subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process,
            tarfile.open(fileobj=process.stdout, mode="r|") as tar,
        ):
            return frozenset(one.name.lstrip(".") for one in tar if not one.isdir())
    except (tarfile.TarError, OSError) as error:
        raise RailbedError(f"{deb} is no package: {error}", exit_code=1) from None


def _said(argv: list[str], log: Path, what: str) -> None:
    try:
        with log.open("wb") as file:
            done = subprocess.run(
                argv, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                timeout=_LIMIT_S, check=False,
            )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise RailbedError(f"{what} was not built in {_LIMIT_S:.0f} s", exit_code=1) from None
    if done.returncode:
        said = last_words(log.read_text(encoding="utf-8", errors="replace"))
        raise RailbedError(f"{what} was not built:\n{said}", exit_code=1)


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
