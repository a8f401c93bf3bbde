"""PFC of an NX-OS switch's ports, by what it runs: nothing is ever paused here, so it counts 0.

`show interface priority-flow-control`: columns of the Cisco Nexus 9000 QoS guide, Configuring
Priority Flow Control, as recorded in paregupt/ucs_traffic_monitor (telegraf/
ucs_traffic_monitor.py). There, too: a port's mode is `auto` until told, and then off without a peer
that asks for PFC by DCBX, which no lab's cable has; a priority is paused where the network-qos
policy of `system qos` says `pause pfc-cos` of it. That a port which is on and has no such priority
shows the bitmap 0 is made up.
"""

from __future__ import annotations

import re

from ..blocks import Block, tree
from .text import WORDS

PFC = "show interface priority-flow-control"
_RULE = "=" * 60
_HEAD = f"{'Port':<18} Mode Oper(VL bmap)  RxPPP      TxPPP"


def pfc(text: str) -> str:
    """What that show says of the ports that this running configuration names."""
    top = tree(text, WORDS)
    bitmap = sum(1 << number for number in _paused(top))
    rows = ["slot  1", "=======", "", _RULE, _HEAD, _RULE, ""]
    for match, port in top.heads(r"interface (Ethernet[\d/]+)"):
        mode = port.last(r"priority-flow-control mode (auto|on|off)") or "auto"
        oper = f"On  ({bitmap:x})" if mode == "on" else "Off"
        rows.append(f"{match[1]:<18} {mode.capitalize():<4} {oper:<14} {0:<10} 0")
    return "\n".join(rows)


def _paused(top: Block) -> set[int]:
    """The priorities that the policy of the whole switch pauses."""
    policies = {
        system.last(r"service-policy type network-qos (\S+)")
        for _, system in top.heads("system qos")
    }
    return {
        int(number)
        for match, policy in top.heads(r"policy-map type network-qos (\S+)")
        if match[1] in policies
        for _, one in policy.heads(r"class type network-qos \S+")
        for said, _ in one.heads(r"pause pfc-cos ([\d,]+)")
        for number in re.findall(r"[0-7]", said[1])
    }
