"""Where reports lie: `report/run-N.html`, .md, .json and .junit.xml; `index.html` is the newest."""

from __future__ import annotations

import json
from pathlib import Path

from deploy.commands.next_steps import as_typed, in_all
from deploy.context import Context
from deploy.errors import RailbedError
from deploy.files import write_atomically
from deploy.measuring.stages import QUIET_STAGE
from deploy.record.history import is_there
from deploy.record.journal import REFUSED, Record
from deploy.record.rows import RunRow
from deploy.session import Selection, no_run_yet, open_plan
from inventory.plan import Plan
from inventory.visible import visible
from validation.evidence.store import EvidenceStore
from validation.evidence.whole_files import private_folder
from validation.judging.junit import junit

from . import Story, html_page, markdown, story_json, tell

_MOST_INDENTED = 5000


def write_report(selection: Selection, run: int | None) -> tuple[Path, ...]:
    """Write the report of one run, the newest by default; returns what was written."""
    state_dir = selection.state_dir
    journal = state_dir / "record.sqlite"
    if not is_there(journal):
        raise no_run_yet(selection)
    plan = open_plan(selection)
    record = Record(journal)
    try:
        chosen = [one for one in record.runs() if run == one.id or (run is None and _acted(one))]
        if not chosen:
            last = max((one.id for one in record.runs()), default=0)
            hint = f"runs are 1 to {last}; leave --run out for the newest"
            raise RailbedError(f"run {run} is not on record", hint=hint)
        story = tell(plan, record, chosen[-1], _evidence(record, state_dir, chosen[-1].id))
    finally:
        record.close()
    return _write(story, plan, state_dir)


def _acted(run: RunRow) -> bool:
    """Whether a run did anything at all; one that met a lock did not."""
    return not (run.outcome or "").startswith(REFUSED)


def write_story(context: Context, record: Record, run: int) -> Path:
    """The report of a run that just ended; returns its page."""
    row = next(one for one in record.runs() if one.id == run)
    store = _evidence(record, context.state_dir, run)
    return _write(tell(context.plan, record, row, store), context.plan, context.state_dir)[0]


def _evidence(record: Record, state_dir: Path, run: int) -> EvidenceStore | None:
    """What a run that loaded left; None where it did not, or nothing is there any more."""
    asked = record.asked(run) or frozenset()
    folder = state_dir / "evidence" / f"run-{run}" / record.last_gate(run)
    if not asked or max(asked) <= QUIET_STAGE or not folder.is_dir():
        return None
    return EvidenceStore.load(folder)


def _write(story: Story, plan: Plan, state_dir: Path) -> tuple[Path, ...]:
    folder = state_dir / "report"
    private_folder(folder)
    # For people as long as they could read it all: a fleet's is a hundred megabytes.
    indent = 1 if len(story.findings) < _MOST_INDENTED else None
    texts = {
        "html": as_typed(html_page(story, plan)),
        "md": as_typed(markdown(story)),
        "junit.xml": as_typed(junit(story.findings, gates=story.gates)),
        "json": json.dumps(in_all(story_json(story), as_typed), indent=indent) + "\n",
    }
    written = {ending: folder / f"run-{story.run.id}.{ending}" for ending in texts}
    for ending, path in written.items():
        write_atomically(path, visible(texts[ending]), mode=0o600)
    write_atomically(folder / "index.html", visible(texts["html"]), mode=0o600)
    return tuple(written.values())
