"""The verbs of `railbed asbuilt`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deploy import show
from deploy.errors import RailbedError
from deploy.session import Selection

from .options import AsJson, Lab, Site, Write
from .say import out

if TYPE_CHECKING:
    from deploy.imports.asbuilt import ManifestFile

app = typer.Typer(
    help="Which machine really is where: from makers' manifests, DHCP and LLDP.",
    no_args_is_help=True,
)

Maker = Annotated[
    str, typer.Option("--as", help="Whose form it is: dell-omnia, hpe-cray, nvidia-nico.")
]
Columns = Annotated[
    str,
    typer.Option("--columns", help="Any other form: serial=S/N,name=Host,PORT=its column"),
]


@app.command("import")
def import_manifest(
    file: Annotated[Path, typer.Argument(help="The maker's manifest: CSV or JSON.")],
    maker: Maker = "",
    columns: Columns = "",
    names: Annotated[
        Path | None, typer.Option("--names", help="Who is who: a CSV file `machine,device`.")
    ] = None,
    moved: Annotated[
        bool, typer.Option("--moved", help="A known serial number may be at another device now.")
    ] = False,
    do_write: Write = False,
    site: Site = "lab",
    lab: Lab = "lab",
    as_json: AsJson = False,
) -> None:
    """Merge a maker's manifest into asbuilt.csv. Exit 0 nothing to do, 1 it differs, 2 refused."""
    from deploy.imports.asbuilt import import_manifest as merge_manifest

    manifest = _manifest(file, maker, columns)
    found = merge_manifest(Selection(site, lab), manifest, names, moved, do_write)
    _print_json(show.imported_json(found)) if as_json else show.imported_text(found, out)
    pending = found.merged.differs and not found.written
    raise typer.Exit(1 if pending or found.unplaced else 0)


@app.command()
def learn(
    leases: Annotated[
        list[Path] | None,
        typer.Option("--leases", help="dnsmasq's log or leases, or Kea's lease file."),
    ] = None,
    lldp: Annotated[
        Path | None,
        typer.Option("--lldp", help="A folder of SWITCH.json: lldpcli -f json show neighbors."),
    ] = None,
    manifest: Annotated[
        Path | None, typer.Option("--manifest", help="Serial numbers of the MACs seen.")
    ] = None,
    maker: Maker = "",
    columns: Columns = "",
    do_write: Write = False,
    site: Site = "lab",
    lab: Lab = "lab",
    as_json: AsJson = False,
) -> None:
    """Say who sits where. Exit 0 all as planned, 1 it differs, 2 bad input, 3 nothing seen."""
    from deploy.imports.asbuilt import learn_places

    known = _manifest(manifest, maker, columns) if manifest else None
    found = learn_places(Selection(site, lab), leases or [], lldp, known, do_write)
    _print_json(show.learned_json(found)) if as_json else show.learned_text(found, out)
    raise typer.Exit(found.exit_code)


def _manifest(file: Path, maker: str, columns: str) -> ManifestFile:
    from deploy.imports.asbuilt import ManifestFile

    if bool(maker) == bool(columns):
        raise RailbedError(
            "a manifest needs --as MAKER, or --columns", hint="`railbed asbuilt import --help`"
        )
    return ManifestFile(file, maker, columns)


def _print_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, indent=1, sort_keys=True) + "\n")
