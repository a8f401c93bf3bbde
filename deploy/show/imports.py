"""Imports: what they change in the site's files, and where a source and the plan disagree."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from inventory.imports.merge import Merge
from inventory.topology.asbuilt_rows import BuiltRow

from .words import PlainTable, print_line

if TYPE_CHECKING:  # see rollout.py
    from deploy.imports.asbuilt import Imported, Taught
    from deploy.imports.lists import ListImport
    from inventory.imports.learned import Learned

# A screen or two; --json has all.
_MOST_LINES = 60


def _row(row: BuiltRow) -> dict[str, str]:
    return asdict(row)


def merge_json(merged: Merge, written: bool) -> dict[str, Any]:
    """Every row that is added, changed or removed."""
    return {
        "added": [_row(row) for row in merged.added],
        "changed": [{"before": _row(old), "after": _row(new)} for old, new in merged.changed],
        "removed": [_row(row) for row in merged.removed],
        "unchanged": merged.unchanged,
        "written": written,
    }


def merge_text(merged: Merge, path: Path, written: bool, out: Console) -> None:
    """The rows as a diff, then one line that counts."""
    lines = [
        *(f"+ {row}" for row in merged.added),
        *(
            f"~ {old} -> {new.mac or '-'} {new.serial} {new.firmware}"
            for old, new in merged.changed
        ),
        *(f"- {row}" for row in merged.removed),
    ]
    _some(lines, out)
    counted = (
        f"{len(merged.added)} added, {len(merged.changed)} changed, "
        f"{len(merged.removed)} removed, {merged.unchanged} unchanged"
    )
    _end(f"{path}: {counted}", merged.differs, written, out)


def _some(lines: list[str], out: Console) -> None:
    for line in lines[:_MOST_LINES]:
        print_line(out, line)
    if len(lines) > _MOST_LINES:
        print_line(out, f"... and {len(lines) - _MOST_LINES} more (--json has all)")


def _end(line: str, differs: bool, written: bool, out: Console) -> None:
    rest = "; written" if written else "; nothing written, --write does" if differs else ""
    print_line(out, line + rest)


def imported_json(found: Imported) -> dict[str, Any]:
    """What a manifest brings, and the machines that nothing places."""
    return {
        **merge_json(found.merged, found.written),
        "unplaced": [str(machine) for machine in found.unplaced],
    }


def imported_text(found: Imported, out: Console) -> None:
    """The same for people."""
    _some([f"? {machine}: no planned device is known for it" for machine in found.unplaced], out)
    if found.unplaced:
        hint = "name them in a file `machine,device` (--names), or learn where they sit"
        print_line(out, f"{len(found.unplaced)} machines without a place: {hint}")
    merge_text(found.merged, found.path, found.written, out)


def learned_json(found: Taught) -> dict[str, Any]:
    """The whole report."""
    report = found.learned
    return {
        "exit_code": found.exit_code,
        "seen": report.seen,
        "as_planned": [str(end) for end in report.as_planned],
        "swapped": [[str(a.who), str(b.who)] for a, b in report.swapped],
        "misplaced": [
            {"who": str(one.who), "at": str(one.at), "seat_of": _text(one.seat_of)}
            for one in report.misplaced
        ],
        "strangers": [
            {
                "who": stranger.who,
                "at": stranger.at,
                "serial": stranger.serial,
                "seat_of": _text(stranger.seat_of),
            }
            for stranger in report.strangers
        ],
        "missing": [str(end) for end in report.missing],
        "without_serial": [_row(claim.row) for claim in report.unproven],
        "rows": merge_json(found.merged, found.written),
    }


def _text(value: object) -> str:
    return "" if value is None else str(value)


def learned_text(found: Taught, out: Console) -> None:
    """A table of what differs, the rows that would be new, one line that counts."""
    report = found.learned
    if not report.seen:
        print_line(out, "nothing was seen: no lease, no neighbour")
        return
    table = PlainTable("what", "who", "where", "note", box=None, pad_edge=False)
    rows = _learned_rows(report)
    for row in rows[:_MOST_LINES]:
        table.add_row(*row)
    if rows:
        out.print(table)
    if len(rows) > _MOST_LINES:
        print_line(out, f"... and {len(rows) - _MOST_LINES} more (--json has all)")
    counts = Counter(row[0] for row in rows)
    kinds = ("swapped", "misplaced", "stranger", "missing")
    said = ", ".join(f"{counts[kind]} {kind}" for kind in kinds)
    print_line(out, f"{report.seen} seen: {len(report.as_planned)} as planned, {said}")
    merge_text(found.merged, found.path, found.written, out)


def _learned_rows(report: Learned) -> list[tuple[str, str, str, str]]:
    rows = [
        ("swapped", str(a.who), str(a.at), f"with {b.who} at {b.at}") for a, b in report.swapped
    ]
    for one in report.misplaced:
        note = f"the seat of {one.seat_of}" if one.seat_of else "no cable is planned there"
        rows.append(("misplaced", str(one.who), str(one.at), note))
    for new in report.strangers:
        serial = f"S/N {new.serial}" if new.serial else ""
        seat = f"the seat of {new.seat_of}" if new.seat_of else ""
        note = ", ".join(filter(None, (serial, seat)))
        rows.append(("stranger", new.who, new.at or "not known", note))
    rows += [("missing", str(end), "", "planned, not seen") for end in report.missing]
    for claim in report.unproven:
        place = f"{claim.row.device}:{claim.row.port}"
        rows.append(("new", place, claim.row.mac, "no serial number: --manifest"))
    return rows


def lists_json(found: ListImport) -> dict[str, Any]:
    """How a source differs from the plan, and what it changes."""
    return {
        "exit_code": found.exit_code,
        "notes": list(found.notes),
        "differences": [asdict(difference) for difference in found.differences],
        "files": [
            {"path": str(change.path), "differs": change.differs} for change in found.changes
        ],
        "rows": merge_json(found.merged, found.written),
    }


def lists_text(found: ListImport, out: Console) -> None:
    """Differences from the plan, then the rows, then what happens to each file."""
    for note in found.notes:
        print_line(out, note)
    _some(
        [
            f"{difference.what}: {difference.name}"
            + (f", theirs {difference.theirs}" if difference.theirs else "")
            + (f", planned {difference.ours}" if difference.ours else "")
            for difference in found.differences
        ],
        out,
    )
    moved = [difference for difference in found.differences if difference.what == "other address"]
    if moved:
        print_line(out, "if these addresses are right, fabric.yml needs:")
        print_line(out, "overrides:")
        _some(
            [
                f"  {difference.name}: {{management_address: {difference.theirs}}}"
                for difference in moved
            ],
            out,
        )
    for change in found.changes[1:]:
        what = "differs" if change.differs else "unchanged"
        _end(f"{change.path}: {what}", change.differs, found.written and change.differs, out)
    merge_text(found.merged, found.changes[0].path, found.written and found.merged.differs, out)
