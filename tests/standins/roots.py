"""A throw-away root folder with its own apt and dpkg database, fed by a repository of debs.

No machine: packages with maintainer scripts are only resolved here, not installed. The host's
apt takes part as a program alone: its configuration, lists and lock are others'.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from deploy.lab.hardware.debs import Deb, build, control

# What a minimal Debian 12 brings and our packages want of it.
_BASE = ("kmod", "python3", "systemd")
_INSTALLED = "\nStatus: install ok installed\nVersion:"
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def repository(folder: Path, debs: Iterable[Deb], key: Path | None) -> Path:
    """A flat repository of these packages, in all versions; `key` signs it, none: unsigned."""
    # What maintainer scripts would do has no machine to be done on.
    build([replace(one, scripts={}) for one in debs], folder)
    (folder / "Packages").write_text(_archive(folder, "packages"))
    release = _archive(folder, "release")
    (folder / "Release").write_text(release)
    if key is not None:
        argv = ["gpg", "--batch", "--homedir", str(key), "--clearsign", "-o", "-"]
        done = subprocess.run(argv, input=release, capture_output=True, text=True, check=True)
        (folder / "InRelease").write_text(done.stdout)
    return folder


def _archive(folder: Path, what: str) -> str:
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
    argv = ["apt-ftparchive", what, "."]
    done = subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, check=True)
    return done.stdout


class Root:
    """A root folder whose one source is a repository, trusted by the key of a keyring."""

    def __init__(self, folder: Path, source: Path, key: Path | None = None) -> None:
        self.folder = folder
        for part in ("etc/apt", "var/lib/apt/lists/partial", "var/cache/apt/archives/partial",
                     "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/log/apt"):  # fmt: skip
            (folder / part).mkdir(parents=True, exist_ok=True)
        stanzas = [f"Package: {name}\nStatus: install ok installed\nVersion: 30\n"
                   "Architecture: amd64\nMulti-Arch: allowed\nMaintainer: x\nDescription: x\n"
                   for name in _BASE]  # fmt: skip
        (folder / "var/lib/dpkg/status").write_text("\n".join(stanzas))
        for name in _BASE:
            (folder / f"var/lib/dpkg/info/{name}.list").write_text("/.\n")
        (folder / "etc/apt/apt.conf").write_text(self._configuration())
        signed = f"[signed-by={key / 'key.gpg'}] " if key else ""
        (folder / "etc/apt/sources.list").write_text(f"deb {signed}file:{source} ./\n")

    def have(self, debs: Iterable[Deb]) -> None:
        """Say that these are installed: for tests that only ask what apt would do."""
        status = self.folder / "var/lib/dpkg/status"
        said = [control(one).replace("\nVersion:", _INSTALLED, 1) for one in debs]
        status.write_text("\n".join([status.read_text(), *said]))

    def apt(self, *argv: str) -> subprocess.CompletedProcess[str]:
        """Run apt-get, yes to all, in this root."""
        return self._run("apt-get", "-qy", "-o", "APT::Get::Show-Versions=true", *argv)

    def must(self, *argv: str) -> str:
        """What apt-get prints; an error where it fails."""
        done = self.apt(*argv)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def refused(self, *argv: str) -> str:
        """What apt-get says when it fails; an error where it does not."""
        before = self.installed()
        done = self.apt(*argv)
        assert done.returncode == 100, done.stdout + done.stderr
        assert self.installed() == before, "half done"
        return done.stdout + done.stderr

    def mark(self, *argv: str) -> list[str]:
        """Run apt-mark; its lines."""
        done = self._run("apt-mark", *argv)
        assert done.returncode == 0, done.stderr
        return done.stdout.split("\n")[:-1]

    def installed(self) -> dict[str, str]:
        """Name -> version of all that is installed beside the base."""
        text = (self.folder / "var/lib/dpkg/status").read_text()
        found = re.findall(
            r"^Package: (\S+)\nStatus: \w+ ok installed\n(?:.+\n)*?Version: (\S+)$",
            text,
            re.MULTILINE,
        )
        return {name: version for name, version in found if name not in _BASE}

    def _run(self, *argv: str) -> subprocess.CompletedProcess[str]:
        env = {"APT_CONFIG": str(self.folder / "etc/apt/apt.conf"), "LC_ALL": "C", "PATH": _PATH}
        env["DEBIAN_FRONTEND"] = "noninteractive"
        return subprocess.run(argv, env=env, capture_output=True, text=True, timeout=120)

    def _configuration(self) -> str:
        options = ["--force-not-root", "--force-unsafe-io", f"--root={self.folder}",
                   "--force-bad-path", f"--log={self.folder}/var/log/dpkg.log"]  # fmt: skip
        settings = {
            "APT::Architecture": "amd64",
            "APT::Architectures": "amd64",
            "APT::Install-Recommends": "false",
            "APT::Sandbox::User": "",
            "Dir": f"{self.folder}/",
            "Dir::Etc::Main": "/dev/null",
            "Dir::Etc::Parts": "/dev/null",
            "Dir::Etc::SourceParts": "/dev/null",
            "Dir::Etc::Trusted": "/dev/null",
            "Dir::Etc::TrustedParts": "/dev/null",
            "Dir::Etc::Preferences": f"{self.folder}/etc/apt/preferences",
            "Dir::Etc::PreferencesParts": "/dev/null",
            "Dir::State::Status": f"{self.folder}/var/lib/dpkg/status",
            "Dir::Bin::Dpkg": "/usr/bin/dpkg",
        }
        lines = [f'{name} "{value}";' for name, value in settings.items()]
        lines += [f'DPkg::Options:: "{one}";' for one in options]
        return "\n".join(lines) + "\n"


def new_key(folder: Path) -> Path:
    """A folder of gpg with a new key, and its public part in key.gpg."""
    folder.mkdir(mode=0o700)
    gpg = ["gpg", "--batch", "--homedir", str(folder)]
    make = [
        "--passphrase",
        "",
        "--quick-gen-key",
        "standins <s@example.org>",
        "ed25519",
        "sign",
        "1y",
    ]
    subprocess.run([*gpg, *make], capture_output=True, check=True)
    argv = [*gpg, "--export", "-o", str(folder / "key.gpg")]
    subprocess.run(argv, capture_output=True, check=True)
    return folder
