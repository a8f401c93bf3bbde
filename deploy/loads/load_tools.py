"""The command lines of the load tools, server and client, for a node's POSIX sh."""

from __future__ import annotations

import shlex
from ipaddress import IPv4Address

from validation.pairing.latency import LatencyProbe
from validation.pairing.loads import MESSAGE_BYTES, LoadProbe

CONNECT_MS = 3000
ECT0 = 0b10  # RFC 3168: the sender understands congestion marks
# Of RoCE v2 alone, which one search finds: each look at one of a table's entries costs a process.
_GID = """\
gid() { at=/sys/class/infiniband/$1/ports/1; \
for one in $(grep -slx 'RoCE v2' "$at"/gid_attrs/types/*); do n=${one##*/}; \
[ "$(cat "$at/gids/$n")" = "$2" ] && echo "$n" && return; done; \
echo "$1 has no RoCE v2 GID of $2" >&2; return 1; }; """
Load = LoadProbe | LatencyProbe


def server(flow: Load) -> tuple[str, str]:
    """What has to run before, and the argv, as shell text, of a server for this one flow."""
    if flow.terms.tool == "iperf3":
        return "", f"iperf3 -s -1 -B {flow.target} -p {flow.port}"
    gpu = flow.gpus[1:] if isinstance(flow, LoadProbe) else ()
    return _with_gid(flow, flow.receiver_device, flow.target, gpu, "")


def client(flow: Load) -> tuple[str, str]:
    """The same of the client, whose output is the evidence.

    The kernel keeps the ECN bits of TCP for itself (RFC 3168, 6.1), so TCP gets the DSCP alone.
    """
    if isinstance(flow, LoadProbe) and flow.terms.tool == "iperf3":
        return "", (
            f"iperf3 -c {flow.target} -B {flow.source} -p {flow.port} -J -t {flow.terms.seconds} "
            f"-P {flow.terms.streams} -S {flow.dscp << 2} --connect-timeout {CONNECT_MS}"
        )
    gpu = flow.gpus[:1] if isinstance(flow, LoadProbe) else ()
    return _with_gid(flow, flow.sender_device, flow.source, gpu, f" {flow.target}")


def _with_gid(
    flow: Load, device: str, address: IPv4Address, gpu: tuple[int, ...], towards: str
) -> tuple[str, str]:
    """The GID of an address is looked up on the node: its index differs between hosts.

    CUDA counts GPUs by speed unless told to do as nvidia-smi does (CUDA_DEVICE_ORDER).
    """
    low = f"{int(address):08x}"
    gid = f"0000:0000:0000:0000:0000:ffff:{low[:4]}:{low[4:]}"
    name = shlex.quote(device)
    before = f"{_GID}gid=$(gid {name} {gid}) || exit 1; "
    before += "export CUDA_DEVICE_ORDER=PCI_BUS_ID; " if gpu else ""
    memory = f" --use_cuda={gpu[0]}" if gpu else ""
    waits = f" -u {flow.terms.qp_timeout}" if flow.terms.qp_timeout else ""
    return before, (
        f'{flow.terms.tool} -d {name} -x "$gid" -F {_asked(flow)}{memory}{waits} '
        f"--tclass={flow.dscp << 2 | ECT0} -p {flow.port}{towards}"
    )


def _asked(flow: Load) -> str:
    """One size each: of data, or of the message whose round trip is timed."""
    if isinstance(flow, LatencyProbe):
        return f"-s {flow.terms.size_bytes} -n {flow.terms.iterations}"
    size = f"-q {flow.terms.streams} -s {MESSAGE_BYTES}"
    size += f" -t {flow.terms.depth}" if flow.terms.depth else ""
    return f"{size} -D {flow.terms.seconds} --report_gbits"
