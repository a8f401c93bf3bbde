"""A site whose switches have a shell of this machine each, and a run of `apply` on it."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import pytest

from deploy.context import Context, no_journal
from deploy.switches import switch_push
from deploy.transport.ssh_run import AS_ROOT
from inventory.plan import Plan, Switch
from tests.deploy.rollout.models import Nobody, Site, made_quick
from tests.deploy.shell_switch import ShellSwitch
from tests.deploy.switches.test_eos_push import key
from tests.validation.shows import frr
from tests.validation.shows.state import Device, healthy
from validation.evidence.gather import Reply

Model = TypeVar("Model", bound=ShellSwitch)
# What it prints for a command, where the test has told it.
_TOLD = """cat "${0%/bin/*}/told/${0##*/} $*" """
# ping(8) -q; whoever is pinged answers.
_PING = """while [ "$1" != -c ]; do shift; done
echo "$2 packets transmitted, $2 received, 0% packet loss, time 9ms"
"""
_ASKED = ("vtysh", "lldpcli", "ip", "ethtool", "sonic-db-dump")


def of_links(here: Device, works: bool) -> dict[str, str]:
    """What it tells of links and routes; only where it works of sessions."""
    return frr.says(here if works else replace(here, sessions=[], routes={}, runs_bgp=False))


@dataclass(frozen=True)
class InShells:
    """Runs scripts as `SshTransport` does, by the shell of a login with sudo.

    `says` are the answers of a switch by line, as it is now.
    """

    models: Mapping[str, ShellSwitch]
    says: Callable[[str], dict[str, str]]

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        if device not in self.models:
            return Nobody().run(device, script, timeout_s)
        model = self.models[device]
        for line, text in self.says(device).items():
            told = model.root / "told" / " ".join(shlex.split(line))
            # Whole at once: another question to this switch may be on its way.
            new = told.with_name(f"new {threading.get_ident()}")
            new.write_text(text)
            new.replace(told)
        # Its own programs lie in its folder.
        here = script.replace("PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH", "")
        done = model.shell(AS_ROOT, here.encode(), timeout_s)
        return Reply(done.stdout, done.returncode, done.stderr.decode() if done.returncode else "")


@contextmanager
def in_shells(
    plan: Plan,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Path, Switch], tuple[Model, AbstractContextManager[object]]],
    says: Callable[[Model, Device], dict[str, str]],
) -> Iterator[Site[Model]]:
    """The site with its switches started: `make` gives each, and what runs beside it."""
    made_quick(monkeypatch)
    at = folder / "state"
    at.mkdir()
    (at / "id_ed25519").write_text(key()[0])
    (at / "id_ed25519").chmod(0o600)
    models: dict[str, Model] = {}
    with ExitStack() as opened:
        for name, one in plan.switch.items():
            models[name], beside = make(folder / name, one)
            opened.enter_context(beside)
            models[name].install({**dict.fromkeys(_ASKED, _TOLD), "ping": _PING})
        monkeypatch.setattr(switch_push, "connect", lambda name, *_: models[name].login())
        said: list[str] = []
        context = Context(
            plan, plan.site, at, at / "config", at / "known_hosts", said.append, no_journal
        )
        state = healthy(plan)
        transport = InShells(models, lambda name: says(models[name], state[name]))
        yield Site(context, transport, models, state, said)
