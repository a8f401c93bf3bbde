"""What the host itself must offer, and nothing more: programs, root, room for inotify."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from deploy.errors import RailbedError

from .command import last_words, run

# Program -> Debian package that brings it.
PROGRAMS = {
    "ip": "iproute2",
    "mmdebstrap": "mmdebstrap",
    "nsenter": "util-linux",
    "setpriv": "util-linux",
    "ssh": "openssh-client",
    "ssh-keygen": "openssh-client",
    "systemd-nspawn": "systemd-container",
    "tc": "iproute2",
    "unshare": "util-linux",
}
_INSTANCES = Path("/proc/sys/fs/inotify/max_user_instances")
_INSTANCES_WANTED = 4096

# A session of its own: neither Ctrl-C nor the death of railbed cuts dpkg off half-way, and
# the policy that keeps services from starting goes away with the shell, not with railbed.
# One that an administrator wrote stays as it is (Debian policy-rc.d(8)); one of ours that
# a power cut left is known by its second line.
_INSTALL = r"""
policy=/usr/sbin/policy-rc.d
mine='# railbed: until apt has ended'
trap '' INT TERM HUP
if [ ! -e "$policy" ] || grep -qxF "$mine" "$policy"; then
    printf '#!/bin/sh\n%s\nexit 101\n' "$mine" > "$policy"
    chmod 755 "$policy"
    trap 'rm -f "$policy"' EXIT
fi
export DEBIAN_FRONTEND=noninteractive
install() { apt-get -qq -y -o DPkg::Lock::Timeout=300 --no-install-recommends install "$@"; }
install "$@" || { apt-get -qq update && install "$@"; }
"""


def ensure_host_packages(say: Callable[[str], None]) -> None:
    """Install what PROGRAMS lacks here, starting no service; RailbedError without root."""
    require_root()
    missing = sorted({pkg for program, pkg in PROGRAMS.items() if not shutil.which(program)})
    if not missing:
        return
    say(f"installing on this machine, without starting services: {' '.join(missing)}")
    done = subprocess.run(
        ["/bin/sh", "-c", _INSTALL, "sh", *missing],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        check=False,
    )
    if done.returncode:
        raise RailbedError(
            f"apt could not install {' '.join(missing)}: {last_words(done.stdout)}",
            hint="install them by hand, then run again",
        )


def require_root() -> None:
    """RailbedError unless this process may make namespaces and mounts."""
    if os.geteuid():
        raise RailbedError(
            "the lab needs root: it makes network namespaces and mounts",
            hint="run it as root in a virtual machine, or see `./railbed validate --from-evidence`",
        )


def make_room(say: Callable[[str], None]) -> None:
    """Raise the host's inotify limit: at 128 about twenty booted machines stop starting."""
    if int(_INSTANCES.read_text()) < _INSTANCES_WANTED:
        say(f"fs.inotify.max_user_instances: {_INSTANCES_WANTED}, until this machine reboots")
        run(["sysctl", "-q", "-w", f"fs.inotify.max_user_instances={_INSTANCES_WANTED}"])
