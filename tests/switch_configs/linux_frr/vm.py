"""A machine with Debian's own kernel, for what the kernel of this one may not have.

It boots from memory: the lab's switch image, a kernel package and the job are one initramfs
(Linux, Documentation/driver-api/early-userspace/buffer-format.rst). It has no disk and no
network; what the job prints is its result. It is up in five to ten seconds without KVM.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from deploy.lab.host import install_missing
from deploy.lab.image import ensure_images
from deploy.lab.paths import IMAGES

CACHE = IMAGES.parent / "vm"
PROGRAMS = {"qemu-system-x86_64": "qemu-system-x86"}
LIMIT_S = 400
MEMORY_MIB = 1800
DONE = "vm: done"

_PARTS = (
    *("net", "drivers/net/veth.ko", "drivers/net/vrf.ko", "drivers/net/bonding", "lib"),
    "crypto",
)
_LEFT_OUT = ("usr/share/doc", "usr/share/man", "usr/share/locale", "usr/lib/gcc", "var/cache")
_INIT = f"""#!/bin/sh
export PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs run /run
mkdir -p /run/netns /run/network /run/lock
ip link set lo up
depmod
python3 /job/job.py
echo "{DONE}"
echo o > /proc/sysrq-trigger
sleep 60
"""


def run_job(job: Path) -> str:
    """What `job.py` in this folder prints; the folder is `/job` there."""
    kernel, base = _base()
    with tempfile.TemporaryDirectory(prefix="railbed-vm-") as folder:
        image = Path(folder) / "initrd"
        (Path(folder) / "init").write_text(_INIT)
        (Path(folder) / "init").chmod(0o755)
        with image.open("wb") as out:
            with base.open("rb") as part:
                shutil.copyfileobj(part, out)
            _archive(out, _tree(job, "job"), [("railbed-init", Path(folder) / "init")])
        return _boot(kernel, image)


def _boot(kernel: Path, image: Path) -> str:
    command = [
        *("qemu-system-x86_64", "-accel", "tcg", "-m", str(MEMORY_MIB), "-nographic"),
        *("-no-reboot", "-nic", "none", "-kernel", str(kernel), "-initrd", str(image)),
        *("-append", "console=ttyS0 quiet rdinit=/railbed-init panic=1"),
    ]
    done = subprocess.run(command, capture_output=True, timeout=LIMIT_S, check=False)
    said = done.stdout.decode(errors="replace").replace("\r", "")
    assert DONE in said, f"the machine did not come to an end: {said[-2000:]}"
    return said


def _base() -> tuple[Path, Path]:
    """The kernel, and the archive of the switch image with that kernel's modules."""
    install_missing(PROGRAMS, lambda _: None)
    images = ensure_images(lambda _: None)
    package = _kernel_package()
    archive = CACHE / f"{images.key}-{package}.cpio"
    unpacked = CACHE / package
    if not archive.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        _unpack(package, unpacked)
        half = archive.with_suffix(".half")
        with half.open("wb") as out:
            _archive(out, *(_tree(images.folder / one, "") for one in ("base", "switch")))
        with half.open("ab") as out:
            _archive(out, _modules(unpacked))
        half.rename(archive)
    return next((unpacked / "boot").glob("vmlinuz-*")), archive


def _kernel_package() -> str:
    said = subprocess.run(
        ["apt-cache", "depends", "--no-recommends", "linux-image-amd64"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return next(line.split()[-1] for line in said.stdout.splitlines() if "Depends:" in line)


def _unpack(package: str, to: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="railbed-vm-") as folder:
        subprocess.run(
            ["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", package],
            cwd=folder,
            check=True,
        )
        (found,) = Path(folder).glob("*.deb")
        subprocess.run(["dpkg-deb", "-x", str(found), str(to)], check=True)


def _modules(unpacked: Path) -> Iterator[tuple[str, Path]]:
    (folder,) = (unpacked / "lib/modules").iterdir()
    to = f"usr/lib/modules/{folder.name}"
    yield from (("usr/lib/modules", folder), (to, folder))
    yield from ((f"{to}/{one.name}", one) for one in sorted(folder.iterdir()) if one.is_file())
    yield from ((f"{to}/{one.relative_to(folder)}", one) for one in _folders(folder / "kernel"))
    for part in _PARTS:
        root = folder / "kernel" / part
        for one in [root] if root.is_file() else sorted(root.rglob("*.ko")):
            yield f"{to}/{one.relative_to(folder)}", one


def _folders(root: Path) -> list[Path]:
    return sorted(one for one in (root, *root.rglob("*")) if one.is_dir())


def _tree(root: Path, to: str) -> Iterator[tuple[str, Path]]:
    """Every path below a folder, folders before what lies in them."""
    if to:
        yield to, root
    for folder, names, files in os.walk(root):
        here = Path(folder).relative_to(root)
        names[:] = sorted(one for one in names if str(here / one) not in _LEFT_OUT)
        for name in sorted((*names, *files)):
            yield str(Path(to) / here / name), Path(folder) / name


def _archive(out: object, *parts: Iterable[tuple[str, Path]]) -> None:
    """An archive in the `newc` form, ended and filled up to 512 bytes."""
    write = out.write  # type: ignore[attr-defined]
    for part in parts:
        for number, (name, path) in enumerate(part, start=1):
            info = path.lstat()
            if stat.S_ISCHR(info.st_mode) and info.st_rdev == 0:
                continue  # A whiteout of overlayfs.
            write(_entry(number, name, info, _content(path, info)))
    write(_entry(0, "TRAILER!!!", None, b""))


def _content(path: Path, info: os.stat_result) -> bytes:
    if stat.S_ISLNK(info.st_mode):
        return bytes(path.readlink())
    return path.read_bytes() if stat.S_ISREG(info.st_mode) else b""


def _entry(number: int, name: str, info: os.stat_result | None, content: bytes) -> bytes:
    mode = info.st_mode if info else 0
    owner = (info.st_uid, info.st_gid) if info else (0, 0)
    device = (os.major(info.st_rdev), os.minor(info.st_rdev)) if info else (0, 0)
    said = name.encode() + b"\0"
    fields = (number, mode, *owner, 1, 0, len(content), 0, 0, *device, len(said), 0)
    head = b"070701" + "".join(f"{one:08x}" for one in fields).encode() + said
    return _filled(head) + _filled(content)


def _filled(part: bytes) -> bytes:
    return part + b"\0" * (-len(part) % 4)
