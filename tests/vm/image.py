"""The parts of a machine with a kernel of its own: disk, kernel, initial root, GRUB's disk.

Made from the lab's node image, Debian's own kernel package and `recipe/`, and kept by the
digest of all three. It is built aside and renamed at the end, so nothing half-built is used.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from deploy.lab.command import run, run_jailed
from deploy.lab.host import ensure_host_packages, install_missing
from deploy.lab.locks import held
from deploy.lab.machines.image import Images, ensure_images
from deploy.lab.machines.sources import Sources, host_sources
from deploy.lab.paths import IMAGES

from .cpio import archive, below

CACHE = IMAGES.parent / "vm"
RECIPE = Path(__file__).parent / "recipe"
# Program -> Debian package that brings it.
PROGRAMS = {
    "debugfs": "e2fsprogs",
    "mke2fs": "e2fsprogs",
    "qemu-system-x86_64": "qemu-system-x86",
}
LAYER = "node"
DISK_GIB = 3
_BUILD_LIMIT_S = 600.0


@dataclass(frozen=True)
class VmImage:
    """The parts of machines, in one folder that is never written to again."""

    folder: Path

    @property
    def disk(self) -> Path:
        """The root file system, ext4 without partitions."""
        return self.folder / "disk"

    @property
    def kernel(self) -> Path:
        """Debian's kernel."""
        return self.folder / "kernel"

    @property
    def initrd(self) -> Path:
        """What finds the disk."""
        return self.folder / "initrd"

    @property
    def grub(self) -> Path:
        """A disk with GRUB alone, which reads its menu from the root file system."""
        return self.folder / "grub.img"

    @property
    def key(self) -> Path:
        """The private key that may log in as root."""
        return self.folder / "key"

    @property
    def host_key(self) -> str:
        """The public half of the machines' host key."""
        return (self.folder / "host.pub").read_text().strip()

    @property
    def release(self) -> str:
        """What `uname -r` says there."""
        return (self.folder / "release").read_text().strip()

    @property
    def modules(self) -> Path:
        """The kernel's modules, as on the disk."""
        return self.folder / "modules" / self.release


def ensure_image(say: Callable[[str], None] = print) -> VmImage:
    """The image of this recipe, these sources and their newest kernel; built if it is not there."""
    ensure_host_packages(say)
    install_missing(PROGRAMS, say)
    images, sources, kernel = ensure_images(say), host_sources(), _kernel_package()
    image = VmImage(CACHE / _digest(images, kernel))
    with held(CACHE / "lock", lambda: say("waiting: the image is being built")):
        for half in CACHE.glob("half-*"):
            shutil.rmtree(half)
        if not image.folder.is_dir():
            say(f"building a machine with {kernel} (about a minute, once)")
            _build(image, images, sources, kernel)
    return image


def _build(image: VmImage, images: Images, sources: Sources, kernel: str) -> None:
    half = Path(tempfile.mkdtemp(prefix="half-", dir=CACHE))
    try:
        (half / "sources").write_text("\n".join(sources.lines) + "\n")
        (half / "apt.conf").write_text(sources.apt_options)
        parts = [images.lower(LAYER), str(half), str(RECIPE), kernel]
        run_jailed([["/bin/sh", str(RECIPE / "build.sh"), *parts]], _BUILD_LIMIT_S)
        _close(half, images)
    except BaseException:
        shutil.rmtree(half, ignore_errors=True)
        raise
    half.replace(image.folder)


def _close(half: Path, images: Images) -> None:
    """The initial root file system, then the disk with it."""
    release = (half / "release").read_text().strip()
    with (half / "initrd").open("wb") as out:
        empty = half / "initrd.d" / "empty"
        empty.mkdir()
        folders = [(name, empty) for name in ("bin", "dev", "root")]
        busybox = [("bin/busybox", half / "initrd.d" / "busybox")]
        init = [("init", half / "initrd.d" / "init")]
        archive(out, folders, busybox, init, below(half / "initrd.d" / "modules", "modules"))
    shutil.copy(half / "initrd", half / "upper" / "boot" / f"initrd.img-{release}")
    run_jailed([["/bin/sh", "-c", _DISK, "sh", images.lower(LAYER), str(half)]], _BUILD_LIMIT_S)
    (half / "upper/usr/lib/modules").replace(half / "modules")
    for name in ("upper", "work", "root", "initrd.d", "sources", "apt.conf", "key.pub"):
        path = half / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()


# Without a loop device: mke2fs(8) fills the file system from a folder.
_DISK = f"""
set -eu
mount -t overlay overlay -o "lowerdir=$2/upper:$1" "$2/root"
truncate -s {DISK_GIB}G "$2/disk"
mke2fs -q -t ext4 -L root -d "$2/root" "$2/disk"
"""


def _kernel_package() -> str:
    """The kernel that Debian's own meta package asks for now (apt-cache(8))."""
    said = subprocess.run(
        ["apt-cache", "depends", "--no-recommends", "linux-image-amd64"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return next(line.split()[-1] for line in said.stdout.splitlines() if "Depends:" in line)


def _digest(images: Images, kernel: str) -> str:
    version = run(["apt-cache", "show", "--no-all-versions", kernel]).partition("\nVersion: ")[2]
    parts = [images.key, kernel, version.partition("\n")[0], str(DISK_GIB), _DISK]
    for path in sorted(one for one in RECIPE.rglob("*") if one.is_file()):
        parts += [str(path.relative_to(RECIPE)), path.read_text()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
