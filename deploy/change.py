"""`apply` and `diff` for one selection: open, lock, run, close, report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from switch_configs.errors import DialectError

from .context import Context, no_journal
from .errors import RailbedError
from .record import REFUSED, Record
from .report_files import write_story
from .runbook import ApplyResult, preview, rollout, waves_of
from .session import Selection, open_context
from .ssh_run import SshTransport
from .survey import Survey, survey

Say = Callable[[str], None]


def survey_site(selection: Selection, say: Say) -> Survey:
    """Ask every device, change nothing."""
    context = open_context(selection, say, no_journal)
    return survey(context, SshTransport(context.ssh_config))


def apply_site(selection: Selection, only: str, dry_run: bool, say: Say) -> ApplyResult:
    """Preview or roll out; the record is closed and the report written in any case."""
    context = open_context(selection, say, no_journal)
    transport = SshTransport(context.ssh_config)
    devices = _devices(context, only)
    if dry_run:
        return preview(context, transport, only)
    record = Record(context.state_dir / "record.sqlite")
    for old in record.close_interrupted():
        say(
            f"run {old.id} ({old.command}) was interrupted; its locks are free, going on from there"
        )
    run = record.begin_run(context.plan.site, context.plan.digest)
    outcome = "failed"
    try:
        record.lock(run, devices)
    except RailbedError as error:  # it did nothing: the last report stays that of a run that did
        record.end_run(run, f"{REFUSED}: {error.message}")
        record.close()
        raise
    try:
        result = rollout(context, transport, record, run, only)
        outcome = result.outcome
    except KeyboardInterrupt:
        outcome = "interrupted by hand"
        say("interrupted; what was done is in the record, run it again to go on")
        raise
    except (RailbedError, DialectError) as error:
        outcome = f"failed: {error.message}"
        raise
    finally:
        record.end_run(run, outcome)
        page = write_story(context, record, run)
        record.close()
    return replace(result, report=page)


def _devices(context: Context, only: str) -> list[str]:
    return [name for wave in waves_of(context.plan, only) for name in wave.devices]
