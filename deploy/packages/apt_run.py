"""Asks the mirrors of any release by apt's own resolver, without touching this machine's apt.

Lists, cache and configuration lie in a folder of their own, so nothing here needs the
machine's apt lock, its preferences or its foreign sources. apt checks the mirrors'
signatures with the keys that the sources name (apt-secure(8)), and believes no older list
where one of them fails.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deploy.errors import RailbedError
from deploy.files import write_atomically
from inventory.plan import LockedPackage

from .mirrors import Mirrors
from .offered import HINT, Offered, download_limit_s

_LIMIT_S = 900.0
_LINES_SHOWN = 6
_INST = re.compile(r"^Inst (\S+) (?:\[[^\]]*\] )?\((\S+) ", re.MULTILINE)
# What every release installs by itself (Debian Policy 2.5, 3.8), and what must be there before a
# node can be reached and changed: sshd, and the Python of both engines.
_BASE_PRIORITIES = frozenset({"required", "important"})
_REACHED_BY = ("openssh-server", "python3", "python3-apt", "systemd-sysv")
_EXACTLY = re.compile(r"([a-z0-9][a-z0-9+.-]+)(?::any)? \(= ([^)\s]+)\)")

Versions = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Apt:
    """apt in a folder of its own, for one release and architecture.

    `status` there is the dpkg database of the machine that shall install: what it has need not
    come along. An empty file is a machine without packages.
    """

    folder: Path

    @property
    def status(self) -> Path:
        """The dpkg database: a file that may be written anew between two questions."""
        return self.folder / "status"

    def resolve(self, wanted: Iterable[str]) -> dict[str, str]:
        """Name -> version of all that installing `wanted` would bring; newest versions."""
        names = sorted(wanted)
        said = self._run("apt-get", "-s", "--no-install-recommends", "install", *names)
        return dict(_INST.findall(said))

    def from_nothing(self, names: Iterable[str]) -> dict[str, Offered]:
        """All of a root folder that has `names`, by exact version where one says `NAME=VERSION`.

        Beside them what is essential (Debian Policy 3.8), and nothing that is recommended.
        """
        write_atomically(self.status, "")
        shown = map(_fields, self._run("apt-cache", "dumpavail").split("\n\n"))
        essential = {one["Package"] for one in shown if one.get("Essential") == "yes"}
        return self.describe(self.resolve(essential | {*names}))

    def base(self) -> str:
        """The dpkg database (dpkg(1), status) of a minimal system of this release, resolved."""
        names = [*_REACHED_BY]
        for stanza in self._run("apt-cache", "dumpavail").split("\n\n"):
            fields = _fields(stanza)
            if fields.get("Essential") == "yes" or fields.get("Priority") in _BASE_PRIORITIES:
                names.append(fields["Package"])
        versions = self.resolve(names)
        shown = self._run("apt-cache", "show", *_exact(versions)).split("\n\n")
        found = {_fields(one)["Package"]: one.strip() for one in shown if one.strip()}
        return "".join(
            f"{stanza}\nStatus: install ok installed\n\n" for _, stanza in sorted(found.items())
        )

    def describe(self, versions: Versions) -> dict[str, Offered]:
        """What the mirrors say of these versions; RailbedError when one is not there."""
        found: dict[str, Offered] = {}
        # Not `download --print-uris`: Ubuntu's mirrors make it print SHA-512 only.
        for stanza in self._run("apt-cache", "show", *_exact(versions)).split("\n\n"):
            fields = _fields(stanza)
            name, digest = fields.get("Package", ""), fields.get("SHA256", "")
            if digest and versions.get(name) == fields.get("Version"):
                needs = f"{fields.get('Pre-Depends', '')}, {fields.get('Depends', '')}"
                exactly = dict(_EXACTLY.findall(needs))
                found[name] = Offered(fields["Version"], digest, int(fields["Size"]), exactly)
        if missing := sorted(set(versions) - set(found)):
            raise RailbedError(f"no mirror says the SHA-256 of {', '.join(missing)}", HINT)
        return found

    def versions_of(self, names: Iterable[str]) -> dict[str, list[str]]:
        """The versions of each package that the mirrors have, newest first."""
        found: dict[str, list[str]] = {name: [] for name in names}
        for line in self._run("apt-cache", "madison", *sorted(found)).splitlines():
            name, version, *_ = (part.strip() for part in line.split("|"))
            if name in found and version not in found[name]:
                found[name].append(version)
        return found

    def beyond_base(self, names: Iterable[str]) -> dict[str, Offered]:
        """All that `names` bring beyond a minimal system of the release, as the mirrors have it.

        What counts as there is not what roles ask for, what was built with it, and what the
        answer needs at exactly one version.
        """
        asked = frozenset(names)
        write_atomically(self.status, without(self.base(), asked))
        return closed(self.describe(self.resolve(asked)), self.describe)

    def download(self, packages: Sequence[LockedPackage], into: Path) -> None:
        """Put the .deb files of these packages into a folder."""
        versions = {one.name: one.version for one in packages}
        limit_s = download_limit_s(_LIMIT_S, packages)
        self._run("apt-get", "download", *_exact(versions), folder=into, limit_s=limit_s)

    def update(self) -> None:
        """Read the mirrors' lists again."""
        self._run("apt-get", "-qq", "update")

    def _run(self, *argv: str, folder: Path | None = None, limit_s: float = _LIMIT_S) -> str:
        env = {
            "APT_CONFIG": str(self.folder / "apt.conf"),
            "LC_ALL": "C",
            "PATH": os.environ.get("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"),
        }
        try:
            done = subprocess.run(
                argv,
                cwd=folder or self.folder,
                env=env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=limit_s,
                check=False,
            )
        except FileNotFoundError:
            raise RailbedError(f"{argv[0]} is not on this machine", HINT) from None
        except subprocess.TimeoutExpired:
            raise RailbedError(f"{argv[0]} {argv[1]} did not end in {limit_s:.0f} s") from None
        if done.returncode:
            lines = (done.stderr or done.stdout).strip().splitlines()
            said = " ".join(lines[-_LINES_SHOWN:]) or f"exit status {done.returncode}"
            raise RailbedError(f"{argv[0]} {argv[1]}: {said}", HINT, exit_code=1)
        return done.stdout


def _exact(versions: Versions) -> list[str]:
    return [f"{name}={version}" for name, version in sorted(versions.items())]


def _fields(stanza: str) -> dict[str, str]:
    """The one-line fields of a stanza (deb822(5))."""
    return dict(re.findall(r"^([\w-]+): (.*)$", stanza, re.MULTILINE))


def open_apt(cache: Path, mirrors: Mirrors, label: str, arch: str, status: str = "") -> Apt:
    """Set apt up below `cache`, in a folder `label`, for a machine with this dpkg database."""
    folder = cache / "apt" / label
    for part in ("lists/partial", "archives/partial", "etc"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    write_atomically(folder / "status", status)
    write_atomically(folder / "etc/sources.list", "\n".join(mirrors.lines) + "\n")
    write_atomically(folder / "apt.conf", _configuration(folder, arch) + mirrors.apt_options)
    return Apt(folder)


def _configuration(folder: Path, arch: str) -> str:
    settings = {
        "APT::Architecture": arch,
        "APT::Architectures": arch,
        # The answer must not depend on which machine asks (apt_preferences(5), phased updates).
        "APT::Get::Always-Include-Phased-Updates": "true",
        # Everything here lies below a folder that only its owner may open.
        "APT::Sandbox::User": "",
        # A list that is not signed any more is an error, and no older one is taken instead.
        "APT::Update::Error-Mode": "any",
        "Dir::Etc::Main": "/dev/null",
        "Dir::Etc::Parts": "/dev/null",
        "Dir::Etc::SourceList": f"{folder}/etc/sources.list",
        "Dir::Etc::SourceParts": "/dev/null",
        "Dir::Etc::Preferences": "/dev/null",
        "Dir::Etc::PreferencesParts": "/dev/null",
        "Dir::State": str(folder),
        "Dir::State::Lists": f"{folder}/lists",
        "Dir::State::Status": f"{folder}/status",
        "Dir::Cache": str(folder),
        "Dir::Cache::Archives": f"{folder}/archives",
    }
    return "".join(f'{name} "{value}";\n' for name, value in settings.items())


def closed(
    found: dict[str, Offered], describe: Callable[[Mapping[str, str]], dict[str, Offered]]
) -> dict[str, Offered]:
    """Add what these packages need at exactly one version, and what that needs, to them."""
    while missing := {
        other: version
        for offered in found.values()
        for other, version in offered.needs.items()
        if other not in found
    }:
        found = {**found, **describe(missing)}
    return found


def without(status: str, names: frozenset[str]) -> str:
    """A dpkg database without these packages and all others built with them."""
    kept = []
    for stanza in status.split("\n\n"):
        fields = dict(re.findall(r"^(Package|Source): (\S+)", stanza, re.MULTILINE))
        if not names & set(fields.values()):
            kept.append(stanza)
    return "\n\n".join(kept)
