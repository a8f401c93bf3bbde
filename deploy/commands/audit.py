"""The verb `railbed audit`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from deploy import show
from deploy.errors import RailbedError

from .options import AsJson, Write
from .say import out, print_json, say

if TYPE_CHECKING:  # a verb loads what it needs when it runs
    from deploy.report.audit.story import Asked
    from validation.audit.audit import Audit


class Severity(StrEnum):
    """How bad a finding is, as the command line names it."""

    CRITICAL = "critical"
    MAJOR = "major"
    MINOR = "minor"


def audit(
    path: Annotated[
        Path | None,
        typer.Argument(help="A configuration, a folder or archive of them, a bundle; - is stdin."),
    ] = None,
    out_files: Annotated[
        list[Path] | None,
        typer.Option("--out", help="Write FILE.html, .md, .json or .sarif; may be repeated."),
    ] = None,
    fail_on: Annotated[
        Severity, typer.Option("--fail-on", help="Exit 1 from this severity on.")
    ] = Severity.MINOR,
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", help="JSON of an earlier audit: only what is new counts."),
    ] = None,
    suppress: Annotated[
        Path | None,
        typer.Option("--suppress", help="Findings answered for; .railbed-audit.yml here, if any."),
    ] = None,
    explain: Annotated[
        str, typer.Option("--explain", metavar="RULE", help="Say what a rule asks, and why.")
    ] = "",
    all_rules: Annotated[bool, typer.Option("--rules", help="List all rules.")] = False,
    learn: Annotated[
        Path | None,
        typer.Option("--learn", metavar="FOLDER", help="Propose a site; written with --write."),
    ] = None,
    cables: Annotated[
        list[Path] | None,
        typer.Option("--cables", help="A list of cables: CSV, NetBox or LLDP as JSON; repeatable."),
    ] = None,
    write: Write = False,
    as_json: AsJson = False,
    as_sarif: Annotated[
        bool, typer.Option("--sarif", help="SARIF 2.1.0 on stdout; nothing else.")
    ] = False,
) -> None:
    """What is wrong with any switch configurations. Exit 0 nothing, 1 something, 3 not known."""
    if explain or all_rules:
        _rules(explain, as_json=as_json)
        return
    if path is None or (as_json and as_sarif) or (write and not learn):
        raise _odd(path, write=write and not learn)
    from deploy.report.audit.files import check_endings, write_forms
    from deploy.report.audit.sarif import sarif
    from deploy.report.audit.story import tell

    check_endings(out_files or ())
    found = _audited(path, cables or (), say(as_json or as_sarif))
    if learn is not None:
        _learn(found, learn, write=write, as_json=as_json)
    story = tell(str(path), found, _asked(fail_on, baseline, suppress))
    if as_json or as_sarif:
        print_json(sarif(story) if as_sarif else show.audit_json(story))
    else:
        show.audit_text(story, out)
    write_forms(story, out_files or ())
    raise typer.Exit(story.exit_code)


def _odd(path: Path | None, *, write: bool) -> RailbedError:
    if path is None:
        return RailbedError("audit: found no PATH, expected a file or folder", "--rules needs none")
    if write:
        return RailbedError(
            "--write: found no --learn FOLDER, expected one", "--out writes a report"
        )
    return RailbedError("--json and --sarif: found both, expected one", "--out writes more")


def _asked(fail_on: Severity, baseline: Path | None, suppress: Path | None) -> Asked:
    from deploy.report.audit.baseline import read_baseline
    from deploy.report.audit.story import Asked
    from deploy.report.audit.suppress import read_suppressions

    known = read_baseline(baseline) if baseline else None
    return Asked(datetime.now(UTC).date(), fail_on.value, known, read_suppressions(suppress))


def _audited(path: Path, cables: Sequence[Path], tell: Callable[[str], None]) -> Audit:
    from deploy.audits.gathered import gathered
    from deploy.audits.learned import listed_cables
    from validation.audit.audit import audit as audited
    from validation.audit.box import NotRead

    taken = gathered(path)
    for note in taken.notes:
        tell(note)
    known, strange = listed_cables(cables)
    refused = (*taken.refused, *(NotRead("--cables", one) for one in strange))
    return audited(taken.texts, refused, known)


def _learn(found: Audit, folder: Path, *, write: bool, as_json: bool) -> NoReturn:
    from deploy.audits.learned import learn_site
    from deploy.audits.told import learned_json, learned_text

    site = learn_site(found.network, folder, found.not_read, write=write)
    print_json(learned_json(site)) if as_json else learned_text(site, out)
    raise typer.Exit(site.exit_code)


def _rules(name: str, *, as_json: bool) -> None:
    from deploy.report.audit.explain import all_rules, explained

    if name:
        one = explained(name)
        print_json(show.explained_json(one)) if as_json else show.explained_text(one, out)
        return
    rows = all_rules()
    print_json(show.rules_json(rows)) if as_json else show.rules_text(rows, out)
