"""The forms of an audit as files, by the ending of each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from deploy.errors import RailbedError
from deploy.files import write_atomically
from inventory.visible import visible

from .machine import audit_json
from .markdown import audit_markdown
from .page import audit_page
from .sarif import sarif
from .story import Story

_FORMS: Mapping[str, Callable[[Story], str]] = {
    ".html": audit_page,
    ".md": audit_markdown,
    ".json": lambda story: _json(audit_json(story)),
    ".sarif": lambda story: _json(sarif(story)),
}


def check_endings(files: Iterable[Path]) -> None:
    """RailbedError for a file whose ending says no form."""
    for file in files:
        if file.suffix not in _FORMS:
            known = ", ".join(_FORMS)
            raise RailbedError(f"--out {file}: found the ending '{file.suffix}'", f"one of {known}")
        if file.is_dir():
            raise RailbedError(f"--out {file}: found a folder, expected a file")


def write_forms(story: Story, files: Iterable[Path]) -> None:
    """Write each, whole or not at all; RailbedError where one cannot be written."""
    for file in files:
        try:
            write_atomically(file, visible(_FORMS[file.suffix](story)))
        except OSError as error:
            raise RailbedError(f"--out {file}: cannot be written: {error.strerror}") from None


def _json(value: object) -> str:
    return json.dumps(value, indent=1, sort_keys=True) + "\n"
