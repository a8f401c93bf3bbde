"""What must be true of switches as they run, and of their cables. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from inventory.plan import BgpSession, OobSwitch, Plan, PortRef, Switch
from switch_configs import DialectError, dialect, render
from switch_configs.answers import answers
from switch_configs.answers.contract import Files
from switch_configs.intent import ConfigFile
from validation.expectation import Expectation


@dataclass(frozen=True, slots=True)
class FileWanted:
    """A file as it must lie on a switch; all but the path are "" where it must not be there."""

    path: str
    sha256: str = ""
    owner: str = ""
    mode: str = ""


@dataclass(frozen=True, slots=True)
class FilesExpected(Expectation):
    """Every owned file is as rendered, and there is no other of them.

    No `files` at all: the dialect cannot render the plan, and nobody can say how they should be.
    """

    stage: ClassVar[int] = 25
    check: ClassVar[str] = "files"
    saved: ClassVar[bool] = True
    files: tuple[FileWanted, ...]


@dataclass(frozen=True, slots=True)
class FrrExpected(Expectation):
    """FRR runs what its file says."""

    stage: ClassVar[int] = 25
    check: ClassVar[str] = "frr"
    saved: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class SettingsExpected(Expectation):
    """The kernel has these values, (key, value) in the order of the keys."""

    stage: ClassVar[int] = 25
    check: ClassVar[str] = "settings"
    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class FiltersExpected(Expectation):
    """The kernel's rules are those of the file."""

    stage: ClassVar[int] = 25
    check: ClassVar[str] = "filters"
    saved: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class ServicesExpected(Expectation):
    """No unit of a switch has failed."""

    stage: ClassVar[int] = 25
    check: ClassVar[str] = "services"


@dataclass(frozen=True, slots=True)
class RunningExpected(Expectation):
    """What the switch runs says what the plan says, but for the lossless class (stage 40)."""

    stage: ClassVar[int] = 25
    check: ClassVar[str] = "running"


@dataclass(frozen=True, slots=True)
class BfdExpected(Expectation):
    """A session is watched by BFD (RFC 5880) with the planned timers. `key` is FRR's name of it."""

    stage: ClassVar[int] = 25
    check: ClassVar[str] = "bfd"
    port: str
    key: str
    interval_ms: int
    multiplier: int


def expectations(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    """Of every switch in `configured` that can be asked."""
    for switch in plan.any_switch.values():
        if switch.name not in configured:
            continue
        if known := answers(switch.dialect).files:
            yield from _of_switch(plan, switch, known)
            if isinstance(switch, Switch):
                yield from _sessions(switch, configured)
        elif dialect(switch.dialect).state_command():
            says = "what it runs says what the plan says"
            yield RunningExpected(f"running:{switch.name}", switch.name, says)


def _of_switch(plan: Plan, switch: Switch | OobSwitch, known: Files) -> Iterator[Expectation]:
    name, files = switch.name, _rendered(plan, switch.name)
    wanted = tuple(
        FileWanted(path, _digest(one.text), f"{one.owner}:{one.group}", one.mode)
        if (one := files.get(path))
        else FileWanted(path)
        for path in known.owned
    )
    yield FilesExpected(f"files:{name}", name, "its files are as rendered", wanted if files else ())
    yield ServicesExpected(f"services:{name}", name, "no unit has failed")
    if known.frr in files:
        yield FrrExpected(f"frr:{name}", name, "FRR runs what its file says")
    if known.filters in files:
        yield FiltersExpected(f"filters:{name}", name, "the kernel filters as its file says")
    if known.settings in files:
        says = "the kernel has the settings of its file"
        yield SettingsExpected(f"settings:{name}", name, says, _values(files[known.settings].text))


def _rendered(plan: Plan, name: str) -> dict[str, ConfigFile]:
    """Its files by path; none where the dialect cannot do what the plan asks."""
    try:
        return {file.path: file for file in render(plan, name).files}
    except DialectError:
        return {}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _values(text: str) -> tuple[tuple[str, str], ...]:
    """The settings of a sysctl.d(5) file; a line that begins with `-` may fail."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        key, sign, value = line.partition("=")
        if sign and not key.lstrip().startswith(("#", ";", "-")):
            found[key.strip()] = " ".join(value.split())
    return tuple(sorted(found.items()))


def _sessions(switch: Switch, configured: frozenset[str]) -> Iterator[Expectation]:
    for session in switch.sessions:
        if session.peer.device in configured:
            yield _bfd(switch, session)


def _bfd(switch: Switch, session: BgpSession) -> BfdExpected:
    timers, table = switch.timers, f":{session.vrf}" if session.vrf else ""
    every = f"every {timers.bfd_interval_ms} ms, {timers.bfd_multiplier} times"
    says = f"BFD watches {PortRef(switch.name, session.port)} {every}"
    return BfdExpected(
        f"bfd:{switch.name}:{session.port}{table}",
        switch.name,
        says,
        session.port,
        session.key,
        timers.bfd_interval_ms,
        timers.bfd_multiplier,
    )
