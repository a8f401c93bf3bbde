"""A machine's disk: a writable overlay over its image, with what makes it its own."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from deploy.errors import RailbedError
from deploy.lab.command import run
from deploy.lab.kept.store import named
from deploy.lab.modelled import Model
from deploy.lab.paths import LabPaths
from deploy.lab.spec import MANAGEMENT, LabSpec

from .image import RECIPE, Images

_OF_MANAGEMENT = ("mgmt-dhcp.service", "ssh.socket.d/management.conf")


def make(spec: LabSpec) -> None:
    """The writable layer of every machine, and the machine's identity in it."""
    paths = LabPaths(spec.name)
    for machine in spec.machines:
        for part in ("upper", "work", "root"):
            (paths.disks / machine.name / part).mkdir(parents=True)
        if spec.kept:  # it has its identity
            continue
        etc = paths.upper(machine.name) / "etc"
        etc.mkdir()
        (etc / "machine-id").write_text(_machine_id(spec, machine.name) + "\n")
        if machine.layer == "oob":  # nobody leases it a name: it is the one that does
            (etc / "hostname").write_text(machine.name + "\n")
        if machine.management != MANAGEMENT:
            _reached_by(etc / "systemd/system", machine.management)


def authorize(spec: LabSpec, public_key: str, models: Mapping[str, Model]) -> None:
    """Let the controller's key in: as root, and as whom a model of a switch was told to."""
    for name, model in models.items():
        for path, text in model.disk(public_key).items():
            where = LabPaths(spec.name).upper(name) / path
            where.parent.mkdir(parents=True, exist_ok=True)
            where.write_text(text)
            if text.startswith("#!"):  # a program of the system
                where.chmod(0o755)
    for machine in (one for one in spec.machines if one.name not in models):
        ssh = LabPaths(spec.name).upper(machine.name) / "root" / ".ssh"
        for folder in (ssh.parent, ssh):
            folder.mkdir(mode=0o700)
        (ssh / "authorized_keys").write_text(public_key)


def mount(spec: LabSpec) -> None:
    """Put every machine's layers together, where the machine starts."""
    paths, images = LabPaths(spec.name), Images(spec.images)
    for machine in spec.machines:
        where = paths.disks / machine.name
        kept = f"{named(spec.kept).upper(machine.name)}:" if spec.kept else ""
        layers = f"lowerdir={kept}{images.lower(machine.layer)}"
        layers += f",upperdir={where / 'upper'},workdir={where / 'work'}"
        try:
            run(["mount", "-t", "overlay", "overlay", "-o", layers, str(where / "root")])
        except RailbedError as error:
            raise RailbedError(
                f"no overlay for {machine.name}: {error.message}",
                hint=f"{paths.disks} must lie on a file system that can carry one (ext4, xfs)",
            ) from None


def _reached_by(units: Path, port: str) -> None:
    """The image's units of the management port, with another name of it."""
    for name in _OF_MANAGEMENT:
        text = (RECIPE / "base/root/etc/systemd/system" / name).read_text()
        (units / name).parent.mkdir(parents=True, exist_ok=True)
        (units / name).write_text(text.replace(MANAGEMENT, port))


def mounts_below(folder: Path) -> tuple[str, ...]:
    """Mount points in a folder, deepest first (proc(5), mountinfo field 5)."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    points = (line.split()[4] for line in lines)
    return tuple(sorted((one for one in points if one.startswith(f"{folder}/")), reverse=True))


def _machine_id(spec: LabSpec, machine: str) -> str:
    """A machine-id(5) without chance: without one systemd would take each boot for the first."""
    return hashlib.sha256(f"{spec.name}:{machine}".encode()).hexdigest()[:32]
