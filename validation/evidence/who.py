"""Who a device is, as its shell tells in four lines.

Host name, MAC of its management port, boot, its own clock (Unix seconds).

The name of that port is its kernel's on most systems. EOS calls Management1 otherwise in its kernel
and NX-OS has mgmt0 in another network namespace than its shell (Open NX-OS, Linux network
namespaces), so there the command line is asked for the burned-in address. What it does not tell
leaves a line out, and so nobody identified.
"""

from __future__ import annotations

import shlex

_BOOT = "cat /proc/sys/kernel/random/boot_id"
_CLOCK = "date +%s"
_OCTET = r"\([0-9a-f][0-9a-f]\)"
_DOTTED = "[.]".join([_OCTET * 2] * 3)
_EOS = (
    "FastCli -p 15 -c {show} | "
    r"""sed -n 's/.*"burnedInAddress": *"\([0-9a-f:]\{{17\}}\)".*/\1/p'"""
)
_DOTTED_MAC = rf"""sed -n 's/.*"eth_bia_addr": *"{_DOTTED}".*/\1:\2:\3:\4:\5:\6/p'"""
_NXOS = f"vsh -c {{show}} | {_DOTTED_MAC}"


def line(port: str, dialect: str = "") -> str:
    """The POSIX sh text for a device of this dialect ("" for a server)."""
    match dialect:
        case "eos":
            mac = _EOS.format(show=shlex.quote(f"show interfaces {port} | json"))
        case "nxos":
            mac = _NXOS.format(show=shlex.quote(f"show interface {port} | json"))
        case _:
            mac = f"cat {shlex.quote(f'/sys/class/net/{port}/address')}"
    return f"hostname && {mac} && {_BOOT} && {_CLOCK}"
