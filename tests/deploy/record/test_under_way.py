"""However a run ends, the record says how, and nothing stays locked."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deploy.errors import RailbedError, RefusedError
from deploy.record.journal import REFUSED
from deploy.record.under_way import recording, under_way
from inventory import open_site

PLAN = open_site("lab")
DEVICE = PLAN.switches[0].name


@pytest.fixture
def context(tmp_path: Path) -> Any:
    said: list[str] = []
    return SimpleNamespace(plan=PLAN, state_dir=tmp_path, say=said.append, said=said)


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (None, "all went well"),
        (RailbedError("no way"), "failed: no way"),
        (RefusedError("another is at work"), f"{REFUSED}: another is at work"),
        (KeyboardInterrupt(), "interrupted by hand"),
        (ZeroDivisionError(), "failed"),
    ],
)
def test_it_is_ended_as_it_ended_and_lets_go(context, error, outcome):
    ended: list[str] = []
    with recording(context) as record:
        fails = pytest.raises(type(error)) if error else nullcontext()
        with fails, under_way(context, record, [DEVICE], lambda r: ended.append(r.outcome)) as run:
            if error:
                raise error
            run.outcome = "all went well"
        (row,) = record.runs()
        assert (row.outcome, ended) == (outcome, [outcome])
        with under_way(context, record, [DEVICE]) as run:
            assert run.id != row.id
    assert ("interrupted" in "".join(context.said)) == (outcome == "interrupted by hand")


def test_what_another_run_holds_is_refused_and_on_record(context):
    with recording(context) as record, under_way(context, record, [DEVICE]) as first:
        with pytest.raises(RefusedError), under_way(context, record, [DEVICE]):
            pytest.fail("both held it")
        (other,) = [one for one in record.runs() if one.id != first.id]
        assert (other.outcome or "").startswith(REFUSED)
