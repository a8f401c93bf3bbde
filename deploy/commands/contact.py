"""The verbs of first contact: enroll, doctor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deploy.session import Selection

from .options import AsJson, Lab, Site
from .say import out, print_json, say


def enroll(
    devices: Annotated[
        list[str] | None, typer.Argument(help="Only these devices, or groups of them.")
    ] = None,
    site: Site = "lab",
    lab: Lab = "lab",
    keys: Annotated[
        list[str] | None,
        typer.Option(
            "--keys",
            metavar="[DEVICE=]FILE",
            help="Host keys: known_hosts or ssh-keyscan lines, console logs, or a folder of these.",
        ),
    ] = None,
    ca: Annotated[
        Path | None, typer.Option("--ca", help="Public key of the authority that signs host keys.")
    ] = None,
    ask_once: Annotated[
        bool,
        typer.Option("--ask-once", help="Trust what answers now: anybody on the way may be it."),
    ] = False,
    identity: Annotated[
        Path | None,
        typer.Option("--identity", help="A private key that devices take already, for this once."),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="The named devices have new keys: forget the old.")
    ] = False,
    write: Annotated[
        bool,
        typer.Option("--write", help="Keep the host keys, bring the site's key; else only say."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Learn whose host keys devices have, bring the site's key there, say what is missing.

    Exit 0 all known and let in, 1 a host key is not the known one, 3 something is missing.
    """
    from deploy.contact import told
    from deploy.contact.enroll import Options, enroll_site

    options = Options(tuple(keys or ()), ca, ask_once, replace, identity, write)
    found = enroll_site(Selection(site, lab), devices or [], options, say(as_json))
    print_json(told.enrolled_json(found)) if as_json else told.enrolled_text(found, out)
    raise typer.Exit(found.exit_code)


def doctor(site: Site = "lab", lab: Lab = "lab", as_json: AsJson = False) -> None:
    """Check this machine, and one device of each class; changes nothing.

    Exit 0 all well, 1 something is wrong, 3 something is missing or not known.
    """
    from deploy.contact import told
    from deploy.contact.doctor import examine

    found = examine(Selection(site, lab))
    print_json(told.examined_json(found)) if as_json else told.examined_text(found, out)
    raise typer.Exit(found.exit_code)
