"""Drift of what runs: units, kernel, sshd, and the files that network tools read. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

from inventory.reading.fields import Unreadable
from validation.parse.host.kernel_state import (
    FoundKernel,
    FoundNetworks,
    Network,
    kernel,
    networks,
    sshd_options,
    sshd_refusal,
)
from validation.parse.host.node_state import FoundUnit, Told, units

from . import node_state
from .differences import UNREAD, Answer, Drift, Note, Pairs, Unknown, each
from .owned import Manifest, OwnedArguments, OwnedUnit

# Where packages put units and their drop-ins.
_PACKAGED = ("/lib/systemd/", "/usr/lib/systemd/")
# What fatal() of OpenSSH ends with (log.c, cleanup.c); a shell or unshare(1) never does.
_FATAL = 255
_NOBODYS = ("no file that nobody owns", "one")


def of_units(manifest: Manifest, answer: Answer) -> Iterator[Drift | Unknown]:
    """Units as systemd has them, and the files that it read for them."""
    told: Told[FoundUnit] = Told(dict(units(answer.text)), {})
    for one in manifest.units:
        yield from each(manifest, one.role, "unit", one.name, told, _as_unit(one))
        if unit := told.found.get(one.name):
            yield from _overriding(manifest, one, unit)


def _overriding(manifest: Manifest, one: OwnedUnit, unit: FoundUnit) -> Iterator[Drift]:
    """Files that systemd read for a unit, and that neither a role nor a package owns."""
    owned = {file.path for file in manifest.files}
    for path in () if one.masked else unit.files:
        if path not in owned and not path.startswith(_PACKAGED):
            yield Drift(manifest.device, one.role, "stray", path, *_NOBODYS)


def _as_unit(wanted: OwnedUnit) -> Callable[[FoundUnit | None], Pairs]:
    def pairs(found: FoundUnit | None) -> Pairs:
        if found is None or (found.load == "not-found" and (wanted.enabled or wanted.active)):
            yield "a unit", "none"
            return
        if wanted.masked and found.enabled != "masked":
            yield "masked", found.enabled or "no such setting"
        if wanted.enabled is not None and wanted.enabled != (found.enabled == "enabled"):
            yield ("disabled", "enabled")[wanted.enabled], found.enabled or "no such setting"
        # A unit that reloads is running; a failed one is not.
        is_active = found.active in ("active", "reloading")
        if wanted.active is not None and wanted.active != is_active:
            yield ("inactive", "active")[wanted.active], found.active
        if found.is_outdated:
            yield "loaded as on disk", "the files on disk changed since (daemon-reload)"

    return pairs


def of_kernel(manifest: Manifest, answer: Answer) -> Iterator[Drift | Unknown | Note]:
    """Parameters, and arguments: wanted, staged for the next boot, running."""
    found = kernel(answer.text, node_state.parameter_paths(manifest))
    for sysctl in manifest.sysctls:
        differs = _as_value(sysctl.value)
        yield from each(manifest, sysctl.role, "sysctl", sysctl.name, found.parameters, differs)
    for wanted in manifest.arguments:
        yield from _arguments(manifest.device, wanted, found)


def _arguments(
    device: str, wanted: OwnedArguments, found: FoundKernel
) -> Iterator[Drift | Unknown | Note]:
    """Words count in their order: `hugepages` belongs to the `hugepagesz` before it."""
    kind: Final = "kernel arguments"
    who: Final = (device, wanted.role, kind)
    if wanted.staged not in found.staged:
        yield Unknown(*who, wanted.words, f"the device did not speak of {wanted.staged}")
        return
    runs = _has(found.running, wanted.words)
    if not _is_staged(found.staged[wanted.staged], wanted.words):
        state = f"not staged, {'running' if runs else 'not running'}"
        yield Drift(*who, wanted.words, f"staged in {wanted.staged} and running", state)
    elif not runs:
        yield Note(*who, wanted.words, "wanted, staged, not running: a reboot is required")
    kept = {*wanted.words.split(), *found.staged[wanted.staged].split()}
    running = found.running.split()
    if left := sorted({one for one in found.asked if one in running} - kept):
        yield Note(*who, " ".join(left), "wanted no more, runs until the next reboot")


def _is_staged(entries: str, words: str) -> bool:
    """Whether whatever boots next has them: of boot entries (BootLoaderSpec) every one."""
    return all(_has(one, words) for one in entries.split(" || "))


def _has(line: str, words: str) -> bool:
    return not words or f" {words} " in f" {line} "


def _as_value(wanted: str) -> Callable[[str | None], Pairs]:
    def pairs(found: str | None) -> Pairs:
        if found != wanted:
            yield wanted, "no such parameter" if found is None else found

    return pairs


def of_sshd(manifest: Manifest, answer: Answer) -> Iterator[Drift | Unknown]:
    """What sshd says it does; of several files the first that speaks of an option counts.

    A configuration that sshd refuses is measured too: none of the options holds.
    """
    if answer.status == _FATAL and (why := sshd_refusal(answer.errors)):
        yield from _refused(manifest, why)
        return
    if answer.status != 0:
        said = " ".join(answer.errors.split()) or "nothing"
        raise Unreadable(f"sshd -T ended with status {answer.status} and said: {said}")
    names = [option.name for option in manifest.options]
    told: Told[str] = Told(dict(sshd_options(answer.text, names)), {})
    for one in manifest.options:
        differs = _as_value(one.value)
        yield from each(manifest, one.role, "sshd option", one.name, told, differs)


def _refused(manifest: Manifest, why: str) -> Iterator[Drift]:
    for role in sorted({option.role for option in manifest.options}):
        mine = [
            f"{option.name} {option.value}" for option in manifest.options if option.role == role
        ]
        found = f"sshd refuses its configuration: {why}"
        yield Drift(manifest.device, role, "sshd option", "all", ", ".join(mine), found)


def of_networks(manifest: Manifest, answer: Answer) -> Iterator[Drift | Unknown]:
    """Files that may take a port from the one that configures it, whichever tool reads them."""
    found = networks(answer.text)
    files = node_state.network_files(manifest)
    for role in {one.role for one in files} | {one.role for one in manifest.ports}:
        for path in found.unread:
            yield Unknown(manifest.device, role, "stray", path, UNREAD)
    owned = {one.path for one in manifest.files} | {one.by for one in manifest.ports}
    rivals = {path: found.files[path] for path in found.files.keys() - owned - found.packaged}
    told = set()
    for port, role, by in _ports(manifest, found):
        told |= {(path, role) for path in _before(rivals, by, port, found.macs.get(port, ""))}
        told |= {(path, role) for path in found.naming.get(port, ()) if path not in owned}
    for path, role in sorted(told):
        yield Drift(manifest.device, role, "stray", path, *_NOBODYS)


def _ports(manifest: Manifest, found: FoundNetworks) -> Iterator[tuple[str, str, str]]:
    """Each port with its role and file: those of the manifest, and what our files match."""
    for port in manifest.ports:
        yield port.name, port.role, port.by
    for file in node_state.network_files(manifest):
        for name in found.files[file.path].names if file.path in found.files else ():
            yield name, file.role, file.path


def _before(rivals: Mapping[str, Network], by: str, port: str, mac: str) -> Iterator[str]:
    """Of systemd-networkd's files the first by name counts (systemd.network(5)).

    Where another tool has the port, none may match it.
    """
    for path, one in rivals.items():
        place = PurePosixPath(path.partition(".d/")[0])  # of a drop-in the file that it is for
        is_later = by.endswith(".network") and place.name > PurePosixPath(by).name
        if not is_later and one.may_match(port, mac):
            yield path
