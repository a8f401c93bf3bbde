"""`drift`: role by role, what differs, as wanted and found, and what waits for a reboot."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Console

from .changes import print_details
from .words import print_line

if TYPE_CHECKING:  # see rollout.py
    from deploy.servers.drift import DeviceDrift, DriftReport


def drift_json(report: DriftReport) -> dict[str, Any]:
    """Every device with its drifts, what is not known of it, and the roles to run."""
    return {
        "plan_digest": report.plan_digest,
        "exit_code": report.exit_code,
        "devices": [_device_json(drift, report) for drift in report.devices],
    }


def _device_json(one: DeviceDrift, report: DriftReport) -> dict[str, Any]:
    return {
        "device": one.device,
        "is_as_planned": one.is_as_planned,
        "size": one.size,
        "roles": list(one.roles),
        "roles_to_run": list(one.roles_to_run),
        "drifts": [asdict(drift) for drift in one.found.drifts],
        "details": [asdict(detail) for detail in report.details_of(one)],
        "notes": [asdict(note) for note in one.found.notes],
        "unknowns": [asdict(unknown) for unknown in one.found.unknowns],
        "silent": one.silent,
    }


def drift_text(report: DriftReport, out: Console) -> None:
    """What differs, with its impact and cause, then one line that counts."""
    for one in report.devices:
        if one.silent:
            said = f"{one.device} does not answer: {one.silent}"
            print_line(out, said, style="yellow")
        elif not one.is_as_planned or one.found.notes:
            _print_device(one, report, out)
    planned = sum(drift.is_as_planned for drift in report.devices)
    drifted = sum(bool(drift.found.drifts) for drift in report.devices)
    unknown = len(report.devices) - planned - drifted
    things = sum(drift.size for drift in report.devices if not drift.silent)
    print_line(
        out,
        f"{planned} as planned, {drifted} drifted, {unknown} not known; {things} things compared",
    )


def _print_device(one: DeviceDrift, report: DriftReport, out: Console) -> None:
    print_line(out, (one.device, "bold"))
    for role in one.roles:
        mine = f"role {role}"
        details = [detail for detail in report.details_of(one) if detail.place == mine]
        unknowns = [unknown for unknown in one.found.unknowns if unknown.role == role]
        notes = [note for note in one.found.notes if note.role == role]
        if not (details or unknowns or notes):
            continue
        if details:
            print_details(details, out)
        else:
            print_line(out, "  ", (mine, "bold"))
        for note in notes:
            print_line(out, f"    {note}", style="yellow")
        for unknown in unknowns:
            print_line(out, f"    not known: {unknown}", style="yellow")
