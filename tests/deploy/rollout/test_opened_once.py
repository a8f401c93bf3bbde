"""A command opens and renders its site once: of 100,000 GPUs either takes many seconds."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest

from deploy import session
from deploy.context import Context
from deploy.measuring import measure
from deploy.rollout import change, supply
from deploy.session import Selection
from deploy.transport.ssh_files import SshFiles
from inventory import open_site
from inventory.load.site import PUBLIC_KEY


class AtTheDevices(Exception):
    """All is opened, and the first device would be asked."""


@pytest.fixture
def opened(tmp_path: Path, monkeypatch) -> list[str]:
    """The sites that were opened, one after the other."""
    sites: list[str] = []

    def counted(site: str, state: Path) -> object:
        sites.append(site)
        return open_site(site, state)

    def reached(*_: object) -> None:
        raise AtTheDevices

    monkeypatch.setattr("inventory.state.STATE_ROOT", tmp_path)
    LAB.state_dir.mkdir(parents=True)
    written = SshFiles(tmp_path / "config", tmp_path / "known_hosts", IPv4Address("192.0.2.1"))
    monkeypatch.setattr(session, "prepare", lambda *_: written)
    monkeypatch.setattr(session, "open_site", counted)
    for module in (session, change):
        monkeypatch.setattr(module, "require_up", lambda _: None)
    for name in ("_install", "_fetch", "ensure_key"):
        monkeypatch.setattr(supply, name, lambda *_: None)
    for module in (change, measure):
        monkeypatch.setattr(module, "way", reached)
    return sites


@pytest.fixture
def contexts(monkeypatch) -> list[Context]:
    """What runs were given; nothing is rendered after it."""
    made: list[Context] = []

    def kept(*words: Any) -> Context:
        made.append(session.open_context(*words))
        monkeypatch.setattr("deploy.context.render", lambda *_: pytest.fail("rendered again"))
        return made[-1]

    monkeypatch.setattr(change, "open_context", kept)
    return made


LAB = Selection("lab", "once")
RUNS: dict[str, Callable[[], object]] = {
    "apply": lambda: change.apply_site(LAB, "", dry_run=False, say=print),
    "apply --dry-run": lambda: change.apply_site(LAB, "", dry_run=True, say=print),
    "diff": lambda: change.survey_site(LAB, print),
    "plan --out": lambda: change.save_site(LAB, "", Path("plan.json"), print),
    "validate": lambda: measure.validate_site(LAB, 44, (), print),
}


@pytest.mark.parametrize("run", RUNS)
def test_a_run_opens_its_site_once(opened, run):
    with pytest.raises(AtTheDevices):
        RUNS[run]()
    assert opened == ["lab"]


@pytest.mark.parametrize("run", ["apply", "apply --dry-run", "plan --out"])
def test_what_was_proved_serves_the_whole_run(opened, contexts, run):
    with pytest.raises(AtTheDevices):
        RUNS[run]()
    [context] = contexts
    assert {context.render(name).device for name in context.plan.switch} == set(context.plan.switch)


def test_a_new_key_is_part_of_the_plan_that_is_applied(opened, contexts, monkeypatch):
    def made(state: Path, _site: str) -> None:
        (state / PUBLIC_KEY).parent.mkdir(parents=True, exist_ok=True)
        (state / PUBLIC_KEY).write_text(
            "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nA\n-----END PGP PUBLIC KEY BLOCK-----\n"
        )

    monkeypatch.setattr(supply, "ensure_key", made)
    with pytest.raises(AtTheDevices):
        RUNS["apply"]()
    assert opened == ["lab", "lab"]
    assert not contexts[0].rendered  # made of the plan without it
