"""What the pyinfra faces share: a role's values, its files, and whether services read them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from pyinfra import host
from pyinfra.api.operation import OperationMeta
from pyinfra.facts.files import Sha256File
from pyinfra.operations import files
from pyinfra.operations.util import any_changed

ROLES = Path(__file__).resolve().parent
STATE = "/var/lib/railbed"


class HostData(Protocol):
    """What pyinfra calls `host.data`: the inventory's values for one host."""

    def get(self, key: str, default: Any = ..., /) -> Any:
        """Return a value, or the default."""


def defaults(role: str) -> dict[str, object]:
    """Load `defaults/main.yml` of a role; the file is plain values, never expressions."""
    text = (ROLES / role / "defaults" / "main.yml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text) or {})


def variables(role: str, data: HostData) -> dict[str, object]:
    """Take the role's variables for one host: the inventory's, else the role's defaults.

    Raises KeyError, naming it, for a variable that has neither.
    """
    specs = yaml.safe_load((ROLES / role / "meta" / "argument_specs.yml").read_text("utf-8"))
    fallback = defaults(role)
    found: dict[str, object] = {}
    for name in sorted(specs["argument_specs"]["main"]["options"]):
        value = data.get(name, fallback.get(name))
        if value is None:
            raise KeyError(f"role {role}: the inventory gives no {name}")
        found[name] = value
    return found


@dataclass(frozen=True)
class Face:
    """A role on one host. `values` is all that its templates may use.

    A run that ends between writing a file and telling the service leaves a difference that
    no later look at the file would find. So the last thing a role writes is what its
    services have read (`applied.j2`, all files in one); while that differs, they are told.
    """

    role: str
    values: Mapping[str, Any]

    def put(
        self, name: str, template: str, path: str, mode: str = "0644", **more: Any
    ) -> OperationMeta:
        """Put one template in place, owned by root, in the bytes that Ansible would write."""
        return files.template(
            name=name,
            src=str(self._templates / template),
            dest=path,
            user="root",
            group="root",
            mode=mode,
            create_remote_dir=False,
            # A fresh dict each time: pyinfra takes its entries out.
            jinja_env_kwargs={
                "trim_blocks": True,
                "loader": FileSystemLoader(self._templates),
            },
            **{**self.values, **more},
        )

    def folder(self, path: str, mode: str = "0755") -> OperationMeta:
        """Make a folder, owned by root."""
        return files.directory(
            name=f"Make the folder {path}", path=path, user="root", group="root", mode=mode
        )

    def follows(self, *done: OperationMeta) -> dict[str, Any]:
        """Return the arguments of an operation that makes a service read what was `done`."""
        return {} if self._is_cut_off else {"_if": any_changed(*done)}

    def note_applied(self) -> OperationMeta:
        """Write down that the services have read everything; call it last."""
        return self.put("Note what the services have read", "applied.j2", self._applied, "0600")

    @cached_property
    def _is_cut_off(self) -> bool:
        environment = Environment(
            undefined=StrictUndefined,
            keep_trailing_newline=True,
            trim_blocks=True,
            loader=FileSystemLoader(self._templates),
        )
        wanted = environment.get_template("applied.j2").render(self.values)
        held = host.get_fact(Sha256File, path=self._applied)
        return bool(held != hashlib.sha256(wanted.encode()).hexdigest())

    @property
    def _templates(self) -> Path:
        return ROLES / self.role / "templates"

    @property
    def _applied(self) -> str:
        return f"{STATE}/{self.role}.applied"
