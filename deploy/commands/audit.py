"""The verb `railbed audit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deploy import show

from .options import AsJson, Write
from .say import out, print_json


def audit(
    path: Annotated[
        Path,
        typer.Argument(help="A configuration, or a folder of them: a file or folder each switch."),
    ],
    learn: Annotated[
        Path | None,
        typer.Option("--learn", metavar="FOLDER", help="Propose a site; written with --write."),
    ] = None,
    cables: Annotated[
        list[Path] | None,
        typer.Option("--cables", help="A list of cables: CSV, NetBox or LLDP as JSON; repeatable."),
    ] = None,
    write: Write = False,
    as_json: AsJson = False,
) -> None:
    """What is wrong with any switch configurations. Exit 0 nothing, 1 something, 3 not known."""
    from deploy.audits.learned import learn_site, listed_cables
    from deploy.audits.told import learned_json, learned_text
    from deploy.switches.audit_files import sources
    from validation.audit.audit import audit as audited
    from validation.audit.box import NotRead

    texts, refused = sources(path)
    known, strange = listed_cables(cables or ())
    found = audited(texts, (*refused, *(NotRead("--cables", one) for one in strange)), known)
    if learn is not None:
        site = learn_site(found.network, learn, found.not_read, write=write)
        print_json(learned_json(site)) if as_json else learned_text(site, out)
        raise typer.Exit(site.exit_code)
    print_json(show.audit_json(found)) if as_json else show.audit_text(found, out)
    raise typer.Exit(found.exit_code)
