"""The verbs of `railbed packages`."""

from __future__ import annotations

import typer

from deploy.session import Selection, open_plan

from .options import Lab, Site, Write
from .say import err, out

app = typer.Typer(
    help="The exact packages of nodes: their lock, and where they come from.",
    no_args_is_help=True,
)


@app.command()
def refresh(site: Site = "lab", write: Write = False) -> None:
    """Resolve the version lock anew for the nodes' release, and say what changes.

    From the repositories of versions/sources.yml, whatever this machine runs. Exit 1 when
    anything differs and nothing was written.
    """
    from deploy.packages.fetch import refresh as refresh_lock
    from deploy.rollout.supply import lock_of_site

    path = lock_of_site(site)
    said = refresh_lock(site, path, write, _say)
    for line in said:
        out.print(line, markup=False, soft_wrap=True)
    what = f"{len(said)} packages differ" if said else "the mirrors have what is locked"
    done = ("; written" if write else "; --write writes it") if said else ""
    err.print(f"{path}: {what}{done}", markup=False, soft_wrap=True)
    raise typer.Exit(1 if said and not write else 0)


@app.command()
def fetch(site: Site = "lab", lab: Lab = "lab") -> None:
    """Bring every locked package into this machine's cache; later, apply needs no mirror."""
    from deploy.rollout.supply import prepare

    selection = Selection(site, lab)
    lock = prepare(selection, _say, open_plan(selection)).packages
    for package in lock.packages:
        out.print(
            f"{package.name} {package.version} {package.sha256}", markup=False, soft_wrap=True
        )


def _say(text: str) -> None:
    err.print(text, soft_wrap=True, markup=False)
