"""The stand-ins of GPU tools: as recorded, and as refusing as the real ones."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from deploy.lab.hardware.modules import module
from validation.parse.gpu import nvidia_smi

from .stage import KERNEL, Stage, recorded

H100 = "NVIDIA H100 80GB HBM3"
BUSES = ("18", "2a", "3a", "5d", "9a", "ab", "ba", "db")
GPUS = [
    {"bdf": f"0000:{bus}:00.0", "name": H100, "numa": at // 4, "replays": 7}
    for at, bus in enumerate(BUSES)
]
VERSION = "580.126.20"
EVIDENCE = Path(__file__).parents[1] / "evidence"


def h100(root: Path, **more: object) -> Stage:
    return Stage(root, **{"nics": [], "gpus": GPUS, "nvswitches": 4, **more})


@pytest.fixture
def node(tmp_path: Path) -> Stage:
    """A node of 8 GPUs with NVSwitches, its driver installed."""
    stage = h100(tmp_path)
    stage.driver(VERSION)
    stage.put("usr/share/standin/nvidia/fabricmanager", f"{VERSION}\n")
    return stage


def own(name: str) -> str:
    """A capture of this project's own."""
    return (EVIDENCE / name).read_text()


def shapes(text: str) -> list[str]:
    """Each form of a line once: numbers and times do not count."""
    text = re.sub(r"GPU-[0-9a-f-]{36}", "UUID", text)
    lines = (re.sub(r"\d+(?:\.\d+)?", "N", line).strip() for line in re.split(r"[\r\n]+", text))
    return list(dict.fromkeys(re.sub(r"at:   .*", "at:", line) for line in lines if line))


def test_gpu_burn_prints_what_was_recorded(tmp_path):
    """The lines of a real burn in their order, and of one without its compare kernel."""
    stage = h100(tmp_path, gpus=[{"bdf": "0000:00:06.0", "name": "NVIDIA H200"}])
    stage.driver(VERSION)
    whole = shapes(own("gpu_burn/one_h200.txt"))
    died = shapes(own("gpu_burn/no_kernel_h200.txt").replace("nosuch.", "compare."))
    place = tmp_path / "burn"
    place.mkdir()
    for kernel, wanted, status in ((False, died, 123), (True, whole, 0)):
        if kernel:
            (place / "compare.fatbin").write_text("")
        done = stage.run("gpu_burn", "-tc", "60", folder=place)
        said = shapes(done.stdout)
        assert (said, done.returncode) == (wanted, status)


def test_nvidia_smi_q_of_a_newer_driver_says_what_a_real_one_says(node):
    """Each leaf of the stand-in is one of the real report, and all that is judged is in it."""
    (real,) = nvidia_smi.query(own("nvidia/one_h200_q.txt")).gpus
    made = nvidia_smi.query(node.said("nvidia-smi", "-q")).gpus[0]
    assert made.leaves.keys() <= real.leaves.keys()
    assert made.judged() == {
        one for one in real.judged() if "Inactive" not in one and "Fabric / Health" not in one
    } | {"Fabric / Health / Bandwidth"}


def test_nvidia_smi_refuses_an_option_that_is_none(node):
    done = node.run("nvidia-smi", "--nonsense")
    wanted = "ERROR: Option --nonsense is not recognized. Please run 'nvidia-smi -h'.\n\n"
    assert (done.stdout, done.returncode) == (wanted, 255)


def without_time(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith("Timestamp"))


@pytest.mark.samples
def test_nvidia_smi_q_prints_what_was_recorded(tmp_path, samples):
    """The first GPU of a healthy node is the recording, but for the time."""
    stage = h100(tmp_path)
    stage.driver("565.57.01")
    stage.put("usr/share/standin/nvidia/fabricmanager", "565.57.01\n")
    stage.said("nv-fabricmanager")
    stage.said("nvidia-smi", "-pm", "1")
    first = stage.said("nvidia-smi", "-q").partition("GPU 00000000:2A")[0]
    excerpt = recorded(samples / "nvidia_smi_q_h100_healthy_excerpt.txt")
    assert without_time(first) == without_time(excerpt)


@pytest.mark.samples
def test_topology_prints_what_was_recorded(node, samples):
    """The words of `topo -m` are the recording's, whose columns were set by hand."""
    said, wanted = node.said("nvidia-smi", "topo", "-m"), samples / "nvidia_smi_topo_m_8xH100.txt"
    assert said.split() == recorded(wanted).split()


@pytest.mark.samples
def test_gdscheck_prints_what_was_recorded(tmp_path, samples):
    """The whole print of the recorded machine is the recording."""
    gpu = {"name": "NVIDIA RTX 6000 Ada Generation", "bar_mib": 65536}
    platform = "Puget Rackstation Threadripper PRO WRX90 T141-4U"
    gpus = [{**gpu, "bdf": f"0000:{bus}:00.0"} for bus in ("01", "02")]
    stage = Stage(tmp_path, nics=[], gpus=gpus, cuda=12090, platform=platform)
    stage.put("proc/sys/kernel/osrelease", "6.8.0-60-generic\n")
    place = "lib/modules/6.8.0-60-generic/updates/dkms"
    for name in ("nvidia", "nvidia-fs"):
        stage.put(f"{place}/{name}.ko", module(name, "1"))
    stage.put("etc/modules-load.d/gds.conf", "nvidia-fs\n")
    stage.put("etc/cufile.json", '{\n// no fallback\n"properties": {"allow_compat_mode": false}}')
    assert stage.said("gdscheck", "-p") == recorded(samples / "gdscheck_p_1_14.txt")


def test_gdscheck_says_what_is_missing(node):
    node.module("nvidia-fs", "2.27.3")
    said = node.said("gdscheck", "-p")
    assert " NVMe               : Unsupported\n" in said
    assert "use_compat_mode : true" in said
    node.put("proc/cmdline", "iommu=pt\n")
    assert "IOMMU: Pass-through or enabled" in node.said("gdscheck", "-p")
    node.put("etc/cufile.json", "{")
    assert "load error" in node.refused("gdscheck", "-p")


def test_queries(node):
    query = "--query-gpu=index,driver_version,pci.bus_id"
    said = node.said("nvidia-smi", query, "--format=csv,noheader").splitlines()
    assert said[0] == f"0, {VERSION}, 00000000:18:00.0"
    assert len(said) == 8
    refused = node.refused("nvidia-smi", "--query-gpu=nope", "--format=csv")
    assert 'Field "nope" is not a valid field to query.' in refused
    assert "csv" in node.refused("nvidia-smi", query)


def test_libraries_of_another_version_than_the_loaded_driver(node):
    """As after an upgrade of packages without a reboot."""
    node.said("nvidia-smi", "-L")
    node.driver("580.126.16")
    assert "Driver/library version mismatch" in node.refused("nvidia-smi")
    node.boot("boot-2")
    assert "580.126.16" in node.said("nvidia-smi")


def test_without_driver_or_gpu(tmp_path):
    stage = Stage(tmp_path, gpus=[])
    assert "couldn't communicate with the NVIDIA driver" in stage.refused("nvidia-smi")
    stage.driver(VERSION)
    assert "No devices were found" in stage.refused("nvidia-smi")


def test_the_fabric_is_completed_by_an_equal_manager_only(node):
    assert re.search(r"State +: In Progress", node.said("nvidia-smi", "-q"))
    node.put("usr/share/standin/nvidia/fabricmanager", "590.48.01\n")
    said = node.refused("nv-fabricmanager")
    assert "driver interface version 590.48.01 don't match with driver version 580.126.20" in said
    node.put("usr/share/standin/nvidia/fabricmanager", f"{VERSION}\n")
    node.said("nv-fabricmanager")
    assert re.search(r"State +: Completed", node.said("nvidia-smi", "-q"))
    assert "590.48.01 don't match" in (node.root / "var/log/fabricmanager.log").read_text()


def test_switches_of_b200_want_their_module_and_their_subnet_manager(tmp_path):
    stage = h100(tmp_path, subnet_manager=True)
    stage.driver(VERSION)
    stage.put("usr/share/standin/nvidia/fabricmanager", f"{VERSION}\n")
    assert '"ib_umad" has not been loaded' in stage.refused("nv-fabricmanager")
    stage.module("ib_umad", "25.10")
    stage.put("etc/modules-load.d/95-railbed-nvidia.conf", "nvidia\nmlx5_ib\nib_umad\n")
    assert "(nvlsm) package" in stage.refused("nv-fabricmanager")
    stage.put("opt/nvidia/nvlsm/sbin/nvlsm", "")
    stage.said("nv-fabricmanager")
    assert re.search(r"State +: Completed", stage.said("nvidia-smi", "-q"))


def test_no_fabric_manager_without_nvswitch(tmp_path):
    stage = h100(tmp_path, nvswitches=0)
    stage.driver(VERSION)
    stage.put("usr/share/standin/nvidia/fabricmanager", f"{VERSION}\n")
    assert "NV_WARN_NOTHING_TO_DO" in stage.refused("nv-fabricmanager")
    assert re.search(r"State +: N/A", stage.said("nvidia-smi", "-q"))


def test_nvidia_ctk_writes_a_drop_in_for_containerd(node):
    node.put("etc/containerd/config.toml", "version = 2\n[plugins]\n")
    node.said("nvidia-ctk", "runtime", "configure", "--runtime=containerd", "--cdi.enabled")
    top = (node.root / "etc/containerd/config.toml").read_text()
    assert top == 'imports = ["/etc/containerd/conf.d/*.toml"]\nversion = 2\n[plugins]\n'
    drop_in = (node.root / "etc/containerd/conf.d/99-nvidia.toml").read_text()
    assert 'BinaryName = "/usr/bin/nvidia-container-runtime"' in drop_in
    assert "enable_cdi = true" in drop_in
    node.said("nvidia-ctk", "runtime", "configure", "--runtime=containerd", "--cdi.enabled")
    assert (node.root / "etc/containerd/config.toml").read_text() == top


def test_nvidia_ctk_merges_into_dockers_file(node):
    node.put("etc/docker/daemon.json", '{"log-driver": "journald"}')
    node.said("nvidia-ctk", "runtime", "configure", "--runtime=docker", "--set-as-default")
    daemon = json.loads((node.root / "etc/docker/daemon.json").read_text())
    assert daemon["log-driver"] == "journald"
    assert daemon["default-runtime"] == "nvidia"
    refused = node.refused(
        "nvidia-ctk", "runtime", "configure", "--runtime=docker", "--drop-in-config=/etc/x"
    )
    assert "does not support drop-in configs" in refused
    assert "unrecognized runtime" in node.refused(
        "nvidia-ctk", "runtime", "configure", "--runtime=podman"
    )


def test_nvidia_ctk_makes_and_lists_cdi_devices(node, tmp_path):
    node.said("nvidia-ctk", "cdi", "generate", "--output=/var/run/cdi/nvidia.yaml")
    listed = node.said("nvidia-ctk", "cdi", "list").splitlines()
    assert {"nvidia.com/gpu=0", "nvidia.com/gpu=7", "nvidia.com/gpu=all"} <= set(listed)
    node.said("nvidia-ctk", "cdi", "generate", "--output=/etc/cdi/nvidia.yaml")
    assert "registry errors" in node.run("nvidia-ctk", "cdi", "list").stderr
    assert "failed to initialize NVML" in Stage(tmp_path / "none", gpus=[]).refused(
        "nvidia-ctk", "cdi", "generate"
    )


# --- DKMS -------------------------------------------------------------------------------------

SOURCE = f"usr/src/nvidia-{VERSION}"
BUILD = ("-m", "nvidia", "-v", VERSION)


def test_dkms_wants_the_headers_of_the_running_kernel(stage):
    stage.put(f"{SOURCE}/nvidia.ko", module("nvidia", VERSION))
    stage.said("dkms", "add", *BUILD)
    assert stage.said("dkms", "status") == f"nvidia/{VERSION}: added\n"
    refused = stage.refused("dkms", "build", *BUILD)
    assert f"Your kernel headers for kernel {KERNEL} cannot be found" in refused
    stage.put(f"lib/modules/{KERNEL}/build/include/utsrelease.h", "")
    stage.said("dkms", "install", f"nvidia/{VERSION}")
    assert stage.said("dkms", "status") == f"nvidia/{VERSION}, {KERNEL}, x86_64: installed\n"
    stage.said("dkms", "remove", *BUILD, "--all")
    assert stage.said("dkms", "status") == ""
    assert not (stage.root / f"lib/modules/{KERNEL}/updates/dkms/nvidia.ko").exists()


def test_dkms_says_where_a_build_failed(stage):
    stage.put(f"{SOURCE}/FAILS", "")
    stage.put(f"lib/modules/{KERNEL}/build/include/utsrelease.h", "")
    done = stage.run("dkms", "build", *BUILD)
    assert (done.returncode, "Bad return status" in done.stderr) == (10, True)
