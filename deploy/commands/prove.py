"""The verb `railbed prove`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from deploy import show
from deploy.session import Selection, open_plan

from .audit import Severity
from .options import AsJson, Site
from .say import err, out, print_json


def prove(
    site: Site = "lab",
    out_files: Annotated[
        list[Path] | None,
        typer.Option("--out", help="Write FILE.html, .md, .json or .sarif; may be repeated."),
    ] = None,
    fail_on: Annotated[
        Severity, typer.Option("--fail-on", help="Exit 1 from this severity on.")
    ] = Severity.MINOR,
    no_failures: Annotated[
        bool, typer.Option("--no-failures", help="Do not ask what each failure takes away.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Prove the site's own render from NIC to NIC, and say what each single failure takes away.

    Every configuration is rendered, read back and judged by the rules of `audit`, with the cables
    and servers of the plan. Exit 0 proved, 1 something is wrong, 3 not all is known.
    """
    from deploy.report.audit.files import check_endings, write_forms
    from deploy.report.audit.losses import losses_json, losses_text
    from deploy.report.audit.story import Asked, tell
    from deploy.switches.site_proof import site_proof

    check_endings(out_files or ())
    plan = open_plan(Selection(site, "lab"))
    found = site_proof(plan, err, failures=not no_failures)
    story = tell(plan.site, found.audit, Asked(datetime.now(UTC).date(), fail_on.value))
    write_forms(story, out_files or ())
    if as_json:
        print_json({**show.audit_json(story), **losses_json(found.losses)})
    else:
        losses_text(found.losses, out)
        show.audit_text(story, out)
    raise typer.Exit(story.exit_code)
