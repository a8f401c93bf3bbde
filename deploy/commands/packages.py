"""The verbs of `railbed packages`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deploy.session import Selection, open_plan

from .options import Lab, Site, Write
from .say import err, out

app = typer.Typer(
    help="The exact packages of nodes: their lock, and where they come from.",
    no_args_is_help=True,
)

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder that is carried.")]


@app.command()
def refresh(site: Site = "lab", write: Write = False) -> None:
    """Resolve the version lock anew for the nodes' release, and say what changes.

    From the repositories of versions/sources.yml, whatever this machine runs; also what profiles
    ask for and the lock lacks, where they have it. Exit 1 when
    anything differs and nothing was written.
    """
    from deploy.packages.fetch import refresh as refresh_lock
    from deploy.rollout.supply import lock_of_site, own_lock_of_site, unlocked_of_site

    path, own = lock_of_site(site), own_lock_of_site(site)
    into = own if write else None
    said = refresh_lock(site, path, into, _say, unlocked_of_site(site))
    for line in said:
        out.print(line, markup=False, soft_wrap=True)
    what = f"{len(said)} packages differ" if said else "the mirrors have what is locked"
    done = (f"; written: {own}" if write else f"; --write writes {own}") if said else ""
    err.print(f"{path}: {what}{done}", markup=False, soft_wrap=True)
    raise typer.Exit(1 if said and not write else 0)


@app.command()
def build(site: Site = "lab", write: Write = False) -> None:
    """Build what SITE/versions/builds.yml names, once, in a clean root without a network.

    --write also locks what each is built in, and the results for the nodes, as refresh does. Exit 1
    when the lock of the nodes has another version, and nothing was written.
    """
    from deploy.rollout.supply import build as build_of_site

    made = build_of_site(site, write, _say)
    for one in made:
        out.print(f"{one.package} {one.version}", markup=False, soft_wrap=True)
    raise typer.Exit(0 if all(one.is_locked for one in made) else 1)


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


@app.command()
def export(folder: Folder, site: Site = "lab", lab: Lab = "lab") -> None:
    """Write all packages of a site into one signed folder, for a controller without a mirror.

    Run it again after an interruption: what is whole is not copied again.
    """
    from deploy.packages.carry import export as write
    from deploy.rollout.supply import lock_in_use, prepare

    selection = Selection(site, lab)
    plan = prepare(selection, _say, open_plan(selection))
    done = write(plan, selection.state_dir, lock_in_use(selection), folder)
    size_kib = done.size_bytes // 1024
    _say(f"{folder}: {done.files} packages written, {size_kib} KiB; signed by the key")
    out.print(done.fingerprint, markup=False, soft_wrap=True)
    _say(f"on the other machine: `railbed packages import FOLDER --key {done.fingerprint}`")


@app.command("import")
def import_(
    folder: Folder,
    site: Site = "lab",
    lab: Lab = "lab",
    key: Annotated[
        str | None,
        typer.Option("--key", help="Who may have signed it: the fingerprint that export printed."),
    ] = None,
) -> None:
    """Take all packages of a site from an exported folder: later, apply needs no mirror.

    Nothing is taken where a file is missing, changed, unsigned, or of another site.
    """
    from deploy.packages.carry import bring

    selection = Selection(site, lab)
    plan = open_plan(selection)
    done = bring(plan, selection.state_dir, folder, key)
    all_of = len(plan.packages.packages)
    out.print(
        f"{done.files} packages taken, {all_of - done.files} were there; all {all_of} are whole",
        markup=False,
        soft_wrap=True,
    )


def _say(text: str) -> None:
    err.print(text, soft_wrap=True, markup=False)
