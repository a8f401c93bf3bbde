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
    """A transport in which every trip waits until it is let go, but of the script that `passes`.

    `inside`: how many wait there.
    """

    go: Event = field(default_factory=Event)
    passes: str | None = None
    inside: int = 0
    lock: Lock = field(default_factory=Lock)

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        if script == self.passes:
            return Reply(b"", 0, "")
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


def context_of(tacacs: Tacacs | None, folder: Path) -> Context:
    plan = replace(PLAN, switch_services=replace(PLAN.switch_services, tacacs=tacacs))
    return Context(
        plan, plan.site, folder, folder / "config", folder / "known_hosts", print, no_journal
    )


def asked(held: Held, tacacs: Tacacs | None, folder: Path, most: int) -> int:
    """How many trips are under way once no other begins; all of them end well."""
    transport = SwitchTransport(held, context_of(tacacs, folder))
    names = sorted(PLAN.switch) * 4
    assert len(names) > most
    with ThreadPoolExecutor(len(names)) as pool:
        replies = [pool.submit(transport.run, name, "true", 60) for name in names]
        give_up = time.monotonic() + 60
        while held.inside < most and time.monotonic() < give_up:
            time.sleep(0.01)
        # Nobody else can begin: each place is held, by who waits in there.
        if is_free := LOGINS.acquire(blocking=False):
            LOGINS.release()
        found = held.inside
        held.go.set()
        assert is_free == (most > AT_ONCE)
        assert [one.result().stdout.decode() for one in replies] == names
    return found


def test_no_more_log_in_at_once_than_such_a_server_bears(held, shared, tmp_path):
    assert asked(held, TACACS, tmp_path, AT_ONCE) == AT_ONCE


def test_who_is_in_runs_its_script_as_long_as_that_takes(held, shared, tmp_path):
    """Counters are read twice, seconds apart: nobody waits for that who wants to log in."""
    held.passes = ""  # a login and nothing more
    most = 4 * len(PLAN.switch) - 1
    assert asked(held, TACACS, tmp_path, most) >= most > AT_ONCE


def test_a_login_that_fails_is_the_answer(tmp_path, shared):
    class Silent:
        def run(self, device: str, script: str, timeout_s: float) -> Reply:
            assert script == ""
            return Reply(b"", 255, f"ssh: {device} is silent")

    transport = SwitchTransport(Silent(), context_of(TACACS, tmp_path))
    reply = transport.run("leaf-p1-r0", "true", 60)
    assert (reply.exit_status, reply.error) == (255, "ssh: leaf-p1-r0 is silent")


def test_a_trip_over_a_connection_that_stands_is_no_login(held, shared, tmp_path):
    shared.touch()
    assert asked(held, TACACS, tmp_path, AT_ONCE + 1) > AT_ONCE


def test_without_such_a_server_nobody_waits(held, shared, tmp_path):
    assert asked(held, None, tmp_path, AT_ONCE + 1) > AT_ONCE
