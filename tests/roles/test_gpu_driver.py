"""The role nvidia_driver's preflight and program, on a tree that stands for a GPU node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .gpu_tree import GPU, KERNEL, SWITCH, GpuNode

VERSION = "580.178.04"
OPTIONS = {
    "options": ["NVreg_EnableStreamMemOPs=1", 'NVreg_RegistryDwords="RMForceStaticBar1=1;"'],
    "printed": ["EnableStreamMemOPs: 1", 'RegistryDwords: "RMForceStaticBar1=1;"'],
}
# As /proc/driver/nvidia/params of a driver prints them, cut.
PARAMS = 'ModifyDeviceFiles: 1\nEnableStreamMemOPs: 1\nRegistryDwords: "RMForceStaticBar1=1;"\n'
BRIDGE = ("0x15b3", "0x020700")
EFI = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"


def node(root: Path, **more: Any) -> GpuNode:
    found = GpuNode(root, "nvidia_driver", **more)
    found.hgx()
    return found


# -- the preflight -----------------------------------------------------------------------------


def test_nothing_speaks_against_a_new_node_with_headers(tmp_path):
    assert node(tmp_path).preflight() == []


def test_all_that_speaks_against_it_is_said_at_once(tmp_path):
    found = node(tmp_path)
    (tmp_path / f"lib/modules/{KERNEL}/build/include").rmdir()
    found.write("/usr/bin/nvidia-uninstall", "")
    found.write("/etc/modprobe.d/gds.conf", 'options nvidia NVreg_RegistryDwords="A=1;"\n')
    headers, runfile, registry = found.preflight()
    assert headers == (
        f"found no headers of the running kernel {KERNEL}, expected /lib/modules/{KERNEL}/build; "
        f"lock linux-headers-{KERNEL} in components, or boot the kernel whose headers are locked"
    )
    assert runfile.startswith("found a driver of NVIDIA's own installer, expected packages alone")
    assert registry == (
        "found NVreg_RegistryDwords in /etc/modprobe.d/gds.conf, expected one file that sets it; "
        "move its keys into gpu_driver.registry of the profile, then remove it"
    )


def test_with_a_module_that_is_built_no_headers_are_needed(tmp_path):
    found = node(tmp_path)
    (tmp_path / f"lib/modules/{KERNEL}/build/include").rmdir()
    found.builds(VERSION)
    assert found.preflight() == []


@pytest.mark.parametrize(
    ("devices", "more", "said"),
    [
        ([], {}, ["found no NVIDIA GPU", "found no NVSwitch"]),
        ([("0x1002", "0x030200")], {"nvswitch": False}, ["found no NVIDIA GPU"]),
        ([GPU], {}, ["found no NVSwitch, expected NVSwitches, which the profile has"]),
        ([GPU, SWITCH], {"nvswitch": False}, ["found 1 NVSwitches, expected none"]),
        ([GPU, SWITCH], {"subnet_manager": True}, ["found no NVSwitch that a subnet manager"]),
        ([GPU, ("0x10de", "0x040300")], {"nvswitch": False}, []),
    ],
)
def test_the_devices_must_be_those_of_the_profile(tmp_path, devices, more, said):
    found = GpuNode(tmp_path, "nvidia_driver", **more)
    found.pci(*devices)
    lines = found.preflight()
    assert len(lines) == len(said)
    assert all(line.startswith(words) for line, words in zip(lines, said, strict=True))


def test_switches_of_the_fourth_generation_show_as_nics(tmp_path):
    """An ordinary NIC has no such word in its vital product data."""
    found = GpuNode(tmp_path, "nvidia_driver")
    found.pci(GPU, ("0x15b3", "0x020000"))
    found.pci(BRIDGE, vpd="\x82ConnectX-7 SMDL=SW_MNG")
    [line] = found.preflight()
    assert "also need nvlsm in gpu_driver.extras" in line
    found.values["nvidia_driver_subnet_manager"] = True
    assert found.preflight() == []


@pytest.mark.parametrize(
    ("enrolled", "refused"), [("is not enrolled", 1), ("is already enrolled", 0)]
)
def test_under_secure_boot_the_key_of_dkms_must_be_enrolled(tmp_path, enrolled, refused):
    found = node(tmp_path)
    found.write(EFI, "\x06\x00\x00\x00\x01")
    found.tool("mokutil", f'echo "$2 {enrolled}"')
    assert len([line for line in found.preflight() if "Secure Boot on" in line]) == refused
    found.write(EFI, "\x06\x00\x00\x00\x00")
    found.tool("mokutil", "exit 1")
    assert found.preflight() == []


def test_a_driver_in_use_is_not_changed(tmp_path):
    found = node(tmp_path)
    found.builds(VERSION)
    found.loads("570.172.08")
    found.opens(71, "nvidia-persiste", "/dev/nvidia0")
    assert found.preflight() == []
    found.opens(4711, "python3", "/dev/nvidia3")
    [line] = found.preflight()
    assert line == (
        "found driver 570.172.08 in use by python3(4711), expected a drained node; "
        f"version {VERSION} comes with a reboot: stop its jobs first"
    )
    found.loads(VERSION)
    assert found.preflight() == []


# -- look: what takes a reboot -----------------------------------------------------------------


def look(found: GpuNode) -> str:
    status, complaints = found.program("railbed-nvidia", "nvidia", "look")
    assert (status, complaints) == (0, [])
    return found.signal()


def test_a_driver_that_runs_as_wanted_needs_nothing(tmp_path):
    found = node(tmp_path, **OPTIONS)
    found.builds(VERSION)
    found.write("/run/railbed/reboot-required.d/nvidia_driver", "of before the boot\n")
    found.loads(VERSION, PARAMS)
    assert look(found) == ""


def test_what_runs_and_what_is_wanted_is_said_in_one_line(tmp_path):
    found = node(tmp_path, **OPTIONS)
    found.builds(VERSION)
    assert look(found) == f"no driver is loaded, {VERSION} is installed"
    found.write("/sys/module/nouveau/refcnt", "0\n")
    found.loads("570.172.08", PARAMS.replace("MemOPs: 1", "MemOPs: 0"), "Kernel Module")
    assert look(found) == (
        "nouveau is loaded and has the GPUs; driver 570.172.08 is loaded, "
        f"{VERSION} is installed; the closed module is loaded; EnableStreamMemOPs is 0, wanted 1"
    )


def test_a_registry_that_lost_a_key_is_said(tmp_path):
    found = node(tmp_path, **OPTIONS)
    found.builds(VERSION)
    found.loads(VERSION, 'EnableStreamMemOPs: 1\nRegistryDwords: ""\n')
    assert look(found) == 'RegistryDwords is "", wanted "RMForceStaticBar1=1;"'


@pytest.mark.parametrize(
    ("wanted", "loaded", "said"),
    [
        ("dmabuf", False, ""),
        ("peermem", True, ""),
        ("dmabuf", True, "nvidia_peermem is loaded, wanted is DMA-BUF"),
        ("peermem", False, "nvidia_peermem is not loaded"),
    ],
)
def test_peer_memory_is_the_way_that_the_profile_says(tmp_path, wanted, loaded, said):
    found = node(tmp_path, peer_memory=wanted, printed=[])
    found.builds(VERSION)
    found.loads(VERSION)
    if loaded:
        found.write("/sys/module/nvidia_peermem/refcnt", "0\n")
    assert look(found) == said


@pytest.mark.parametrize(("built", "found_is"), [("", "not there"), ("570.172.08", "570.172.08")])
def test_a_module_that_was_not_built_is_a_failure_and_no_reboot(tmp_path, built, found_is):
    """Its packages are installed, and DKMS failed: after the boot no GPU would be there."""
    found = node(tmp_path)
    if built:
        found.builds(built)
    status, [complaint] = found.program("railbed-nvidia", "nvidia", "look")
    assert status == 1
    assert f"for kernel {KERNEL} is {found_is}, wanted {VERSION}" in complaint
    assert found.signal().endswith(complaint.removeprefix("railbed-nvidia: "))


def test_a_look_that_fails_leaves_no_word_of_before(tmp_path):
    """A signal of an earlier look, or none, would be read as the state of now."""
    found = node(tmp_path)
    found.write("/run/railbed/reboot-required.d/nvidia_driver", "of before\n")
    place = found.write("/railbed-nvidia", found.text("railbed-nvidia"))
    assert found.run(str(place), "look").returncode == 1
    assert found.signal() == "/etc/default/railbed-nvidia is not there"
    found.write("/run/railbed/reboot-required.d/nvidia_driver", "of before\n")
    assert found.run(str(place), "fabric").returncode == 1
    assert found.signal() == "of before"


# -- services: no unit that needs the driver is left out silently ------------------------------


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("ActiveState=active\nConditionResult=yes", False),
        # What systemd fails is seen without us; what ended by itself was not skipped.
        ("ActiveState=failed\nConditionResult=yes", False),
        ("ActiveState=inactive\nConditionResult=yes", False),
        ("ActiveState=inactive\nConditionResult=no", True),
    ],
)
@pytest.mark.parametrize("more", [True, False])
def test_a_unit_that_was_skipped_beside_a_loaded_driver_is_a_failure(tmp_path, state, said, more):
    found = node(tmp_path, nvswitch=more, dcgm=more)
    if not more:
        found.values["nvidia_driver_fabric_manager"] = ""
    found.tool("systemctl", f"printf '{state}\\n'")
    assert found.program("railbed-nvidia", "nvidia", "services") == (0, [])
    found.loads(VERSION)
    status, complaints = found.program("railbed-nvidia", "nvidia", "services")
    units = ["nvidia-persistenced", *(["nvidia-fabricmanager", "nvidia-dcgm"] if more else [])]
    assert status == said
    assert complaints == [
        f"railbed-nvidia: {one} was skipped, and the driver is loaded: systemctl start {one}"
        for one in units
        if said
    ]


def test_a_unit_that_nobody_tells_of_is_a_failure(tmp_path):
    found = node(tmp_path, nvswitch=False, dcgm=False)
    found.values["nvidia_driver_fabric_manager"] = ""
    found.tool("systemctl", "exit 1")
    found.loads(VERSION)
    said = "railbed-nvidia: systemctl does not tell of nvidia-persistenced"
    assert found.program("railbed-nvidia", "nvidia", "services") == (1, [said])


def test_what_needs_the_driver_waits_for_it_at_boot(tmp_path):
    """udev loads it whenever it comes to it; systemd asks a condition once, and fails nothing."""
    found = node(tmp_path)
    assert found.values["nvidia_driver_modules"][:2] == ["nvidia", "nvidia_uvm"]
    units = "nvidia-persistenced.service nvidia-fabricmanager.service nvidia-dcgm.service"
    for name in ("railbed-nvidia-look.service.j2", "railbed-nvidia.service.j2"):
        assert f"Wants={units}" in found.text(name).splitlines()
    for name in ("persistenced.conf", "fabricmanager.conf"):
        assert "After=railbed-nvidia-look.service" in found.text(name).splitlines()
    looks = found.text("railbed-nvidia.service.j2").splitlines()
    assert f"After=systemd-modules-load.service {units}" in looks
    assert [one.split()[-1] for one in looks if one.startswith("ExecStart=")] == [
        "look",
        "services",
    ]


# -- fabric: equal versions only ---------------------------------------------------------------


@pytest.mark.parametrize("family", ["deb", "rpm"])
@pytest.mark.parametrize(
    ("package", "built", "loaded", "said"),
    [
        (VERSION, VERSION, VERSION, []),
        ("590.48.01", VERSION, VERSION, [f"built driver {VERSION}", f"loaded driver {VERSION}"]),
        (VERSION, VERSION, "570.172.08", ["loaded driver 570.172.08"]),
    ],
)
def test_the_fabric_manager_starts_beside_an_equal_driver_only(
    tmp_path, family, package, built, loaded, said
):
    found = node(tmp_path)
    found.values["package_family"] = family
    found.tool("dpkg-query", f"echo '1:{package}-0ubuntu1'")
    found.tool("rpm", f"echo {package}")
    found.builds(built)
    found.loads(loaded)
    status, complaints = found.program("railbed-nvidia", "nvidia", "fabric")
    assert status == bool(said)
    expected = [f"fabric manager {package} beside the {one}: equal versions only" for one in said]
    assert complaints == [f"railbed-nvidia: {one}" for one in expected]


@pytest.mark.parametrize("tool", ["update-initramfs", "dracut"])
def test_the_initial_ram_disk_is_built_by_what_the_system_has(tmp_path, tool):
    found = node(tmp_path)
    found.tool(tool, f'echo "$@" >"{tmp_path}/asked"')
    assert found.program("railbed-nvidia", "nvidia", "initramfs") == (0, [])
    asked = {"update-initramfs": "-u -k all", "dracut": "--force --regenerate-all"}
    assert (tmp_path / "asked").read_text().strip() == asked[tool]
    found.tool(tool, "exit 1")
    status, [complaint] = found.program("railbed-nvidia", "nvidia", "initramfs")
    assert (status, complaint) == (1, f"railbed-nvidia: {tool} failed")
