"""The options that several verbs share: one meaning, one help, one variable of the environment."""

from __future__ import annotations

from typing import Annotated

import typer

from .next_steps import remember_lab, remember_site

Site = Annotated[
    str,
    typer.Option(
        "--site",
        envvar="RAILBED_SITE",
        callback=remember_site,
        help="A name under inventory/sites, or a folder.",
    ),
]
Lab = Annotated[
    str,
    typer.Option(
        "--lab", envvar="RAILBED_LAB", callback=remember_lab, help="Which lab of a lab site."
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Machine-readable output on stdout; nothing else.")
]
Parallel = Annotated[
    int | None,
    typer.Option("--parallel", metavar="N", help="At most N switches at once."),
]
Moved = Annotated[
    bool, typer.Option("--moved", help="A known serial number may be at another device now.")
]
Write = Annotated[bool, typer.Option("--write", help="Write the files; else only say.")]
