"""Switches that are models of EOS: its text makes a real fabric, and a wrong line breaks it.

The lab is brought up by `apply` over real sshd, `configure session` and `commit timer`.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable, Iterator

import pytest

from deploy import lab
from deploy.context import no_journal
from deploy.demo import run_demo, site_of
from deploy.rollout.change import apply_site
from deploy.rollout.fabric_check import FabricCheck
from deploy.rollout.preconditions import untried
from deploy.session import Selection, open_context
from inventory import open_site
from tests.deploy.lab.traces import forget
from tests.labs import applied, lab_name

from .chain import inside, silent

pytestmark = pytest.mark.lab
SITE = "lab-eos"
LEAF, FAR = "leaf-p1-r0", "leaf-p1-r1"
PLAN = open_site(SITE)
SESSIONS = {
    str(one.port): f"{one.peer.device}:{one.peer.port}" for one in PLAN.switch[LEAF].sessions
}
STARTUP = "/mnt/flash/startup-config"


@pytest.fixture(scope="module")
def fabric() -> Iterator[Selection]:
    """Its OOB server and switches as planned."""
    with applied("eos", SITE, ("oob", "switches")) as selection:
        open_context(selection, silent, no_journal)  # ssh's own files are this lab's
        yield selection


def typed(selection: Selection, device: str, *lines: str) -> str:
    """What a person sees who logs in, types this and logs out."""
    config = selection.state_dir / "ssh" / "config"
    done = subprocess.run(
        ["ssh", "-tt", "-F", str(config), device],
        input="".join(f"{line}\n" for line in ("terminal length 0", *lines, "exit")),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout.replace("\r", "")


def sessions_up(selection: Selection) -> int:
    """How many sessions FRR has on the leaf, by FRR itself."""
    said = inside(LEAF, "vtysh -c 'show bgp ipv4 unicast summary json'", selection.lab)
    return said.count('"state":"Established"')


def reaches(selection: Selection) -> bool:
    """Whether a packet gets from one leaf to the other and back."""
    here, there = (PLAN.switch[one].loopback for one in (LEAF, FAR))
    script = f"ping -c 1 -W 1 -I {here} {there} >&2 && echo yes || echo no"
    return inside(LEAF, script, selection.lab).strip() == "yes"


def waits_until(holds: Callable[[], bool], limit_s: float = 30) -> None:
    give_up = time.monotonic() + limit_s
    while not holds():
        assert time.monotonic() < give_up, f"it does not come within {limit_s:g} s"
        time.sleep(0.3)


def boots(selection: Selection) -> int:
    """How often the leaf has come to the end of a boot."""
    (leaf,) = [one for one in lab.status(selection.lab).machines if one.name == LEAF]
    return leaf.starts if leaf.state == "running" else 0


def running(selection: Selection) -> str:
    return typed(selection, LEAF, "show running-config")


def test_its_text_makes_real_sessions_and_a_second_apply_changes_nothing(fabric):
    assert len(SESSIONS) == sessions_up(fabric) == 2
    assert reaches(fabric)
    ways = inside(LEAF, f"ip route show {PLAN.switch[FAR].loopback}", fabric.lab)
    assert ways.count("nexthop ") == 2
    heard = inside(LEAF, "lldpcli -f keyvalue show neighbors", fabric.lab)
    far = re.findall(r"chassis.name=(\S+)|port.local=(\S+)", heard)
    assert {
        f"{name}:" + port for (name, _), (_, port) in zip(far[::2], far[1::2], strict=True)
    } == set(SESSIONS.values())
    text = running(fabric)
    again = apply_site(fabric, "switches", dry_run=False, say=silent)
    assert (again.exit_code, again.changed) == (0, ())
    assert running(fabric).splitlines()[3:] == text.splitlines()[3:]
    (told,) = untried(PLAN, tuple(PLAN.switch))
    assert "only on a model of it" in told


def test_a_line_that_it_does_not_know_is_refused_and_changes_nothing(fabric):
    before = inside(LEAF, "cat /etc/frr/frr.conf", fabric.lab)
    said = typed(
        fabric, LEAF, "configure session odd", "interface Ethernet5/1", "mtus 1500", "abort"
    )
    assert "% Invalid input" in said.partition("mtus 1500")[2].splitlines()[1]
    assert inside(LEAF, "cat /etc/frr/frr.conf", fabric.lab) == before


def test_a_wrong_line_breaks_traffic_until_its_timer_brings_back_what_ran_after_logout(fabric):
    ports = (line for port in SESSIONS for line in (f"interface {port}", "no ipv6 enable"))
    said = typed(fabric, LEAF, "configure session wrong", *ports, "commit timer 00:00:15")
    assert "% " not in said
    waits_until(lambda: sessions_up(fabric) == 0, limit_s=10)
    assert not reaches(fabric)
    waits_until(lambda: sessions_up(fabric) == 2 and reaches(fabric), limit_s=60)


def test_a_restart_loads_the_startup_file_and_nothing_that_was_not_saved(fabric):
    port = min(SESSIONS)
    typed(fabric, LEAF, "configure", f"interface {port}", "shutdown", "end")
    waits_until(lambda: sessions_up(fabric) == 1)
    assert "\n   shutdown\n" in running(fabric)
    since = boots(fabric)
    typed(fabric, LEAF, "reload now")
    waits_until(lambda: boots(fabric) == since + 1)
    waits_until(lambda: sessions_up(fabric) == 2 and reaches(fabric))
    assert "\n   shutdown\n" not in running(fabric)
    saved = inside(LEAF, f"cat {STARTUP}", fabric.lab)
    assert all(line in running(fabric) for line in saved.splitlines() if line.strip(" !"))


@pytest.mark.full
def test_a_push_under_which_a_session_breaks_goes_back_and_is_named(fabric, monkeypatch):
    """A spine shuts its port as soon as the leaf has committed."""
    spine, port = SESSIONS[min(SESSIONS)].split(":")
    way = ("configure", f"interface {port}")
    asked = FabricCheck.missing

    def missing(check: FabricCheck, switch: str, _: float, *, whole: bool) -> tuple[str, ...]:
        typed(fabric, spine, *way, "shutdown", "end")
        return asked(check, switch, time.monotonic() + 5, whole=whole)

    monkeypatch.setattr(FabricCheck, "missing", missing)
    typed(fabric, LEAF, "configure", "ip prefix-list STRAY", "seq 5 permit 192.0.2.0/24", "end")
    before = running(fabric)
    assert "STRAY" in before
    try:
        result = apply_site(fabric, "switches", dry_run=False, say=silent)
        assert result.exit_code == 1
        assert f"{LEAF}: the fabric does not work with it: " in result.outcome
        assert spine in result.outcome
        assert "the device has its old configuration again" in result.outcome
        assert running(fabric) == before
    finally:
        typed(fabric, spine, *way, "no shutdown", "end")
        monkeypatch.undo()
    waits_until(lambda: sessions_up(fabric) == 2)
    mended = apply_site(fabric, "switches", dry_run=False, say=silent)
    assert (mended.exit_code, mended.changed) == (0, (LEAF,))
    assert "STRAY" not in running(fabric)


@pytest.mark.full
def test_the_demo_of_a_system_ends_as_it_must(capsys):
    """Also its nodes, their loads, and a link that is taken down and named."""
    from rich.console import Console

    name = lab_name("edemo")
    try:
        assert run_demo(keep=False, out=Console(), name=name, site=site_of("eos")) == 0
    finally:
        forget(name)
    assert "All as it must be" in capsys.readouterr().out
