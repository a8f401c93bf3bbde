"""A twin's lock holds the site's GPU driver: its names, versions and relations, as stand-ins."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from deploy.lab.hardware.driver_debs import Locked, stand_ins
from deploy.packages.fetch import cached, missing
from deploy.packages.offered import Offered
from deploy.rehearsal.rehearse import Asked, looked_at
from deploy.rehearsal.slices import Slice
from deploy.rehearsal.twin_site import make
from deploy.rollout import supply
from deploy.session import Selection
from inventory import InventoryError, open_site
from inventory.nodes.gpu_driver import driver_packages
from inventory.software.lock import STAND_IN, STATE_LOCK, VERSIONS, read_lock
from tests.shipped import loaded

from .stock import site
from .test_rehearse import two_rails

LOCK = "versions/ubuntu-24.04-amd64.yml"
OLD, NEW = "580.178.04", "580.195.03"


def other_driver(folder: Path, change: Path, part: str = "") -> Path:
    """The same site, which locks another driver; of `part` alone, where it is said."""
    shutil.copytree(folder, change)
    text = (VERSIONS / Path(LOCK).name).read_text()
    (change / "versions").mkdir()
    at = text.index(f"  {part}:\n") if part else 0
    count = 1 if part else -1
    (change / LOCK).write_text(text[:at] + text[at:].replace(OLD, NEW, count))
    return change


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return two_rails(tmp_path / "site", "arista-7060x6-64pe-eos")


def test_a_twin_gets_the_packages_that_its_site_locks(folder, tmp_path):
    """Held, in the same components, and none of them is asked of a mirror."""
    twin = make(str(folder), tmp_path / "twin", Slice(), 20).plan
    whole = open_site(folder)
    node = whole.nodes[0]
    asked = driver_packages(whole.packages, node.software.gpu)
    assert f"nvidia-firmware-580-server-{OLD}" in asked
    assert driver_packages(twin.packages, twin.node[node.name].software.gpu) == asked
    assert twin.node[node.name].software.gpu == node.software.gpu
    assert [gpu.pci for gpu in twin.node[node.name].gpus] == [gpu.pci for gpu in node.gpus]
    made = {one.name: one for one in twin.packages.packages if one.name in asked}
    assert not missing(made.values())
    lock = read_lock(tmp_path / "twin/versions/debian-12-amd64.yml").packages
    assert {name for name, one in lock.items() if one.licence == STAND_IN} == set(asked)


def test_another_driver_is_a_change_and_an_unequal_fabric_manager_is_refused(folder, tmp_path):
    change = str(other_driver(folder, tmp_path / "change"))
    twin, later = looked_at(Asked(str(folder), change=change))
    assert later is not None
    stacks = [one.plan.nodes[0].software.gpu for one in (twin, later)]
    assert [one and one.version for one in stacks] == [OLD, NEW]
    alone = other_driver(folder, tmp_path / "alone", "nvidia-fabricmanager-580")
    with pytest.raises(InventoryError, match=rf"{NEW}.*, expected the upstream version of nvidia"):
        looked_at(Asked(str(folder), change=str(alone)))


def test_what_has_no_stand_in_is_left_out_by_name(tmp_path):
    """Switches that a subnet manager sets up, and what the site does not lock itself."""
    made = make(
        str(site(tmp_path / "site", node_profile="hgx-b200")), tmp_path / "twin", Slice(), 45
    )
    why = {one.what: one.why for one in made.left_out}
    assert why["profile hgx-b200: gpu_driver"] == "the site's lock has none either"
    assert not any(node.gpus for node in made.plan.nodes)


@pytest.mark.parametrize(
    "names",
    [
        ("nvidia-headless-580-server-open", "nvidia-utils-580-server",
         "nvidia-dkms-580-server-open", "libnvidia-compute-580-server",
         "nvidia-compute-utils-580-server"),
        ("nvidia-kernel-open-dkms", "nvidia-driver-cuda", "libnvidia-ml1", "nvidia-persistenced"),
        ("our-own-driver",),
    ],
)  # fmt: skip
def test_each_part_comes_with_one_package_and_with_no_other_beside_it(names):
    debs = stand_ins(
        {name: Locked("580.1-1", {"x": "1"} if name == names[0] else {}) for name in names},
        {"nvidia_driver": names},
    )  # fmt: skip
    assert [one.name for one in debs] == sorted(names)
    once = (
        "/usr/bin/nvidia-smi", "/usr/bin/nvidia-persistenced",
        "/usr/share/standin/nvidia/userspace", "/usr/src/nvidia-580.1/nvidia.ko",
    )  # fmt: skip
    for path in once:
        assert len([one for one in debs if path in one.files]) == 1
    parts = [one.fields.get("Conflicts", "") for one in debs]
    assert sorted(", ".join(filter(None, parts)).split(", ")) == [
        f"standin-{one}" for one in ("library", "module", "persistence", "tools")
    ]
    assert [one.depends for one in debs if one.name == names[0]] == ["x (= 1)"]


def test_dcgm_comes_where_the_site_locks_it(folder, tmp_path):
    """Stock locks do not, and nodes do without."""
    profiles = folder / "profiles/nodes.yml"
    profile = loaded(profiles)["two-rails"] | {"acceptance": {"dcgm_level": 2}}
    profiles.write_text(yaml.safe_dump({"two-rails": profile}))
    levels = []
    for locked in (False, True):
        if locked:
            other_driver(folder, tmp_path / "other")
            text = (tmp_path / "other" / LOCK).read_text()
            core = "datacenter-gpu-manager-4-core"
            text = text.replace("components:\n", f"components:\n  dcgm: [{core}]\n", 1)
            text += f'  {core}:\n    version: "1:4.4.2-1"\n    sha256: "{"0" * 64}"\n'
            (tmp_path / "other" / LOCK).write_text(text + "    size_bytes: 1\n")
        made = make(str(tmp_path / "other" if locked else folder), tmp_path / "twin", Slice(), 20)
        levels.append(made.plan.nodes[0].acceptance.dcgm_level)
        assert bool(made.plan.packages.set_of("dcgm")) == locked
    assert levels == [None, 2]


def test_a_stand_in_says_that_it_is_one(folder, tmp_path):
    twin = make(str(folder), tmp_path / "twin", Slice(), 20).plan
    (one,) = [one for one in twin.packages.packages if one.name == "nvidia-fabricmanager-580"]
    argv = ["dpkg-deb", "--field", str(cached(one)), "Version", "Maintainer", "Description"]
    said = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    assert "stand-in of nvidia-fabricmanager-580" in said
    assert one.version in said


def test_a_lock_that_a_mirror_lost_is_made_anew_without_asking_it_for_stand_ins(
    folder, tmp_path, monkeypatch
):
    twin = make(str(folder), tmp_path / "twin", Slice(), 20)
    before = read_lock(twin.folder / "versions/debian-12-amd64.yml")
    asked = list[frozenset[str]]()

    def resolve(_: object, names: frozenset[str], __: object) -> dict[str, Offered]:
        asked.append(names)
        return {
            name: Offered(one.version, one.sha256, one.size_bytes, one.needs)
            for name, one in before.packages.items()
            if one.licence != STAND_IN
        }

    monkeypatch.setattr("inventory.state.STATE_ROOT", tmp_path / "state")
    monkeypatch.setattr(supply, "resolve", resolve)
    selection = Selection(str(twin.folder), "lost")
    selection.state_dir.mkdir(parents=True)
    supply._lock_anew(selection, print)
    after = read_lock(selection.state_dir / STATE_LOCK)
    assert {"lldpd", "chrony"} <= asked[0]
    assert not any("nvidia" in name for name in asked[0])
    assert after.packages.keys() == before.packages.keys()
    assert {name: one for name, one in after.packages.items() if one.licence == STAND_IN} == {
        name: one for name, one in before.packages.items() if one.licence == STAND_IN
    }
