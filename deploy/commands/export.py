"""The verbs of `railbed export`: what the plan gives to other tools, to stdout or to a file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from deploy.errors import RailbedError
from deploy.files import write_atomically
from deploy.session import Selection, open_plan
from deploy.show.words import PlainTable, plain_table
from inventory import exports
from inventory.plan import Plan, Plane

from .options import Site
from .say import err
from .say import out as screen

app = typer.Typer(
    help="The plan for other tools: cables, addresses, pictures, Slurm, containerlab, editors.",
    no_args_is_help=True,
)


class PlaneName(StrEnum):
    """A plane, as the command line names it."""

    COMPUTE = "compute"
    STORAGE = "storage"
    BUSINESS = "business"
    OOB = "oob"


class SchemaFile(StrEnum):
    """A file that people write."""

    FABRIC = "fabric"
    NODES = "nodes"
    SWITCHES = "switches"


OnePlane = Annotated[
    PlaneName | None, typer.Option("--plane", help="Only this plane; by default all of them.")
]
Drawn = Annotated[PlaneName, typer.Option("--plane", help="The plane to draw.")]
Out = Annotated[
    Path | None, typer.Option("--out", help="Write this file, whole or not at all; else stdout.")
]


@app.command()
def cables(site: Site = "lab", plane: OnePlane = None, out: Out = None) -> None:
    """CSV, one row a cable in rack order: label, ends, medium, colour."""
    _give(site, out, lambda plan: exports.cables_csv(plan, _named(plane)))


@app.command()
def addresses(site: Site = "lab", plane: OnePlane = None, out: Out = None) -> None:
    """CSV, every address with its device, port, prefix, gateway and routing table."""
    _give(site, out, lambda plan: exports.addresses_csv(plan, _named(plane)))


@app.command()
def lldp(site: Site = "lab", plane: OnePlane = None, out: Out = None) -> None:
    """CSV, the neighbour that each port must see, for both ends of every cable."""
    _give(site, out, lambda plan: exports.lldp_csv(plan, _named(plane)))


@app.command()
def flows(site: Site = "lab", out: Out = None) -> None:
    """CSV, what the boundary lets pass, with the networks of both ends."""
    _give(site, out, exports.flows_csv)


@app.command()
def topology(site: Site = "lab", plane: Drawn = PlaneName.COMPUTE, out: Out = None) -> None:
    """SVG, a picture of a plane: small sites whole, in large ones what is alike is drawn once."""
    _give(site, out, lambda plan: exports.topology_svg(plan, _named(plane)))


@app.command()
def slurm_conf(site: Site = "lab", out: Out = None) -> None:
    """Slurm's `topology.conf` of the compute plane, as a tree."""
    _give(site, out, exports.topology_conf)


@app.command()
def slurm_yaml(site: Site = "lab", out: Out = None) -> None:
    """Slurm's `topology.yaml` (25.05 and later) of the compute plane, as a tree."""
    _give(site, out, exports.topology_yaml)


@app.command()
def containerlab(site: Site = "lab", plane: OnePlane = None, out: Out = None) -> None:
    """YAML, a containerlab topology of the data planes."""
    _give(site, out, lambda plan: exports.containerlab_yaml(plan, _named(plane)))


@app.command()
def bom(
    site: Site = "lab",
    plane: OnePlane = None,
    out: Out = None,
    table: Annotated[bool, typer.Option("--table", help="A table for people, not CSV.")] = False,
) -> None:
    """CSV or a table: devices, NIC ports, cables and transceivers to buy."""
    if not table:
        _give(site, out, lambda plan: exports.bom_csv(plan, _named(plane)))
        return
    if out is not None:
        raise RailbedError("--table goes to the screen alone", hint="--out FILE writes CSV")
    lines = exports.bill(open_plan(Selection(site, "lab")), _named(plane))
    screen.print(bill_table(site, lines))


@app.command()
def schema(
    file: Annotated[
        SchemaFile, typer.Option("--file", help="Which file's schema.")
    ] = SchemaFile.FABRIC,
    out: Out = None,
) -> None:
    """JSON Schema (2020-12) of fabric.yml, or of profiles, for editors."""
    _write(exports.json_schema(file.value), out)


def bill_table(site: str, lines: tuple[exports.Line, ...]) -> PlainTable:
    """The bill of materials as a table; numbers stand right."""
    columns = ("what", "item", "plane", "Gb/s", "m", "W", "count")
    table = plain_table(f"{site}: bill of materials", columns)
    for line in lines:
        *cells, _ = line.cells
        table.add_row(*cells, f"{line.count:,}")
    return table


def _named(plane: PlaneName | None) -> Plane | None:
    return plane.value if plane is not None else None


def _give(site: str, out: Path | None, made: Callable[[Plan], str]) -> None:
    plan = open_plan(Selection(site, "lab"))
    try:
        text = made(plan)
    except exports.ExportError as error:
        raise RailbedError(str(error)) from None
    _write(text, out)


def _write(text: str, out: Path | None) -> None:
    if out is None:
        sys.stdout.write(text)
        return
    try:
        write_atomically(out, text)
    except OSError as error:
        raise RailbedError(f"{out} cannot be written: {error.strerror}") from None
    err.print(f"{out}: {len(text):,} characters", markup=False, soft_wrap=True)
