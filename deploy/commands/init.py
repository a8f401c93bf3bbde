"""The verb `railbed init`."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from deploy.imports.new_site import MOST_GPUS, Answers, new_site

from .next_steps import remember_site
from .say import err, out


class KindName(StrEnum):
    """A topology, as the command line names it."""

    TWO_TIER = "two-tier"
    RAIL_TWO = "rail-optimized-two-tier"
    RAIL_THREE = "rail-optimized-three-tier"


class StorageName(StrEnum):
    """How storage is reached."""

    NONE = "none"
    ROCE = "roce"
    TCP = "tcp"


class BusinessName(StrEnum):
    """Which switches users are on."""

    NONE = "none"
    OWN = "own"
    STORAGE = "storage"


Folder = Annotated[Path, typer.Argument(help="The new site's folder.")]
Gpus = Annotated[
    int | None, typer.Option("--gpus", min=1, max=MOST_GPUS, help="GPUs built at first.")
]
Nodes = Annotated[int | None, typer.Option("--nodes", min=1, max=MOST_GPUS, help="Or nodes.")]
NodeProfile = Annotated[
    str | None, typer.Option("--node-profile", help="Of profiles/nodes.yml, like hgx-h100.")
]
SwitchProfile = Annotated[
    str | None, typer.Option("--switch-profile", help="Of profiles/switches.yml.")
]
Dialect = Annotated[
    str | None, typer.Option("--dialect", help="Or the largest switch of this dialect.")
]
Kind = Annotated[KindName | None, typer.Option("--kind", help="By default the size decides.")]
Storage = Annotated[
    StorageName | None, typer.Option("--storage", help="By default what the nodes have.")
]
Business = Annotated[
    BusinessName | None, typer.Option("--business", help="Switches of its own, or storage's.")
]
OobSwitches = Annotated[
    bool | None,
    typer.Option("--oob-switches/--no-oob-switches", help="A management switch in each rack."),
]
Growth = Annotated[
    float | None,
    typer.Option("--growth", help="Times as many nodes later, 1 to 64; 2 if unsaid."),
]
Name = Annotated[
    str | None, typer.Option("--name", help="Name of the site; by default the folder's.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print fabric.yml; write nothing.")]


def init(
    folder: Folder,
    gpus: Gpus = None,
    nodes: Nodes = None,
    node_profile: NodeProfile = None,
    switch_profile: SwitchProfile = None,
    dialect: Dialect = None,
    kind: Kind = None,
    storage: Storage = None,
    business: Business = None,
    oob_switches: OobSwitches = None,
    growth: Growth = None,
    name: Name = None,
    dry_run: DryRun = False,
) -> None:
    """Write a new site with its reasons in comments; asks what no flag says, on a terminal."""
    from deploy.show.added import added_text
    from deploy.show.check import check_text

    answers = Answers(
        gpus=gpus,
        nodes=nodes,
        node_profile=node_profile,
        switch_profile=switch_profile,
        dialect=dialect,
        kind=kind.value if kind else None,
        storage=storage.value if storage else None,
        business=business.value if business else None,
        oob_switches=oob_switches,
        growth=growth,
        name=name,
    )
    made = new_site(folder, answers, _ask if sys.stdin.isatty() else None, dry_run=dry_run)
    if dry_run:
        sys.stdout.write(made.text)
        return
    for path in made.paths:
        out.print(f"written: {path}", markup=False, soft_wrap=True)
    remember_site(str(folder))
    check_text(made.plan, out)
    added_text(made.plan, out)
    out.print("read it, change it, then: `railbed check`")


def _ask(question: str, usual: str, choices: tuple[str, ...]) -> str:
    """One question on the terminal; asked again until the answer is one of the choices."""
    if choices:
        err.print(f"{question}: {', '.join(choices)}", markup=False, soft_wrap=True)
    while True:
        answer = str(typer.prompt(question, default=usual or None, err=True))
        if not choices or answer in choices:
            return answer
        err.print(f"`{answer}` is none of {', '.join(choices)}", markup=False, soft_wrap=True)
