"""How long the report of a fleet takes, and how large its page is: 1,280 nodes of 8 rails.

The figures are made up (tests/deploy/told_runs.py): six flows of each rail NIC, and collectives.
Prints its figures and ends with RESULT lines; run as `python -m tests.bench.report`.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

from deploy.record.journal import Record
from deploy.report import html_page, markdown, story_json, tell
from inventory import open_site
from tests.deploy import told_runs

from .results import result

FLOWS = 6


def main() -> None:
    """Make the record, then all forms of its report."""
    plan = open_site("superpod-10k")
    nic = plan.nodes[200].rails[3]
    bad = {f"{plan.nodes[200].name}:{nic.index}": (0.5, f"cable {plan.cable_at[nic.leaf]}")}
    found = told_runs.fleet(plan, 1, FLOWS, bad)
    with tempfile.TemporaryDirectory() as folder:
        record = Record(Path(folder) / "record.sqlite")
        run = told_runs.keep(record, plan, found, (50, 70), "fail")
        begin = time.process_time()
        story = tell(plan, record, run)
        page = html_page(story, plan)
        cpu_s = time.process_time() - begin
        record.close()
    whole = json.dumps(story_json(story))
    print(
        f"{len(found):,} findings: JSON {len(whole) / 1e6:.1f} MB, Markdown {len(markdown(story))}"
    )
    print(result("report_page", len(page.encode()) / 1e6, "MB", 3))
    print(result("report_made", cpu_s, "s", 30))


if __name__ == "__main__":
    main()
