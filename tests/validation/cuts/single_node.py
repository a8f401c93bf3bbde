"""What measures one node: fio, gpu_burn, STREAM, DCGM, NVLink, gdsio."""

from __future__ import annotations

from pathlib import Path

from validation.parse.gpu import dcgmi_diag, gdsio, gpu_burn, nvlink
from validation.parse.loads import fio, memory_copy, stream
from validation.stages.s45_single_node import gpus

from . import Case

_HERE = Path(__file__).parents[2] / "evidence"
_READ = {
    "fio/write_read_v3_33.json": fio.run,
    "gpu_burn/eight.txt": gpu_burn.burnt,
    "gpu_burn/one_faulty.txt": gpu_burn.burnt,
    "gpu_burn/one_h200.txt": gpu_burn.burnt,
    "stream/one_socket.txt": stream.triad,
    "dcgm/v3_level3.json": dcgmi_diag.diag,
    "dcgm/v4_level3.json": dcgmi_diag.diag,
    "nvlink/eight_h100.txt": nvlink.status,
    "nvlink/one_inactive.txt": nvlink.status,
    "nvidia/one_h200_gpus.txt": gpus.known,
    "gdsio/direct.txt": gdsio.run,
}
_MEMORY = (
    '{"memory_copy": 1, "asked_s": 2.0, "nodes": [{"numa": 0, "cpus": 2, "bytes": 6375342080, '
    '"seconds": 2.031, "right": true}]}\n'
)
_WHO = (
    "0, 00000000:1B:00.0, GPU-00000001-1111-2222-3333-444455556666, 1653, NVIDIA H100 80GB HBM3\n"
    "1, 00000000:43:00.0, GPU-00000002-1111-2222-3333-444455556666, 1654, NVIDIA H100 80GB HBM3\n"
    "end 2\n"
)
CASES = (
    Case("memory_copy", memory_copy.copied, _MEMORY),
    Case("gpus", gpus.known, _WHO),
    *(
        Case(name.replace("/", "-"), read, (_HERE / name).read_text(encoding="utf-8"))
        for name, read in _READ.items()
    ),
)
