"""The host's own package sources, as an image can use them.

Only suites of the host's own release are taken (os-release(5) VERSION_CODENAME), so that
an image never mixes releases or vendors. Formats: sources.list(5).
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deploy.errors import RailbedError

_KEPT_OPTIONS = re.compile(r"Acquire::(https?|Check-|Retries|ForceIPv)")


@dataclass(frozen=True, slots=True)
class Sources:
    """One-line sources, the keyrings they name, and how apt reaches them."""

    suite: str
    lines: tuple[str, ...]
    keyrings: tuple[Path, ...]
    apt_options: str


def host_sources(etc: Path = Path("/etc")) -> Sources:
    """The sources of this machine; RailbedError where none is of its release."""
    suite = _codename(etc / "os-release")
    lines = tuple(sorted({line for line in _all(etc / "apt") if _suite(line).startswith(suite)}))
    if not lines:
        raise RailbedError(
            f"apt has no package source for {suite} on this machine",
            hint="the lab's images are made from the host's own sources, see sources.list(5)",
        )
    keyrings = {Path(one) for line in lines for one in re.findall(r"signed-by=([^\s\],]+)", line)}
    return Sources(suite, lines, tuple(sorted(keyrings)), apt_options())


def _codename(os_release: Path) -> str:
    found = re.search(r'^VERSION_CODENAME="?([\w-]+)', os_release.read_text(), re.MULTILINE)
    if found is None:
        raise RailbedError(
            "this system has no release name in /etc/os-release",
            hint="the lab is built on Debian 12 or a system like it",
        )
    return found[1]


def _all(apt: Path) -> Iterator[str]:
    for path in (apt / "sources.list", *sorted((apt / "sources.list.d").glob("*.list"))):
        if path.is_file():
            yield from re.findall(r"^deb .*\S", path.read_text(), re.MULTILINE)
    for path in sorted((apt / "sources.list.d").glob("*.sources")):
        for stanza in re.split(r"\n\s*\n", path.read_text()):
            yield from _from_stanza(stanza)


def _from_stanza(stanza: str) -> Iterator[str]:
    """A deb822 stanza as one-line sources."""
    found = re.findall(r"^([\w-]+):[ \t]*(\S.*)$", stanza, re.MULTILINE)
    field = {name.lower(): value.strip() for name, value in found}
    if "deb" not in field.get("types", "").split() or field.get("enabled") == "no":
        return
    key = field.get("signed-by", "")
    options = f"[signed-by={key}] " if key.startswith("/") else ""
    for uri in field.get("uris", "").split():
        for suite in field.get("suites", "").split():
            yield f"deb {options}{uri} {suite} {field.get('components', '')}".strip()


def _suite(line: str) -> str:
    words = re.sub(r"\[[^\]]*\]", "", line).split()
    return words[2] if len(words) > 2 else ""


def apt_options() -> str:
    """How the host's apt reaches its mirrors (proxies, dates), as apt.conf(5)."""
    dump = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=False)
    kept = [line for line in dump.stdout.splitlines() if _KEPT_OPTIONS.match(line)]
    return "\n".join([*kept, 'Acquire::Languages "none";', ""])
