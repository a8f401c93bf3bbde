"""What was changed by hand is kept, taken away by a run and brought back, on any system."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import closing
from typing import Any

from deploy.backups.drift import drift
from deploy.backups.rollback import Wish, chosen, goals_of, rollback
from deploy.backups.taken import take
from deploy.record.journal import Record
from tests.deploy.rollout.models import SECRETS, Site, held


def comes_back(
    site: Site[Any],
    name: str,
    change: Callable[[], None],
    runs: Callable[[], object],
    secrets: Collection[str],
) -> set[str]:
    """The site is as planned, somebody changes the switch `name`, and so on; none of it is told.

    `runs` says what the switch runs and would boot. Returns what drift said of the change.
    """
    names = tuple(site.switches)
    site.applies()
    planned = runs()
    assert all(one.made for one in take(site.context, names, 9))
    assert not any(one.made for one in take(site.context, names, 9))
    change()
    before = runs()
    assert before != planned
    (drifted,) = drift(site.context, [name])
    causes = {one.what: one.cause for one in drifted.details}
    assert all(one.startswith("changed on the device, since the backup") for one in causes.values())
    assert [one.device for one in take(site.context, names, 9) if one.made] == [name]
    assert site.apply().changed == (name,)
    assert runs() == planned
    wish = Wish(2)
    with closing(Record(site.context.state_dir / "record.sqlite")) as record:
        goals = goals_of(site.context, 2, chosen(record, wish, frozenset(names)))
        done = rollback(site.context, site.transport, record, wish, goals)
    assert done.exit_code == 0, done.outcome
    assert runs() == before
    everything = held(site.context.state_dir) + repr((site.said, done, goals, drifted))
    assert not [one for one in (*SECRETS.values(), *secrets) if one in everything]
    return {*causes}
