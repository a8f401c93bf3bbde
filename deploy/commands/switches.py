"""The verbs of switch configurations: render, diff, backup, schedule, accept, rollback ..."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from deploy import show
from deploy.errors import RailbedError
from deploy.session import Selection, open_plan

from .export import PlaneName
from .options import AsJson, Lab, Parallel, Site, Write
from .say import err, out, print_json, say

Devices = Annotated[
    list[str] | None, typer.Option("--device", help="Only this switch; may be given again.")
]


def render(
    site: Site = "lab",
    device: Annotated[str, typer.Option("--device", help="Only this switch.")] = "",
    plane: Annotated[
        PlaneName | None, typer.Option("--plane", help="Only switches of this plane.")
    ] = None,
    tier: Annotated[
        str, typer.Option("--tier", help="Only this tier: leaf, spine, superspine, access ...")
    ] = "",
    out_dir: Annotated[
        Path | None, typer.Option("--out", help="Write here, one folder a switch.")
    ] = None,
    load_dir: Annotated[
        Path | None,
        typer.Option("--loadable", help="Write here, 0600, secrets put in: to load by hand."),
    ] = None,
    typed: Annotated[
        bool, typer.Option("--commands", help="Cumulus: `nv set` commands, not startup.yaml.")
    ] = False,
    no_programs: Annotated[
        bool,
        typer.Option("--no-programs", help="Ask no program of a switch: grammars judge alone."),
    ] = False,
    sonic_yang: Annotated[
        Path | None,
        typer.Option("--sonic-yang", help="SONiC's YANG models: ask SONiC's own validator too."),
    ] = None,
) -> None:
    """Print or write switch configurations, each proved offline by its system's language.

    What is printed or written by --out has words where secrets will be. --loadable reads them from
    the site's credentials at the last moment, and refuses a switch that could not start from its
    file.

    Ends with 3 when something could not be judged, and with 1, writing nothing, when a line is
    not in its switch's language.
    """
    from deploy.switches.render import Wish, render_site
    from deploy.switches.syntax_run import Programs

    if load_dir is not None and out_dir is not None:
        raise RailbedError("both --out and --loadable", hint="--loadable writes the same, to load")
    selection = Selection(site, "lab")
    made = open_plan(selection)
    wish = Wish(device, plane.value if plane else "", tier)
    if sonic_yang is not None and not sonic_yang.is_dir():
        raise RailbedError(f"{sonic_yang}: not a folder", hint="SONiC's YANG models")
    programs = None if no_programs else Programs(sonic_yang)
    where = selection.state_dir if load_dir is not None else None
    done = render_site(
        made, wish, load_dir or out_dir, programs, out, typed=typed, secrets_of=where
    )
    raise typer.Exit(done)


def diff(
    site: Site = "lab",
    lab: Lab = "lab",
    old: Annotated[
        Path | None,
        typer.Argument(help="Running configurations, or what `railbed render --out DIR` wrote."),
    ] = None,
    new: Annotated[
        Path | None, typer.Argument(help="Another such folder; without it, the plan.")
    ] = None,
    lines: Annotated[
        bool,
        typer.Option("--lines", help="On a terminal alone: lines that nobody planned, whole."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Say what differs; ends with 1 when anything does, with 3 when something was not compared.

    Without a folder every device is asked, read-only, and compared with the plan. With one, its
    configurations are compared with what the plan renders; with two, the first with the second.

    Lines that nobody planned may hold any secret: their place and kind are said, words that the
    plan has there too, and a digest that is the same for the same line.
    """
    from deploy.differences import Causes
    from deploy.record.site_key import showing
    from deploy.rollout.change import survey_site
    from deploy.switches.compare import compare, compared_json, compared_text, exit_status

    if lines and not sys.stdout.isatty():
        raise RailbedError(
            "--lines: stdout is no terminal, and what it shows may hold secrets",
            hint="leave it out, or look on a terminal",
        )
    selection = Selection(site, lab)
    if old is not None:
        shown = showing(selection.state_dir, whole=lines)
        plan = open_plan(selection)
        causes = Causes(site, selection.state_dir, plan.digest)
        found = compare(plan, old, new, shown, causes)
        print_json(compared_json(found)) if as_json else compared_text(found, out)
        raise typer.Exit(exit_status(found))
    survey = survey_site(selection, say(as_json), whole=lines)
    print_json(show.survey_json(survey)) if as_json else show.survey_text(survey, out)
    raise typer.Exit(1 if survey.differences else 3 if survey.silent else 0)


def push_trial(
    device: Annotated[str, typer.Argument(help="A switch that carries no jobs.")],
    site: Site = "lab",
    lab: Lab = "lab",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Read all of it, show the change, and send nothing.")
    ] = False,
    unasked: Annotated[
        bool, typer.Option("--yes", help="Go on from part to part; else a person is asked.")
    ] = False,
) -> None:
    """Try the safe push on one switch: a description that goes back, stays, and is taken away.

    Until a trial of a system and release has passed, `apply` pushes to one such switch at a time.
    The transcript has no secrets. Exit 0 passed, 1 not, 3 stopped by hand.
    """
    from deploy.trial.site import try_device
    from inventory.load.site import existing_folder

    existing_folder(site)
    if not (dry_run or unasked or sys.stdin.isatty()):
        raise RailbedError(
            "a person watches a trial, and stdin is no terminal", hint="--dry-run, or --yes"
        )
    answers = iter([True]) if dry_run else None

    def ask(question: str) -> bool:
        if unasked or answers is not None:
            err.print(question, soft_wrap=True)
            return unasked if answers is None else next(answers, False)
        return typer.confirm(question, err=True)

    result = try_device(Selection(site, lab), device, ask, say(quiet=False))
    trial = result.trial
    said = "passed" if trial.passed else "dry run: nothing was sent" if dry_run else "not passed"
    out.print(f"{said}: {trial.system} {trial.release}")
    out.print(f"The transcript: {result.transcript}", soft_wrap=True)
    is_well = all(part.ok for part in trial.parts)
    raise typer.Exit(0 if trial.passed or (dry_run and is_well) else 3 if is_well else 1)


def dialects(as_json: AsJson = False) -> None:
    """What each switch system lets one set and read back of each rule: a table."""
    from switch_configs import dialect
    from switch_configs import dialects as known
    from switch_configs.rules import table

    rows = table()
    if as_json:
        print_json({row.rule: dict(zip(known(), row.cells, strict=True)) for row in rows})
        return
    said = show.plain_table("", ("rule", *known()))
    said.add_row("release", *(", ".join(dialect(one).releases) for one in known()))
    for row in rows:
        said.add_row(row.rule, *row.cells)
    out.print(said)


def backup(
    site: Site = "lab",
    lab: Lab = "lab",
    device: Devices = None,
    keep: Annotated[
        int, typer.Option("--keep", help="How many stay of each switch, and before runs.")
    ] = 90,
    listing: Annotated[bool, typer.Option("--list", help="Say which there are.")] = False,
    compared: Annotated[
        tuple[str, str] | None,
        typer.Option("--diff", metavar="OLD NEW", help="What changed between two of a switch."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Keep the running configuration of each switch, where it is not what its last backup says.

    Read-only. Ends with 3 where a switch does not answer. Each backup is a file for people, in
    which no secret stands, and the whole, encrypted with a key of the site's own.
    """
    from deploy.backups import asked, told

    chosen, names = Selection(site, lab), device or []
    if compared:
        details = asked.between(chosen, names, *compared)
        print_json(told.between_json(details)) if as_json else told.between_text(details, out)
        raise typer.Exit(1 if details else 0)
    if listing:
        known = asked.listed(chosen, names)
        print_json(told.backups_json(known)) if as_json else told.backups_text(known, out)
        return
    taken = asked.take_of_site(chosen, names, keep, say(as_json))
    print_json(told.taken_json(taken)) if as_json else told.taken_text(taken, out)
    raise typer.Exit(3 if any(one.silent for one in taken) else 0)


def schedule(
    site: Site = "lab",
    lab: Lab = "lab",
    at: Annotated[
        str, typer.Option("--at", metavar="HH:MM", help="When, by this machine's clock.")
    ] = "02:30",
    on_failure: Annotated[
        str, typer.Option("--on-failure", metavar="UNIT", help="The unit that tells people.")
    ] = "",
    remove: Annotated[bool, typer.Option("--remove", help="Take timer and service away.")] = False,
    write: Write = False,
) -> None:
    """Drift and then backup every night, by a timer of systemd; without --write it is only said.

    The units are those of the user who asks, root's are the system's. The service fails where
    something drifted (1) or not all is known (3). No credential is written.
    """
    from deploy.backups import told
    from deploy.backups.schedule_run import schedule as scheduled

    found = scheduled(Selection(site, lab), at, on_failure, write=write, remove=remove)
    told.scheduled_text(found, out)


def accept(
    switches: Annotated[
        list[str], typer.Argument(metavar="SWITCH...", help="Switches that run the same lines.")
    ],
    section: Annotated[
        str, typer.Option("--section", help="Where the lines stand, as `drift` names sections.")
    ],
    reason: Annotated[str, typer.Option("--reason", help="Why they stay; every report prints it.")],
    site: Site = "lab",
    lab: Lab = "lab",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the stanza that would be written.")
    ] = False,
) -> None:
    """Take what switches run in a section, and nobody planned, into the site as raw lines.

    The site with them is loaded, proved and compared first; where the section would still differ
    nothing is written (1), nor where a switch is silent (3). The switch is only read.
    """
    from deploy.backups import told
    from deploy.backups.accept import Wish, accept_of_site

    wish = Wish(tuple(switches), section, reason, dry_run)
    told.accepted_text(accept_of_site(Selection(site, lab), wish), out)


def rollback(
    run: Annotated[int, typer.Argument(metavar="RUN", help="Back to before this run.")],
    site: Site = "lab",
    lab: Lab = "lab",
    device: Devices = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would go back, and its impact.")
    ] = False,
    accept_loss: Annotated[
        bool, typer.Option("--accept-loss", help="Also where what works now does not with it.")
    ] = False,
    discard_later: Annotated[
        bool, typer.Option("--discard-later", help="What later runs did there goes, too.")
    ] = False,
    parallel: Parallel = 1,
    as_json: AsJson = False,
) -> None:
    """Bring switches back to what they ran before a run, by the same safe push, one at a time.

    With --parallel the first alone, then switches of one wave of the plan side by side.
    """
    from deploy.backups import told
    from deploy.backups.rollback import Wish, rollback_site

    wish = Wish(run, tuple(device or ()), dry_run, accept_loss, discard_later, parallel)
    found = rollback_site(Selection(site, lab), wish, say(as_json))
    print_json(told.rolled_json(found)) if as_json else told.rolled_text(found, out)
    raise typer.Exit(found.exit_code)
