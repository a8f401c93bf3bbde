"""A switch of the OOB plane that is reached in band, by its own command line: a model of EOS."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from deploy.context import Context, no_journal
from deploy.rollout.survey import survey
from deploy.switches.push_session import Pace
from deploy.switches.switch_push import push
from deploy.switches.typed_run import SwitchTransport
from tests.deploy.fake_eos import FakeEos
from tests.deploy.rollout.models import Nobody
from tests.deploy.switches.test_eos_push import key
from tests.switch_configs.sites import small

NAME = "oob-p1-1"
HASH = "$6$aB3dE5fG$Zx9cV8bN7mQ"


class InBand(FakeEos):
    """It is reached at the address of its VLAN, and by no port of its own."""

    @property
    def reachable(self) -> bool:
        port = re.search(r"(?ms)^interface [Vv]lan10$(.*?)^\S", self.store.running + "\n!")
        return bool(port and " ip address " in port[1] and "shutdown" not in port[1])


@pytest.fixture
def plan(monkeypatch):
    made = small("eos")
    for name, where in made.credentials:
        if where.startswith("env:"):
            monkeypatch.setenv(where.removeprefix("env:"), f"Sw0rdfish-{len(name)}")
    return made


def test_it_is_known_by_its_vlan_and_goes_back_where_others_stay_away(plan, tmp_path: Path):
    text, login = key()
    (tmp_path / "id_ed25519").write_text(text)
    (tmp_path / "id_ed25519").chmod(0o600)
    one, host_key = plan.oob_switch[NAME], key()[1]
    start = (
        f"hostname {NAME}\n!\n"
        f"username admin privilege 15 role network-admin secret sha512 {HASH}\n"
        f"username admin ssh-key ssh-ed25519 {login.get_base64()}\n!\n"
        f"vlan 10\n!\ninterface Vlan10\n   ip address {one.management.address}\n!\n"
    )
    port = {"name": "Vlan10", "physicalAddress": one.management.mac}
    with InBand(start, one.management.mac or "", host_key, login.get_base64()) as switch:
        switch.shows = lambda: {
            "show interfaces vlan10 | json": json.dumps({"interfaces": {"Vlan10": port}})
        }
        (tmp_path / "config").write_text(
            f"Host {NAME}\n  HostName 127.0.0.1\n  Port {switch.port}\n  User admin\n"
        )
        where = f"[127.0.0.1]:{switch.port}"
        line = f"{where} {host_key.get_name()} {host_key.get_base64()}\n"
        (tmp_path / "known_hosts").write_text(line)
        said: list[str] = []
        context = Context(
            plan, plan.site, tmp_path, tmp_path / "config", tmp_path / "known_hosts",
            said.append, no_journal,
        )  # fmt: skip
        pace = Pace(window_s=60, poll_s=0.2)
        away = push(
            context, NAME, False, prove=lambda _: (), pace=pace,
            works=lambda *_, **__: ("not reached through it any more: node-p1-1",),
        )  # fmt: skip
        assert (away.ok, away.rolled_back) == (False, True), away
        assert "node-p1-1" in away.message
        assert switch.store.running == start
        done = push(context, NAME, False, prove=lambda _: (), pace=pace)
        assert (done.ok, done.confirmed) == (True, True), done
        assert switch.store.startup == switch.store.running != start
        assert "private-vlan isolated" in switch.store.running
        found = survey(context, SwitchTransport(Nobody(), context))
        assert [one.text for one in found.differences] == ["1 of users that nobody planned"]
