"""The kernel's log as host_state.sh brings it, and its patterns."""

from __future__ import annotations

from validation.parse.host import kernel_log

from . import Case

_LIMITED = (
    "mlx5_core 0001:43:00.0: 63.008 Gb/s available PCIe bandwidth, limited by "
    "8.0 GT/s PCIe x8 link at 0001:42:01.0 (capable of 126.016 Gb/s with 8.0 GT/s PCIe x16 link)"
)
_LINES = (
    f"[    8.387840] {_LIMITED}",
    "[  914.125250] NVRM: Xid (PCI:0000:b1:00): 79, pid=1896, GPU has fallen off the bus.",
    "[ 1000.000001] mlx5_core 0000:18:00.0 enp24s0np0: Link down",
    "end of log, 3 lines",
)
CASES = (Case("kernel-log", kernel_log.whole_log, "\n".join(_LINES) + "\n"),)
