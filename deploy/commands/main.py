"""The verbs: parse, call, print. No logic lives here."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path
from typing import Annotated

import typer

from deploy import show
from deploy.errors import RailbedError
from deploy.measuring.stages import QUIET_STAGE, last_stage
from deploy.session import Selection, open_plan
from inventory.problems import ExpectedError, InventoryError

from . import asbuilt as cli_asbuilt
from . import audit as cli_audit
from . import cabling as cli_cabling
from . import contact as cli_contact
from . import drill as cli_drill
from . import export as cli_export
from . import imports as cli_import
from . import init as cli_init
from . import lab as cli_lab
from . import packages as cli_packages
from . import profile as cli_profile
from . import prove as cli_prove
from . import runs as cli_runs
from . import servers as cli_servers
from . import switches as cli_switches
from .next_steps import remember_lab, remember_site
from .options import AsJson, Lab, Parallel, Site
from .order import DayOrder, root
from .say import err, out, print_json, say

app = typer.Typer(
    name="railbed",
    cls=DayOrder,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.callback()(root)
app.add_typer(cli_export.app, name="export")
app.add_typer(cli_lab.app, name="lab")
app.add_typer(cli_packages.app, name="packages")
app.add_typer(cli_asbuilt.app, name="asbuilt")
app.add_typer(cli_import.app, name="import")
app.command()(cli_profile.profile)
app.command()(cli_servers.bios)
app.command()(cli_switches.render)
app.command()(cli_switches.diff)
app.command()(cli_switches.dialects)
app.command("push-trial")(cli_switches.push_trial)
app.command()(cli_switches.backup)
app.command()(cli_switches.schedule)
app.command()(cli_switches.accept)
app.command()(cli_switches.rollback)
app.command()(cli_init.init)
app.command()(cli_contact.enroll)
app.command()(cli_contact.doctor)
app.command()(cli_servers.node)
app.command()(cli_drill.drill)
app.command()(cli_cabling.cabling)
app.command()(cli_audit.audit)
app.command()(cli_prove.prove)
app.command("rehearse")(cli_lab.rehearse_site)
app.command()(cli_runs.runs)
app.command()(cli_runs.history)
app.command()(cli_runs.compare)
app.command()(cli_runs.bisect)


@app.command()
def check(
    site: Site = "lab",
    everything: Annotated[
        bool, typer.Option("--all", help="Every assumption and every device, by name.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Read the site's inventory and say everything that is wrong with it, at once."""
    from deploy.switches.printable import must_print

    try:
        plan = open_plan(Selection(site, "lab"))
    except InventoryError as error:
        if not as_json:
            raise
        print_json(show.problems_json(error))
        raise typer.Exit(2) from None
    must_print(plan)
    if as_json:
        print_json(show.check_json(plan))
        return
    show.check_text(plan, out, everything=everything)


@app.command()
def plan(
    site: Site = "lab",
    device: Annotated[
        str, typer.Option("--device", help="This device: switch, node, rack, PDU ...")
    ] = "",
    plane: Annotated[
        cli_export.PlaneName | None, typer.Option("--plane", help="Only this plane.")
    ] = None,
    domain: Annotated[
        str, typer.Option("--domain", help="What goes with it: rack:rack-p1-1, leaf:leaf-p1-r0 ...")
    ] = "",
    everything: Annotated[bool, typer.Option("--all", help="Every row; fold nothing.")] = False,
    as_json: AsJson = False,
    save: Annotated[
        Path | None, typer.Option("-o", "--out", help="Ask the devices; save what would change.")
    ] = None,
    lab: Lab = "lab",
    only: Annotated[str, typer.Option("--only", help="With -o: only this step.")] = "",
    shown: Annotated[
        Path | None, typer.Option("--show", help="Print a plan that -o saved; ask nobody.")
    ] = None,
) -> None:
    """Print what must be true: addresses, ASNs, ports, cables, waves; or save what would change."""
    if shown is not None:
        from deploy.rollout import saved_plan

        if save is not None or device or plane or domain or only:
            raise RailbedError("--show prints a saved plan, and goes with --json alone")
        old = saved_plan.read(shown)
        if site == "lab":  # a site that was typed may be a folder, which the file cannot know
            remember_site(old.site)
        remember_lab(old.lab)
        print_json(show.saved_json(old)) if as_json else show.saved_text(old, shown, out)
        return
    if save is not None:
        from deploy.rollout.change import save_site

        if device or plane or domain:
            found = "--device, --plane or --domain with -o"
            raise RailbedError(f"{found}: found both, expected one", hint="--only STEP goes")
        saved = save_site(Selection(site, lab), only, save, say(as_json))
        print_json(show.saved_json(saved)) if as_json else show.saved_text(saved, save, out)
        return
    if only:
        raise RailbedError("--only belongs to -o FILE", hint="`railbed plan --only nodes -o FILE`")
    look = show.Look(device, plane.value if plane else None, domain, everything)
    made = open_plan(Selection(site, lab))
    print_json(show.plan_json(made, look)) if as_json else show.plan_text(made, look, out)


@app.command()
def drift(
    site: Site = "lab",
    lab: Lab = "lab",
    limit: Annotated[
        list[str] | None, typer.Option("--limit", help="Only these servers, switches or groups.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """What differs, who changed it and when. Exit 0 none, 1 drift, 3 not known.

    Of servers by what roles own, in one round trip. Of switches by section: what somebody changed
    there and what the plan changed, between which backups; logins, keys and secrets always.
    """
    from deploy.backups import told
    from deploy.backups.asked import drift_of_site

    found = drift_of_site(Selection(site, lab), limit or [])
    print_json(told.site_drift_json(found)) if as_json else told.site_drift_text(found, out)
    raise typer.Exit(found.exit_code)


@app.command()
def apply(
    site: Site = "lab",
    lab: Lab = "lab",
    saved: Annotated[
        Path | None,
        typer.Argument(help="A plan saved by `plan -o`: applied only while it still holds."),
    ] = None,
    only: Annotated[
        str, typer.Option("--only", help="Only this step: oob, oob-switches, nodes or switches.")
    ] = "",
    every_role: Annotated[
        bool, typer.Option("--all", help="Run every role, also where nothing differs.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would change, and its impact.")
    ] = False,
    accept_loss: Annotated[
        bool, typer.Option("--accept-loss", help="Also where packets are lost by it.")
    ] = False,
    parallel: Parallel = None,
    as_json: AsJson = False,
) -> None:
    """Make the site as planned, wave by wave; stop at the first gate that does not pass."""
    from deploy.rollout.change import apply_site

    result = apply_site(
        Selection(site, lab),
        only,
        dry_run,
        say(as_json),
        every_role=every_role,
        saved=saved,
        accept_loss=accept_loss,
        parallel=parallel,
    )
    print_json(show.apply_json(result)) if as_json else show.apply_text(result, out)
    raise typer.Exit(result.exit_code)


@app.command()
def validate(
    site: Site = "lab",
    lab: Lab = "lab",
    through: Annotated[
        int,
        typer.Option("--through", help="The last stage; from 45 on they load nodes and rails."),
    ] = QUIET_STAGE,
    only: Annotated[
        list[int] | None,
        typer.Option("--only", help="Of the stages that load, only this one; may be repeated."),
    ] = None,
    from_evidence: Annotated[
        list[str] | None,
        typer.Option(
            "--from-evidence",
            help="Judge a run's evidence, or host states ([NODE=]FILE) and BIOS; reach nothing.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what the stages that load would run; send none.")
    ] = False,
    matchings: Annotated[
        int | None,
        typer.Option("--matchings", help="Stage 50: so many random matchings across leaves, too."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="Of --matchings: the same seed, the same pairs. Else drawn."),
    ] = None,
    soak: Annotated[
        str,
        typer.Option("--soak", help="Stage 80: window (5 min), acceptance (24 h); else 20 s."),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Measure the site against its plan. Exit 0 pass, 1 fail, 3 inconclusive."""
    from deploy.measuring.measure import validate_site
    from deploy.measuring.requested import matchings as random_matchings
    from deploy.measuring.requested import soak_words

    through, chosen = last_stage(through, only or ())
    asked = random_matchings(matchings, seed, through, chosen)
    more = soak_words(soak, through, chosen)
    if dry_run:
        from deploy.measuring.preview import preview_of_site

        if from_evidence:
            raise RailbedError("--dry-run with --from-evidence: found both, expected one")
        would = preview_of_site(Selection(site, lab), through, chosen, asked, more)
        print_json(show.preview_json(would)) if as_json else show.preview_text(would, out)
        return
    result = validate_site(
        Selection(site, lab), through, from_evidence or [], say(as_json), chosen, asked, more
    )
    print_json(show.validate_json(result)) if as_json else show.validate_text(result, out)
    raise typer.Exit(result.exit_code)


@app.command()
def report(
    site: Site = "lab",
    lab: Lab = "lab",
    run: Annotated[
        int | None, typer.Option("--run", help="Which run; the last one by default.")
    ] = None,
) -> None:
    """Write the report of a run: an HTML page, Markdown, JUnit and JSON."""
    from deploy.report.files import write_report

    paths = write_report(Selection(site, lab), run)
    for path in paths:
        out.print(str(path), soft_wrap=True)


@app.command("test", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def run_tests_of_railbed(
    context: typer.Context,
    full: Annotated[
        bool, typer.Option("--full", help="Everything, not the seeded sample.")
    ] = False,
) -> None:
    """Run the project's own tests; what follows is passed on to pytest."""
    from deploy.guard.test_run import run_tests

    run_tests(full, list(context.args))


@app.command()
def demo(
    keep: Annotated[bool, typer.Option("--keep", help="Leave the lab up afterwards.")] = False,
    lab: Annotated[
        str,
        typer.Option(
            "--lab",
            callback=remember_lab,
            help="What its lab is called; one of that name is removed.",
        ),
    ] = "demo",
    dialect: Annotated[
        str,
        typer.Option("--dialect", help="Switches are models of this system."),
    ] = "",
) -> None:
    """Build the lab, apply the plan, take a link down, see it named, clean up."""
    from deploy.demo import run_demo, site_of
    from deploy.guard.guard_run import CutOffNotice, enter
    from deploy.lab.host import ensure_host_packages

    site = remember_site(site_of(dialect))
    ensure_host_packages(say(False))
    enter(CutOffNotice(lambda: "the demo did not come to its end", keep_labs=keep))
    raise typer.Exit(run_demo(keep, out, lab, site))


def main() -> None:
    """Run the command line; expected errors become sentences and exit codes."""
    try:
        app(prog_name="railbed")
    except ExpectedError as error:
        # Problems of an inventory begin with the file and the line, for editors to find.
        whose = "" if isinstance(error, InventoryError) else "railbed: "
        err.print(f"{whose}{error.told()}", markup=False, soft_wrap=True)
        sys.exit(error.exit_code)
    except (OSError, sqlite3.Error) as error:
        err.print(f"railbed: {error}", markup=False, soft_wrap=True)
        sys.exit(2)
