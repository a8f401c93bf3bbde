"""The manifest of a device: everything its roles own on it, and which role owns each thing.

Computed from the plan and the roles' contracts, read as data. Drift, stage 30 and the
parity of both engines compare with it: one list, no second language. No content of a file
is in it, only digests.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol, TypeVar

from jinja2 import TemplateError

from inventory.nodes.hostvars import vars_for
from inventory.plan import Plan
from inventory.software.systems import Family

from . import overriding
from .contract import (
    ROLES,
    Contract,
    ContractError,
    ContractRow,
    FileRow,
    FromVariable,
    contract,
    place_of,
    roles_of,
)
from .owned import (
    LARGEST_BYTES,
    Manifest,
    OwnedArguments,
    OwnedFile,
    OwnedFolder,
    OwnedOption,
    OwnedPackage,
    OwnedPort,
    OwnedSysctl,
    OwnedUnit,
    Watched,
)

# What stands in a shell script and in a line of output without quoting.
_PATH = re.compile(r"(/[A-Za-z0-9._@%+:,=-]+)+")
_GLOB = re.compile(r"(/[A-Za-z0-9._@%+:,=*?\[\]-]+)+")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@%+:,=/-]*")
_ARGUMENT = re.compile(r"[^\s'\"]+")
# What `sshd -T` prints for a word of sshd_config(5).
_SSHD_PRINTS = {"prohibit-password": "without-password"}


class _Owned(Protocol):
    @property
    def role(self) -> str: ...


_Thing = TypeVar("_Thing", bound=_Owned)
_AnyRow = TypeVar("_AnyRow", bound=ContractRow)


@dataclass
class Manifests:
    """The manifests of one plan's devices, each computed when first asked for."""

    plan: Plan
    folder: Path = ROLES
    _contracts: dict[str, Contract] = field(default_factory=dict)
    _made: dict[str, Manifest] = field(default_factory=dict)
    _parts: dict[tuple[str, str], _Part] = field(default_factory=dict)

    @cached_property
    def roles(self) -> dict[str, tuple[str, ...]]:
        """The roles of every device that gets any, in the order in which they run."""
        return roles_of(self.plan)

    def of(self, device: str) -> Manifest:
        """One device's manifest; an empty one for a device without roles.

        Raises ContractError where a contract cannot be used, or two roles own one thing.
        """
        if device not in self._made:
            roles = self.roles.get(device, ())
            host = vars_for(self.plan, device) if roles else {}
            family: Family = "rpm" if host.get("package_family") == "rpm" else "deb"
            parts = [self._part(role, host) for role in roles]
            self._made[device] = _joined(device, parts, family)
        return self._made[device]

    def _part(self, role: str, host: Mapping[str, object]) -> _Part:
        """A role's part; nodes of one kind give most roles the same variables, and share it."""
        values = self._contract(role).values(host)
        key = role, json.dumps(values, sort_keys=True)
        if key not in self._parts:
            self._parts[key] = _Part(self._contract(role), values)
        return self._parts[key]

    def values(self, device: str, role: str) -> dict[str, object]:
        """A role's variables on a device."""
        return self._contract(role).values(vars_for(self.plan, device))

    def text(self, device: str, path: str) -> bytes | None:
        """A file's bytes as both engines write them; None for a file that no role owns there."""
        host = vars_for(self.plan, device) if device in self.roles else {}
        for role in self.roles.get(device, ()):
            if (found := self._part(role, host).text_of(path)) is not None:
                return found
        return None

    def texts(self, device: str, wanted: Mapping[str, re.Pattern[str]]) -> dict[str, bytes]:
        """The files of these roles whose paths match their pattern whole, by path."""
        host = vars_for(self.plan, device) if device in self.roles else {}
        parts = (
            (self._part(role, host), wanted[role])
            for role in self.roles.get(device, ())
            if role in wanted
        )
        return {path: data for part, paths in parts for path, data in part.texts_of(paths)}

    def has_arguments(self, role: str) -> bool:
        """Whether the kernel's command line is a role's business."""
        return bool(self._contract(role).owns.kernel_arguments)

    def _contract(self, role: str) -> Contract:
        if role not in self._contracts:
            self._contracts[role] = contract(role, self.folder)
        return self._contracts[role]


_latest: list[Manifests] = []


def manifests(plan: Plan) -> Manifests:
    """The manifests of a plan; the latest plan's are kept.

    A validation asks for them several times, and those of a large site take seconds. A plan
    is known by being the same object: to compare two takes longer.
    """
    if not _latest or _latest[0].plan is not plan:
        _latest[:] = [Manifests(plan)]
    return _latest[0]


def _joined(device: str, parts: Sequence[_Part], family: Family = "deb") -> Manifest:
    def every(kind: Callable[[_Things], frozenset[_Thing]]) -> tuple[_Thing, ...]:
        try:
            return tuple(sorted({thing for part in parts for thing in kind(part.things)}))  # type: ignore[type-var]
        except TemplateError as error:
            raise ContractError(f"{device}: {type(error).__name__}: {error}") from None

    found = Manifest(
        device,
        tuple(part.contract.role for part in parts),
        family,
        every(lambda one: one.files),
        every(lambda one: one.folders),
        every(lambda one: one.packages),
        every(lambda one: one.units),
        every(lambda one: one.sysctls),
        every(lambda one: one.arguments),
        every(lambda one: one.options),
        every(lambda one: one.strays),
        every(lambda one: one.ports),
    )
    if wrong := sorted(_shared(found)):
        raise ContractError("; ".join(f"{device}: {one}" for one in wrong))
    return found


def _shared(found: Manifest) -> Iterator[str]:
    """Things that two roles own, or one role owns in two ways; a folder may be shared."""
    kinds: Mapping[str, list[tuple[str, str]]] = {
        "file": [(owned.path, owned.role) for owned in found.files],
        "package": [(package.name, package.role) for package in found.packages],
        "unit": [(unit.name, unit.role) for unit in found.units],
        "sysctl": [(sysctl.name, sysctl.role) for sysctl in found.sysctls],
        "file of kernel arguments": [
            (arguments.staged, arguments.role) for arguments in found.arguments
        ],
        "port": [(port.name, port.role) for port in found.ports],
        "option of sshd": [(option.name, option.role) for option in found.options],
    }
    for kind, things in kinds.items():
        owners: dict[str, list[str]] = {}
        for name, role in things:
            owners.setdefault(name, []).append(role)
        for name, roles in owners.items():
            if len(roles) > 1:
                yield f"{kind} {name} is owned by {' and by '.join(sorted(roles))}"


@dataclass(frozen=True)
class _Things:
    """All that one role owns where it has certain variables."""

    files: frozenset[OwnedFile]
    folders: frozenset[OwnedFolder]
    packages: frozenset[OwnedPackage]
    units: frozenset[OwnedUnit]
    sysctls: frozenset[OwnedSysctl]
    arguments: frozenset[OwnedArguments]
    options: frozenset[OwnedOption]
    strays: frozenset[Watched]
    ports: frozenset[OwnedPort]


@dataclass(frozen=True)
class _Part:
    """One role's part of a manifest."""

    contract: Contract
    values: Mapping[str, object]

    @cached_property
    def things(self) -> _Things:
        """What the role owns here."""
        return _Things(
            frozenset(self.files()),
            frozenset(self.folders()),
            frozenset(self.packages()),
            frozenset(self.units()),
            frozenset(self.sysctls()),
            frozenset(self.arguments()),
            frozenset(self.options()),
            frozenset(self.strays()),
            frozenset(self.ports()),
        )

    @property
    def role(self) -> str:
        return self.contract.role

    def text(self, template: str, more: Mapping[str, object]) -> str:
        """A text of a row."""
        if "{" not in template:
            return template
        return self.contract.compiled(template).render(self.values, **more)

    def rows(self, rows: Sequence[_AnyRow]) -> Iterator[tuple[_AnyRow, dict[str, object]]]:
        """Each row once for each element of its list, where its condition holds."""
        for row in rows:
            items: Any = self.values[row.each] if row.each else [None]
            for item in items:
                more = {row.name_of_each: item} if row.each else {}
                if not row.when or self.contract.condition(row.when)(self.values, **more):
                    yield row, more

    def _checked(self, pattern: re.Pattern[str], text: str) -> str:
        if not pattern.fullmatch(text) or "/../" in f"{text}/":
            raise ContractError(f"roles/{self.role}/meta/owns.yml: {text!r} is not usable")
        return text

    def files(self) -> Iterator[OwnedFile]:
        for path, row, more in self._places():
            digest = sha256(self.written(row.src, more)).hexdigest()
            yield OwnedFile(path, self.role, digest, row.owner, row.group, row.mode)

    def text_of(self, path: str) -> bytes | None:
        """The bytes of a file that the role owns here; None for any other."""
        mine = (place for place in self._places() if place[0] == path)
        return next((self.written(row.src, more) for _, row, more in mine), None)

    def texts_of(self, paths: re.Pattern[str]) -> Iterator[tuple[str, bytes]]:
        """Path and bytes of each file whose path matches whole."""
        for path, row, more in self._places():
            if paths.fullmatch(path):
                yield path, self.written(row.src, more)

    def _places(self) -> Iterator[tuple[str, FileRow, dict[str, object]]]:
        for row, more in self.rows(self.contract.owns.files):
            yield self._checked(_PATH, self.text(row.path, more)), row, more

    def written(self, src: str, more: Mapping[str, object]) -> bytes:
        """The bytes that both engines write.

        Where a text does not end in exactly one newline they differ: Ansible adds as many
        as the template ends with, unless the text already has them (`do_template` in
        ansible/template); pyinfra keeps the template's own.
        """
        place = f"roles/{self.role}/{place_of(src)}"
        if src.endswith(".j2"):
            data = self.contract.jinja.get_template(src).render(self.values, **more).encode()
        else:
            data = (self.contract.folder / place_of(src)).read_bytes()
        if not data.endswith(b"\n") or data.endswith(b"\n\n"):
            raise ContractError(f"{place}: its text must end in exactly one newline")
        if len(data) > LARGEST_BYTES:
            raise ContractError(f"{place}: {len(data)} bytes, more than the probe reads")
        return data

    def folders(self) -> Iterator[OwnedFolder]:
        for row, more in self.rows(self.contract.owns.folders):
            path = self._checked(_PATH, self.text(row.path, more))
            yield OwnedFolder(path, self.role, row.owner, row.group, row.mode)

    def packages(self) -> Iterator[OwnedPackage]:
        for row, more in self.rows(self.contract.owns.packages):
            name = self._checked(_NAME, self.text(row.name, more))
            yield OwnedPackage(name, self.role, self.text(row.version, more), row.hold)

    def units(self) -> Iterator[OwnedUnit]:
        for row, more in self.rows(self.contract.owns.units):
            name = self._checked(_NAME, self.text(row.name, more))
            yield OwnedUnit(name, self.role, row.enabled, row.active, row.masked)

    def ports(self) -> Iterator[OwnedPort]:
        for row, more in self.rows(self.contract.owns.ports):
            name = self._checked(_NAME, self.text(row.name, more))
            yield OwnedPort(name, self.role, self._checked(_PATH, self.text(row.by, more)))

    def sysctls(self) -> Iterator[OwnedSysctl]:
        for name, value in self._settings():
            known = self._checked(_NAME, name)
            yield OwnedSysctl(known, self.role, " ".join(value.split()))

    def _settings(self) -> Iterator[tuple[str, str]]:
        source = self.contract.owns.sysctls
        if isinstance(source, FromVariable):
            held: Any = self.values[source.variable]
            yield from ((str(name), str(value)) for name, value in held.items())
            return
        for row, more in self.rows(source):
            yield self.text(row.name, more), self.text(str(row.value), more)

    def arguments(self) -> Iterator[OwnedArguments]:
        source = self.contract.owns.kernel_arguments
        held: Any = self.values[source.variable] if isinstance(source, FromVariable) else source
        words = " ".join(self._checked(_ARGUMENT, str(text)) for text in held)
        for row, more in self.rows(self.contract.owns.staged):
            path = self._checked(_PATH, self.text(row.path, more))
            yield OwnedArguments(words, self.role, path)

    def options(self) -> Iterator[OwnedOption]:
        """The options that templates set, as sshd itself prints them."""
        text = "".join(self.written(one, {}).decode() for one in self.contract.owns.sshd)
        for line in text.splitlines():
            name, _, value = line.partition(" ")
            if name and not name.startswith("#"):
                known = self._checked(_NAME, name.lower())
                yield OwnedOption(known, self.role, _SSHD_PRINTS.get(value, value))

    def strays(self) -> Iterator[Watched]:
        shared = {f"{glob.rstrip('/')}/*" for glob in self.contract.owns.shared}
        globs = {*self.contract.owns.strays, *(set(self._overriding()) - shared)}
        for glob in globs:
            yield Watched(self._checked(_GLOB, glob), self.role)

    def _overriding(self) -> Iterator[str]:
        for path, _, _ in self._places():
            yield from overriding.of_file(path)
        for port in self.ports():
            yield from overriding.of_port(port.by)
        for unit in self.units():
            # Nothing that lies elsewhere has a say in a unit that is masked.
            yield from () if unit.masked else overriding.of_unit(unit.name)
