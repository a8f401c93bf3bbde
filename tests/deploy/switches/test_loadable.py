"""What a person loads by hand: whole, private, and never a value in a message."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from deploy.errors import RailbedError
from deploy.switches.loadable import with_secrets
from deploy.switches.render import Wish, render_site
from inventory.plan import Plan
from switch_configs import not_loadable, render
from tests.switch_configs.sites import small

VALUES = {"TACACS": "Tacacs-0.key", "SNMP_A": "Auth/pass+word", "SNMP_P": "Priv=passw0rd"}
USERS = {"cumulus": "leaf-p1-r0", "eos": "leaf-p1-r0"}
DIALECTS = ("cumulus", "eos", "nxos", "sonic")


@pytest.fixture(autouse=True)
def _secrets(monkeypatch):
    for name, value in VALUES.items():
        monkeypatch.setenv(name, value)


def device(name: str) -> str:
    return USERS.get(name, "business-leaf-b1-1")


def without_mac(plan: Plan) -> Plan:
    """As before anybody has seen the boxes."""
    bare = [replace(one, management=replace(one.management, mac=None)) for one in plan.switches]
    return replace(plan, switches=tuple(bare))


def loadable(plan: Plan, name: str, folder: Path) -> int:
    return render_site(plan, Wish(name), folder, None, Console(), secrets_of=folder.parent)


@pytest.mark.parametrize("name", DIALECTS)
def test_secrets_are_put_in_and_files_are_private(name, tmp_path):
    folder = tmp_path / "load"
    loadable(small(name), device(name), folder)
    files = [one for one in folder.rglob("*") if one.is_file()]
    texts = "".join(one.read_text() for one in files)
    assert files
    assert "<<secret:" not in texts
    assert {value for value in VALUES.values() if value in texts} == set(VALUES.values())
    assert {one.stat().st_mode & 0o777 for one in files} == {0o600}
    folders = [folder, *(one for one in folder.rglob("*") if one.is_dir())]
    assert {one.stat().st_mode & 0o777 for one in folders} == {0o700}
    if name == "sonic":
        json.loads(next(one for one in files if one.suffix == ".json").read_text())


@pytest.mark.parametrize(
    "value", ["two words", "it's", 'say "no"', "new\nline", "a?b", "ö", "x" * 129]
)
@pytest.mark.parametrize("name", DIALECTS)
def test_a_secret_that_would_be_read_otherwise_is_refused_unsaid(
    name, value, monkeypatch, tmp_path
):
    monkeypatch.setenv("SNMP_A", value)
    with pytest.raises(RailbedError, match="credential 'snmp_auth'") as caught:
        with_secrets(small(name), tmp_path, [render(small(name), device(name))])
    assert value not in str(caught.value)


def test_sonic_takes_two_characters_less(monkeypatch, tmp_path):
    """sonic-snmp.yang, master and 202405."""
    monkeypatch.setenv("SNMP_A", "pass@word:1")
    assert with_secrets(small("eos"), tmp_path, [render(small("eos"), device("eos"))])
    with pytest.raises(RailbedError, match="sonic would read"):
        with_secrets(small("sonic"), tmp_path, [render(small("sonic"), device("sonic"))])


def test_a_secret_that_is_not_there_leaves_nothing(monkeypatch, tmp_path):
    monkeypatch.delenv("SNMP_P")
    with pytest.raises(RailbedError, match="env:SNMP_P is not set"):
        loadable(small("sonic"), device("sonic"), tmp_path / "load")
    assert not list(tmp_path.iterdir())


def test_a_sonic_switch_that_nobody_has_seen_is_not_loadable(tmp_path, capsys):
    plan = without_mac(small("sonic"))
    assert "swss" in not_loadable(plan, "leaf-p1-r0")
    with pytest.raises(RailbedError, match=r"leaf-p1-r0: no MAC of eth0 in asbuilt\.csv") as caught:
        loadable(plan, "leaf-p1-r0", tmp_path / "load")
    assert caught.value.hint
    assert not list(tmp_path.iterdir())
    render_site(plan, Wish("leaf-p1-r0"), tmp_path / "out", None, Console())
    assert "not to be loaded: 1 switch, leaf-p1-r0: no MAC" in capsys.readouterr().err


@pytest.mark.parametrize("name", DIALECTS)
def test_with_as_built_data_nothing_is_against_it(name):
    assert not not_loadable(small(name), device(name))
