"""The verb `railbed audit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deploy import show

from .options import AsJson
from .say import out, print_json


def audit(
    path: Annotated[
        Path,
        typer.Argument(help="A configuration, or a folder of them: a file or folder each switch."),
    ],
    as_json: AsJson = False,
) -> None:
    """What is wrong with any switch configurations. Exit 0 nothing, 1 something, 3 not known."""
    from deploy.audits.gathered import sources
    from validation.audit.audit import audit as audited

    texts, refused = sources(path)
    found = audited(texts, refused)
    print_json(show.audit_json(found)) if as_json else show.audit_text(found, out)
    raise typer.Exit(found.exit_code)
