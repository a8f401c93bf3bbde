"""The verbs that look at one server, or its firmware: node, bios."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from deploy import show
from deploy.errors import RailbedError
from deploy.session import Selection

from .options import AsJson, Lab, Site
from .say import err, out, print_json


class AuthName(StrEnum):
    """How a BMC is told who asks."""

    session = "session"
    basic = "basic"


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


def bios(
    nodes: Annotated[
        list[str] | None, typer.Argument(help="Only these nodes, or groups of them.")
    ] = None,
    site: Site = "lab",
    lab: Lab = "lab",
    auth: Annotated[
        AuthName, typer.Option("--auth", help="A session, or name and password in each request.")
    ] = AuthName.session,
    ca: Annotated[
        Path | None, typer.Option("--ca", help="Certificates (PEM) that the BMCs' are signed by.")
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Trust any certificate: anybody may be the BMC.")
    ] = False,
    at: Annotated[
        list[str] | None, typer.Option("--at", help="NODE=HOST[:PORT]: its BMC, by a tunnel.")
    ] = None,
    timeout_s: Annotated[float, typer.Option("--timeout", min=1, help="Seconds a request.")] = 30,
    save: Annotated[
        Path | None, typer.Option("--save", help="Leave what was read in this folder.")
    ] = None,
    from_evidence: Annotated[
        Path | None, typer.Option("--from-evidence", help="Judge this saved folder; reach nothing.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare BIOS attributes with what the site wants, by Redfish; changes nothing.

    Exit 0 as wanted, 1 not, 3 not known or a reboot is due.
    """
    from deploy.servers.bios import BiosOptions, bios_of_site

    if insecure and ca is not None:
        raise RailbedError("--ca and --insecure: found both, expected one")
    if insecure:
        err.print("--insecure: passwords go to whoever answers at these addresses", style="yellow")
    trust: str | bool = not insecure if ca is None else str(_there(ca))
    options = BiosOptions(
        auth=auth.value,
        trust=trust,
        timeout_s=timeout_s,
        save=save,
        evidence=None if from_evidence is None else _there(from_evidence),
        at=dict(map(_place, at or [])),
    )
    report = bios_of_site(Selection(site, lab), nodes or [], options)
    print_json(show.bios_json(report)) if as_json else show.bios_text(report, out)
    raise typer.Exit(report.exit_code)


def _there(path: Path) -> Path:
    if not path.exists():
        raise RailbedError(f"{path} is not there")
    return path


def _place(text: str) -> tuple[str, str]:
    node, equal, address = text.partition("=")
    if not (node and equal and address) or "/" in address or "@" in address:
        raise RailbedError(f"--at {text}: found no NODE=HOST[:PORT]", hint="--at n1=localhost:8443")
    return node, address
