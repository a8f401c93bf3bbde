"""The driver, CUDA's libraries and NCCL of this machine, where it has an NVIDIA GPU."""

from __future__ import annotations

import ctypes
import ctypes.util
import subprocess
from pathlib import Path

import pytest

import validation
from inventory.golden.topo import parse_topo
from validation.host_state.facts import Unread, known
from validation.host_state.read import facts
from validation.parse.host.host_state import host_state

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


def test_nccl_takes_the_file_that_the_role_writes(tmp_path, monkeypatch):
    """The real NCCL says which version it is, with our nccl.conf in its place."""
    library = ctypes.util.find_library("nccl")
    if library is None:
        pytest.skip("there is no NCCL here")
    monkeypatch.setenv("NCCL_CONF_FILE", str(tmp_path / "nccl.conf"))
    (tmp_path / "nccl.conf").write_text("NCCL_IB_TC=106\nNCCL_GIN_IB_TC=106\n")
    version = ctypes.c_int()
    assert ctypes.CDLL(library).ncclGetVersion(ctypes.byref(version)) == 0
    assert version.value > 20000
