"""What the pyinfra faces share: a role's defaults, and templates rendered as Ansible does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import yaml
from pyinfra.api.operation import OperationMeta
from pyinfra.operations import files

ROLES = Path(__file__).resolve().parent


class HostData(Protocol):
    """What pyinfra calls `host.data`: the inventory's values for one host."""

    def get(self, key: str, default: Any = ..., /) -> Any:
        """Return a value, or the default."""


def defaults(role: str) -> dict[str, object]:
    """Load `defaults/main.yml` of a role; the file is plain values, never expressions."""
    text = (ROLES / role / "defaults" / "main.yml").read_text(encoding="utf-8")
    loaded = yaml.safe_load(text)
    return dict(loaded or {})


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


def templates(role: str, values: Mapping[str, Any]) -> Callable[..., OperationMeta]:
    """Return an operation that puts one template of the role in place, owned by root.

    Call it as `put(name, template, path, mode="0644", **more_values)`. The same Jinja
    settings as Ansible's template module, so that both faces write the same bytes.
    """

    def put(name: str, template: str, path: str, mode: str = "0644", **more: Any) -> OperationMeta:
        return files.template(
            name=name,
            src=str(ROLES / role / "templates" / template),
            dest=path,
            user="root",
            group="root",
            mode=mode,
            create_remote_dir=False,
            # A fresh dict each time: pyinfra takes its entries out.
            jinja_env_kwargs={"trim_blocks": True},
            **{**values, **more},
        )

    return put
