"""The SSH files of a run: from the plan and the first-contact list, and nothing else."""

from __future__ import annotations

import json
from ipaddress import IPv4Address
from pathlib import Path

import pytest

from deploy.errors import RailbedError
from deploy.transport.ssh_files import prepare
from inventory import open_site

PLAN = open_site("lab")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    (tmp_path / "id_ed25519").write_text("a key")
    (tmp_path / "id_ed25519").chmod(0o600)
    (tmp_path / "hostkeys.json").write_text(json.dumps({"spine1": "ssh-ed25519 AAAA"}))
    (tmp_path / "access.json").write_text(json.dumps({"address": "100.64.7.2", "slot": 7}))
    return tmp_path


def test_both_files_are_written_for_us_alone(state):
    files = prepare(PLAN, state)
    assert files.access == IPv4Address("100.64.7.2")
    assert "StrictHostKeyChecking yes" in files.config.read_text()
    assert "100.64.7.2" in files.config.read_text()
    assert files.known_hosts.read_text().startswith("spine1,10.88.0.19 ssh-ed25519 AAAA")
    assert {one.stat().st_mode & 0o777 for one in (files.config, files.known_hosts)} == {0o600}


def test_a_second_time_touches_nothing(state):
    files = prepare(PLAN, state)
    before = files.config.stat()
    assert prepare(PLAN, state) == files
    after = files.config.stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_without_a_lab_the_sites_own_address_is_used(state):
    (state / "access.json").unlink()
    assert prepare(PLAN, state).access == PLAN.oob.access


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("hostkeys.json", None, "hostkeys.json is missing"),
        ("hostkeys.json", "{", "hostkeys.json cannot be read"),
        ("hostkeys.json", "[]", "hostkeys.json is not a JSON object"),
        ("access.json", '{"address": "here"}', 'access.json has no IPv4 "address"'),
        ("access.json", "{}", 'access.json has no IPv4 "address"'),
    ],
)
def test_a_bad_source_is_named(state, name, text, said):
    (state / name).unlink()
    if text is not None:
        (state / name).write_text(text)
    with pytest.raises(RailbedError, match=said) as caught:
        prepare(PLAN, state)
    assert caught.value.hint
