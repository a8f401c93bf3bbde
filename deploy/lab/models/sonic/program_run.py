"""A command on the switch: `PROGRAM WORD ...`; some are for its units alone.

A container is a service here, and what is run in it runs beside it. Words of docker are its own.
"""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ..under_run import restart
from . import faults
from .box import FRR, Refused
from .machine_run import Machine, answers, system
from .programs import PROGRAMS, config
from .sonic_yang import SonicYangException

_ROOT_ALONE = ("config", "docker")
_LOCK = Path("/etc/sonic/reload.lock")
_CONTAINERS = {"bgp": "bgp.service", "database": "database.service", "lldp": "lldpd.service"}
_FRR = Path("/etc/frr")
# Debian's FRR says that it is the one of this release.
_VERSION = re.compile(rb"(?m)^(frr version |FRRouting )[\d.]+")


def main() -> int:
    """Of this program."""
    line, wrong = " ".join(sys.argv[1:]), faults.asked()
    while faults.is_on(wrong.hang_on, line):
        time.sleep(1)
    try:
        sys.stdout.write(said(*sys.argv[1:], refuses=faults.is_on(wrong.refuse_on, line)))
    except (Refused, SonicYangException, OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if faults.is_on(wrong.restart_on, line):
        restart()
    return 0


def said(program: str, *words: str, refuses: bool) -> str:
    """What it prints."""
    switch = Machine()
    if refuses:
        raise Refused("internal error")
    if program in _ROOT_ALONE and os.geteuid():
        raise Refused("Root privileges are needed for this operation")
    match program:
        case "docker":
            docker(words)
        case "boot":
            boot(switch)
        case "routing":
            routing(switch)
        case "config" if words[:1] == ("reload",):
            return reload(switch, words)
        case _:
            return PROGRAMS[program](switch, list(words))
    return ""


def reload(switch: Machine, words: Sequence[str]) -> str:
    """One at a time (sonic-utilities, config/main.py: SYSTEM_RELOAD_LOCK)."""
    with _LOCK.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Refused(f"Failed to acquire lock on {_LOCK}") from None
        return config(switch, list(words))


def docker(words: Sequence[str]) -> None:
    """`docker exec [-i|-t|-it] CONTAINER COMMAND ...`."""
    verb, *rest = [one for one in words if one not in ("-i", "-t", "-it")] or [""]
    if verb != "exec" or len(rest) < 2:
        raise Refused(f"docker: '{verb}' is not a docker command of this model.")
    name, *command = rest
    if name not in _CONTAINERS:
        raise Refused(f"Error response from daemon: No such container: {name}")
    if not system("--quiet", "is-active", _CONTAINERS[name]):
        raise Refused(f"Error response from daemon: container {name} is not running")
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    sys.stdout.buffer.write(_VERSION.sub(rb"\g<1>" + FRR.encode(), done.stdout))
    sys.exit(done.returncode)


def boot(switch: Machine) -> None:
    """CONFIG_DB as the startup file says (sonic-buildimage, docker_image_ctl.j2)."""
    answers(30)
    switch.loads(switch.boots())


def routing(switch: Machine) -> None:
    """FRR's own files for the start of container bgp."""
    (_FRR / "frr.conf").write_text(switch.routing(switch.tables))
    daemons = _FRR / "daemons"
    said = daemons.read_text()
    if "dplane_fpm_nl" not in said:
        daemons.write_text(said.replace('zebra_options="', 'zebra_options="-M dplane_fpm_nl ', 1))


if __name__ == "__main__":
    sys.exit(main())
