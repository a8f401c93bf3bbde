"""`railbed cabling`: live by the transport that validate uses, from evidence, and as it is told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deploy.commands.main import app
from deploy.context import Context, no_journal
from deploy.errors import RailbedError
from deploy.measuring import cabling as verb
from deploy.measuring.cabling import cabling, gathered
from deploy.record.journal import Record
from deploy.session import Selection
from tests.validation.recorded import Replay, lab, recorded
from validation.evidence.store import EvidenceStore
from validation.evidence.trust import Trust


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The lab's plan, its state in a folder that goes away."""
    nowhere = tmp_path / "state"

    def opened(selection, say, journal):
        return Context(lab(), "lab", nowhere, nowhere, nowhere, say, no_journal)

    monkeypatch.setattr(verb, "open_offline", opened)


def asked(folder: Path, name: str, *more: str, digest: str = "") -> tuple[int, str]:
    store = EvidenceStore(folder / name)
    store.add(replace(one, plan_digest=digest or one.plan_digest) for one in recorded(name))
    store.save()
    before = sorted(folder.rglob("*"))
    done = CliRunner().invoke(app, ["cabling", "--from-evidence", str(folder / name), *more])
    assert sorted(folder.rglob("*")) == before, "it reads only"
    return done.exit_code, done.stdout


def test_the_list_for_the_hall(tmp_path):
    code, told = asked(tmp_path, "swapped_uplinks")
    assert code == 1
    assert told == (
        "1. exchange the plugs at spine1:swp1 and spine1:swp2; makes leaf-p1-r0:swp5 -- spine1:swp1"
        " [leaf-p1-r0:swp5 spine1:swp1], and leaf-p1-r1:swp5 -- spine1:swp2"
        " [leaf-p1-r1:swp5 spine1:swp2]\n"
        "16 cables planned: 1 to do, 0 may stay as built, 0 cables not known\n"
    )


@pytest.mark.parametrize(("name", "code"), [("healthy", 0), ("swapped_nodes", 1), ("link_down", 3)])
def test_json_and_exit_codes(tmp_path, name, code):
    exit_code, told = asked(tmp_path, name, "--json")
    said = json.loads(told)
    assert (exit_code, said["exit_code"], said["cables"]) == (code, code, 16)
    assert (bool(said["steps"]), bool(said["unknown"])) == (code == 1, code == 3)


def test_evidence_of_another_plan_is_inconclusive(tmp_path):
    assert asked(tmp_path, "healthy", digest="0" * 64)[0] == 3


def test_a_folder_that_is_not_there_is_bad_usage(tmp_path):
    done = CliRunner().invoke(app, ["cabling", "--from-evidence", str(tmp_path / "no")])
    assert "no such folder" in str(done.exception)


def live(*silent: str) -> tuple[int, int]:
    store = gathered(lab(), Replay("swapped_nodes", silent))
    found = cabling(lab(), store, Trust.of(lab(), {}))
    return found.exit_code, sum(len(one.cables) for one in found.unknown)


def test_devices_are_asked_in_one_trip_each():
    transport = Replay("healthy")
    found = cabling(lab(), gathered(lab(), transport), Trust.of(lab(), {}))
    assert found.exit_code == 0
    assert len(transport.asked) == len({device for device, _ in transport.asked}) == 10


def test_a_silent_device_hides_its_own_cables_only():
    assert live() == (1, 0)
    assert live("spine2") == (1, 4)
    # The swap itself is behind the silent leaf: nothing is left that is known to be wrong.
    assert live("leaf-p1-r0") == (3, 4)


def test_where_the_record_is_lost_nothing_is_believed(tmp_path):
    record = tmp_path / "state" / "record.sqlite"
    Record(record).close()
    record.unlink()
    with pytest.raises(RailbedError, match="is lost"):
        verb.cabling_of_site(Selection("lab", "lab"), tmp_path, print)
