"""What a model has of the lldpd under it: that it runs, is told, and knows all ports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deploy.lab.models import under_run
from deploy.lab.models.wanted import Wanted

WANTED = Wanted("leaf", {}, {}, {4: True, 6: True}, (5, 10), set(), {})
SYSTEM = under_run.System(management="mgmt0", description="a switch", wanted=lambda _: WANTED)
# A daemon as lldpd 1.0.16: what it knows is settled when it starts, and of its first starts it may
# be that it misses ports. It says nothing while it is stopped. Who starts one that runs may wait.
SYSTEMCTL = """#!/bin/sh
cd {folder}
case "$1" in
    --quiet) [ -e runs ]; exit ;;
    stop) rm -f runs ;;
esac
[ "$1" = stop ] || {{ echo "$1" >> starts; touch runs; }}
"""
LLDPCLI = """#!/bin/sh
cd {folder}
[ -e runs ] || exit 1
case "$*" in
    *interfaces) n=$(grep -c . starts); [ -e "$n.json" ] || n=last; cat "$n.json" ;;
    -c*) cp "$2" told ;;
esac
"""


@pytest.fixture
def lldpd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a daemon that knows both ports however it starts."""
    for name, text in (("systemctl", SYSTEMCTL), ("lldpcli", LLDPCLI)):
        (tmp_path / name).write_text(text.format(folder=tmp_path))
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(under_run, "_LLDPD", tmp_path / "model.conf")
    (tmp_path / "starts").touch()
    knows(tmp_path, "last", et1_1="Ethernet1/1", mgmt0="mgmt0")
    return tmp_path


def knows(lldpd: Path, start: object, **names: str) -> None:
    """What it says of ports after so many starts, as lldpcli(8) tells it with `-f json0`."""
    ports = [{"name": one, "port": [{"id": [{"value": says}]}]} for one, says in names.items()]
    told = {"lldp": [{"interface": ports}] if ports else [{}]}
    (lldpd / f"{start}.json").write_text(json.dumps(told))


def starts(lldpd: Path) -> list[str]:
    return (lldpd / "starts").read_text().split()


def test_one_that_misses_ports_or_their_names_starts_anew_until_it_has_all(lldpd: Path):
    knows(lldpd, 1)
    knows(lldpd, 2, mgmt0="mgmt0")
    knows(lldpd, 3, et1_1="et1_1", mgmt0="mgmt0")
    under_run._lldp(WANTED, SYSTEM, ["et1_1"])
    assert starts(lldpd) == ["start", "restart", "restart", "restart"]
    assert (
        "configure ports et1_1 lldp portidsubtype local Ethernet1/1\n"
        in (lldpd / "told").read_text()
    )


def test_one_that_knows_all_is_left_alone(lldpd: Path):
    for _ in range(3):
        under_run._lldp(WANTED, SYSTEM, ["et1_1"])
    assert starts(lldpd) == ["start"]


def test_one_that_was_stopped_runs_again_though_its_file_is_as_it_was(lldpd: Path):
    under_run._lldp(WANTED, SYSTEM, ["et1_1"])
    under_run._lldp(Wanted("leaf", {}, {}, {}, None, set(), {}), SYSTEM, ["et1_1"])
    assert not (lldpd / "runs").exists()
    under_run._lldp(WANTED, SYSTEM, ["et1_1"])
    assert (lldpd / "runs").exists()
    assert starts(lldpd) == ["start", "start"]
