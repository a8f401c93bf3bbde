"""Reads the roles' contracts as data: what each role owns, its defaults, and who gets it.

`meta/owns.yml` of a role lists what it owns. Every row may carry `for: LIST` with `as: NAME`
(one row for each element of a list variable) and `when: EXPRESSION`; every text in a row is
a Jinja template over the role's own variables.

Where a role owns a drop-in (a file in a folder `*.d`) or a unit, a file beside it that
neither a role nor a package owns is drift; in `shared` folders it is not, and `strays` are
further globs where it is. `sshd` are templates of options that sshd must really have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from jinja2.environment import TemplateExpression
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from inventory.nodes.hostvars import groups
from inventory.own_yaml import own_yaml
from inventory.plan import Plan
from inventory.problems import ExpectedError

ROOT = Path(__file__).resolve().parents[2]
ROLES = ROOT / "roles"
# Which roles which group gets, in order; both engines read it, and so do we.
PLAYBOOK = ROOT / "deploy" / "playbooks" / "nodes.yml"


class ContractError(ExpectedError):
    """A role's contract that cannot be used: each sentence names the file and the place."""


Mode = Annotated[str, StringConstraints(pattern=r"^0[0-7]{3,4}$")]
Text = Annotated[str, StringConstraints(min_length=1)]


class ContractRow(BaseModel):
    """What every row may carry: `for` and `as` repeat it, `when` leaves it out."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    each: Annotated[str, Field(alias="for")] = ""
    name_of_each: Annotated[str, Field(alias="as")] = ""
    when: str = ""


class FileRow(ContractRow):
    """A file that the role writes: one of its templates (`*.j2`) rendered, or a file of it."""

    path: Text
    src: Text
    owner: Text
    group: Text
    mode: Mode


class FolderRow(ContractRow):
    """A folder that the role makes."""

    path: Text
    owner: Text
    group: Text
    mode: Mode


class PackageRow(ContractRow):
    """An installed package; without a version any, and one that is held may be."""

    name: Text
    version: str = ""
    hold: bool = False


class UnitRow(ContractRow):
    """A systemd unit; None: the role does not say."""

    name: Text
    enabled: bool | None = None
    active: bool | None = None
    masked: bool = False


class SettingRow(ContractRow):
    """A kernel parameter."""

    name: Text
    value: str | int


class FromVariable(BaseModel):
    """Rows that a variable of the role holds."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    variable: Annotated[Text, Field(alias="from")]


class PortRow(ContractRow):
    """A network interface that the file `by` configures, and no other."""

    name: Text
    by: Text


class StagedRow(ContractRow):
    """The file from which the next boot takes kernel arguments."""

    path: Text


class Owns(BaseModel):
    """A role's `meta/owns.yml`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    files: list[FileRow] = []
    folders: list[FolderRow] = []
    packages: list[PackageRow] = []
    units: list[UnitRow] = []
    ports: list[PortRow] = []
    sysctls: FromVariable | list[SettingRow] = []
    kernel_arguments: FromVariable | list[str] = []
    staged: list[StagedRow] = []
    sshd: list[str] = []
    strays: list[str] = []
    shared: list[str] = []


@dataclass(frozen=True)
class Contract:
    """One role's contract: what it owns, the variables it reads, and their defaults."""

    role: str
    owns: Owns
    variables: tuple[str, ...]
    defaults: Mapping[str, object]
    folder: Path
    _texts: dict[str, Template] = field(default_factory=dict, repr=False, compare=False)
    _conditions: dict[str, TemplateExpression] = field(
        default_factory=dict, repr=False, compare=False
    )

    @cached_property
    def jinja(self) -> Environment:
        """Renders as both engines do: trim_blocks, the last newline kept, no undefined name.

        These are the settings of Ansible's template module (ansible.builtin.template,
        "Parameters"), which roles/pyinfra_role.py gives to pyinfra.
        """
        return Environment(
            # A template may include a file: none has a mark of Jinja in it.
            loader=FileSystemLoader([self.folder / "templates", self.folder / "files"]),
            trim_blocks=True,
            keep_trailing_newline=True,
            undefined=StrictUndefined,
        )

    def compiled(self, text: str) -> Template:
        """A text of a row as a template; each is compiled once."""
        if text not in self._texts:
            self._texts[text] = self.jinja.from_string(text)
        return self._texts[text]

    def condition(self, text: str) -> TemplateExpression:
        """A row's `when` as an expression; each is compiled once."""
        if text not in self._conditions:
            self._conditions[text] = self.jinja.compile_expression(text, undefined_to_none=False)
        return self._conditions[text]

    def values(self, host: Mapping[str, object]) -> dict[str, object]:
        """The role's variables on a host: the inventory's, else the default."""
        found = {name: host.get(name, self.defaults.get(name)) for name in self.variables}
        missing = [name for name, value in found.items() if value is None]
        if missing:
            raise ContractError(f"role {self.role}: the inventory gives no {', '.join(missing)}")
        return found


def place_of(src: str) -> str:
    """Where a role has what a row's `src` names: templates end in `.j2`, and nothing else does."""
    return f"{'templates' if src.endswith('.j2') else 'files'}/{src}"


def contract(role: str, folder: Path = ROLES) -> Contract:
    """Read one role's contract. Raises ContractError with everything that is wrong with it."""
    home = folder / role
    try:
        owns = Owns.model_validate(_yaml(home / "meta" / "owns.yml"))
        specs = _yaml(home / "meta" / "argument_specs.yml")["argument_specs"]["main"]["options"]
        defaults = _yaml(home / "defaults" / "main.yml")
    except ValidationError as error:
        raise ContractError("; ".join(_sentences(role, error))) from None
    made = Contract(role, owns, tuple(sorted(specs)), defaults, home)
    if wrong := _unknown_names(made, home):
        raise ContractError("; ".join(f"roles/{role}/meta/owns.yml: {one}" for one in wrong))
    return made


def _yaml(path: Path) -> dict[str, Any]:
    try:
        found = own_yaml(path)
    except FileNotFoundError:
        raise ContractError(f"{_short(path)}: no such file; every role has one") from None
    except yaml.YAMLError as error:
        raise ContractError(f"{_short(path)}: {' '.join(str(error).split())}") from None
    if not isinstance(found or {}, dict):
        raise ContractError(f"{_short(path)}: found {type(found).__name__}, expected a mapping")
    return dict(found or {})


def _short(path: Path) -> str:
    return "/".join(path.parts[-4:]) if path.parts[-2] in ("meta", "defaults") else str(path)


def _sentences(role: str, error: ValidationError) -> list[str]:
    return [
        f"roles/{role}/meta/owns.yml: {'.'.join(map(str, one['loc']))}: {one['msg']}"
        for one in error.errors()
    ]


def _unknown_names(made: Contract, home: Path) -> list[str]:
    """Templates that are not there, lists that the role does not have, half a repetition."""
    owns, wrong = made.owns, []
    for kind in ("files", "folders", "packages", "units", "ports", "sysctls", "staged"):
        rows = getattr(owns, kind)
        for number, row in enumerate(rows if isinstance(rows, list) else ()):
            place = f"{kind}.{number}"
            if bool(row.each) != bool(row.name_of_each):
                wrong.append(f"{place}: `for` and `as` go together")
            elif row.each and row.each not in made.variables:
                wrong.append(f"{place}.for: {row.each} is no variable of the role")
            if isinstance(row, FileRow) and not (home / place_of(row.src)).is_file():
                wrong.append(f"{place}.src: there is no {place_of(row.src)}")
    for kind in ("sysctls", "kernel_arguments"):
        source = getattr(owns, kind)
        if isinstance(source, FromVariable) and source.variable not in made.variables:
            wrong.append(f"{kind}.from: {source.variable} is no variable of the role")
    if owns.kernel_arguments and not owns.staged:
        wrong.append("kernel_arguments: `staged` does not say where they wait for the next boot")
    texts = [place_of(one) for one in owns.sshd]
    wrong += [f"sshd: there is no {text}" for text in texts if not (home / text).is_file()]
    return wrong


def roles_of(plan: Plan, playbook: Path = PLAYBOOK) -> dict[str, tuple[str, ...]]:
    """The roles of each device that gets any, in the order of the playbook."""
    members = groups(plan)
    found: dict[str, tuple[str, ...]] = {}
    for play in own_yaml(playbook):
        for device in members.get(play["hosts"], ()):
            roles = tuple(one["role"] for one in play.get("roles", ()))
            found[device] = (*found.get(device, ()), *roles)
    return {device: roles for device, roles in sorted(found.items()) if roles}
