"""The command lines of the load tools, server and client, for a node's POSIX sh."""

from __future__ import annotations

import shlex
from ipaddress import IPv4Address

from validation.loads import MESSAGE_BYTES, LoadProbe

CONNECT_MS = 3000
ECT0 = 0b10  # RFC 3168: the sender understands congestion marks
_GID = """\
gid() { for one in /sys/class/infiniband/$1/ports/1/gid_attrs/types/*; do n=${one##*/}; \
[ "$(cat "$one" 2>/dev/null)" = 'RoCE v2' ] || continue; \
[ "$(cat "/sys/class/infiniband/$1/ports/1/gids/$n")" = "$2" ] && echo "$n" && return; done; \
echo "$1 has no RoCE v2 GID of $2" >&2; return 1; }; """


def server(flow: LoadProbe) -> tuple[str, str]:
    """What has to run before, and the argv, as shell text, of a server for this one flow."""
    if flow.terms.tool == "iperf3":
        return "", f"iperf3 -s -1 -B {flow.target} -p {flow.port}"
    return _with_gid(flow, flow.receiver_device, flow.target, "")


def client(flow: LoadProbe) -> tuple[str, str]:
    """The same of the client, whose output is the evidence.

    The kernel keeps the ECN bits of TCP for itself (RFC 3168, 6.1), so TCP gets the DSCP alone.
    """
    if flow.terms.tool == "iperf3":
        return "", (
            f"iperf3 -c {flow.target} -B {flow.source} -p {flow.port} -J -t {flow.terms.seconds} "
            f"-P {flow.terms.streams} -S {flow.dscp << 2} --connect-timeout {CONNECT_MS}"
        )
    return _with_gid(flow, flow.sender_device, flow.source, f" {flow.target}")


def _with_gid(flow: LoadProbe, device: str, address: IPv4Address, towards: str) -> tuple[str, str]:
    """The GID of an address is looked up on the node: its index differs between hosts."""
    low = f"{int(address):08x}"
    gid = f"0000:0000:0000:0000:0000:ffff:{low[:4]}:{low[4:]}"
    name = shlex.quote(device)
    before = f"{_GID}gid=$(gid {name} {gid}) || exit 1; "
    return before, (
        f'ib_write_bw -d {name} -x "$gid" -F -q {flow.terms.streams} -s {MESSAGE_BYTES} '
        f"-D {flow.terms.seconds} --report_gbits --tclass={flow.dscp << 2 | ECT0} "
        f"-p {flow.port}{towards}"
    )
