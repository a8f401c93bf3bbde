"""`drift`: role by role, what differs, as wanted and found, and what waits for a reboot."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Console

if TYPE_CHECKING:  # see rollout.py
    from deploy.drift import DeviceDrift, DriftReport


def drift_json(report: DriftReport) -> dict[str, Any]:
    """Every device with its drifts, what is not known of it, and the roles to run."""
    return {
        "plan_digest": report.plan_digest,
        "exit_code": report.exit_code,
        "devices": [_device_json(one) for one in report.devices],
    }


def _device_json(one: DeviceDrift) -> dict[str, Any]:
    return {
        "device": one.device,
        "is_as_planned": one.is_as_planned,
        "size": one.size,
        "roles": list(one.roles),
        "roles_to_run": list(one.roles_to_run),
        "drifts": [asdict(drift) for drift in one.found.drifts],
        "notes": [asdict(note) for note in one.found.notes],
        "unknowns": [asdict(unknown) for unknown in one.found.unknowns],
        "silent": one.silent,
    }


def drift_text(report: DriftReport, out: Console) -> None:
    """What differs, then one line that counts."""
    for one in report.devices:
        if one.silent:
            said = f"{one.device} does not answer: {one.silent}"
            out.print(said, style="yellow", markup=False, soft_wrap=True)
        elif not one.is_as_planned or one.found.notes:
            _print_device(one, out)
    planned = sum(one.is_as_planned for one in report.devices)
    drifted = sum(bool(one.found.drifts) for one in report.devices)
    unknown = len(report.devices) - planned - drifted
    things = sum(one.size for one in report.devices if not one.silent)
    out.print(
        f"{planned} as planned, {drifted} drifted, {unknown} not known; {things} things compared"
    )


def _print_device(one: DeviceDrift, out: Console) -> None:
    out.print(f"[bold]{one.device}[/]")
    for role in one.roles:
        drifts = [drift for drift in one.found.drifts if drift.role == role]
        unknowns = [unknown for unknown in one.found.unknowns if unknown.role == role]
        notes = [note for note in one.found.notes if note.role == role]
        if not (drifts or unknowns or notes):
            continue
        out.print(f"  role [bold]{role}[/]")
        for drift in drifts:
            out.print(f"    {drift.kind} {drift.what}", markup=False, soft_wrap=True)
            out.print(f"      wanted {drift.wanted}", style="green", markup=False, soft_wrap=True)
            out.print(f"      found  {drift.found}", style="red", markup=False, soft_wrap=True)
        for note in notes:
            out.print(f"    {note}", style="yellow", markup=False, soft_wrap=True)
        for unknown in unknowns:
            out.print(f"    not known: {unknown}", style="yellow", markup=False, soft_wrap=True)
