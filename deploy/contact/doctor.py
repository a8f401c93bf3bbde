"""`railbed doctor`: what this machine needs, then one device of each class. Changes nothing."""

from __future__ import annotations

import re
import shutil
import stat
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from deploy.errors import RailbedError
from deploy.packages.fetch import cache_folder, missing
from deploy.session import Selection, open_plan, require_up
from deploy.transport import credentials
from deploy.transport.ssh_files import first_contact
from inventory.plan import Plan
from inventory.state import CLONE

from . import doctor_run
from .enroll import look_at
from .found import Check, Contact, Examined
from .site import Site, make_key, open_at_first

TOOLS = ("ansible-core", "mitogen", "netmiko", "paramiko", "pyinfra")
_LEAST_FREE_BYTES = 1 << 30
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_LOCKED = re.compile(r"^([\w.-]+)==(\S+)", re.MULTILINE)
_OPEN = "is open to others"


def examine(selection: Selection) -> Examined:
    """Look at the controller and one device of each class; InventoryError for a broken site."""
    require_up(selection)
    plan, state = open_plan(selection), selection.state_dir.absolute()
    checks = [*_machine(state), *_credentials(plan, state), *_kept(plan, state)]
    try:
        site = open_at_first(selection, plan)
    except RailbedError as error:
        checks.append(Check("devices", "missing", f"not asked: {error.message}", "as above"))
    else:
        checks += _classes(site)
    return Examined(tuple(checks))


def _machine(state: Path) -> Iterator[Check]:
    yield Check("Python", "ok", f"{'.'.join(map(str, sys.version_info[:3]))} in {sys.prefix}")
    yield _tools()
    ssh = doctor_run.version_of_ssh()
    if ssh:
        yield Check("OpenSSH", "ok", ssh)
    else:
        said = "ssh, ssh-keygen or ssh-keyscan is not here"
        yield Check("OpenSSH", "missing", said, "apt-get install openssh-client")
    for name, folder in (("disk of the state", state), ("disk of the cache", cache_folder())):
        yield _disk(name, folder)
    synchronised = doctor_run.is_clock_synchronised()
    if synchronised:
        yield Check("clock", "ok", "synchronised")
    else:
        said = "the kernel does not say" if synchronised is None else "no time source keeps it"
        yield Check("clock", "missing", said, "timedatectl set-ntp true; timedatectl status")


def _tools() -> Check:
    """The programs that reach devices, in the releases that are locked."""
    lock = CLONE / "requirements.lock"
    locked = dict(_LOCKED.findall(lock.read_text("utf-8"))) if lock.is_file() else {}
    found = {name: _version(name) for name in TOOLS}
    wrong = [
        f"{name} {said or 'is missing'}"
        for name, said in found.items()
        if not said or said != locked.get(name)
    ]
    if wrong:
        mend = "./railbed --launcher-info builds the environment that is locked"
        return Check("tools", "wrong", ", ".join(wrong), mend)
    return Check("tools", "ok", ", ".join(f"{name} {said}" for name, said in found.items()))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _disk(name: str, folder: Path) -> Check:
    there = next(one for one in (folder, *folder.parents) if one.exists())
    free = shutil.disk_usage(there).free
    said = f"{free / (1 << 30):.1f} GiB free at {there}"
    if free >= _LEAST_FREE_BYTES:
        return Check(name, "ok", said)
    return Check(name, "wrong", said, f"make room: at least 1 GiB (du -xh {there} | sort -h)")


def _credentials(plan: Plan, state: Path) -> Iterator[Check]:
    """By name alone: each can be read, and nobody else may."""
    for name, _ in plan.credentials:
        try:
            if name == "ssh_key":
                credentials.key_file(plan, state)
            else:
                credentials.read(plan, state, name)
        except RailbedError as error:
            mend = make_key(plan, state) if name == "ssh_key" else error.hint
            is_open = _OPEN in error.message
            if is_open:
                mend = error.message.partition(f"{_OPEN}, ")[2]
            yield Check(
                f"credential {name}", "wrong" if is_open else "missing", error.message, mend
            )
        else:
            yield Check(f"credential {name}", "ok", "can be read")


def _kept(plan: Plan, state: Path) -> Iterator[Check]:
    """What is kept on this machine for the site."""
    if not state.is_dir():
        yield Check(
            "state folder", "missing", f"{state} is not there yet", f"mkdir -p -m 700 {state}"
        )
    elif mode := state.stat().st_mode & _OTHERS:
        said = f"{state} is open to others ({mode:03o})"
        yield Check("state folder", "wrong", said, f"chmod go= {state}")
    else:
        yield Check("state folder", "ok", str(state))
    try:
        known = {*first_contact(state)} & {*plan.devices}
    except RailbedError as error:
        yield Check("host keys", "wrong", error.message, "`railbed enroll` writes it")
    else:
        said = f"{len(known)} of {len(plan.devices)} devices are known"
        whole = len(known) == len(plan.devices)
        yield Check(
            "host keys", "ok" if whole else "missing", said, "" if whole else "`railbed enroll`"
        )
    if plan.packages.packages:
        gone = len(missing(plan.packages.packages))
        said = (
            f"{gone} of {len(plan.packages.packages)} locked packages are not in {cache_folder()}"
        )
        mend = "`railbed packages fetch` asks the mirrors for them; without one, `packages import`"
        yield Check("packages", "missing" if gone else "ok", said, mend if gone else "")


def _classes(site: Site) -> Iterator[Check]:
    """One trip to one device of each class: one that can be reached, where there is one."""
    plan = site.plan
    kinds: dict[str, str] = {}
    for name in sorted(
        plan.devices, key=lambda one: (one in plan.undeployable, one not in site.known)
    ):
        kinds.setdefault(site.kind(name), name)
    for one in look_at(site, [*kinds.values()]):
        yield _class(one)


def _class(one: Contact) -> Check:
    name = f"{one.kind} {one.device}"
    if one.missing:
        first = one.missing[0]
        return Check(name, "wrong" if one.refused else "missing", first.what, first.mend)
    return Check(name, "ok", f"host key known, login as {one.user}, may be root")
