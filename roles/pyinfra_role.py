"""What the pyinfra parts share: a role's variables, its texts, and whether services read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from pyinfra import host
from pyinfra.api.operation import OperationMeta
from pyinfra.operations.util import any_changed

from . import resources

ROLES = Path(__file__).resolve().parent


@dataclass(frozen=True)
class File:
    """A template or a file of the role, where its text belongs, and more values for a template.

    `validate` is a command with `%s` for the new file, which must agree before the file is
    put in place.
    """

    src: str
    path: str
    mode: str = "0644"
    validate: str = ""
    more: Mapping[str, object] = field(default_factory=dict)


class HostData(Protocol):
    """What pyinfra calls `host.data`: the inventory's values for one host."""

    def get(self, key: str, default: Any = ..., /) -> Any:
        """Return a value, or the default."""


def defaults(role: str) -> dict[str, object]:
    """Load `defaults/main.yml` of a role; the file is plain values, never expressions."""
    return deepcopy(_loaded(ROLES / role / "defaults" / "main.yml") or {})


@cache
def _loaded(path: Path) -> Any:
    """A file of a role: read once for all hosts, it is part of the program."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def variables(role: str, data: HostData) -> dict[str, object]:
    """Take the role's variables for one host: the inventory's, else the role's defaults.

    Raises KeyError, naming it, for a variable that has neither.
    """
    specs = _loaded(ROLES / role / "meta" / "argument_specs.yml")
    fallback = defaults(role)
    found: dict[str, object] = {}
    for name in sorted(specs["argument_specs"]["main"]["options"]):
        value = data.get(name, fallback.get(name))
        if value is None:
            raise KeyError(f"role {role}: the inventory gives no {name}")
        found[name] = value
    return found


def text_of(role: str, src: str, values: Mapping[str, object]) -> str:
    """A template of the role (`*.j2`) rendered, or any other file of it as it is.

    Rendered with the settings of Ansible's template module, both engines write the same bytes:
    blocks trimmed, the last newline kept, no undefined name accepted
    (ansible.builtin.template, "Parameters").
    """
    if src.endswith(".j2"):
        return _jinja(role).get_template(src).render(values)
    return (ROLES / role / "files" / src).read_bytes().decode()


@cache
def _jinja(role: str) -> Environment:
    """One for each role: it keeps what it compiled, and a role renders a file more than once."""
    return Environment(
        # A template may include a file: none has a mark of Jinja in it.
        loader=FileSystemLoader([ROLES / role / "templates", ROLES / role / "files"]),
        trim_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        autoescape=False,  # configuration, never HTML
    )


@dataclass(frozen=True)
class Files:
    """The files of a role on one host, rendered with its variables."""

    role: str
    values: Mapping[str, Any]

    def put(self, name: str, *files: File, folders: Sequence[str] = ()) -> OperationMeta:
        """Put folders, and files, in place, owned by root, all in one operation."""
        return resources.in_place(
            name=name, files=[self.wanted(one) for one in files], folders=folders
        )

    def wanted(self, one: File) -> resources.Wanted:
        """A file with its text."""
        text = text_of(self.role, one.src, {**self.values, **one.more})
        return resources.Wanted(one.path, text, one.mode, one.validate)


@dataclass(frozen=True)
class Services:
    """The services that read what a role writes.

    A run that ends between writing a file and telling the service leaves a difference that
    no later look at the file would find. So the last thing a role writes is what its
    services have read (`applied.j2`: all those files in one); while that differs, they are
    told.
    """

    role: str
    values: Mapping[str, Any]

    def follow(self, *done: OperationMeta) -> dict[str, Any]:
        """Return the arguments of an operation that makes a service read what was `done`."""
        return {} if self._is_cut_off else {"_if": any_changed(*done)}

    def note(self) -> OperationMeta:
        """Write down that the services have read everything; call it last."""
        file = File("applied.j2", self._path, "0600")
        return Files(self.role, self.values).put("Note what the services have read", file)

    @cached_property
    def _is_cut_off(self) -> bool:
        wanted = sha256(text_of(self.role, "applied.j2", self.values).encode()).hexdigest()
        held = host.get_fact(resources.FileStamps, paths=[self._path])
        return bool(held.get(self._path, "").split()[-1:] != [wanted])

    @property
    def _path(self) -> str:
        return f"/var/lib/railbed-{self.role}.applied"
