"""YAML files of the clone, for tests that change a copy of them; each is read once."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import yaml


def loaded(path: Path) -> Any:
    """What a file of the clone holds; the caller's own to change."""
    return deepcopy(_read(path))


@cache
def _read(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
