"""Where a TACACS+ server lets people in, few switches are logged in to at once, shell or not."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event, Lock

import pytest

from deploy.context import Context, no_journal
from deploy.switches.login_run import LOGINS
from deploy.switches.typed_run import SwitchTransport
from inventory.plan.services import Tacacs
from tests.switch_configs import sites
from validation.evidence.gather import Reply

AT_ONCE = 8
PLAN = sites.small("linux_frr")
TACACS = Tacacs(("172.16.3.8",), "tacacs_key")


@dataclass
class Held:
    """A transport in which every trip waits until it is let go; how many are there."""

    go: Event = field(default_factory=Event)
    inside: int = 0
    lock: Lock = field(default_factory=Lock)

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        with self.lock:
            self.inside += 1
        assert self.go.wait(60)
        return Reply(device.encode(), 0, "")


@pytest.fixture
def held() -> Held:
    return Held()


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """While this file is there, ssh says that connections stand (ssh(1), `-O check`)."""
    said = tmp_path / "shared"
    (tmp_path / "ssh").write_text(f"#!/bin/sh\ntest -e {said}\n")
    (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return said


def asked(held: Held, tacacs: Tacacs | None, folder: Path, most: int) -> int:
    """How many trips are under way once no other begins; all of them end well."""
    plan = replace(PLAN, switch_services=replace(PLAN.switch_services, tacacs=tacacs))
    context = Context(
        plan, plan.site, folder, folder / "config", folder / "known_hosts", print, no_journal
    )
    transport = SwitchTransport(held, context)
    names = sorted(plan.switch) * 4
    assert len(names) > most
    with ThreadPoolExecutor(len(names)) as pool:
        replies = [pool.submit(transport.run, name, "true", 60) for name in names]
        give_up = time.monotonic() + 60
        while held.inside < most and time.monotonic() < give_up:
            time.sleep(0.01)
        # Nobody else can begin: each place is held, by who waits in there.
        assert LOGINS.acquire(blocking=False) == (most > AT_ONCE)
        if most > AT_ONCE:
            LOGINS.release()
        found = held.inside
        held.go.set()
        assert [one.result().stdout.decode() for one in replies] == names
    return found


def test_no_more_log_in_at_once_than_such_a_server_bears(held, shared, tmp_path):
    assert asked(held, TACACS, tmp_path, AT_ONCE) == AT_ONCE


def test_a_trip_over_a_connection_that_stands_is_no_login(held, shared, tmp_path):
    shared.touch()
    assert asked(held, TACACS, tmp_path, AT_ONCE + 1) > AT_ONCE


def test_without_such_a_server_nobody_waits(held, shared, tmp_path):
    assert asked(held, None, tmp_path, AT_ONCE + 1) > AT_ONCE
