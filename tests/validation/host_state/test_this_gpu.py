"""The driver, CUDA's libraries and NCCL of this machine, where it has an NVIDIA GPU."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from jinja2 import Template

import validation
from inventory.golden.topo import parse_topo
from tests.tree import ROOT
from validation.host_state.facts import Unread, known
from validation.host_state.read import facts
from validation.parse.gpu import nvlink
from validation.parse.host.host_state import host_state
from validation.stages.s45_single_node import gpus, shell

pytestmark = pytest.mark.gpu

SCRIPT = Path(validation.__file__).parent / "on_node" / "host_state.sh"


@pytest.fixture(scope="module")
def state() -> bytes:
    done = subprocess.run(["sh", str(SCRIPT)], capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return done.stdout


def test_the_driver_is_read_as_it_is(state):
    """What the real nvidia-smi and /proc say of driver and GPUs is understood, and agrees."""
    gpu = facts(host_state(state)).gpu
    smi, (version, _) = known(gpu.smi), known(gpu.module)
    assert smi.driver == version
    assert smi.gpus
    assert not isinstance(gpu.options, Unread)


def test_the_topology_is_read_as_it_is():
    """The real matrix of `nvidia-smi topo -m` has one row for each GPU."""
    told = subprocess.run(["nvidia-smi", "topo", "-m"], capture_output=True, text=True, timeout=60)
    listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=60)
    assert len(parse_topo(told.stdout)) == len(listed.stdout.splitlines())


def test_cuda_finds_the_gpus_that_the_driver_shows():
    """The real CUDA driver library counts as many devices as nvidia-smi lists."""
    cuda = ctypes.CDLL("libcuda.so.1")
    count = ctypes.c_int()
    assert cuda.cuInit(0) == 0
    assert cuda.cuDeviceGetCount(ctypes.byref(count)) == 0
    listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=60)
    assert count.value == len(listed.stdout.splitlines())


@pytest.mark.parametrize(
    ("text", "read"), [(shell.WHO, gpus.known), (shell.NVLINK, nvlink.status)], ids=["who", "links"]
)
def test_what_a_single_node_is_asked_of_its_gpus_is_answered(text, read, tmp_path):
    """The real nvidia-smi answers the very shell of stage 45, and its answer is read."""
    env = {**os.environ, "RAILBED_TMP": str(tmp_path)}
    told = subprocess.run(["sh", "-c", text], env=env, capture_output=True, text=True, timeout=60)
    assert told.returncode == 0, told.stderr
    listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=60)
    assert len(read(told.stdout)) in (0, len(listed.stdout.splitlines()))


# One communicator of one GPU; NCCL tells what it was set to when it looks for its networks.
_INIT = """\
import ctypes, sys
nccl, comm = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p()
sys.exit(nccl.ncclCommInitAll(ctypes.byref(comm), 1, None))
"""


def test_nccl_takes_the_file_that_the_role_writes(tmp_path):
    """The real NCCL says that it is set as nccl.conf sets it, with the `=` of exact names."""
    library = ctypes.util.find_library("nccl")
    if library is None:
        pytest.skip("there is no NCCL here")
    wanted = {"NCCL_IB_HCA": "=mlx5_0,mlx5_3", "NCCL_IB_TC": "106", "NCCL_SOCKET_IFNAME": "=lo"}
    template = Template((ROOT / "roles/nccl/templates/nccl.conf.j2").read_text(), trim_blocks=True)
    (tmp_path / "nccl.conf").write_text(template.render(nccl_settings=wanted))
    env = {
        **os.environ,
        "NCCL_CONF_FILE": str(tmp_path / "nccl.conf"),
        "NCCL_DEBUG": "INFO",
        "NCCL_DEBUG_SUBSYS": "INIT,NET,ENV",
    }
    told = subprocess.run(
        [sys.executable, "-c", _INIT, library], env=env, capture_output=True, text=True, timeout=120
    )
    assert told.returncode == 0, told.stdout + told.stderr
    for name in ("NCCL_IB_HCA", "NCCL_SOCKET_IFNAME"):
        assert f"{name} set to {wanted[name]}" in told.stdout
