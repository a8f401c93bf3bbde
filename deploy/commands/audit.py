"""The verb `railbed audit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deploy import show

from .options import AsJson
from .say import out, print_json, say


def audit(
    path: Annotated[
        Path,
        typer.Argument(help="A configuration, a folder or archive of them, a bundle; - is stdin."),
    ],
    as_json: AsJson = False,
) -> None:
    """What is wrong with any switch configurations. Exit 0 nothing, 1 something, 3 not known."""
    from deploy.audits.gathered import gathered
    from validation.audit.audit import audit as audited

    taken = gathered(path)
    for note in taken.notes:
        say(as_json)(note)
    found = audited(taken.texts, taken.refused)
    print_json(show.audit_json(found)) if as_json else show.audit_text(found, out)
    raise typer.Exit(found.exit_code)
