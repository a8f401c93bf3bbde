"""A layer over the lab's nodes with all network tools of Debian, all of them masked.

Kept by the digest of the images below it and of this file, as the images are.
"""

from __future__ import annotations

import subprocess
import tempfile
from hashlib import sha256
from pathlib import Path

from deploy.lab.locks import held
from deploy.lab.machines.image import Images
from deploy.lab.paths import IMAGES

CACHE = IMAGES.parent / "tools"
PACKAGES = ("ifupdown2", "netplan.io", "network-manager")
SERVICES = ("NetworkManager.service", "networking.service")
WRITABLE = Path(__file__).parents[2] / "deploy/lab/recipe/switch/root"

# As the lab builds its own layers, from the host's sources (deploy/lab/recipe/build-layer.sh).
_BUILD = r"""
set -eu
cd "$1"; below=$2; shift 2
mkdir upper work root
mount -t overlay overlay -o "lowerdir=$below,upperdir=upper,workdir=work" root
mount --bind /dev root/dev
mount -t proc proc root/proc
cp --remove-destination /etc/resolv.conf root/etc/resolv.conf
cp -r /etc/apt/. root/etc/apt/
printf '#!/bin/sh\nexit 101\n' >root/usr/sbin/policy-rc.d
chmod 755 root/usr/sbin/policy-rc.d
chroot root apt-get -qq update
DEBIAN_FRONTEND=noninteractive chroot root apt-get -qq -y --no-install-recommends install "$@"
rm root/usr/sbin/policy-rc.d
rm -rf root/etc/apt root/var/lib/apt/lists root/var/cache/apt
: >root/etc/resolv.conf
"""
# What the installed system says of its management port: it is nobody's but its own.
_SYSTEM = {
    "etc/NetworkManager/conf.d/10-management.conf": (
        "[keyfile]\nunmanaged-devices=interface-name:eth0\n"
    ),
    "etc/network/interfaces": (
        "auto lo\niface lo inet loopback\n\nsource /etc/network/interfaces.d/*\n"
    ),
    "etc/netplan/01-system.yaml": "network: {version: 2, renderer: networkd}\n",
}


def ensure(images: Images) -> Path:
    """The upper folder of the layer, built now if it is not there; never written to again."""
    key = sha256(images.key.encode() + Path(__file__).read_bytes()).hexdigest()[:16]
    CACHE.mkdir(parents=True, exist_ok=True)
    with held(CACHE / "lock", lambda: None):
        if not (CACHE / key).is_dir():
            with tempfile.TemporaryDirectory(prefix="half-", dir=CACHE) as half:
                _build(Path(half), images).replace(CACHE / key)
    return CACHE / key


def _build(folder: Path, images: Images) -> Path:
    """Build the layer in `folder`; its upper folder."""
    below = images.lower("node")
    argv = ["unshare", "--mount", "sh", "-c", _BUILD, "sh", str(folder), below, *PACKAGES]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    upper = folder / "upper"
    for path, text in _SYSTEM.items():
        (upper / path).parent.mkdir(parents=True, exist_ok=True)
        (upper / path).write_text(text)
        (upper / path).chmod(0o600)
    units = upper / "etc/systemd/system"
    for wants in units.glob("*.wants"):
        for name in (*SERVICES, "NetworkManager-wait-online.service"):
            (wants / name).unlink(missing_ok=True)
    for name in SERVICES:
        (units / name).symlink_to("/dev/null")
    unit = "sys-writable.service"
    (units / unit).write_text((WRITABLE / "etc/systemd/system" / unit).read_text())
    (units / "sysinit.target.wants").mkdir(exist_ok=True)
    (units / "sysinit.target.wants" / unit).symlink_to(f"../{unit}")
    return upper
