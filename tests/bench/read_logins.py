"""Hundreds of switches read side by side over real SSH: backups, backups again, and their drift.

The models and the site are those of `push_logins`: each answers 50 ms after a line, and runs its
plan. Few log in at a time (`deploy.switches.login_run.LOGINS`), which is what reading waits for.
Run as `python -m tests.bench.read_logins [SWITCHES ...]`.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest import mock

from deploy.backups.drift import drift
from deploy.backups.taken import take
from deploy.context import Context
from deploy.switches.push_secrets import Secrets
from inventory.plan import Plan
from switch_configs import render
from tests.bench import push_logins
from tests.bench.push_logins import SECRETS, served, site_of
from tests.deploy.rollout.test_eos_rollout import factory


def planned(plan: Plan, name: str, login: str) -> str:
    """What it runs after a push: its plan, and its own users."""
    of = {one: os.environ[where[4:]] for one, where in plan.credentials if where[:4] == "env:"}
    text = Secrets(of).filled(render(plan, name)).files[0].text.removesuffix("end\n")
    users = factory(plan, name, login).splitlines(keepends=True)
    return text + "".join(line for line in users if line.startswith("username "))


def main(sizes: Sequence[int]) -> int:
    """Print the figures."""
    os.environ |= {name: f"made-up-{number}" for number, name in enumerate(SECRETS)}
    with tempfile.TemporaryDirectory() as at:
        plan = site_of(Path(at) / "site")
    for size in sizes:
        names = sorted(plan.switch)[:size]
        with (
            tempfile.TemporaryDirectory() as at,
            mock.patch.object(push_logins, "factory", planned),
            served(plan, names, Path(at)) as context,
        ):
            _read(context, names)
    return 0


def _read(context: Context, names: Sequence[str]) -> None:
    def kept(asked: Sequence[str]) -> bool:
        return all(not one.silent for one in take(context, asked, 5))

    def drifts() -> bool:
        return all(not one.silent for one in drift(context, names))

    _timed("one alone backed up", 1, lambda: kept(names[:1]))
    _timed(f"{len(names)} switches backed up", len(names), lambda: kept(names))
    _timed("and again", len(names), lambda: kept(names))
    _timed("their drift", len(names), drifts)


def _timed(what: str, size: int, does: Callable[[], bool]) -> None:
    began, used = time.monotonic(), time.process_time()
    assert does(), "each answers"
    took_s, used_s = time.monotonic() - began, time.process_time() - used
    load = os.getloadavg()[0]
    print(f"{what} {took_s:.1f} s; of a processor {used_s / size:.3f} s each; load {load:.0f}")


if __name__ == "__main__":
    sys.exit(main([int(one) for one in sys.argv[1:]] or [300]))
