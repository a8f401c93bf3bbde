"""Values are read at the last moment; messages name the reference and never the value."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deploy.errors import RailbedError
from deploy.transport import credentials
from inventory import open_site

SECRET = "correct horse battery staple"


def plan_with(reference: str):
    return replace(open_site("lab"), credentials=(("ssh_key", reference),))


def refused(reference: str, state: Path) -> str:
    with pytest.raises(RailbedError) as caught:
        credentials.read(plan_with(reference), state, "ssh_key")
    assert SECRET not in str(caught.value)
    return str(caught.value)


def test_a_file_is_read_relative_to_the_state_folder(tmp_path):
    (tmp_path / "key").write_text(f"{SECRET}\n")
    (tmp_path / "key").chmod(0o600)
    assert credentials.read(plan_with("file:key"), tmp_path, "ssh_key") == SECRET


def test_the_environment_is_read(tmp_path, monkeypatch):
    monkeypatch.setenv("RAILBED_TEST_KEY", SECRET)
    assert credentials.read(plan_with("env:RAILBED_TEST_KEY"), tmp_path, "ssh_key") == SECRET


def test_a_key_file_is_an_absolute_path_for_other_programs(tmp_path, monkeypatch):
    (tmp_path / "key").write_text(SECRET)
    (tmp_path / "key").chmod(0o600)
    monkeypatch.chdir(tmp_path)
    assert credentials.key_file(plan_with("file:key"), Path()) == tmp_path / "key"


def test_a_key_in_the_environment_is_refused_for_other_programs(tmp_path):
    with pytest.raises(RailbedError, match="must be a file"):
        credentials.key_file(plan_with("env:HOME"), tmp_path)


def test_a_file_that_others_can_read_is_refused(tmp_path):
    (tmp_path / "key").write_text(SECRET)
    (tmp_path / "key").chmod(0o640)
    assert "file:key is open to others, chmod 600" in refused("file:key", tmp_path)


def test_what_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.delenv("RAILBED_TEST_KEY", raising=False)
    assert "file:key cannot be read" in refused("file:key", tmp_path)
    assert "env:RAILBED_TEST_KEY is not set" in refused("env:RAILBED_TEST_KEY", tmp_path)


def test_a_folder_is_no_credential(tmp_path):
    (tmp_path / "key").mkdir()
    assert "file:key is not a plain file" in refused("file:key", tmp_path)


def test_a_secret_written_in_place_of_a_reference_is_not_repeated(tmp_path):
    assert "its reference is neither file:PATH nor env:NAME" in refused(SECRET, tmp_path)


def test_a_credential_that_the_site_does_not_name(tmp_path):
    with pytest.raises(RailbedError, match="names no credential 'tacacs'"):
        credentials.read(plan_with("file:key"), tmp_path, "tacacs")
