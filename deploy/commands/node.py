"""The verb `railbed node`."""

from __future__ import annotations

from typing import Annotated

import typer

from deploy import show
from deploy.session import Selection

from .options import AsJson, Lab, Site
from .say import out, print_json


def node(
    name: Annotated[str, typer.Argument(help="The node.")],
    site: Site = "lab",
    lab: Lab = "lab",
    from_evidence: Annotated[
        list[str] | None,
        typer.Option("--from-evidence", help="Its saved host state, [NODE=]FILE; reach nothing."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what a node's NICs, driver and containers really are. Exit 0, 1 differs, 3 not known."""
    from deploy.servers.node_look import look_at_node

    found = look_at_node(Selection(site, lab), name, from_evidence or [])
    print_json(show.node_json(found)) if as_json else show.node_text(found, out)
    raise typer.Exit(found.exit_code)
