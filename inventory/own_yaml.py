"""YAML files of this clone (roles, thresholds), by libyaml where it is built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def own_yaml(path: Path) -> Any:
    """What a file holds, in plain types. Raises OSError and yaml.YAMLError."""
    return yaml.load(path.read_text(encoding="utf-8"), LOADER)  # noqa: S506  a safe loader
