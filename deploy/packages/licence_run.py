"""Under which licence a package is, as its own copyright file says (Debian Policy 12.5)."""

from __future__ import annotations

import re
import subprocess
import tarfile
from contextlib import suppress
from pathlib import Path

# The form of Debian's copyright-format 1.0, and what other texts refer to (Policy 12.5).
_STANZA = re.compile(r"^Files:[ \t]*(.*)$(?:\n(?!$).*)*?\nLicen[sc]e:[ \t]*(\S.*)$", re.MULTILINE)
_COMMON = re.compile(r"/usr/share/common-licenses/([A-Za-z0-9.+-]*[A-Za-z0-9+])")
_NOT_A_NAME = re.compile(r"[^A-Za-z0-9 +.,()/'~_-]")
_MOST = 100


def licence(deb: Path, name: str) -> str | None:
    """The licence of a package's file; None where it has no copyright file of its own.

    Where the file names none in a form that a program can read, who packs it must read it there.
    """
    text = _copyright(deb, name)
    return None if text is None else named(text)


def named(text: str) -> str:
    """The licence of `Files: *`, else those that the text refers to, else where to read it."""
    stanzas = _STANZA.findall(text)
    if stanzas:
        of_all = [licence for files, licence in stanzas if files.strip() == "*"]
        return plain((of_all or [stanzas[0][1]])[0])
    common = sorted(set(_COMMON.findall(text)))
    return ", ".join(common)[:_MOST] if common else "as in its copyright file"


def plain(text: str) -> str:
    """A licence's name as a lock can hold it: others' text goes into a YAML file."""
    return _NOT_A_NAME.sub("", text).strip()[:_MOST]


def _copyright(deb: Path, name: str) -> str | None:
    argv = ["dpkg-deb", "--fsys-tarfile", str(deb)]
    # What dpkg-deb here cannot unpack tells no licence.
    with suppress(tarfile.TarError), subprocess.Popen(argv, stdout=subprocess.PIPE) as process:
        try:
            with tarfile.open(fileobj=process.stdout, mode="r|") as tar:
                for member in tar:
                    if member.isreg() and member.name == f"./usr/share/doc/{name}/copyright":
                        file = tar.extractfile(member)
                        return file.read().decode("utf-8", "replace") if file else None
        finally:
            process.kill()
    return None
