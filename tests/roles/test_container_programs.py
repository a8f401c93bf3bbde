"""railbed-cdi and railbed-nccl on a tree of files, and real containers that get what they say."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from roles.pyinfra_role import text_of
from validation.parse.gpu.cdi_spec import cdi_devices

from .node_tree import Node
from .owned import variables

CACHE = Path("/var/cache/railbed/containers")
PACKAGES = (
    "busybox-static", "conmon", "containerd", "golang-github-containers-common",
    "golang-github-containers-image", "libassuan0", "libgpgme11", "libsubid4", "podman", "runc",
)  # fmt: skip


def cdi(root: Path) -> Node:
    node = Node(root, "container_runtime", "railbed-cdi", "cdi", {}, settings="railbed-cdi.conf")
    text = node.program.read_text().replace(f"/var{root}/run", f"{root}/run")
    node.program.write_text(text.replace("/dev/infiniband", f"{root}/dev/infiniband"))
    asked = root / "etc/default/railbed-cdi"
    asked.write_text(asked.read_text().replace("file /", f"file {root}/"))
    return node


def described(root: Path) -> dict[str, Any]:
    told = json.loads((root / "run/cdi/railbed-rdma.json").read_text())
    [device] = told["devices"]
    assert (told["kind"], device["name"]) == ("railbed.io/rdma", "all")
    edits: dict[str, Any] = device["containerEdits"]
    return edits


@pytest.mark.skipif(os.geteuid() != 0, reason="device nodes are root's to make")
def test_devices_and_files_that_are_there_are_described(tmp_path):
    node = cdi(tmp_path)
    (tmp_path / "dev/infiniband/by-path").mkdir(parents=True)
    for number, one in enumerate(("rdma_cm", "uverbs0", "uverbs1")):
        os.mknod(tmp_path / "dev/infiniband" / one, 0o600 | 0o020000, os.makedev(231, number))
    node.write("/etc/nccl.conf", "NCCL_IB_TC=106\n")
    assert node.run().returncode == 0
    edits = described(tmp_path)
    paths = [one["path"].rpartition("/")[2] for one in edits["deviceNodes"]]
    assert paths == ["rdma_cm", "uverbs0", "uverbs1"]
    [mount] = edits["mounts"]
    assert mount["hostPath"] == f"{tmp_path}/etc/nccl.conf"
    assert "ro" in mount["options"]
    assert [one.name for one in (tmp_path / "run/cdi").iterdir()] == ["railbed-rdma.json"]


@pytest.mark.skipif(os.geteuid() != 0, reason="device nodes are root's to make")
def test_what_the_role_describes_is_what_stage_30_reads(tmp_path):
    node = cdi(tmp_path)
    (tmp_path / "dev/infiniband").mkdir(parents=True)
    for number, one in enumerate(("rdma_cm", "uverbs0")):
        os.mknod(tmp_path / "dev/infiniband" / one, 0o600 | 0o020000, os.makedev(231, number))
    node.write("/etc/nccl.conf", "NCCL_IB_TC=106\n")
    assert node.run().returncode == 0
    path = tmp_path / "run/cdi/railbed-rdma.json"
    found = cdi_devices(path.read_text(), str(path))["railbed.io/rdma=all"]
    assert {one.removeprefix(str(tmp_path)) for one in found.nodes | set(found.mounts)} == {
        "/dev/infiniband/rdma_cm", "/dev/infiniband/uverbs0", "/etc/nccl.conf"
    }  # fmt: skip


def test_without_devices_it_is_still_a_description(tmp_path):
    assert cdi(tmp_path).run().returncode == 0
    assert described(tmp_path) == {"deviceNodes": [], "mounts": []}


NCCL = [{"name": "mlx5_0", "pci": "0000:18:00.0"}, {"name": "mlx5_3", "pci": ""}]


def nccl(root: Path) -> Node:
    more = {"nccl_devices": NCCL}
    return Node(root, "nccl", "railbed-nccl", "nccl", more, settings="railbed-nccl.conf")


def there(root: Path, name: str, pci: str) -> None:
    place = root / "sys/devices/pci0000:15" / pci
    place.mkdir(parents=True, exist_ok=True)
    device = root / "sys/class/infiniband" / name
    device.mkdir(parents=True)
    (device / "device").symlink_to(place)


def test_devices_at_their_addresses_are_fine(tmp_path):
    there(tmp_path, "mlx5_0", "0000:18:00.0")
    there(tmp_path, "mlx5_3", "0000:40:00.0")
    done = nccl(tmp_path).run("check")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_device_with_anothers_number_is_found(tmp_path):
    """mlx5_N follows the order in which the kernel found them: a new card shifts the rest."""
    there(tmp_path, "mlx5_0", "0000:40:00.0")
    there(tmp_path, "mlx5_3", "0000:18:00.0")
    done = nccl(tmp_path).run("check")
    assert done.returncode == 1
    assert "found mlx5_0 at 0000:40:00.0, expected it at 0000:18:00.0" in done.stderr


def test_a_device_that_is_missing_is_a_failure_unless_a_reboot_is_awaited(tmp_path):
    node = nccl(tmp_path)
    done = node.run("check")
    assert done.returncode == 1
    assert "found no RDMA device mlx5_0, expected it at 0000:18:00.0" in done.stderr
    node.write("/run/railbed/reboot-required.d/ofed", "new driver\n")
    assert node.run("check").returncode == 0


# What Debian's and Ubuntu's Open MPI 4.1 told; mpi.h is in the first folder.
_LIB = "/usr/lib/x86_64-linux-gnu/openmpi"
MPICC = f"""\
case $1 in
--showme:incdirs) echo {_LIB}/include {_LIB}/include/openmpi ;;
--showme:libdirs) echo {_LIB}/lib ;;
*) exit 1 ;;
esac"""
MAKEFILE = "all:\n\tmkdir -p $(BUILDDIR); echo $(MPI) $$CPATH $$LIBRARY_PATH > $(BUILDDIR)/x\n"
needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")


def sources(root: Path, mpicc: str) -> Node:
    """A node with the sources of nccl-tests, whose Makefile notes what it is given."""
    node = nccl(root)
    text = text_of("nccl", "railbed-nccl.conf.j2", {**variables("nccl"), "nccl_devices": []})
    text = text.replace("/usr/src/", f"{root}/src/").replace("/opt/", f"{root}/opt/")
    node.write("/etc/default/railbed-nccl", text)
    node.write("/src/nccl-tests/Makefile", MAKEFILE)
    node.tool("mpicc", mpicc)
    return node


def test_without_their_sources_no_tests_of_nccl_are_built(tmp_path):
    assert "found no" in nccl(tmp_path).run("build").stderr


@needs_make
def test_tests_of_nccl_are_built_with_mpi_wherever_its_compiler_says_that_it_lies(tmp_path):
    """By real make; their Makefile alone looks for MPI in no folder that Debian has."""
    node = sources(tmp_path, MPICC)
    assert node.run("build", CPATH="/opt/nccl/include").returncode == 0
    mpi, headers, libraries = node.read("/opt/nccl-tests/build/x").split()
    assert mpi == "1"
    assert headers == f"/opt/nccl/include:{_LIB}/include:{_LIB}/include/openmpi"
    assert libraries == f"{_LIB}/lib"


@needs_make
def test_nothing_is_built_with_an_mpi_that_does_not_tell_its_places(tmp_path):
    """MPICH's wrapper has no such option, and its launcher is not the one that stage 70 has."""
    node = sources(tmp_path, "echo 'unknown option' >&2; exit 1")
    done = node.run("build")
    assert (done.returncode, node.has("/opt/nccl-tests")) == (1, False)
    assert "does not tell its places, expected Open MPI's" in done.stderr


# -- engines that nobody here wrote ---------------------------------------------------------------


@pytest.fixture(scope="module")
def engines() -> Path:
    """Debian's containerd, runc and podman, unpacked aside; nothing is installed or started."""
    shown = subprocess.run(
        ["apt-cache", "policy", *PACKAGES], capture_output=True, text=True, check=True
    )
    key = "-".join(line.split()[1] for line in shown.stdout.splitlines() if "Candidate:" in line)
    root = CACHE / sha256(key.encode()).hexdigest()[:16]
    if not root.is_dir():
        half = root.with_suffix(".half")
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir(parents=True)
        get = ["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", *PACKAGES]
        subprocess.run(get, cwd=half, check=True)
        for package in sorted(half.glob("*.deb")):
            subprocess.run(["dpkg-deb", "-x", package, half], check=True)
            package.unlink()
        half.rename(root)
    return root


@pytest.mark.instances(keep=1, of="real containers")
@pytest.mark.lab
@pytest.mark.parametrize("gpus", [True, False])
def test_real_containerd_takes_the_configuration(tmp_path, engines, gpus):
    """It merges the drop-in over its own defaults, and loses none of these."""
    values = {"container_runtime_gpus": gpus}
    (tmp_path / "conf.d").mkdir()
    main = text_of("container_runtime", "config.toml", values)
    main = main.replace("/etc/containerd/conf.d", f"{tmp_path}/conf.d")
    (tmp_path / "config.toml").write_text(main)
    drop_in = text_of("container_runtime", "containerd.toml.j2", values)
    (tmp_path / "conf.d/90-railbed.toml").write_text(drop_in)
    dump = [engines / "usr/bin/containerd", "--config", tmp_path / "config.toml", "config", "dump"]
    done = subprocess.run(dump, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("SystemdCgroup = true") == (2 if gpus else 1)
    assert ('BinaryName = "/usr/bin/nvidia-container-runtime"' in done.stdout) == gpus
    assert "sandbox_image" in done.stdout


@pytest.mark.instances(keep=1, of="real containers")
@pytest.mark.lab
def test_a_real_container_sees_devices_and_files_and_the_engines_limit(tmp_path, engines):
    """podman reads our CDI description; without the device the same container has neither."""
    node = cdi(tmp_path)
    folder = tmp_path / "dev/infiniband"
    folder.mkdir(parents=True)
    os.mknod(folder / "uverbs0", 0o600 | 0o020000, os.makedev(231, 192))
    node.write("/etc/nccl.conf", "NCCL_IB_TC=106\n")
    assert node.run().returncode == 0
    see = f"ls -l {folder}/uverbs0; cat {tmp_path}/etc/nccl.conf; ulimit -l"
    given = Path("/var/run/cdi/railbed-test.json")
    given.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(tmp_path / "run/cdi/railbed-rdma.json", given)
    # Both at once: without a control group podman waits 20 s for the end of each.
    given_it = ("--device", "railbed.io/rdma=all")
    try:
        with ThreadPoolExecutor() as pool:
            both = (
                pool.submit(contained, tmp_path, engines, see, *more) for more in (given_it, ())
            )
            with_it, without = (one.result() for one in list(both))
    finally:
        given.unlink()
    assert "231, 192" in with_it
    assert "NCCL_IB_TC=106" in with_it
    # A container has what its engine has, which is why the engine's service has a drop-in.
    assert with_it.strip().endswith("64")
    assert "231, 192" not in without
    assert "NCCL_IB_TC" not in without


def contained(tmp_path: Path, engines: Path, script: str, *options: str) -> str:
    """Run a script in a container of its own, as an engine with 64 KiB to lock would."""
    home = tmp_path / f"podman-{len(options)}"
    (home / "rootfs/bin").mkdir(parents=True)
    busybox = home / "rootfs/bin/busybox"
    shutil.copy(engines / "bin/busybox", busybox)
    for name in ("sh", "ls", "cat"):
        (busybox.parent / name).symlink_to("busybox")
    (home / "containers.conf").write_text(
        '[engine]\ncgroup_manager="cgroupfs"\nevents_logger="none"\nruntime="runc"\n'
        f'conmon_path=["{engines}/usr/bin/conmon"]\n'
        f'[engine.runtimes]\nrunc=["{engines}/usr/sbin/runc"]\n'
        '[containers]\nseccomp_profile="unconfined"\napparmor_profile="unconfined"\n'
        'default_ulimits=["nofile=1024:1024","nproc=1024:1024"]\n'
    )
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "CONTAINERS_CONF": str(home / "containers.conf"),
        "LD_LIBRARY_PATH": str(engines / "usr/lib/x86_64-linux-gnu"),
    }
    # podman takes no longer path than 50 characters for it.
    short = tempfile.mkdtemp(prefix="rb-", dir="/tmp")
    podman = [
        *(str(engines / "usr/bin/podman"), "--root", str(home / "store")),
        *("--runroot", short, "--storage-driver", "vfs", "run", "--rm"),
        *("--network", "none", "--cgroups=no-conmon", *options),
        *("--rootfs", str(home / "rootfs"), "/bin/sh", "-c", script),
    ]
    limited = ["prlimit", "--memlock=65536:65536", *podman]
    try:
        done = subprocess.run(limited, env=env, capture_output=True, text=True, timeout=120)
    finally:
        shutil.rmtree(short)
    return done.stdout + done.stderr
