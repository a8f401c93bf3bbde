"""The doctor names what is wrong with this machine and with one device of each class; no more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deploy.contact import doctor, doctor_run
from tests.deploy.command_line import railbed

from .conftest import Hall
from .machines import REFUSES

ALL = ("oob1", "node-p1-1", "leaf-p1-r0")


@pytest.fixture(autouse=True)
def _kept_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_run, "is_clock_synchronised", lambda: True)


def asked(hall: Hall) -> tuple[int, dict[str, dict[str, str]]]:
    said = railbed("doctor", "--site", str(hall.site), "--json")
    assert said.stderr == ""
    return said.returncode, {one["name"]: one for one in json.loads(said.stdout)["checks"]}


def state_of(folder: Path) -> dict[str, bytes]:
    files = [one for one in folder.rglob("*") if one.is_file()]
    return {str(one): one.read_bytes() for one in files}


def test_where_nobody_was_met_it_says_what_is_missing_and_changes_nothing(hall):
    before = state_of(hall.state)
    status, found = asked(hall)
    assert status == 3
    assert found["OOB server oob1"]["state"] == "missing"
    assert "enroll oob1" in found["OOB server oob1"]["mend"]
    assert found["host keys"]["said"] == "0 of 11 devices are known"
    assert found["credential jump_password"]["state"] == "ok"
    assert found["tools"]["state"] == "ok", found["tools"]
    assert state_of(hall.state) == before


def test_where_all_is_well_each_class_is_a_line(hall):
    hall.let_in(*ALL)
    keys = {name: hall.machines[name].line for name in ALL}
    (hall.state / "hostkeys.json").write_text(json.dumps(keys))
    _, found = asked(hall)
    for name in ("OOB server oob1", "node node-p1-1", "linux_frr switch leaf-p1-r0"):
        assert found[name]["state"] == "ok", found[name]
    hall.machines["node-p1-1"].sudo(REFUSES)
    status, found = asked(hall)
    assert status == 3
    assert found["node node-p1-1"]["said"] == "sudo without a password for ubuntu"
    hall.machines["leaf-p1-r0"].new_host_key()
    status, found = asked(hall)
    assert status == 1
    assert found["linux_frr switch leaf-p1-r0"]["state"] == "wrong"


def test_secrets_that_are_not_there_or_open_to_others_are_named_and_never_shown(hall, monkeypatch):
    monkeypatch.delenv("NODE_PASSWORD")
    (hall.state / "id_ed25519").chmod(0o644)
    hall.state.chmod(0o755)
    status, found = asked(hall)
    assert status == 1
    assert found["credential node_password"]["state"] == "missing"
    assert found["credential ssh_key"]["state"] == "wrong"
    assert found["credential ssh_key"]["mend"] == f"chmod 600 {hall.state}/id_ed25519"
    assert found["state folder"]["mend"] == f"chmod go= {hall.state}"
    assert "open sesame" not in json.dumps(found)


def test_a_machine_that_lacks_something_is_told_what(hall, monkeypatch, tmp_path):
    monkeypatch.setattr(doctor_run, "is_clock_synchronised", lambda: None)
    monkeypatch.setattr(doctor, "TOOLS", ("no-such-tool", "pyinfra"))
    monkeypatch.setattr(doctor, "_LEAST_FREE_BYTES", 1 << 62)
    (hall.state / "id_ed25519").unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    status, found = asked(hall)
    assert status == 1
    assert found["clock"]["said"] == "the kernel does not say"
    assert found["tools"]["said"] == "no-such-tool is missing"
    assert found["disk of the state"]["state"] == "wrong"
    assert found["OpenSSH"]["state"] == "missing"
    assert "ssh-keygen -t ed25519" in found["credential ssh_key"]["mend"]
    assert found["devices"]["state"] == "missing"


def test_a_tool_of_another_release_than_the_locked_one_is_wrong(hall, monkeypatch):
    monkeypatch.setattr(doctor, "_version", lambda _: "0.1")
    assert "pyinfra 0.1" in asked(hall)[1]["tools"]["said"]


def test_a_tool_that_is_not_locked_is_wrong(hall, monkeypatch):
    monkeypatch.setattr(doctor, "TOOLS", ("cryptography", "pip"))
    monkeypatch.setattr(doctor, "_version", lambda _: "1.0")
    monkeypatch.setattr(doctor, "CLONE", hall.state)
    assert asked(hall)[1]["tools"]["state"] == "wrong"


def test_the_clock_of_this_machine_can_be_asked(monkeypatch):
    """By the kernel's own call, which sets nothing."""
    monkeypatch.undo()
    assert doctor_run.is_clock_synchronised() in (True, False, None)
