"""The verbs of `railbed lab`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from deploy import show
from inventory.load.site import existing_folder

from .next_steps import remember_lab, remember_site
from .say import err, out

app = typer.Typer(
    help="A real small site on this machine: systemd, sshd, FRR.", no_args_is_help=True
)
Name = Annotated[
    str,
    typer.Option(
        "--name", "--lab", envvar="RAILBED_LAB", callback=remember_lab, help="The lab's name."
    ),
]
Site = Annotated[
    str,
    typer.Option("--site", envvar="RAILBED_SITE", callback=remember_site, help="A lab site."),
]


@app.command()
def up(
    name: Name = "lab",
    site: Site = "lab",
    wiring: Annotated[
        Path | None, typer.Option("--wiring", help="Plug these cables, not the site's wiring.csv.")
    ] = None,
    kind: Annotated[
        str, typer.Option("--kind", help="nspawn: booted systemd; netns: bare, for large fabrics.")
    ] = "nspawn",
    rate: Annotated[
        int | None, typer.Option("--rate", help="Mbit/s that a data link carries.")
    ] = None,
) -> None:
    """Build and start the machines and their cables. Running it again changes nothing."""
    from deploy import lab
    from deploy.rollout.supply import prepare
    from deploy.session import Selection, open_plan

    lab.up(existing_folder(site), name, kind, wiring, say=_say, rate_mbps=rate)
    if kind == "nspawn":  # only booted machines have packages
        selection = Selection(site, name)
        prepare(selection, _say, open_plan(selection))


@app.command()
def down(name: Name = "lab") -> None:
    """Stop the lab and remove all that it made, also after a crash."""
    from deploy import lab

    lab.down(name)


@app.command()
def sweep() -> None:
    """Remove what labs that are not up left behind on this machine."""
    from deploy import lab

    swept = lab.sweep()
    out.print(f"removed what was left of: {', '.join(swept)}" if swept else "nothing was left")


@app.command()
def status(
    name: Name = "lab",
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable output.")] = False,
) -> None:
    """What runs, and what it costs."""
    from deploy import lab

    found = lab.status(name)
    if as_json:
        sys.stdout.write(json.dumps(found.as_dict(), indent=1, sort_keys=True) + "\n")
    else:
        show.lab_text(found, out)


@app.command()
def shell(
    machine: Annotated[str, typer.Argument(help="A machine of the lab, e.g. leaf-p1-r0.")],
    command: Annotated[
        list[str] | None, typer.Argument(help="After --: run this in place of a shell.")
    ] = None,
    name: Name = "lab",
) -> None:
    """A root shell on a machine, past its network; or one command: shell NAME -- COMMAND."""
    from deploy import lab

    raise typer.Exit(lab.shell(name, machine, command or ()))


@app.command()
def restart(
    machine: Annotated[str, typer.Argument(help="A machine of the lab.")],
    name: Name = "lab",
) -> None:
    """Cut a machine's power and start it again; its network comes back empty."""
    from deploy import lab

    lab.restart(name, machine)


def _say(text: str) -> None:
    err.print(text, soft_wrap=True)
