"""Facts and operations of the pyinfra parts: files, packages and kernel parameters.

Each operation asks a node once about everything it is going to touch: on a node where
nothing is to be done, what a run costs is its round trips.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from hashlib import sha256
from io import StringIO
from posixpath import basename, dirname
from shlex import join, quote
from typing import NamedTuple

from pyinfra import host, local, logger
from pyinfra.api import (
    FactBase,
    FileUploadCommand,
    FunctionCommand,
    Host,
    State,
    StringCommand,
    operation,
)
from pyinfra.api.exceptions import PyinfraError
from pyinfra.facts.server import Sysctl

from .plugins.module_utils import railbed_packages as logic

Commands = Generator[StringCommand | FileUploadCommand | FunctionCommand, None, None]


class FileStamps(FactBase[dict[str, str]]):
    """By path: mode, owner, group and SHA-256 of each regular file of `paths`."""

    default = dict

    def command(self, paths: list[str]) -> str:
        """One command for all files; what is no regular file has no line."""
        return (
            f"for f in {join(paths)}; do "
            '[ -f "$f" ] && [ ! -L "$f" ] && stat -c "%a %U %G" "$f" && sha256sum <"$f" '
            '&& echo "$f"; done; true'
        )

    def process(self, output: Iterable[str]) -> dict[str, str]:
        """Three lines a file: stat, digest, path."""
        lines = list(output)
        threes = zip(lines[::3], lines[1::3], lines[2::3], strict=True)
        return {path: f"{stat} {digest.split()[0]}" for stat, digest, path in threes}


class Wanted(NamedTuple):
    """A file and its text; `validate` is a command that must agree to the new file, `%s`."""

    path: str
    text: str
    mode: str = "0644"
    validate: str = ""


@operation()
def in_place(files: list[Wanted], folders: Sequence[str] = ()) -> Commands:
    """Have these folders and texts, owned by root; each file is replaced in one step.

    A node that loses its power finds the old file or the new one, never half of one. Folders
    are for all to read, parents first.
    """
    yield from _make(folders)
    stamps = host.get_fact(FileStamps, paths=[one.path for one in files])
    for one in files:
        path, wanted = quote(one.path), _stamp(one)
        found = stamps.get(one.path, "")
        if found == wanted:
            host.noop(f"file {one.path} is as wanted")
        elif found.split()[-1:] == wanted.split()[-1:]:
            yield StringCommand(f"chown root:root {path} && chmod {one.mode} {path}")
        else:
            yield from _replace(one)


def _stamp(one: Wanted) -> str:
    return f"{one.mode.lstrip('0')} root root {sha256(one.text.encode()).hexdigest()}"


@operation()
def before_change(files: list[Wanted], holds: str, command: str) -> Commands:
    """Run a command where any of these files is not as wanted, or `holds` does not end with 0.

    `holds` looks and changes nothing. Call it before what changes any of that.
    """
    stamps = host.get_fact(FileStamps, paths=[one.path for one in files])
    runs = host.get_fact(Agrees, check=holds)
    if runs and all(stamps.get(one.path) == _stamp(one) for one in files):
        host.noop("nothing of it is going to change")
    else:
        yield StringCommand(command)


@operation(is_idempotent=False)
def confirmed(expect: str, confirm: str, otherwise: str) -> Commands:
    """Run `expect` on the host, then `confirm` here; where that fails, say so and `otherwise`."""
    yield StringCommand(expect)
    yield FunctionCommand(_confirm, [confirm, otherwise], {})


def _confirm(state: State, host: Host, confirm: str, otherwise: str) -> bool:  # noqa: ARG001
    """Whether a command here ends with 0; pyinfra gives both, and takes False for a failure."""
    try:
        local.shell(f"{confirm} </dev/null")
    except PyinfraError as error:
        # pyinfra shows the traceback of what is raised here. pyinfra_run.py knows this line.
        why = " ".join(str(error).partition("\n")[2].split())
        logger.error("railbed: %s: refused: %s (%s)", host.name, otherwise, why)
        return False
    return True


def _replace(one: Wanted) -> Commands:
    folder = quote(dirname(one.path))
    # Hidden: no program that reads the folder takes it for a file of its own.
    new = f"{dirname(one.path)}/.{basename(one.path)}.railbed-new"
    agree = f"{one.validate.replace('%s', quote(new))} && " if one.validate else ""
    yield StringCommand(f"[ -d {folder} ] || install -d -m 0755 {folder}")
    yield FileUploadCommand(StringIO(one.text), new)
    yield StringCommand(
        f"chown root:root {quote(new)} && chmod {one.mode} {quote(new)} && {agree}"
        f"mv -f -T {quote(new)} {quote(one.path)}"
    )


class FolderStamps(FactBase[dict[str, str]]):
    """By path: mode, owner and group of each folder of `paths`."""

    default = dict

    def command(self, paths: list[str]) -> str:
        """One command for all folders; what is none has no line."""
        return (
            f"for d in {join(paths)}; do "
            '[ -d "$d" ] && [ ! -L "$d" ] && stat -c "%a %U %G %n" "$d"; done; true'
        )

    def process(self, output: Iterable[str]) -> dict[str, str]:
        """One line a folder, its path last."""
        parts = [line.rsplit(" ", 1) for line in output]
        return {path: stat for stat, path in parts}


def _make(paths: Sequence[str]) -> Commands:
    stamps = host.get_fact(FolderStamps, paths=list(paths)) if paths else {}
    for path in paths:
        if stamps.get(path) == "755 root root":
            host.noop(f"folder {path} is as wanted")
        else:
            # A link to a folder would be followed, and stay.
            here = quote(path)
            gone = f"{{ [ -d {here} ] && [ ! -L {here} ]; }} || rm -f {here}"
            yield StringCommand(f"{gone}; install -d -m 0755 -o root -g root {here}")


class InstalledPackages(FactBase[logic.Found]):
    """Which of `names` are installed, broken or held, and what of `conflicts` is installed."""

    default = staticmethod(lambda: logic.Found({}, frozenset(), frozenset()))

    def command(self, family: str, names: list[str], conflicts: list[str]) -> str:
        """One command for all of them."""
        self._family = family
        return logic.query(family, names, conflicts)

    def process(self, output: Iterable[str]) -> logic.Found:
        """One line a package: what is wanted, its state, its name and version."""
        return logic.found(self._family, "\n".join(output))


@operation()
def packages(
    wanted: Mapping[str, str],
    family: str,
    hold: bool = False,
    conflicts: Sequence[str] = (),
    replaced: Sequence[str] = (),
) -> Commands:
    """Have these packages, version by name, in one transaction; held, or none of them.

    Without a version (empty) any will do, and its hold stays as it is. What is in `conflicts`
    (names with wildcards) must not be installed: then nothing is done.
    Of what is in `replaced` only packages that are wanted stay.
    """
    versions, others = dict(wanted), [*conflicts, *replaced]
    asked = {"family": family, "names": sorted(versions), "conflicts": others}
    there = host.get_fact(InstalledPackages, **asked)
    try:
        logic.refuse(there, versions, list(conflicts))
    except logic.Refused as error:
        yield from _refuse([str(error)])
        return
    todo = logic.commands(family, there, versions, hold, list(replaced))
    if not todo:
        host.noop("the packages are installed at their versions")
    for command in todo:
        yield StringCommand(command)


class Refusals(FactBase[list[str]]):
    """What a preflight script says against going on: one line a reason, none where it may."""

    default = staticmethod(lambda: ["the preflight gave no answer"])

    def command(self, script: str) -> str:
        """The script reads and never writes; its status decides, as it does for Ansible."""
        asked = f"told=$(sh -c {quote(script)} 2>&1 >/dev/null); status=$?"
        return f"{asked}; printf '%s\\n' \"$told\" | sed 's/^/refused: /'; echo \"status: $status\""

    def process(self, output: Iterable[str]) -> list[str]:
        """The marked lines where the script did not end with 0; no status is no answer."""
        lines = list(output)
        if "status: 0" in lines:
            return []
        told = [line.removeprefix("refused: ") for line in lines if line.startswith("refused: ")]
        reasons = [one for one in told if one]
        return reasons or [f"the preflight said nothing and ended with {lines[-1:] or 'nothing'}"]


@operation(is_idempotent=True)
def preflight(script: str) -> Commands:
    """Go on only where the script says nothing on its standard error; also in a dry run."""
    if reasons := host.get_fact(Refusals, script=script):
        yield from _refuse(reasons)
    else:
        host.noop("nothing speaks against it")


def _refuse(reasons: list[str]) -> Commands:
    """Say why, already while pyinfra prepares (also for a dry run), and fail on this host alone.

    An exception would end the run for every host. deploy/servers/pyinfra_run.py knows the line.
    """
    for reason in reasons:
        logger.error("railbed: %s: refused: %s", host.name, reason)
    yield StringCommand(f"printf '%s\\n' {join(reasons)} >&2; exit 1")


@operation()
def kernel_parameters(
    values: Mapping[str, object], path: str, is_for_ports: bool = False
) -> Commands:
    """Have these kernel parameters run; `path` is the file that also sets them at boot.

    `is_for_ports`: those of a port that is not there are left to udev, which sets them when it
    appears (99-systemd.rules of systemd). Else one that does not exist is an error.
    """
    if not values:
        host.noop("no kernel parameter is wanted")
        return
    running = host.get_fact(Sysctl, keys=sorted(values))
    meant = [name for name in values if name in running or not is_for_ports]
    if all(_words(running.get(name)) == _words(values[name]) for name in meant):
        host.noop("the kernel parameters run")
        return
    ignore = "--ignore " if is_for_ports else ""
    yield StringCommand(f"sysctl --quiet {ignore}--load {quote(path)}")


class UnitFileState(FactBase[str]):
    """What systemd says of a unit file: enabled, disabled, masked, ... (systemctl(1))."""

    default = str

    def command(self, unit: str) -> str:
        """is-enabled(1) ends with 1 for all that is not enabled."""
        return f"systemctl is-enabled {quote(unit)} 2>/dev/null; true"

    def process(self, output: Iterable[str]) -> str:
        """One word."""
        return " ".join(output).strip()


class Agrees(FactBase[bool]):
    """Whether a command that looks, and changes nothing, ends with 0."""

    default = bool

    def command(self, check: str) -> str:
        """A program that is not there yet does not agree either."""
        return f"{{ {check}; }} >/dev/null 2>&1 && echo y; true"

    def process(self, output: Iterable[str]) -> bool:
        """One line, or none."""
        return any(output)


@operation()
def unless(holds: str, command: str) -> Commands:
    """Run a command where another one, which looks and changes nothing, does not end with 0."""
    if host.get_fact(Agrees, check=holds):
        host.noop(f"{holds} holds")
    else:
        yield StringCommand(command)


@operation()
def staged(asks: str, unit: str) -> Commands:
    """Have kernel arguments in what boots, which a unit builds; also where others built it.

    `asks` is a command that says whether they are there.
    """
    if host.get_fact(Agrees, check=asks):
        host.noop("the kernel arguments are staged")
    else:
        yield StringCommand(f"systemctl restart {quote(unit)}")


class UnreadUnits(FactBase[bool]):
    """Whether files of any of `units` changed since systemd read them (systemctl(1))."""

    default = bool

    def command(self, units: list[str]) -> str:
        """One command for all; a new node has no systemd that knows them."""
        return f"systemctl show --property=NeedDaemonReload {join(units)} 2>/dev/null; true"

    def process(self, output: Iterable[str]) -> bool:
        """One line a unit."""
        return "NeedDaemonReload=yes" in [line.strip() for line in output]


@operation()
def units_as_on_disk(units: list[str]) -> Commands:
    """Have systemd know these units as their files are now, whoever touched them."""
    if host.get_fact(UnreadUnits, units=units):
        yield StringCommand("systemctl daemon-reload")
    else:
        host.noop("systemd has read the units")


@operation()
def applied_again(check: str, unit: str) -> Commands:
    """Have a unit apply its settings again where they are not what `check` wants.

    One that does not run yet is started, and applies them then.
    """
    if host.get_fact(Agrees, check=f"! systemctl is-active --quiet {quote(unit)} || {check}"):
        host.noop(f"{check} has nothing to say")
    else:
        yield StringCommand(f"systemctl restart {quote(unit)}")


@operation()
def masked(unit: str) -> Commands:
    """Have a unit that nothing can start or enable."""
    if host.get_fact(UnitFileState, unit=unit) == "masked":
        host.noop(f"{unit} is masked")
    else:
        yield StringCommand(f"systemctl mask --quiet {quote(unit)}")


def _words(value: object) -> list[str]:
    parts = value if isinstance(value, list) else [value]
    return [word for one in parts for word in str(one).split()]
