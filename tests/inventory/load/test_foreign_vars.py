"""Variables that Ansible alone would read, or nobody: refused by name, wherever they lie."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inventory import InventoryError, open_site
from inventory.load.foreign_vars import foreign_vars
from inventory.load.site import SITES
from inventory.rules.access.credentials import KNOWN
from tests.tree import ROOT


@pytest.mark.parametrize("where", ["site", "inventory", "deploy/playbooks"])
@pytest.mark.parametrize("name", ["group_vars", "host_vars", "group_vars.yml"])
def test_each_place_that_ansible_reads_is_refused_by_name(tmp_path, where, name):
    path = tmp_path / where / name
    path.mkdir(parents=True)
    (problem,) = foreign_vars(tmp_path / "site", tmp_path)
    assert problem.file == str(path)
    assert name.split(".")[0] in problem.found
    assert "fabric.yml" in problem.hint


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The lab's site with variables beside it."""
    for name in ("fabric.yml", "asbuilt.csv"):
        (tmp_path / name).write_bytes((SITES / "lab" / name).read_bytes())
    assert open_site(tmp_path).site == "lab"
    (tmp_path / "group_vars").mkdir()
    return tmp_path


def test_a_site_with_them_does_not_open(site):
    with pytest.raises(InventoryError, match="group_vars"):
        open_site(site)


def test_nor_does_the_inventory_that_ansible_runs(site):
    done = subprocess.run(
        [sys.executable, "inventory/ansible_source.py", "--list"],
        cwd=ROOT,
        env={**os.environ, "RAILBED_SITE": str(site), "RAILBED_STATE": str(site / "state")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "group_vars" in done.stderr
    assert not done.stdout


def test_the_credentials_that_railbed_reads_are_those_that_the_inventory_knows():
    from deploy.imports.netbox import TOKEN
    from deploy.servers.bios import PASSWORD, USER
    from deploy.switches.login_run import CREDENTIALS

    assert {PASSWORD, USER, TOKEN, "ssh_key", *CREDENTIALS} == {*KNOWN}
