"""Where reports lie: `report/run-N.html`, JUnit beside it, `report/index.html` the newest."""

from __future__ import annotations

from pathlib import Path

from inventory.plan import Plan
from validation.junit import junit

from .context import Context
from .errors import RailbedError
from .files import write_atomically
from .record import REFUSED, Record
from .report import Story, html_page, tell
from .rows import RunRow
from .session import Selection, open_plan


def write_report(selection: Selection, run: int | None) -> tuple[Path, ...]:
    """Write the report of one run, the newest by default; returns what was written."""
    state_dir = selection.state_dir
    journal = state_dir / "record.sqlite"
    if not journal.is_file():
        raise RailbedError(
            f"no run of {selection.site} is on record", hint="./railbed apply or ./railbed validate"
        )
    plan = open_plan(selection)
    record = Record(journal)
    try:
        chosen = [one for one in record.runs() if run == one.id or (run is None and _acted(one))]
        if not chosen:
            raise RailbedError(f"run {run} is not on record", hint="leave --run out for the newest")
        story = tell(plan, record, chosen[-1])
    finally:
        record.close()
    return _write(story, plan, state_dir)


def _acted(run: RunRow) -> bool:
    """Whether a run did anything at all; one that met a lock did not."""
    return not (run.outcome or "").startswith(REFUSED)


def write_story(context: Context, record: Record, run: int) -> Path:
    """The report of a run that just ended; returns its page."""
    row = next(one for one in record.runs() if one.id == run)
    return _write(tell(context.plan, record, row), context.plan, context.state_dir)[0]


def _write(story: Story, plan: Plan, state_dir: Path) -> tuple[Path, ...]:
    folder = state_dir / "report"
    page = folder / f"run-{story.run.id}.html"
    tests = folder / f"run-{story.run.id}.junit.xml"
    text = html_page(story, plan)
    write_atomically(page, text)
    write_atomically(folder / "index.html", text)
    write_atomically(tests, junit(story.findings, gates=story.gates))
    return (page, tests)
