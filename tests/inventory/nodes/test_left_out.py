"""What GPU nodes do without is told: what is not asked for, and what waits until it is locked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from inventory import open_site
from inventory.nodes.hostvars import vars_for
from inventory.nodes.left_out import left_out, not_locked
from inventory.plan import Plan, Waiting
from inventory.schema import NodeProfile
from inventory.software.lock import VersionsFile
from inventory.software.locked import as_locked
from inventory.starter import ASBUILT_CSV, Wish, starter_text
from tests.bench.init_space import shelf
from tests.roles import wishes
from tests.validation.host_machine import asking_for_all

STOCK = sorted(name for name, one in shelf().nodes.items() if one.gpus)
BLACKWELL = {"hgx-b200", "hgx-b300", "hgx-b300-dual-plane"}
# Components whose packages a made-up lock has.
DRIVER = ("fabric_manager", "nvidia_driver")
EVERYTHING = (
    *DRIVER, "container_toolkit", "containerd", "dcgm", "doca_ofed", "gds", "gpu_burn", "mpi",
    "nccl", "nccl_tests", "nvlsm",
)  # fmt: skip


def lock(*components: str) -> VersionsFile:
    """A lock with one package for each of these components."""
    return VersionsFile.model_validate(
        {
            "os": "ubuntu-24.04",
            "suite": "noble",
            "arch": "amd64",
            "resolved": "2026-11-27",
            "components": {one: [one.replace("_", "-")] for one in components},
            "packages": {
                one.replace("_", "-"): {"version": "1.0", "sha256": "0" * 64, "size_bytes": 1}
                for one in components
            },
        }
    )


def stock_site(folder: Path, profile: str) -> Plan:
    """The plan of a site as `init` makes it."""
    switch = next(name for name, one in shelf().switches.items() if one.ports.rate_gbps == 800)
    text = starter_text(Wish("stock", 4, profile, switch), shelf())
    (folder / "fabric.yml").write_text(text, encoding="utf-8")
    (folder / "asbuilt.csv").write_text(ASBUILT_CSV, encoding="utf-8")
    return open_site(folder)


def bare(plan: Plan) -> Plan:
    """The same site, its GPU nodes asking for no containers and no huge pages."""
    nodes = (
        replace(
            one,
            software=replace(one.software, containers=None, waiting=()),
            tuning=replace(one.tuning, hugepages=()),
        )
        for one in plan.nodes
    )
    return replace(plan, nodes=tuple(nodes))


def test_a_profile_that_asks_for_little_says_what_is_off():
    profile = next(one for one in left_out(bare(open_site("pod-256"))) if "hgx-h100" in one)
    assert profile.startswith("profile hgx-h100 does not request: DOCA (`nics.stack`), GPUDirect")
    assert "containers (`containers`), huge pages (`tuning.hugepages`)" in profile
    assert "GPU driver" not in profile


def test_who_asks_for_all_and_who_has_no_gpu_does_without_nothing():
    plan = open_site("pod-256")
    asking = tuple(asking_for_all(one) if one.gpus else one for one in plan.nodes)
    said = left_out(replace(plan, nodes=asking))
    assert all("DOCA" not in one and "containers" not in one for one in said)
    assert left_out(open_site("lab")) == not_locked(open_site("lab")) == ()


@pytest.mark.parametrize("profile", STOCK)
def test_a_stock_profile_asks_for_everything_and_names_what_is_not_locked(profile, tmp_path):
    plan = stock_site(tmp_path, profile)
    assert left_out(plan) == ()
    *waits, how, build = not_locked(plan)
    assert len(waits) == 1
    assert waits[0].startswith(f"profile {profile} (its nodes run without until then): ")
    for thing in ("DOCA (doca_ofed)", "DCGM (", "burn (", "nccl-tests (", "containers ("):
        assert thing in waits[0]
    assert ("GPU driver (nvlsm)" in waits[0]) == (profile in BLACKWELL)
    assert how.startswith("`railbed packages refresh --write` locks for ubuntu-24.04 amd64, in ")
    assert ", doca-ofed, " in how
    assert how.endswith("infiniband-diags, nvlsm") == (profile in BLACKWELL)
    # What no repository has comes by another verb.
    assert "nccl-tests" not in how
    assert build.startswith("`railbed packages build --write` builds and locks, ")
    assert build.endswith("versions/builds.yml names: gpu-burn, nccl-tests")
    # And it is in the list of assumptions that every report prints.
    named = {one.name: one for one in plan.assumptions}
    assert not named[f"profile {profile}: nics.stack"].measured


@pytest.mark.parametrize("profile", STOCK)
def test_a_stock_profile_waits_for_nothing_once_all_is_locked(profile):
    asked = shelf().nodes[profile]
    assert as_locked(lock(*EVERYTHING), asked) == (asked, ())


def test_what_waits_is_off_whole():
    """NVSwitches without their subnet manager, or containers without GPUs, are no half measure."""
    asked = shelf().nodes["hgx-b300"]
    given, waiting = as_locked(lock(*DRIVER, "containerd", "doca_ofed", "gds"), asked)
    assert (given.gpu_driver, given.gpu_storage, given.containers) == (None, None, None)
    assert given.nics.stack == "doca"
    assert given.tuning == asked.tuning
    assert Waiting("containers", ("container_toolkit", "nvlsm")) in waiting
    assert Waiting("gpu_driver", ("nvlsm",)) in waiting
    assert Waiting("gpu_storage", ("nvlsm",)) in waiting


@pytest.mark.parametrize("place", ["/opt", "/usr/local/bin"])
def test_a_program_in_a_place_of_the_sites_own_waits_for_no_lock(place):
    asked = shelf().nodes["hgx-h100"]
    programs = {"burn": f"{place}/gpu_burn", "all_reduce": f"{place}/all_reduce_perf"}
    own = asked.acceptance.model_copy(update=programs)
    given, _ = as_locked(lock(*DRIVER), asked.model_copy(update={"acceptance": own}))
    assert given.acceptance.burn == programs["burn"]
    assert given.acceptance.all_reduce == programs["all_reduce"]
    assert given.acceptance.dcgm_level is None


def test_what_an_image_brings_with_its_driver_is_asked_whatever_is_locked():
    """Else an image's own DCGM would go unjudged, and a run pass without it."""
    asked = shelf().nodes["hgx-h100"].model_copy(update={"gpu_driver": None})
    given, waiting = as_locked(lock(), asked)
    assert given.acceptance == asked.acceptance
    assert not [one for one in waiting if one.option.startswith("acceptance")]


def test_a_driver_that_nobody_chose_is_to_be_named_first(tmp_path):
    """`refresh` takes no release of its own choice."""
    plan = stock_site(tmp_path, "hgx-h100")
    node = plan.nodes[0]
    waits = (Waiting("gpu_driver", ("fabric_manager", "nvidia_driver")),)
    software = replace(node.software, waiting=waits)
    nodes = (replace(node, software=software),)
    said = not_locked(replace(plan, nodes=nodes))
    assert [one for one in said if "fabric_manager, nvidia_driver under `components`" in one]
    assert not [one for one in said if one.endswith("have of: ")]


def test_without_docas_drivers_none_are_loaded_again_at_once():
    asked = NodeProfile.model_validate(
        {"management_port": "eth0", "nics": {"stack": "doca", "reload": "now"}, "source": "a test"}
    )
    given, _ = as_locked(lock(), asked)
    assert (given.nics.stack, given.nics.reload) == ("inbox", "reboot")


def test_nodes_are_told_only_of_what_is_locked(tmp_path):
    """Roles with an empty list of packages would count as done."""
    plan = stock_site(tmp_path, "hgx-b200")
    told = vars_for(plan, next(one.name for one in plan.nodes if one.gpus))
    assert (told["ofed_stack"], told["container_runtime_engine"]) == ("inbox", "")
    assert told["nvidia_driver_packages"] == {}
    everything = vars_for(wishes.plan(), next(one.name for one in wishes.plan().nodes if one.gpus))
    assert everything["ofed_stack"] == "doca"
    assert everything["container_runtime_packages"] != {}


@pytest.mark.parametrize(
    ("profile", "words"),
    [
        ("hgx-intel", {"iommu=pt", "intel_iommu=on", "intel_idle.max_cstate=1",
                       "processor.max_cstate=1", "intel_pstate=active", "hugepages=2048"}),
        ("hgx-amd", {"iommu=pt", "processor.max_cstate=1", "hugepages=2048"}),
        ("dgx-a100", {"iommu=pt", "processor.max_cstate=1", "hugepages=8192"}),
    ],
)  # fmt: skip
def test_kernel_arguments_are_those_of_the_maker_of_the_cpu(profile, words, tmp_path):
    plan = stock_site(tmp_path, profile)
    told = vars_for(plan, next(one.name for one in plan.nodes if one.gpus))
    found = told["kernel_tuning_arguments"]
    assert isinstance(found, list)
    assert words <= set(found)
    assert any(one.startswith("intel_") for one in found) == (profile == "hgx-intel")
