"""The test site: planned as a user's would be, its lock rolled."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from deploy.packages import fetch as cache
from deploy.packages.fetch import cached
from inventory import InventoryError, open_site

from . import packages
from .site import hardware, lock, site


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site; its packages lie in a cache of the test's own."""
    made = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache, "cache_folder", lambda: made / "cache")
        return site(made / "site", nodes=2)


@pytest.fixture(autouse=True)
def _own_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "cache_folder", lambda: folder.parent / "cache")


def test_the_node_asks_for_everything(folder):
    node = open_site(folder).nodes[0]
    asked = node.software
    assert (asked.nics.stack, asked.gds, asked.containers) == ("doca", "nvidia_fs", "containerd")
    assert asked.collectives
    assert asked.gpu is not None
    assert (asked.gpu.version, asked.gpu.nvswitch) == (packages.NEWER, True)


def test_the_lock_holds_whole_sets_whose_files_are_in_the_cache(folder):
    plan = open_site(folder)
    sets = dict(plan.packages.sets)
    assert {"mlnx-tools", "mlnx-ofed-kernel-dkms", "rdma-core"} < set(sets["doca_ofed"])
    assert {one.name for one in packages.driver()} - set(sets["nvidia_driver"]) == {"nvidia-open"}
    ours = {one.name: one for one in packages.everything()}
    for one in plan.packages.packages:
        if one.name in ours:
            assert one.version == ours[one.name].version
            assert hashlib.sha256(cached(one).read_bytes()).hexdigest() == one.sha256


def test_the_lock_rolls_to_another_driver_and_back(folder):
    newer = open_site(folder).digest
    lock(folder, packages.OLDER)
    plan = open_site(folder)
    gpu = plan.nodes[0].software.gpu
    assert gpu is not None
    assert gpu.version == packages.OLDER
    versions = {one.name: one.version for one in plan.packages.packages}
    assert versions["nvidia-fabricmanager"] == f"{packages.OLDER}-1"
    lock(folder)
    assert open_site(folder).digest == newer


def test_a_lock_with_another_fabric_manager_is_refused(folder):
    """What a glob does to a machine cannot be written into a lock."""
    lock(folder, fabric_manager=packages.SKEWED)
    with pytest.raises(InventoryError, match="the upstream version of nvidia_driver"):
        open_site(folder)
    lock(folder)


def test_the_hardware_is_that_of_the_profile(folder):
    node = open_site(folder).nodes[0]
    nics = {one["netdev"]: (one["bdf"], one["rdma"]) for one in hardware()["nics"]}
    assert nics == {one.port: (one.pci, one.rdma_device) for one in node.rails}
