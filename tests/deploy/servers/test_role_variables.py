"""What railbed itself does with folders that a site may move: it follows the role's variable."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from deploy.loads import mpi_tools
from deploy.packages.repo_run import folder_of
from deploy.show.device import facts
from inventory import open_site
from inventory.load.site import SITES
from inventory.plan import Plan


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    for name in ("fabric.yml", "asbuilt.csv"):
        (tmp_path / name).write_bytes((SITES / "lab" / name).read_bytes())
    with (tmp_path / "fabric.yml").open("a") as file:
        file.write("\nrole_variables: {site: {package_repo_folder: /data/packages}}\n")
    return open_site(tmp_path)


def test_packages_are_sent_to_where_they_are_served_from(plan):
    assert folder_of(open_site("lab")) == "/srv/railbed/packages"
    assert folder_of(plan) == "/data/packages"


def test_a_device_says_what_its_site_sets(plan):
    assert ("role variable", "package_repo_folder = /data/packages") in [*facts(plan.oob)]


@pytest.mark.parametrize("told", ["", "source /x\nfolder {}/own\n"], ids=["unsaid", "said"])
def test_launches_look_where_the_node_builds_nccl_tests(tmp_path, told):
    for name in ("own", "opt"):
        (tmp_path / name / "build").mkdir(parents=True)
    said = tmp_path / "railbed-nccl"
    said.write_text(told.format(tmp_path))
    text = mpi_tools._PATH.replace("/etc/default/railbed-nccl", str(said))
    text = text.replace("/opt/nccl-tests", str(tmp_path / "opt"))
    done = subprocess.run(
        ["sh", "-c", f'{text}\necho "$PATH"'], capture_output=True, text=True, check=True
    )
    path = done.stdout.strip().split(":")
    assert (str(tmp_path / "own/build") in path) is bool(told)
    assert (str(tmp_path / "opt/build") in path) is not bool(told)
