"""The POSIX sh of what a single node is asked, beside files on its disk. Text in, text out."""

from __future__ import annotations

import shlex

from .nics import MESSAGE_BYTES, QPS, NicPath

# nvidia-smi's order, whatever CUDA's own default is (CUDA C++ guide, environment variables).
ORDER = "export CUDA_DEVICE_ORDER=PCI_BUS_ID; "
WHO = (
    "nvidia-smi --query-gpu=index,pci.bus_id,uuid,serial,name --format=csv,noheader >"
    '"$RAILBED_TMP/gpus" || exit $?; cat "$RAILBED_TMP/gpus"; echo "end $(grep -c . '
    '<"$RAILBED_TMP/gpus")"'
)
NVLINK = (
    'nvidia-smi nvlink -s >"$RAILBED_TMP/nvlink" || exit $?; cat "$RAILBED_TMP/nvlink"; '
    'echo "end $(wc -l <"$RAILBED_TMP/nvlink")"'
)
# The index of a GID differs between hosts; it is looked up by the address (ib_core's gid_attrs).
_NIC = """\
gid() {{ for one in /sys/class/infiniband/{device}/ports/1/gid_attrs/types/*; do n=${{one##*/}}
  [ "$(cat "$one" 2>/dev/null)" = 'RoCE v2' ] || continue
  [ "$(cat "/sys/class/infiniband/{device}/ports/1/gids/$n")" = {gid} ] && echo "$n" && return
done; echo "{device} has no RoCE v2 GID of {address}" >&2; return 1; }}
at=$(gid) || exit 70
{order}bw="numactl -N {numa} -m {numa} ib_write_bw -d {device} -x $at -F -q {qps} -s {size} \\
-D {seconds} --report_gbits -p {tcp}{gpu}"
timeout {life} $bw >"$RAILBED_TMP/served" 2>&1 &
pid=$!
trap 'kill "$pid" 2>/dev/null' EXIT
n=0
until ss -Hltn 'sport = :{tcp}' | grep -q .; do
  kill -0 "$pid" 2>/dev/null && [ "$n" -lt 100 ] || {{ cat "$RAILBED_TMP/served" >&2; exit 71; }}
  n=$((n + 1)); sleep 0.1
done
$bw {address}
"""


def memory(seconds: int) -> str:
    """The copy loop; the program is sent along."""
    return f'exec python3 "$RAILBED_TMP/memory_copy.py" {seconds}'


def stream(program: str, numa: int | None) -> str:
    """STREAM with all CPUs and the memory of one NUMA node; of all, where none is told."""
    bound = "" if numa is None else f"numactl -N {numa} -m {numa} "
    return f"exec {bound}{shlex.quote(program)}"


def dcgm(level: int) -> str:
    """The diagnostic, as one JSON document."""
    return f"exec dcgmi diag -r {level} -j"


def burn(program: str, seconds: int) -> str:
    """gpu_burn on every GPU, with tensor cores; it wants its compare kernel beside it."""
    folder, _, name = program.rpartition("/")
    return f"{ORDER}cd -- {shlex.quote(folder or '/')} && exec ./{shlex.quote(name)} -tc {seconds}"


def all_reduce(program: str, size: int, gpus: int) -> str:
    """One process for all GPUs, one size, results checked."""
    return (
        f"{ORDER}NCCL_DEBUG=WARN exec {shlex.quote(program)} "
        f"-b {size} -e {size} -g {gpus} -n 20 -w 5 -c 1"
    )


def nic(path: NicPath, seconds: int) -> str:
    """A NIC that writes to itself, both ends in one memory."""
    low = path.address.packed.hex()
    return _NIC.format(
        device=shlex.quote(path.device),
        gid=f"0000:0000:0000:0000:0000:ffff:{low[:4]}:{low[4:]}",
        order=ORDER if path.gpu is not None else "",
        address=path.address,
        numa=path.numa,
        qps=QPS,
        size=MESSAGE_BYTES,
        seconds=seconds,
        tcp=path.tcp_port,
        gpu="" if path.gpu is None else f" --use_cuda={path.gpu}",
        life=seconds + 30,
    )
