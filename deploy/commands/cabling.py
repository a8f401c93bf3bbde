"""The verb `railbed cabling`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deploy import show
from deploy.session import Selection

from .options import AsJson, Lab, Site
from .say import out, print_json, say


def cabling(
    site: Site = "lab",
    lab: Lab = "lab",
    from_evidence: Annotated[
        Path | None,
        typer.Option("--from-evidence", help="Judge a run's evidence folder; reach nothing."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The fewest plugs to move, by LLDP of the fabric. Exit 0 as planned, 1 not, 3 not known."""
    from deploy.measuring.cabling import cabling_of_site

    found = cabling_of_site(Selection(site, lab), from_evidence, say(as_json))
    print_json(show.cabling_json(found)) if as_json else show.cabling_text(found, out)
    raise typer.Exit(found.exit_code)
