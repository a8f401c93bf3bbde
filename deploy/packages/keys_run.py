"""The keys that may sign a repository: found, held against their fingerprints, kept apart.

A fingerprint is a digest of the whole key (RFC 4880, 12.2), so it matters not over which wire a
key comes. What else a file holds is left out: apt must not trust it (sources.list(5), Signed-By).
"""

from __future__ import annotations

import io
import subprocess
import tarfile
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path

from deploy.errors import RailbedError
from deploy.files import write_atomically
from inventory.schema.versions import Repository

from .gpg_run import only_keys
from .offered import CARRIED

_LIMIT_S = 60.0
_MOST_BYTES = 16 * 2**20
_KEYRINGS = "./usr/share/keyrings/"
# A place that cannot be asked, or that has something else.
_UNUSABLE = (
    OSError, ValueError, HTTPException, tarfile.TarError, subprocess.SubprocessError,
)  # fmt: skip


def keyrings(repository: Repository, folder: Path, into: Path) -> list[Path]:
    """As `keyring`, but a file for each key: rpm reads one of a file (rpmkeys(8))."""
    into.mkdir(parents=True, exist_ok=True)
    alone = (
        repository.model_copy(update={"fingerprints": [one]})
        for one in sorted(repository.fingerprints)
    )
    return [keyring(one, folder, into) for one in alone]


def keyring(repository: Repository, folder: Path, into: Path) -> Path:
    """Write the keys that may sign a repository, and no others, into a file of `into`.

    `folder` is where relative places begin. Raises RailbedError where no place has them all, with
    what each of them has.
    """
    wanted = tuple(sorted(repository.fingerprints))
    path = into / f"{'-'.join(one[-16:] for one in wanted)}.asc"
    said = []
    for place in repository.keys:
        try:
            found, text = only_keys(into, _files(place, folder), wanted)
        except _UNUSABLE as error:
            said.append(f"{place}: {getattr(error, 'strerror', None) or error}")
            continue
        except RailbedError as error:
            said.append(f"{place}: {error.message}")
            continue
        if not (lacking := sorted({*wanted} - found)):
            write_atomically(path, text)
            return path
        said.append(f"{place}: without {', '.join(lacking)}")
    raise RailbedError(
        f"no key for {repository.url}: {'; '.join(said)}",
        "put the key's file there, or name where it is under `keys` of versions/sources.yml; "
        f"{CARRIED}",
        exit_code=1,
    )


def _files(place: str, folder: Path) -> list[bytes]:
    """The key files at a place: one, or those that a package of a keyring brings."""
    if "://" in place:
        with urllib.request.urlopen(place, timeout=_LIMIT_S) as reply:
            raw = bytes(reply.read(_MOST_BYTES))
    else:
        raw = (folder / place).read_bytes()
    return list(_of_package(raw)) if raw.startswith(b"!<arch>\n") else [raw]


def _of_package(deb: bytes) -> Iterator[bytes]:
    argv = ["dpkg-deb", "--fsys-tarfile", "/dev/stdin"]
    done = subprocess.run(argv, input=deb, capture_output=True, timeout=_LIMIT_S, check=True)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as tar:
        for member in tar:
            if member.isreg() and member.name.startswith(_KEYRINGS):
                file = tar.extractfile(member)
                yield file.read() if file else b""
