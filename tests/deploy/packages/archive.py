"""A distribution's archive in a folder, signed, as apt reads it by file://.

SOURCE of the form: Debian wiki, DebianRepository/Format; indexes by apt-ftparchive(1), keys and
signatures by gpg(1).
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from deploy.lab.hardware.debs import Deb, build
from tests.inventory.own_sites import pod, write
from tests.standins.roots import new_key

LOCK = "versions/ubuntu-24.04-amd64.yml"
# The form of copyright-format 1.0: what stands for all files counts.
GPL = {
    "usr/share/doc/chrony/copyright": "Format: https://www.debian.org/doc/packaging-manuals/"
    "copyright-format/1.0/\n\nFiles: md5.c\nCopyright: x\nLicense: RSA-MD\n\n"
    "Files: *\nCopyright: y\nLicense: GPL-2\n it is free\n"
}


def base() -> list[Deb]:
    """What a release installs by itself, or needs to be reached: names and fields of noble's."""
    return [
        Deb("base-files", "13ubuntu10", fields={"Essential": "yes", "Priority": "required"}),
        Deb("libc6", "2.39-0ubuntu8", fields={"Priority": "required"}),
        Deb("openssh-server", "1:9.6p1-3ubuntu13", depends="libc6"),
        Deb("python3", "3.12.3-0ubuntu2", depends="libc6"),
        Deb("python3-apt", "2.7.7ubuntu3", depends="python3"),
        Deb("systemd-sysv", "255.4-1ubuntu8", depends="libc6"),
    ]


def stack(revision: str = "1") -> list[Deb]:
    """What roles ask for. zlib1g, which the controller has, is not in the release's base."""
    return [
        Deb("chrony", f"4.5-1ubuntu{revision}", depends="libc6, zlib1g", files=GPL),
        Deb("lldpd", "1.0.18-1ubuntu0.1", depends="libc6"),
        Deb("zlib1g", "1:1.3.dfsg-3.1ubuntu2", depends="libc6"),
        Deb("rdma-core", "50.0-2", depends="libc6, libibverbs1 (= 50.0-2)"),
        Deb("libibverbs1", "50.0-2", depends="libc6"),
        Deb("nvidia-open-580", "580.178.04-1", depends="libc6"),
        Deb("nvidia-fabricmanager-580", "580.178.04-1", depends="libc6"),
        Deb("left-out", "1.0"),
    ]


def archive(folder: Path, suite: str, debs: Sequence[Deb], key: Path) -> Path:
    """A suite with one component, main; what was there before is replaced."""
    build(debs, folder / "pool")
    keep = {deb.file_name for deb in debs}
    for path in (folder / "pool").iterdir():
        if path.name not in keep:
            path.unlink()
    where = Path("dists") / suite
    index = folder / where / "main/binary-amd64"
    index.mkdir(parents=True, exist_ok=True)
    (index / "Packages").write_text(_archive(folder, "packages", "pool"))
    options = {"Suite": suite, "Codename": suite, "Components": "main", "Architectures": "amd64"}
    flags = [
        part
        for name, value in options.items()
        for part in ("-o", f"APT::FTPArchive::Release::{name}={value}")
    ]
    (folder / where / "InRelease").unlink(missing_ok=True)
    sign(folder / where, _archive(folder, *flags, "release", str(where)), key)
    return folder


def sign(where: Path, release: str, key: Path) -> None:
    """Sign a release in the clear."""
    argv = ["gpg", "--batch", "--homedir", str(key), "--clearsign", "-o", "-"]
    done = subprocess.run(argv, input=release, capture_output=True, text=True, check=True)
    (where / "InRelease").write_text(done.stdout)


def made_key(folder: Path) -> tuple[Path, str]:
    """A home of gpg with a new key, and the key's fingerprint."""
    home = new_key(folder)
    argv = ["gpg", "--batch", "--homedir", str(home), "--with-colons", "--list-keys"]
    listed = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    return home, next(line.split(":")[9] for line in listed.splitlines() if line[:4] == "fpr:")


def end(home: Path) -> None:
    """No agent of gpg stays behind."""
    subprocess.run(["gpgconf", "--homedir", str(home), "--kill", "gpg-agent"], check=False)


def site(folder: Path, repositories: Sequence[Mapping[str, object]]) -> Path:
    """A site of Ubuntu nodes that asks these repositories, and has nothing locked yet."""
    write(pod(), folder)
    (folder / "versions").mkdir()
    (folder / LOCK).write_text(
        'os: ubuntu-24.04\nsuite: noble\narch: amd64\nresolved: "2026-01-01"\n'
        "components:\n  fabric_manager: [nvidia-fabricmanager-580]\n  lldp: [lldpd]\n"
        "  nvidia_driver: [nvidia-open-580]\n  rdma: [rdma-core]\n  time: [chrony]\n"
        "packages: {}\n"
    )
    text = json.dumps({"repositories": [*repositories]}, indent=1)
    (folder / "versions/sources.yml").write_text(text)
    return folder


def repository(where: Path, key: str, fingerprint: str) -> dict[str, object]:
    """A row of sources.yml."""
    return {
        "os": "ubuntu-24.04",
        "url": f"file://{where}",
        "suites": ["noble"],
        "components": ["main"],
        "keys": [key],
        "fingerprints": [fingerprint],
        "source": "made by a test",
    }


def _archive(folder: Path, *arguments: str) -> str:
    argv = ["apt-ftparchive", *arguments]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout
