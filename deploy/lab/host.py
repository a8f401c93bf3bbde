"""What the host itself must offer, and nothing more: programs, root, room for inotify."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
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

# It outlives railbed: neither Ctrl-C nor kill -9 cuts dpkg off half-way, and the policy that
# keeps services from starting goes away with the shell. One that an administrator wrote
# stays as it is (invoke-rc.d(8)); one of ours that a power cut left is known by its second
# line. The lock keeps the end of one such shell from freeing the services of the next.
INSTALL = r"""
policy=/usr/sbin/policy-rc.d
mine='# railbed: until apt has ended'
trap '' INT TERM HUP
mkdir -p /run/railbed
exec 9> /run/railbed/apt.lock
flock 9
if [ ! -e "$policy" ] || grep -qxF "$mine" "$policy"; then
    printf '#!/bin/sh\n%s\nexit 101\n' "$mine" > "$policy"
    chmod 755 "$policy"
    trap 'rm -f "$policy"' EXIT
fi
export DEBIAN_FRONTEND=noninteractive
get() { apt-get -qq -y -o DPkg::Lock::Timeout=300 --no-install-recommends "$@" 9>&-; }
get install "$@" || { get update && get install "$@"; }
"""


def ensure_host_packages(say: Callable[[str], None]) -> None:
    """Install what PROGRAMS lacks here, starting no service; RailbedError without root."""
    require_root()
    install_missing(PROGRAMS, say)


def install_missing(programs: Mapping[str, str], say: Callable[[str], None]) -> None:
    """Install the packages of programs (name -> package) that are not here; for root alone."""
    missing = sorted({pkg for program, pkg in programs.items() if not shutil.which(program)})
    if not missing:
        return
    say(f"installing on this machine, without starting services: {' '.join(missing)}")
    status, said = _outliving(["/bin/sh", "-c", INSTALL, "sh", *missing])
    if status:
        raise RailbedError(
            f"apt could not install {' '.join(missing)}: {last_words(said)}",
            hint="install them by hand, then run again",
        )


def require_root() -> None:
    """RailbedError unless this process may make namespaces and mounts."""
    if os.geteuid():
        raise RailbedError(
            "the lab needs root: it makes network namespaces and mounts",
            hint="as root in a virtual machine, or see `railbed validate --from-evidence DIR`",
        )


def make_room(say: Callable[[str], None]) -> None:
    """Raise the host's inotify limit: at 128 about twenty booted machines stop starting."""
    if int(_INSTANCES.read_text()) < _INSTANCES_WANTED:
        say(f"fs.inotify.max_user_instances: {_INSTANCES_WANTED}, until this machine reboots")
        run(["sysctl", "-q", "-w", f"fs.inotify.max_user_instances={_INSTANCES_WANTED}"])


def _outliving(argv: list[str]) -> tuple[int, str]:
    """Run to the end, whatever becomes of us: a file takes the output, as a pipe would break."""
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        status = process.wait()
        said.seek(0)
        return status, said.read()
