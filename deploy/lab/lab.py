"""Up, down, restart, shell: what people and the rest of railbed do with a lab."""

from __future__ import annotations

import json
import logging
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from deploy.errors import RailbedError
from inventory import open_site
from inventory.problems import close_to

from . import host, keys, locks, modelled, site, slots, supervisor, wires
from .kept import leftovers, owners
from .kept import store as kept_store
from .machines import cgroups, disks, machine
from .machines.image import ensure_images
from .machines.kinds import kind_of
from .modelled import Model
from .paths import LabPaths
from .spec import LabSpec, load, save

LOG = logging.getLogger(__name__)
Say = Callable[[str], None]
BOOT_LIMIT_S = 120.0


def up(
    site_folder: Path | str,
    name: str = "lab",
    kind: str = "nspawn",
    wiring: Path | str | None = None,
    say: Say = print,
    rate_mbps: int | None = None,
) -> LabSpec:
    """Build and start the lab `name` of a site; returns when every machine has booted.

    Cables come from `wiring`, or the site's `wiring.csv`; MAC addresses from its
    `asbuilt.csv`; of the plan only which switches are models, what was typed on them, and what
    data links carry, unless `rate_mbps` says it. A lab that stands as asked is left alone,
    its stopped machines are started; one that differs, or was cut off, is built anew.
    """
    kind_of(kind)
    folder = Path(site_folder)
    cables_file = Path(wiring) if wiring else folder / "wiring.csv"
    known = site.hardware(folder / "asbuilt.csv")
    cables = site.links(cables_file, known)
    plan = open_site(folder)
    models = modelled.models(plan)
    wanted = LabSpec(
        name=name,
        kind=kind,
        slot=-1,
        rate_mbps=rate_mbps or modelled.rate_mbps(plan),
        images="",
        machines=site.machines(cables, known, site.planned_machines(plan, models)),
        links=cables,
        wiring=site.wiring_digest(cables),
        state=str(LabPaths(name).state),
        since=time.time(),
        models=modelled.digest(models),
        planned_access=str(plan.oob.access),
    )
    built = build(wanted, site.access_mac(wanted, known), say, models)
    shutil.copyfile(cables_file, LabPaths(name).state / "wiring.csv")
    return built


def build(
    wanted: LabSpec, access_mac: str, say: Say, models: Mapping[str, Model] | None = None
) -> LabSpec:
    """Make `wanted` stand; its slot and images are chosen here. `models` are its new switches.

    Where it names a kept lab, its machines have their disks over the disks of that one.
    """
    paths = LabPaths(wanted.name)
    host.ensure_host_packages(say)
    host.make_room(say)
    wanted = replace(wanted, images=ensure_images(say).key)
    with changing(paths, say):
        if standing := _as_wanted(paths, wanted):
            owners.take_over(paths)
            _start_stopped(standing, say)
            say(f"lab {wanted.name} is up")
            return standing
        if wanted.name in leftovers.labs():
            say(f"lab {wanted.name} was cut off, or is not as asked for: removing it first")
        leftovers.remove(wanted.name)
        LOG.info("lab %s: built anew", wanted.name)
        owners.take_lab(paths)
        try:
            return _build(wanted, access_mac, say, models or {})
        except BaseException:
            leftovers.remove(wanted.name)
            raise


def down(name: str = "lab") -> None:
    """Stop the lab and remove all that it made, also after a crash or kill -9."""
    host.require_root()
    paths = LabPaths(name)
    with changing(paths, lambda _: None):
        _refuse_other_clone(paths)
        leftovers.remove(name)


def sweep(name: str | None = None) -> tuple[str, ...]:
    """Remove what labs that are not up left behind: of `name`, or of all. Returns whose."""
    host.require_root()
    swept = []
    for lab in (name,) if name else leftovers.labs():
        with changing(LabPaths(lab), lambda _: None):
            if not is_up(lab) and lab in leftovers.labs():
                leftovers.remove(lab)
                swept.append(lab)
    return tuple(swept)


def restart(name: str, machine_name: str) -> None:
    """Cut a machine's power and start it again; returns when it has booted.

    Its disk stays. Its network namespace is a new one: addresses, routes, nft rules,
    sysctls and MTUs are only what its own configuration puts there.
    """
    paths = LabPaths(name)
    require_machine(name, machine_name)
    with changing(paths, lambda _: None):
        _cycle(name, (machine_name,))


def off(name: str, machines: Sequence[str]) -> None:
    """Cut the power of machines: they stay off, and their ports down, until `restart`."""
    paths = LabPaths(name)
    with changing(paths, lambda _: None):
        for one in machines:
            cgroups.kill(name, require_machine(name, one))
            wires.replug(load(paths.spec), one)


def shell(name: str, machine_name: str, command: Sequence[str] = ()) -> int:
    """A root shell in a machine, on this terminal, or a command; returns its exit status."""
    pid = machine.leader(name, require_machine(name, machine_name))
    if pid is None:
        raise RailbedError(
            f"{machine_name} is off", hint=f"`railbed lab restart {machine_name} --name {name}`"
        )
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        argv = machine.entering(pid, _of_shell(command), {"TERM": "xterm-256color"})
        return subprocess.call(argv, preexec_fn=_default_interrupt)
    finally:
        signal.signal(signal.SIGINT, before)


def _of_shell(command: Sequence[str]) -> list[str]:
    """A login shell, so that PATH is as on the machine; a command keeps its own words."""
    login = ["/bin/bash", "-l"]
    return [*login, "-c", 'exec "$@"', "bash", *command] if command else login


def is_up(name: str) -> bool:
    """Whether the lab was built to its end and its supervisor attends it."""
    ready = (LabPaths(name).runtime / "ready").exists()
    return ready and bool(cgroups.members(name, supervisor.GROUP))


def require_machine(name: str, machine_name: str) -> str:
    """The machine's name; RailbedError if the lab is not up or has no such machine."""
    host.require_root()
    if not is_up(name):
        raise RailbedError(f"lab {name} is not up", hint=f"`railbed lab up --name {name}`")
    names = [one.name for one in load(LabPaths(name).spec).machines]
    if machine_name not in names:
        hint = close_to(machine_name, names) or f"it has {', '.join(names)}"
        raise RailbedError(f"lab {name} has no {machine_name}", hint=hint)
    return machine_name


def _build(wanted: LabSpec, access_mac: str, say: Say, models: Mapping[str, Model]) -> LabSpec:
    paths = LabPaths(wanted.name)
    spec = _take_slot(paths, wanted)
    names = tuple(one.name for one in spec.machines)
    say(f"lab {spec.name}: {len(names)} machines, {len(spec.links)} cables, kind {spec.kind}")
    LOG.info("lab %s: slot %d, %d machines", spec.name, spec.slot, len(names))
    disks.make(spec)
    if spec.kept:
        kept_store.hand_out(kept_store.named(spec.kept), paths)
    elif kind_of(spec.kind).boots_systemd:
        disks.authorize(spec, keys.controller_key(paths.state), models)
        keys.host_keys(paths, names)
    disks.mount(spec)
    wires.lay(spec)
    wires.plug_access(spec, access_mac)
    supervisor.launch(spec.name)
    began = time.monotonic()
    machine.wait_booted(spec.name, names, BOOT_LIMIT_S)
    LOG.info("lab %s: booted in %.1f s", spec.name, time.monotonic() - began)
    _write_access(paths, spec)
    (paths.runtime / "ready").touch()
    say(f"lab {spec.name} is up: {spec.oob} at {spec.access_address}")
    return spec


def _take_slot(paths: LabPaths, wanted: LabSpec) -> LabSpec:
    """The spec with a slot, which is taken from the moment that the spec is saved."""
    paths.state.mkdir(parents=True, exist_ok=True, mode=0o700)
    for folder in ("", "console", "requests"):
        (paths.runtime / folder).mkdir(parents=True, exist_ok=True)
    with locks.held(slots.LOCK, lambda: None):
        spec = replace(wanted, slot=slots.free_slot())
        save(spec, paths.spec)
    return spec


def _write_access(paths: LabPaths, spec: LabSpec) -> None:
    access = {
        "lab": spec.name,
        "kind": spec.kind,
        "slot": spec.slot,
        "address": spec.access_address,
    }
    (paths.state / "access.json").write_text(json.dumps(access) + "\n")


def _as_wanted(paths: LabPaths, wanted: LabSpec) -> LabSpec | None:
    """The lab that stands, if it is up and no different from what is wanted."""
    _refuse_other_clone(paths)
    if not is_up(paths.name):
        return None
    standing = load(paths.spec)
    asked = replace(wanted, slot=standing.slot, since=standing.since, kept=standing.kept)
    return standing if asked == standing else None


def _refuse_other_clone(paths: LabPaths) -> None:
    """A lab whose clone was removed meanwhile is nobody's any more."""
    if not is_up(paths.name):
        return
    state = load(paths.spec).state
    if state != str(paths.state) and Path(state).is_dir():
        raise RailbedError(
            f"a lab named {paths.name} is up, made by another clone: {state}",
            hint="take another name, or bring it down from there",
        )


def _start_stopped(spec: LabSpec, say: Say) -> None:
    off = tuple(one.name for one in spec.machines if machine.leader(spec.name, one.name) is None)
    if off:
        say(f"starting {' '.join(off)}")
        _cycle(spec.name, off)


def _cycle(name: str, machines: tuple[str, ...]) -> None:
    LOG.info("lab %s: power cycle of %s", name, " ".join(machines))
    before = supervisor.runs(name)
    for one in machines:
        (supervisor.requests(LabPaths(name)) / one).touch()
        cgroups.kill(name, one)
    if not supervisor.nudge(name):
        raise RailbedError(
            f"lab {name} has lost its supervisor", f"`railbed lab up --name {name}` builds it anew"
        )
    give_up = time.monotonic() + BOOT_LIMIT_S
    while any(supervisor.runs(name)[one].starts == before[one].starts for one in machines):
        if time.monotonic() > give_up:
            raise RailbedError(f"lab {name}: {' '.join(machines)} did not start again")
        time.sleep(0.05)
    machine.wait_booted(name, machines, BOOT_LIMIT_S)


@contextmanager
def changing(paths: LabPaths, say: Say) -> Iterator[None]:
    """Hold a lab's lock: nobody else changes it meanwhile."""
    with locks.held(paths.lock, lambda: say(f"waiting: lab {paths.name} is being changed")):
        yield


def _default_interrupt() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
