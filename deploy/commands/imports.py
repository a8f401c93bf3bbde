"""The verbs of `railbed import`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from deploy import show
from deploy.errors import RailbedError
from deploy.session import Selection

from .options import AsJson, Lab, Moved, Site, Write
from .say import out

app = typer.Typer(
    help="Devices and cables from a spreadsheet or a NetBox, held against the plan.",
    no_args_is_help=True,
)

Prune = Annotated[
    bool, typer.Option("--prune", help="The source owns the rows: take out what it has not.")
]


@app.command("csv")
def import_csv(
    folder: Annotated[Path, typer.Argument(help="A folder with devices.csv, cables.csv or both.")],
    prune: Prune = False,
    moved: Moved = False,
    do_write: Write = False,
    site: Site = "lab",
    lab: Lab = "lab",
    as_json: AsJson = False,
) -> None:
    """Compare a spreadsheet with the plan. Exit 0 the same, 1 it differs, 2 refused."""
    from deploy.imports.lists import Options, import_lists

    options = Options(prune, moved, do_write)
    found = import_lists(Selection(site, lab), folder, options)
    _print_json(show.lists_json(found)) if as_json else show.lists_text(found, out)
    raise typer.Exit(found.exit_code)


@app.command("netbox")
def import_from_netbox(
    url: Annotated[str, typer.Option("--url", envvar="RAILBED_NETBOX_URL", help="Its address.")],
    token: Annotated[
        str, typer.Option("--token", help="env:NAME or file:PATH; else netbox_token of fabric.yml.")
    ] = "",
    netbox_site: Annotated[
        str, typer.Option("--netbox-site", help="Only this site of the NetBox, by its slug.")
    ] = "",
    port: Annotated[
        list[str] | None,
        typer.Option("--port", help="THEIRS=OURS: an interface by our port's name, iDRAC=bmc."),
    ] = None,
    timeout_s: Annotated[
        float, typer.Option("--timeout", min=0.1, help="Seconds to wait for each answer.")
    ] = 30.0,
    prune: Prune = False,
    moved: Moved = False,
    do_write: Write = False,
    site: Site = "lab",
    lab: Lab = "lab",
    as_json: AsJson = False,
) -> None:
    """Compare a NetBox with the plan. Exit 0 the same, 1 it differs, 2 refused or not read."""
    from deploy.imports.lists import Options
    from deploy.imports.netbox import NetboxSource, import_netbox

    renamed = dict(_pair(one) for one in port or [])
    source = NetboxSource(url, token, netbox_site, timeout_s, renamed)
    found = import_netbox(Selection(site, lab), source, Options(prune, moved, do_write))
    _print_json(show.lists_json(found)) if as_json else show.lists_text(found, out)
    raise typer.Exit(found.exit_code)


def _pair(text: str) -> tuple[str, str]:
    theirs, equals, ours = text.partition("=")
    if not (theirs and equals and ours):
        raise RailbedError(f"--port {text} is not THEIRS=OURS", hint="like --port iDRAC=bmc")
    return theirs, ours


def _print_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, indent=1, sort_keys=True) + "\n")
