"""The verb `railbed drill`."""

from __future__ import annotations

import typer

from deploy.session import Selection, open_plan

from .options import AsJson, Lab, Site
from .say import out, print_json

HOW = "nothing was touched; `railbed validate --through 80 --only 80` does it"
NOTHING = (
    "nothing to pull: a cable is pulled where both its ends have as-built rows, and streams "
    "between nodes have a second path"
)


def drill(site: Site = "lab", lab: Lab = "lab", as_json: AsJson = False) -> None:
    """Say what the fault drill of stage 80 would pull, and its impact. Exit 3: some is refused."""
    from deploy.loads.s80_soak_run import told
    from deploy.rollout.preconditions import deployable
    from validation.stages.s80_soak.drills import drills

    plan = open_plan(Selection(site, lab))
    found = drills(plan, deployable(plan))
    if as_json:
        print_json(
            [
                {
                    "what": one.what,
                    "device": one.device,
                    "port": one.port,
                    "how": one.how,
                    "seconds": one.held_s,
                    "impact": one.impact,
                    "pull": one.pull,
                    "restore": one.restore,
                    "refusal": one.refusal,
                }
                for one in found
            ]
        )
    else:
        for one in found:
            out.print(told(one), markup=False, soft_wrap=True)
            if not one.refusal:
                by = ", ".join(one.pull.splitlines())
                out.print(f"  by: {by}", markup=False, soft_wrap=True)
        out.print(HOW if found else NOTHING, markup=False, soft_wrap=True)
    raise typer.Exit(3 if any(one.refusal for one in found) else 0)
