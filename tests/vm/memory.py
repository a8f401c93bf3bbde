"""A program on Debian's own kernel, for what the kernel of this machine may not have.

It boots from memory: the lab's switch image, the kernel's modules and the job are one initramfs.
It has no disk and no network; what the job prints is its result. It is up in five to ten
seconds without KVM.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from deploy.lab.machines.image import ensure_images

from .cpio import Entry, archive, below
from .image import VmImage, ensure_image

# Beyond this it hangs; with both cores taken by others it needs some minutes.
LIMIT_S = 1800
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
    image = ensure_image(lambda _: None)
    base = _base(image)
    with tempfile.TemporaryDirectory(prefix="railbed-vm-") as folder:
        initrd = Path(folder) / "initrd"
        (Path(folder) / "init").write_text(_INIT)
        (Path(folder) / "init").chmod(0o755)
        with initrd.open("wb") as out:
            with base.open("rb") as part:
                shutil.copyfileobj(part, out)
            archive(out, below(job, "job"), [("railbed-init", Path(folder) / "init")])
        return _boot(image.kernel, initrd)


def _boot(kernel: Path, initrd: Path) -> str:
    command = [
        *("qemu-system-x86_64", "-accel", "tcg", "-m", str(MEMORY_MIB), "-nographic"),
        *("-no-reboot", "-nic", "none", "-kernel", str(kernel), "-initrd", str(initrd)),
        *("-append", "console=ttyS0 quiet rdinit=/railbed-init panic=1"),
    ]
    done = subprocess.run(command, capture_output=True, timeout=LIMIT_S, check=False)
    said = done.stdout.decode(errors="replace").replace("\r", "")
    assert DONE in said, f"the machine did not come to an end: {said[-2000:]}"
    return said


def _base(image: VmImage) -> Path:
    """The archive of the switch image with the kernel's modules."""
    images = ensure_images(lambda _: None)
    whole = image.folder / f"switch-{images.key}.cpio"
    if not whole.exists():
        half = whole.with_suffix(".half")
        with half.open("wb") as out:
            for layer in ("base", "switch"):
                archive(out, below(images.folder / layer, "", _LEFT_OUT))
            archive(out, _modules(image.modules))
        half.replace(whole)
    return whole


def _modules(folder: Path) -> Iterator[Entry]:
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
