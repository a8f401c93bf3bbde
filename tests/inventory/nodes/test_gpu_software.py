"""The GPU driver and storage path of a plan: packages, options, and how they are read back."""

from __future__ import annotations

import pytest

from inventory import open_site
from inventory.nodes.gpu_driver import driver_options, driver_packages, printed
from inventory.nodes.hostvars import vars_for
from inventory.plan import GpuStack, LockedPackage, PackageLock
from inventory.schema import NodeProfile
from tests.roles import wishes

DRIVER = "580.178.04-0ubuntu0.24.04.1"


def lock() -> PackageLock:
    """Ubuntu's shape: the metapackage wants the rest at its version or later only."""
    names = ("libnvidia-compute-580-server", "nvidia-dkms-580-server-open",
             "nvidia-fabricmanager-580", "nvidia-headless-580-server-open")  # fmt: skip
    packages = tuple(LockedPackage(one, DRIVER, "", 1) for one in names)
    sets = (
        ("fabric_manager", ("nvidia-fabricmanager-580",)),
        ("nvidia_driver", ("nvidia-headless-580-server-open",)),
        ("nvlsm", ("nvlsm",)),
    )
    dkms = LockedPackage("dkms", "3.0.11-1ubuntu13", "", 1)
    nvlsm = LockedPackage("nvlsm", "2025.03.1-1", "", 1)
    return PackageLock("ubuntu-24.04", "noble", "amd64", "", "", (), sets, (dkms, *packages, nvlsm))


def stack(*extras: str, nvswitch: bool = False) -> GpuStack:
    return GpuStack("580.178.04", "dmabuf", nvswitch, "", extras, ())


def test_every_package_of_the_drivers_version_goes_with_it():
    """Named alone, the metapackage would go back and leave the rest where it is."""
    assert driver_packages(lock(), stack()) == dict.fromkeys(
        ("libnvidia-compute-580-server", "nvidia-dkms-580-server-open",
         "nvidia-headless-580-server-open"), DRIVER,
    )  # fmt: skip


def test_the_fabric_manager_is_there_with_nvswitches_alone():
    there = lock()
    assert "nvidia-fabricmanager-580" not in driver_packages(there, stack())
    assert driver_packages(there, stack(nvswitch=True))["nvidia-fabricmanager-580"] == DRIVER
    assert driver_packages(there, None) == {}


def test_the_subnet_manager_has_a_version_of_its_own():
    found = driver_packages(lock(), stack("nvlsm", nvswitch=True))
    assert found["nvlsm"] == "2025.03.1-1"


@pytest.mark.parametrize(
    ("option", "line"),
    [
        ("NVreg_EnableStreamMemOPs=1", "EnableStreamMemOPs: 1"),
        ("NVreg_RestrictProfilingToAdminUsers=0", "RmProfilingAdminOnly: 0"),
        ("NVreg_UsePageAttributeTable=-1", "UsePageAttributeTable: 4294967295"),
        ("NVreg_DeviceFileMode=0666", "DeviceFileMode: 438"),
        ("NVreg_EnableGpuFirmware=0x12", "EnableGpuFirmware: 18"),
        ("NVreg_TemporaryFilePath=/var/tmp", 'TemporaryFilePath: "/var/tmp"'),
        ('NVreg_RegistryDwords="A=1;B=2;"', 'RegistryDwords: "A=1;B=2;"'),
    ],
)
def test_an_option_is_read_back_as_the_module_prints_it(option, line):
    """The numbers are the defaults of nv-reg.h as nv-procfs.c prints them, unsigned."""
    assert printed(option) == line


def test_everybodys_registry_keys_are_one_string():
    profile = NodeProfile.model_validate(
        {
            "management_port": "eth0",
            "gpu_driver": {
                "registry": {"PeerMappingOverride": 1},
                "parameters": {"NVreg_EnableStreamMemOPs": 1},
            },
            "gpu_storage": {"mode": "p2pdma"},
            "source": "a test",
        }
    )
    assert driver_options(profile) == (
        "NVreg_EnableStreamMemOPs=1",
        'NVreg_RegistryDwords="PeerMappingOverride=1;RMForceStaticBar1=1;RmForceDisableIomapWC=1;"',
    )


@pytest.mark.parametrize("site", ["pod-256", "superpod-10k"])
def test_shipped_gpu_nodes_get_the_driver_of_the_lock_and_its_equal(site):
    plan = open_site(site)
    node = next(one for one in plan.nodes if one.software.gpu)
    told = vars_for(plan, node.name)
    packages = told["nvidia_driver_packages"]
    assert isinstance(packages, dict)
    assert len(packages) > 10
    assert set(packages.values()) == {DRIVER}
    assert told["nvidia_driver_fabric_manager"] in packages


def test_what_gpus_are_measured_with_comes_with_the_driver():
    """`dcgmi` asks an engine, which must run; without the test neither is there."""
    plan = wishes.plan()
    node = next(one for one in plan.nodes if one.software.gpu)
    told = vars_for(plan, node.name)
    assert "datacenter-gpu-manager-4-cuda13" in told["nvidia_driver_packages"]  # type: ignore[operator]
    assert told["nvidia_driver_dcgm"]
    plain = open_site("pod-256")
    told = vars_for(plain, next(one.name for one in plain.nodes if one.software.gpu))
    assert "datacenter-gpu-manager-4-cuda13" not in told["nvidia_driver_packages"]  # type: ignore[operator]
    assert not told["nvidia_driver_dcgm"]


def test_cufile_names_the_nics_of_the_storage_plane():
    plan = wishes.plan()
    node = next(one for one in plan.nodes if one.software.gds)
    own = {str(one.address.ip) for one in node.nics if one.plane == "storage" and one.address}
    told = vars_for(plan, node.name)["gds_rdma_addresses"]
    assert isinstance(told, list)
    assert set(told) == own
    assert len(told) == 2
