"""What EOS, NX-OS and Linux print of the counters of their ports, by hand in their forms.

NX-OS: rows as in zartbot's capture of a Nexus 9300 and in the Nexus 9000 Command Reference.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from . import carried_says
from .carried_says import interface_counters
from .roce_site import PRIORITIES, Port, sectioned

_LINE = "+-------------------------------------------------------------+"


def eos(ports: Mapping[str, Port]) -> str:
    """Six shows; a queue that was never stuck has no row."""
    queues = {name: _classes(one) for name, one in ports.items()}
    marks = {name: _marks(one) for name, one in ports.items()}
    stuck = {
        name: {"txQueues": {"3": {"stuckCount": one.storms, "recoveryCount": one.storms}}}
        for name, one in ports.items()
        if one.storms
    }
    parts = {
        "queues": {"egressQueueCounters": {"interfaces": queues}},
        "marked": {"intfQueueCounters": marks},
        "watchdog": {"interfaces": stuck},
    }
    more = {name: json.dumps(one) + "\n" for name, one in parts.items()}
    more["pauses"] = "".join(json.dumps(_eos_pauses(*one)) + "\n" for one in ports.items())
    bytes_of = {name: (one.size, one.size) for name, one in ports.items()}
    return carried_says.eos(bytes_of, 5000.0, more=more)


def _classes(one: Port) -> dict[str, object]:
    classes = {
        f"TC{n}": {"dropPrecedences": {"DP0": {"droppedPackets": one.queue_drops.get(n, 0)}}}
        for n in PRIORITIES
    }
    return {"ucastQueues": {"trafficClasses": classes}}


def _marks(one: Port) -> dict[str, object]:
    return {"queueCounters": {str(n): str(one.marked if n == 3 else 0) for n in PRIORITIES}}


def _eos_pauses(name: str, one: Port) -> dict[str, object]:
    told = {
        str(n): {"rxFrames": one.rx_pause.get(n, 0), "txFrames": one.tx_pause.get(n, 0)}
        for n in PRIORITIES
    }
    return {"interfaces": {name: {"priorities": told}}}


def nxos(ports: Mapping[str, Port]) -> str:
    """Bytes, `show queuing interface`, and its watchdog."""
    bytes_of = {name: (one.size, one.size) for name, one in ports.items()}
    queues = "".join(_block(name, one) for name, one in sorted(ports.items()))
    watchdog = "".join(_watched(name, one) for name, one in sorted(ports.items()))
    parts = {"read:0": interface_counters(bytes_of), "queues": queues, "watchdog": watchdog}
    return sectioned(parts)


def _block(name: str, one: Port) -> str:
    lines = ["slot  1", "=======", "", f"Egress Queuing for {name} [System]", _LINE]
    for group in reversed(PRIORITIES):
        drops, marks = one.queue_drops.get(group, 0), one.marked if group == 3 else 0
        lines += [f"|                              QOS GROUP {group}                    |", _LINE]
        lines += ["|                           |  Unicast       |Multicast       |", _LINE]
        lines += [_row("Tx Pkts", 202328436), _row("Tx Byts", 203884632744)]
        lines += [_row("WRED/AFD & Tail Drop Pkts", drops), _row("Q Depth Byts", 0)]
        lines += [_row("ECN Pkts", marks), _LINE]
    lines += ["", f"Ingress Queuing for {name}", "-" * 53, "Port Ingress Statistics", "-" * 56]
    refused = sum(one.group_drops.values())
    lines += [f"Ingress MMU Drop Pkts   {refused:>20}", f"Ingress MMU Drop Bytes  {refused:>20}"]
    every = (sum(one.tx_pause.values()), sum(one.rx_pause.values()))
    lines += ["", "PFC Statistics", "-" * 76, f"TxPPP: {every[0]:>20},   RxPPP: {every[1]:>20}"]
    lines += [
        "-" * 76,
        " COS QOS Group        PG   TxPause   TxCount         RxPause         RxCount",
    ]
    lines += [
        f"   {n}         -         -  Inactive  {one.tx_pause.get(n, 0):>10}"
        f"  Inactive  {one.rx_pause.get(n, 0):>10}"
        for n in PRIORITIES
    ]
    return "\n".join([*lines, "-" * 76, ""])


def _row(name: str, count: int) -> str:
    return f"|{name:>26} |{count:>16}|{0:>16}|"


def _watched(name: str, one: Port) -> str:
    if one.storms is None:
        return f"{name} Interface PFC watchdog: [Disabled]\n"
    lines = [f"{name} Interface PFC watchdog: [Enabled]", "Disable-action    : No", _LINE]
    for group in one.watched:
        lines += [f"| QOS GROUP {group} [Active] PFC [YES] PFC-COS [{group}]", _LINE]
        lines += [f"|                       Shutdown|{one.storms:>20}|"]
        lines += [f"|                       Restored|{one.storms:>20}|", _LINE]
    return "\n".join([*lines, ""])


def linux(ports: Mapping[str, Port]) -> str:
    """iproute2: the kernel's bytes, and queues that mark (tc-red(8))."""
    queues = [
        {"kind": "red", "dev": name, "parent": "1:2", "marked": one.marked, "drops": 0}
        for name, one in sorted(ports.items())
    ]
    row = {"packets": 1, "errors": 0, "dropped": 0}
    links = [
        {"ifname": name, "stats64": {way: {**row, "bytes": one.size} for way in ("rx", "tx")}}
        for name, one in sorted(ports.items())
    ]
    return sectioned({"links": json.dumps(links) + "\n", "queues": json.dumps(queues) + "\n"})
