"""The verb `railbed rehearse`."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import AsJson, Site
from .say import out, print_json, say


def rehearse(
    site: Site = "lab",
    pods: Annotated[
        int | None, typer.Option("--pods", min=1, help="So many pods; by default what fits.")
    ] = None,
    nodes: Annotated[
        int | None, typer.Option("--nodes", min=1, help="So many nodes in each pod.")
    ] = None,
    spines: Annotated[int | None, typer.Option("--spines", min=1, help="So many spines.")] = None,
    machines: Annotated[
        int, typer.Option("--machines", min=5, max=200, help="What this machine carries.")
    ] = 45,
    name: Annotated[str, typer.Option("--name", help="What the twin's lab is called.")] = "twin",
    keep: Annotated[bool, typer.Option("--keep", help="Leave the twin up.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what the twin would be; start nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Rehearse the site's whole rollout on a twin of it, built in a lab on this machine.

    The site's own inventory, roles, texts and gates, on machines that stand in for its devices;
    what cannot be rehearsed is said by name. Exit 0 to its end and a second run changes nothing,
    1 not.
    """
    from deploy.rehearsal import rehearse as work
    from deploy.rehearsal.slices import Slice
    from deploy.show import rehearsal as show

    asked = Slice(pods, nodes, spines)
    if dry_run:
        twin = work.prepared(site, asked, machines, name)
        if as_json:
            print_json(show.twin_json(twin))
        else:
            show.twin_text(twin, out)
        return
    found = work.rehearse(site, asked, machines, say(as_json), keep=keep, name=name)
    if as_json:
        print_json(show.rehearsal_json(found))
    else:
        show.twin_text(found.twin, out)
        show.rehearsal_text(found, out)
    raise typer.Exit(found.exit_code)
