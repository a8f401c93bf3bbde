"""How the tests of this folder reach their lab, with our tools and past them."""

from __future__ import annotations

import time
from collections.abc import Callable

from deploy.context import Context, Journal, no_journal
from deploy.lab.machines import machine
from deploy.lab.paths import LabPaths
from deploy.switches.push_session import PushStopped, identity
from deploy.switches.switch_push import connect
from deploy.transport import credentials
from deploy.transport.ssh_files import prepare
from inventory import open_site
from tests.labs import lab_name

BASE = "hands"
LAB = lab_name(BASE)
PLAN = open_site("lab")


def silent(_: str) -> None:
    """Say nothing."""


def open_hands(journal: Journal = no_journal) -> Context:
    """The context of a run on this lab."""
    folder = LabPaths(LAB).state
    files = prepare(PLAN, folder)
    return Context(PLAN, "lab", folder, files.config, files.known_hosts, silent, journal)


def inside(name: str, command: str) -> tuple[int, str]:
    """Exit status and output of a command in a machine, past its network."""
    done = machine.inside(LAB, name, ["sh", "-c", command], timeout_s=60)
    return done.returncode, (done.stdout + done.stderr).decode()


def answers_as(name: str, port: str) -> tuple[str, str]:
    """Who answers over SSH at a device's planned address; PushStopped when nobody does."""
    context = open_hands()
    session = connect(name, "linux", context, credentials.key_file(PLAN, context.state_dir))
    try:
        return identity(session, port)
    finally:
        session.close()


def until(look: Callable[[], bool]) -> None:
    """Poll until it holds; a minute is far more than it needs."""
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up:
        try:
            if look():
                return
        except PushStopped:
            pass
        time.sleep(0.2)
    raise AssertionError("it did not come true")
