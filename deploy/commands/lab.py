"""The verbs of `railbed lab`, and `railbed rehearse`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from deploy import show
from deploy.rehearsal.slices import MOST_MACHINES
from inventory.load.site import existing_folder
from inventory.plan import Engine

from .next_steps import remember_lab, remember_site
from .options import AsJson
from .options import Site as AnySite
from .say import err, out, print_json, say

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
Part = Annotated[
    list[str] | None,
    typer.Option("--slice", metavar="NAME", help="Only these pods, racks or nodes: pod_3."),
]
Machines = Annotated[
    int, typer.Option("--machines", min=5, max=200, help="What this machine carries.")
]
Wiring = Annotated[
    Path | None, typer.Option("--wiring", help="Cables as plugged, a CSV file; else as planned.")
]
Change = Annotated[
    str, typer.Option("--change", metavar="FOLDER", help="Then a change to this, and back.")
]
TimesOf = Annotated[
    list[str] | None,
    typer.Option("--times-of", metavar="SITE", help="Also by what runs of this site took."),
]

EngineAsked = Annotated[
    Engine | None,
    typer.Option("--engine", help="By this engine; then the other one may change nothing."),
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


def rehearse_site(
    site: AnySite = "lab",
    pods: Annotated[
        int | None, typer.Option("--pods", min=1, help="So many pods; by default what fits.")
    ] = None,
    nodes: Annotated[
        int | None, typer.Option("--nodes", min=1, help="So many nodes in each pod.")
    ] = None,
    spines: Annotated[int | None, typer.Option("--spines", min=1, help="So many spines.")] = None,
    only: Part = None,
    machines: Machines = MOST_MACHINES,
    wiring: Wiring = None,
    change: Change = "",
    engine: EngineAsked = None,
    times_of: TimesOf = None,
    name: Annotated[
        str, typer.Option("--name", help="What its lab is called; a twin of that name goes.")
    ] = "twin",
    keep: Annotated[bool, typer.Option("--keep", help="Leave the twin up.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what the twin would be; start nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Rehearse the site's whole rollout on a twin of it, built in a lab on this machine.

    Its own inventory, roles, texts and gates; what cannot be rehearsed is said by name. Exit 0: to
    its end, and a second run changes nothing; else 1.
    """
    from deploy.guard.guard_run import CutOffNotice, enter
    from deploy.lab.host import ensure_host_packages, require_root
    from deploy.lab.paths import LabPaths
    from deploy.rehearsal import told
    from deploy.rehearsal.kept import as_names
    from deploy.rehearsal.rehearse import Asked, looked_at, rehearse
    from deploy.rehearsal.slices import Slice

    for one in (site, *(times_of or ())):
        existing_folder(one)
    LabPaths(name)  # what can name no lab is said before anything is installed
    of = Slice(pods, nodes, spines, keep=as_names(only or (), pods))
    asked = Asked(
        site, of, machines, wiring, change, engine=engine or "", times_of=tuple(times_of or ())
    )
    if dry_run:
        twins = looked_at(asked)
        print_json(told.twin_json(*twins)) if as_json else told.twin_text(*twins, out)
        return
    require_root()
    ensure_host_packages(say(as_json))
    enter(CutOffNotice(lambda: "the rehearsal did not come to its end", keep_labs=keep))
    found = rehearse(asked, say(as_json), keep=keep, name=name)
    if as_json:
        print_json(told.rehearsal_json(found))
    else:
        told.twin_text(found.twin, found.later, out)
        told.rehearsal_text(found, out)
    raise typer.Exit(found.exit_code)


def _say(text: str) -> None:
    err.print(text, soft_wrap=True)
