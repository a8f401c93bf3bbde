"""Asks the repositories of an RPM system by dnf 4's own resolver, in a folder of its own.

dnf's lists, its database of packages and its keys lie in that folder. dnf checks the lists
(dnf.conf(5), repo_gpgcheck) and rpm each package (rpmkeys(8)), by the keys that the sources name
and no others: a repository with other keys is another one there, with nothing left of the first.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.errors import RailbedError
from inventory.plan import LockedPackage
from inventory.schema.versions import Repository
from inventory.software.sources import Sources

from .keys_run import keyrings
from .licence_run import plain
from .offered import HINT, Offered, download_limit_s

_PROGRAM = Path(__file__).with_name("dnf_program.py")
# Debian's dnf is of the system's own Python.
_PYTHON = "/usr/bin/python3"
_ARCH = {"amd64": "x86_64", "arm64": "aarch64"}
_LIMIT_S = 1800.0
_SILENCE_S = 30
# What a package says of itself (rpm(8), --queryformat); of a source there is no source.
_SAID = "%{NAME} %{EPOCHNUM}:%{VERSION}-%{RELEASE} %|SOURCERPM?{%{ARCH}}:{src}|\\n"
_MISSING = "as root: apt-get install createrepo-c dnf rpm"


@dataclass(frozen=True, slots=True)
class _Row:
    """A repository as dnf gets it, and where rpm keeps its keys."""

    name: str
    url: str
    keys: tuple[str, ...]
    lists_signed: bool
    packages_signed: bool
    database: Path


@dataclass(frozen=True, slots=True)
class Dnf:
    """dnf in a folder of its own, for one release and architecture, and no packages there."""

    folder: Path
    arch: str
    release: str
    rows: tuple[_Row, ...]
    streams: tuple[str, ...]

    def beyond_base(self, names: Iterable[str]) -> dict[str, Offered]:
        """All that `names` bring beyond a minimal system, and what that needs exactly."""
        return {
            name: Offered(
                one["version"],
                one["sha256"],
                one["size_bytes"],
                one["needs"],
                plain(one["licence"]),
            )
            for name, one in self._ask("resolve", sorted(names)).items()
        }

    def versions_of(self, names: Iterable[str]) -> dict[str, list[str]]:
        """The versions of each package that the repositories have, newest first."""
        return dict(self._ask("versions", sorted(names)))

    def download(self, packages: Sequence[LockedPackage], into: Path) -> None:
        """Put the files of these packages into a folder, each signed as its repository has it.

        Each is of its own word what the lock names: lists that nobody signed may call an older
        one, which its maker did sign, by another version.
        """
        files = {one.name: one.sha256 for one in packages}
        limit_s = download_limit_s(_LIMIT_S, packages)
        told = self._ask("download", files, limit_s, into=str(into))
        versions = {one.name: one.version for one in packages}
        for row in self.rows:
            brought = {name: into / file for name, file in told.get(row.name, {}).items()}
            if row.packages_signed and brought:
                _refuse_unsigned(row, [*brought.values()])
            for name, file in brought.items():
                _refuse_another(row, file, (name, versions[name]), _ARCH[self.arch])

    def _ask(self, what: str, of: object, limit_s: float = _LIMIT_S, **more: str) -> Any:
        asked = {
            what: of,
            "folder": str(self.folder),
            "arch": _ARCH[self.arch],
            "release": self.release,
            "silence_s": _SILENCE_S,
            "streams": self.streams,
            "repositories": [
                {
                    "name": one.name,
                    "url": one.url,
                    "keys": one.keys,
                    "lists_signed": one.lists_signed,
                }
                for one in self.rows
            ],
            **more,
        }
        said = _run([_PYTHON, "-I", str(_PROGRAM)], json.dumps(asked), limit_s)
        try:
            told = json.loads(said.stdout)
        except ValueError:
            why = " ".join(said.stderr.split()[-30:])
            hint = _MISSING if "No module named 'dnf'" in why else HINT
            raise RailbedError(f"dnf said nothing: {why}", hint, exit_code=1) from None
        if "error" in told and isinstance(told["error"], str):
            raise RailbedError(f"dnf: {told['error']}", HINT, exit_code=1)
        return told


def open_dnf(cache: Path, found: Sources, os_name: str, arch: str) -> Dnf:
    """Set dnf up below `cache` for an OS and architecture, with today's keys of its sources."""
    folder = cache / "dnf" / f"{os_name}-{arch}"
    folder.mkdir(parents=True, exist_ok=True)
    rows = tuple(_row(one, found.folder, folder / "keys") for one in found.repositories)
    streams = tuple(sorted({stream for one in found.repositories for stream in one.streams}))
    return Dnf(folder, arch, os_name.rpartition("-")[2], rows, streams)


def _row(one: Repository, near: Path, folder: Path) -> _Row:
    signed = one.signed or "both"
    said = f"{one.url} {signed} {sorted(one.fingerprints)}"
    name = hashlib.sha256(said.encode()).hexdigest()[:16]
    keys = keyrings(one, near, folder)
    database = folder / name
    shutil.rmtree(database, ignore_errors=True)
    database.mkdir(parents=True)
    done = _run(["rpmkeys", f"--dbpath={database}", "--import", *map(str, keys)])
    if done.returncode:
        raise RailbedError(f"rpmkeys: {' '.join(done.stderr.split())}", exit_code=1)
    return _Row(
        name,
        one.url,
        tuple(map(str, keys)),
        signed != "packages",
        signed != "lists",
        database,
    )


def _refuse_unsigned(row: _Row, files: Sequence[Path]) -> None:
    # Without the macro a package that nobody signed passes by its digests (rpmkeys(8)).
    policy = ["--define", "_pkgverify_level all"]
    argv = ["rpmkeys", f"--dbpath={row.database}", *policy, "--checksig"]
    done = _run([*argv, *map(str, files)])
    if done.returncode:
        bad = re.findall(r"^.*/([^/\n]+\.rpm): .*NOT OK", done.stdout, re.MULTILINE)
        raise RailbedError(
            f"{', '.join(bad) or 'a package'} of {row.url}: not signed by a key of its row",
            "name the key that signs it under `fingerprints`; where its maker signs the lists "
            "alone, `signed: lists`",
            exit_code=1,
        )


def _refuse_another(row: _Row, file: Path, wanted: tuple[str, str], arch: str) -> None:
    done = _run(["rpm", f"--dbpath={row.database}", "-qp", "--queryformat", _SAID, str(file)])
    name, version, of = (done.stdout.split() + ["nothing"] * 3)[:3]
    if (name, version.removeprefix("0:")) != wanted or of not in (arch, "noarch"):
        raise RailbedError(
            f"{file.name} of {row.url}: found {name} {version} {of} in it, expected "
            f"{' '.join(wanted)} {arch}",
            "its lists lie: ask another mirror, and find out why before refreshing",
            exit_code=1,
        )


def _run(
    argv: Sequence[str], text: str = "", limit_s: float = _LIMIT_S
) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
    env |= {"LC_ALL": "C.UTF-8", "PATH": os.environ.get("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")}
    try:
        return subprocess.run(
            argv,
            input=text,
            env=env,
            capture_output=True,
            text=True,
            timeout=limit_s,
            check=False,
        )
    except FileNotFoundError:
        raise RailbedError(f"{argv[0]} is not on this machine", _MISSING) from None
    except subprocess.TimeoutExpired:
        raise RailbedError(f"{argv[0]} did not end in {limit_s:.0f} s") from None
