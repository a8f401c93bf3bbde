"""The stand-in packages under a real apt: sets, holds, conflicts, skew, signatures."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.lab.hardware import TOOLS
from deploy.lab.hardware.debs import Deb, build

from . import packages
from .packages import DOCA_NEWER, DOCA_OLDER, NEWER, OLDER, SKEWED
from .roots import Root, new_key, repository
from .stage import KERNEL, Stage

pytestmark = [
    pytest.mark.skipif(
        not (shutil.which("apt-ftparchive") and shutil.which("gpg")),
        reason="needs apt-utils and gnupg",
    ),
    pytest.mark.instances(keep=10, of="stand-in packages"),
]


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = new_key(tmp_path_factory.mktemp("gpg") / "home")
    yield folder
    subprocess.run(["gpgconf", "--homedir", str(folder), "--kill", "gpg-agent"], check=False)


def base() -> list[Deb]:
    return [packages.runtime(), packages.dkms()]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory, key: Path) -> Path:
    """All there is: two drivers and fabric managers of one branch and a manager of the next, two
    releases of DOCA, MLNX_OFED, whose parts have the names of DOCA's, and both engines."""
    debs = list(packages.everything(NEWER, DOCA_NEWER))
    debs += [*packages.driver(OLDER), *packages.fabric_manager(OLDER), *packages.nvlsm()]
    debs += [*packages.fabric_manager(SKEWED), *packages.doca(DOCA_OLDER), *packages.mlnx_ofed()]
    return repository(tmp_path_factory.mktemp("source"), [*debs, *packages.docker()], key)


@pytest.fixture
def root(tmp_path: Path, source: Path, key: Path) -> Root:
    """An empty machine that has read the lists of all there is."""
    made = Root(tmp_path / "root", source, key)
    made.must("update")
    return made


def exactly(debs: list[Deb]) -> list[str]:
    return [f"{one.name}={one.version}" for one in debs]


def of_driver(version: str) -> list[str]:
    return exactly([*packages.driver(version), *packages.fabric_manager(version)])


def test_a_set_comes_as_a_whole(root):
    root.must("install", "nvidia-open")
    found = root.installed()
    wanted = {one.name: one.version for one in packages.driver(NEWER)}
    assert {name: found.get(name) for name in wanted} == wanted


def test_of_an_older_set_each_package_must_be_named(root):
    """apt takes the newest of all that is not named, and then finds that it does not fit."""
    said = root.refused("install", f"nvidia-open={OLDER}-1")
    assert "nvidia-driver-cuda (= 580.126.16-1) but 580.126.20-1 is to be installed" in said
    root.must("install", "-s", *exactly(packages.driver(OLDER)))


def test_one_package_of_a_set_cannot_go_alone(root):
    root.have([*base(), *packages.driver(OLDER)])
    root.mark("hold", *(one.name for one in packages.driver(OLDER)))
    said = root.refused("install", "--allow-change-held-packages", f"nvidia-driver-cuda={NEWER}-1")
    assert "unmet dependencies" in said


def test_holds_keep_a_set_and_are_lost_by_the_flag_that_changes_it(root):
    root.must("install", *of_driver(OLDER))
    names = sorted(root.installed())
    root.mark("hold", *names)
    root.must("dist-upgrade")
    assert root.installed()["libcuda1"] == f"{OLDER}-1"
    root.must("install", "--allow-change-held-packages", *of_driver(NEWER))
    assert root.installed()["libcuda1"] == f"{NEWER}-1"
    lost = set(names) - set(root.mark("showhold"))
    assert lost == {one.name for one in (*packages.driver(NEWER), *packages.fabric_manager())}


def test_a_downgrade_wants_its_own_flag(root):
    root.have([*base(), *packages.driver(NEWER), *packages.fabric_manager(NEWER)])
    assert "Packages were downgraded" in root.refused("install", *of_driver(OLDER))
    simulated = root.must("install", "-s", "--allow-downgrades", *of_driver(OLDER))
    assert f"Inst nvidia-fabricmanager [{NEWER}-1] ({OLDER}-1" in simulated


def test_a_glob_takes_the_fabric_manager_of_the_next_branch(root):
    """Nothing in the packages holds the two together.

    SOURCE: github.com/NVIDIA/gpu-driver-container/issues/735.
    """
    root.have([*base(), *packages.driver(NEWER)])
    root.must("install", "nvidia-fabricmanager")
    assert root.installed()["nvidia-fabricmanager"] == f"{SKEWED}-1"
    assert root.installed()["nvidia-driver-cuda"] == f"{NEWER}-1"


def test_the_subnet_manager_comes_beside_the_fabric_manager_by_its_own_name(root):
    """The fabric manager does not want it: a node with switches of B200 must name it."""
    root.must("install", *of_driver(NEWER))
    assert "nvlsm" not in root.installed()
    root.must("install", *exactly(packages.nvlsm()))
    assert root.installed()["nvlsm"] == "2025.03.1-1"
    assert root.installed()["nvidia-fabricmanager"] == f"{NEWER}-1"


def test_the_old_name_of_the_fabric_manager_is_virtual(root):
    said = root.refused("install", f"nvidia-fabricmanager-580={NEWER}-1")
    assert "was not found" in said


def doca_set(release: str) -> list[str]:
    return exactly([one for one in packages.doca(release) if one.name != "doca-roce"])


def test_doca_rolls_as_a_whole(root):
    root.have([*base(), *packages.doca(DOCA_OLDER)[:-2]])
    tools = next(one for one in packages.doca(DOCA_NEWER) if one.name == "mlnx-tools")
    said = root.refused("install", f"mlnx-tools={tools.version}", f"doca-ofed={DOCA_OLDER}-018000")
    assert "unmet dependencies" in said
    simulated = root.must("install", "-s", *doca_set(DOCA_NEWER))
    assert "Inst rdma-core [2410mlnx54-1.2410068] (2510.0.11-1" in simulated
    assert f"Inst doca-ofed ({DOCA_NEWER}-044000" in simulated


def test_mlnx_ofed_and_doca_exclude_each_other(root):
    root.have([*base(), *(one for one in packages.doca() if one.name != "doca-roce")])
    assert "unmet dependencies" in root.refused("install", "mlnx-ofed-all")
    # Named package by package, apt takes DOCA away for it without a question.
    flags = ("-s", "--allow-downgrades")
    simulated = root.must("install", *flags, *exactly(packages.mlnx_ofed()))
    assert "Remv doca-ofed" in simulated
    assert "rdma-core:" not in simulated


def test_a_profile_is_a_choice_of_parts(root):
    roce = next(one for one in packages.doca() if one.name == "doca-roce")
    assert "mft (" not in roce.depends
    assert "Inst mlnx-fw-updater" not in root.must("install", "-s", "doca-roce")


def test_engines_exclude_each_other(root):
    root.have([*base(), *packages.containerd()])
    simulated = root.must("install", "-s", "docker-ce")
    assert "Remv containerd " in simulated
    assert "Inst docker-ce (5:28.5.1-1~debian.12~bookworm" in simulated


def test_everything_goes_in_one_transaction(root):
    debs = [one for one in packages.everything() if one.name != "doca-roce"]
    simulated = root.must("install", "-s", *exactly(debs))
    assert simulated.count("\nInst ") == len(debs)
    assert "Remv" not in simulated


def test_packages_carry_the_tools_at_their_real_places(source):
    carried = {
        "gds-tools-13-0": "/usr/local/cuda-13.0/gds/tools/gdscheck",
        "mlnx-tools": "/usr/bin/mlnx_qos",
        "nvidia-container-toolkit-base": "/usr/bin/nvidia-ctk",
        "nvidia-driver-cuda": "/usr/bin/nvidia-smi",
        "nvidia-fabricmanager": "/lib/systemd/system/nvidia-fabricmanager.service",
    }
    for name, path in carried.items():
        for deb in source.glob(f"{name}_*.deb"):
            listed = subprocess.run(["dpkg-deb", "-c", deb], capture_output=True, text=True).stdout
            assert f" .{path}\n" in listed


def test_an_unsigned_repository_is_refused(tmp_path):
    root = Root(tmp_path, repository(tmp_path / "source", base(), None))
    assert "is not signed" in root.refused("update")
    assert "Unable to locate package dkms" in root.refused("install", "dkms")


def test_a_repository_that_another_key_signed_is_refused(tmp_path, source):
    other = new_key(tmp_path / "other")
    root = Root(tmp_path / "root", source, other)
    assert "NO_PUBKEY" in root.refused("update")


def test_a_changed_index_is_refused(tmp_path, key):
    source = repository(tmp_path / "source", base(), key)
    with (source / "Packages").open("a") as index:
        index.write("\n")
    Root(tmp_path / "root", source, key).refused("update")


def test_the_same_package_is_the_same_bytes(tmp_path):
    debs = [*base(), packages.headers(KERNEL), *packages.driver()]
    first, second = build(debs, tmp_path / "1"), build(debs, tmp_path / "2")
    assert [one.read_bytes() for one in first] == [one.read_bytes() for one in second]


# --- what the maintainer scripts of DKMS packages do ------------------------------------------


def unpacked(stage: Stage, deb: Deb) -> Path:
    """A package's files in a stage; its postinst as a program."""
    for name, content in deb.files.items():
        assert isinstance(content, bytes | str)
        stage.put(name.lstrip("/"), content)
    path = stage.put("postinst", deb.scripts["postinst"])
    # `uname -r` asks the kernel of the machine that runs the test.
    stage.put("bin/uname", f"#!/bin/sh\necho {KERNEL}\n").chmod(0o755)
    path.chmod(0o755)
    return path


def configure(stage: Stage, deb: Deb) -> subprocess.CompletedProcess[str]:
    env = {"STANDIN_ROOT": str(stage.root), "LC_ALL": "C"}
    env["PATH"] = f"{stage.root}/bin:{TOOLS}:/usr/sbin:/usr/bin:/bin"
    argv = [str(unpacked(stage, deb)), "configure"]
    return subprocess.run(argv, env=env, capture_output=True, text=True)


def modules_of(version: str) -> Deb:
    return next(one for one in packages.driver(version) if one.name == "nvidia-kernel-open-dkms")


def test_without_headers_the_package_is_installed_and_the_module_is_not(stage):
    """DKMS of Debian 12 says `skipped` and ends well: whoever trusts apt has no driver."""
    stage.put(f"lib/modules/{KERNEL}/modules.dep", "")
    done = configure(stage, modules_of(NEWER))
    assert done.returncode == 0, done.stderr
    assert "was skipped since the" in done.stdout
    assert stage.said("dkms", "status") == f"nvidia/{NEWER}: added\n"


def test_with_headers_the_module_is_built_and_an_upgrade_replaces_it(stage):
    stage.put(f"lib/modules/{KERNEL}/build/include/utsrelease.h", "")
    for version in (OLDER, NEWER):
        done = configure(stage, modules_of(version))
        assert done.returncode == 0, done.stdout + done.stderr
    assert f"nvidia/{NEWER}, {KERNEL}, x86_64: installed" in stage.said("dkms", "status")


def test_a_build_that_fails_fails_the_package(stage):
    stage.put(f"lib/modules/{KERNEL}/build/include/utsrelease.h", "")
    stage.put("etc/standin/dkms-fails", "")
    done = configure(stage, modules_of(NEWER))
    assert (done.returncode, "Bad return status" in done.stderr) == (10, True)
