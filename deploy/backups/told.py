"""How `backup`, `rollback`, `drift` and `accept` look: what was kept, changed, goes back, stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console

from deploy.differences import Detail
from deploy.show import drift_json, drift_text
from deploy.show.changes import print_details, print_means
from deploy.show.words import many, print_line

from .accept import Accepted
from .asked import SiteDrift
from .drift import SwitchDrift
from .preview import RolledBack
from .schedule_run import Scheduled
from .store import Backup
from .taken import Taken

_REVERT = (
    "`railbed apply --only switches` brings all switches to the plan; those of the OOB plane "
    "`--only oob-switches`"
)


def taken_json(found: Sequence[Taken]) -> dict[str, Any]:
    """Every switch that was asked."""
    return {
        "switches": [
            {
                "device": one.device,
                "backup": one.made.name if one.made else "",
                "silent": one.silent,
                "removed": one.gone,
            }
            for one in found
        ]
    }


def taken_text(found: Sequence[Taken], out: Console) -> None:
    """A line for each that changed or was silent, then one that counts."""
    for one in found:
        if one.silent:
            print_line(out, f"{one.device}: not backed up: {one.silent}", style="yellow")
        elif one.made:
            print_line(out, (one.device, "bold"), f" {one.made.path}")
    made, silent = sum(bool(one.made) for one in found), sum(bool(one.silent) for one in found)
    gone = sum(one.gone for one in found)
    said = f"{made} backed up, {len(found) - made - silent} as their last backup, {silent} silent"
    print_line(out, f"{said}; {many(gone, 'old backup')} removed" if gone else said)


def backups_json(found: Sequence[Backup]) -> dict[str, Any]:
    """Every backup."""
    rows = (
        {"device": one.device, "name": one.name, "run": one.run or None, "path": str(one.path)}
        for one in found
    )
    return {"backups": list(rows)}


def backups_text(found: Sequence[Backup], out: Console) -> None:
    """A line a backup, by switch, the oldest first."""
    for one in found:
        print_line(out, (one.device, "bold"), f" {one.name}")
    print_line(out, many(len(found), "backup"))


def between_json(found: Sequence[Detail]) -> dict[str, Any]:
    """What changed."""
    return {"changes": [asdict(one) for one in found]}


def between_text(found: Sequence[Detail], out: Console) -> None:
    """What changed, by section."""
    print_details(found, out)
    print_line(out, f"{many(len(found), 'section')} changed" if found else "nothing changed")


def rolled_json(found: RolledBack) -> dict[str, Any]:
    """The run, and each switch."""
    return asdict(found)


def rolled_text(found: RolledBack, out: Console) -> None:
    """Each switch: what goes back and its impact, or how it went."""
    for one in found.switches:
        would = f"would go back, impact: {one.impact}" if one.details else "runs that already"
        how = one.message or would
        print_line(out, (one.device, "bold"), f" {how}")
        if one.hint:
            print_line(out, f"  {one.hint}")
        if one.drain:
            print_line(out, f"  {one.drain}")
        print_means(one.means, out)
        print_details(one.details, out)
    if found.undrained:
        names = ", ".join(found.undrained)
        when = "were" if found.run else "would be"
        print_line(out, f"not drained: {names} {when} changed under jobs whose packets cross it")
    print_line(out, found.outcome)
    if found.run and not found.exit_code:
        said = f"run {found.run}; the plan asks for something else now: `railbed diff` says what, "
        print_line(out, f"{said}and `railbed apply` would bring it back")


def site_drift_json(found: SiteDrift) -> dict[str, Any]:
    """As of servers, with the switches beside their devices."""
    servers = drift_json(found.servers) if found.servers else {"devices": []}
    switches = [asdict(one) for one in found.switches]
    return {**servers, "exit_code": found.exit_code, "switches": switches}


def site_drift_text(found: SiteDrift, out: Console) -> None:
    """Servers, then switches: what differs, who and when, and what may be done about it."""
    if found.servers:
        drift_text(found.servers, out)
    for one in found.switches:
        if one.silent:
            print_line(out, f"{one.device} is not known: {one.silent}", style="yellow")
        elif one.details or one.notes:
            _print_switch(one, out)
    if found.switches:
        drifted = sum(bool(one.details) for one in found.switches)
        silent = sum(bool(one.silent) for one in found.switches)
        same = len(found.switches) - drifted - silent
        print_line(out, f"switches: {same} as planned, {drifted} drifted, {silent} not known")


def _print_switch(one: SwitchDrift, out: Console) -> None:
    print_line(out, (one.device, "bold"))
    print_details(one.details, out)
    for note in one.notes:
        print_line(out, f"    {note}", style="yellow")
    if not one.details:
        return
    print_line(out, f"    revert  {_REVERT}")
    sections = ", ".join(one.sections)
    print_line(
        out,
        f"    accept  `railbed accept {one.device} --section NAME --reason TEXT` takes lines that "
        f"nobody planned into the site (sections: {sections}); `--dry-run` shows them",
    )


def scheduled_text(found: Scheduled, out: Console) -> None:
    """Each unit whole, what happens with each, what is to be known, and what to type next."""
    for path, text in found.texts.items():
        print_line(out, (str(path), "bold"))
        for line in text.splitlines():
            print_line(out, f"  {line}" if line else "")
    for path, how in found.done.items():
        print_line(out, f"{path} {how}")
    for note in found.notes:
        print_line(out, f"  {note}", style="yellow")
    print_line(out, "done" if found.written else "nothing is written without --write")


def accepted_text(found: Accepted, out: Console) -> None:
    """The stanza, where it stands or would, and what is to be known of it."""
    names = ", ".join(found.devices)
    if not found.lines:
        print_line(out, f"{names}: nothing to accept in {found.section}")
    else:
        for line in found.lines:
            print_line(out, line)
        how = "written into" if found.written else "would be written into"
        print_line(out, f"{how} {found.path}: taking it out again is the way back")
    for one in found.unproved:
        print_line(out, f"  nobody here can judge: {one}", style="yellow")
    if found.anew:
        print_line(out, "  the next `railbed apply` lays frr.conf with the reason; no line changes")
    if found.elsewhere:
        where = ", ".join(found.elsewhere)
        print_line(out, f"  nobody planned what runs in other sections, too: {where}")
