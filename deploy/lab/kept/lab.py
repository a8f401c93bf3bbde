"""Keep a lab that was brought to its plan, and start others from it in seconds.

What is kept are the machines' disks as a power cut leaves them, and the lab's state folder:
record, evidence, host keys, the controller's key. A lab started from it has disks of its own
over the kept ones, a name and an access address of its own, and nothing left to apply.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from deploy.errors import RailbedError
from deploy.lab import lab, settled, spec
from deploy.lab.command import run
from deploy.lab.machines import cgroups, machine
from deploy.lab.machines.image import ensure_images
from deploy.lab.machines.kinds import kind_of
from deploy.lab.paths import LabPaths
from deploy.lab.spec import LabSpec

from . import leftovers
from . import store as kept_store
from .store import About, Kept

Say = Callable[[str], None]
# What is the standing lab's alone: where it is reached, and the files that ssh reads.
_OWN = ("access.json", "ssh")


def keep(name: str, key: str, notes: dict[str, Any] | None = None) -> Kept:
    """Take the lab `name` down and keep what it was under `key`, with `notes` beside it.

    The lab must be up, of booted machines that have their names, and not be started from a
    kept one itself.
    """
    with lab.changing(LabPaths(name), lambda _: None):
        standing = _keepable(name)
        names = [one.name for one in standing.machines]
        shown = {one: sorted(facts) for one, facts in settled.at_rest(name, names).items()}
        about = About(shown, _access_mac(standing), notes or {})
        with kept_store.half_made() as half:
            for one in names:
                machine.inside(name, one, ["sync"], timeout_s=120).check_returncode()
            cgroups.kill(name)
            _gather(standing, half)
            about.save(half)
            leftovers.remove(name)
            return kept_store.put(half, key)


def start(kept: Kept, name: str, say: Say = print) -> LabSpec:
    """Start the lab `name` from a kept one; returns when it shows what that one showed.

    Its slot is its own. RailbedError where `name` has a record of its own, or the lab does not
    come to rest as it was.
    """
    if lab.is_up(name):
        raise RailbedError(f"lab {name} is up", hint=f"`railbed lab down --name {name}`")
    with kept_store.standing_on(kept):
        was, about = kept.spec, kept.about
        if was.images != ensure_images(say).key:
            raise RailbedError(f"{kept.name} was made from other images")
        state = str(LabPaths(name).state)
        wanted = replace(was, name=name, slot=-1, state=state, since=time.time(), kept=kept.name)
        built = lab.build(wanted, about.access_mac, say)
    settled.wait(name, about.shown)
    return built


def _keepable(name: str) -> LabSpec:
    if not lab.is_up(name):
        raise RailbedError(f"lab {name} is not up", hint=f"`railbed lab up --name {name}`")
    standing = spec.load(LabPaths(name).spec)
    if standing.kept or not kind_of(standing.kind).boots_systemd:
        why = "was started from a kept one" if standing.kept else f"is of kind {standing.kind}"
        raise RailbedError(f"lab {name} cannot be kept: it {why}")
    return standing


def _access_mac(standing: LabSpec) -> str:
    space = LabPaths(standing.name).netns(standing.oob)
    told = run(["ip", "-json", "-netns", space, "link", "show", standing.access_port])
    (link,) = json.loads(told)
    return str(link["address"])


def _gather(standing: LabSpec, half: Path) -> None:
    """Move the disks, which nobody writes to any more, and copy the state."""
    paths = LabPaths(standing.name)
    (half / "disks").mkdir()
    for one in standing.machines:
        run(["umount", str(paths.root(one.name))])
        run(["mv", str(paths.upper(one.name)), str(half / "disks" / one.name)], timeout_s=600)
    state = half / "state"
    run(["cp", "-a", "--reflink=auto", str(paths.state), str(state)], timeout_s=600)
    run(["rm", "-rf", *(str(state / one) for one in _OWN)])
    spec.save(standing, half / "lab.json")
