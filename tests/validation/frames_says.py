"""What devices print of the frames that their ports counted, by system, written by hand.

In the forms that the readers name as their sources, and by none of their code.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from inventory.plan import Plan

from .roce_site import sectioned, waited

Sent = int | Mapping[str, int]  # of every port, or of each
Lost = Mapping[str, int]  # by the system's own name of the counter; the rest is 0


def says(plan: Plan, device: str, sent: Sent, lost: Lost | None = None) -> str:
    """Every port of a device sent and received so many; the first lost some."""
    if device in plan.node:
        ports = [nic.port for nic in plan.node[device].rails if nic.rdma_device]
        return mlx5(ports, sent, lost or {})
    switch = plan.switch[device]
    return SAYS[switch.dialect]([one.name for one in switch.ports], sent, lost or {})


def _of(sent: Sent, port: str) -> int:
    return sent if isinstance(sent, int) else sent[port]


def mlx5(ports: Sequence[str], sent: Sent, lost: Lost) -> str:
    """`ethtool -S` of each NIC."""
    parts = {}
    for at, port in enumerate(ports):
        count = _of(sent, port)
        rows = {"tx_packets": 7, "tx_packets_phy": count, "rx_packets_phy": count}
        names = ("rx_crc_errors_phy", "rx_discards_phy", "tx_discards_phy", "tx_errors_phy")
        rows |= dict.fromkeys(names, 0) | ({} if at else dict(lost))
        lines = [f"     {name}: {each}" for name, each in rows.items()]
        parts[f"nic:{port}"] = "\n".join(["NIC statistics:", *lines, ""])
    return sectioned(parts)


def _links(ports: Sequence[str], sent: Sent, lost: Lost) -> str:
    """`ip -s -s -j link show`; a loss is named `rx errors`."""
    rx = ("bytes", "packets", "errors", "dropped", "over_errors", "missed_errors")
    tx = ("bytes", "packets", "errors", "dropped", "carrier_errors")
    made = []
    for at, port in enumerate(ports):
        told = {"rx": dict.fromkeys(rx, 0), "tx": dict.fromkeys(tx, 0)}
        for counts in told.values():
            counts |= {"bytes": 900 * _of(sent, port), "packets": _of(sent, port)}
        for name, count in ({} if at else lost).items():
            way, _, key = name.partition(" ")
            told[way][key] = count
        made.append({"ifname": port, "stats64": told})
    return json.dumps(made) + "\n"


def cumulus(ports: Sequence[str], sent: Sent, lost: Lost) -> str:
    """The kernel's counters, once switchd has brought them."""
    return waited(sectioned({"links": _links(ports, sent, lost)}), 2000)


def sonic(ports: Sequence[str], sent: Sent, lost: Lost) -> str:
    """`sonic-db-dump -n COUNTERS_DB -y`, once syncd has brought them."""
    names = {port: f"oid:0x{at:x}" for at, port in enumerate(ports)}
    tables: dict[str, object] = {"COUNTERS_PORT_NAME_MAP": {"type": "hash", "value": names}}
    counted = ("IN_ERRORS", "IN_DISCARDS", "OUT_ERRORS", "OUT_DISCARDS")
    for at, (port, oid) in enumerate(names.items()):
        rows = {"IN_UCAST_PKTS": _of(sent, port) - 5, "IN_NON_UCAST_PKTS": 5}
        rows |= {"OUT_UCAST_PKTS": _of(sent, port) - 5, "OUT_NON_UCAST_PKTS": 5}
        rows |= dict.fromkeys(counted, 0) | ({} if at else dict(lost))
        value = {f"SAI_PORT_STAT_IF_{name}": str(count) for name, count in rows.items()}
        tables[f"COUNTERS:{oid}"] = {"type": "hash", "value": value}
    return waited(sectioned({"counters": json.dumps(tables) + "\n"}), 1000)


def eos(ports: Sequence[str], sent: Sent, lost: Lost) -> str:
    """`show interfaces | json`, as far as it is read."""
    told = {}
    for at, port in enumerate(ports):
        ways = {f"{way}UcastPkts": _of(sent, port) - 5 for way in ("in", "out")}
        ways |= {f"{way}MulticastPkts": 4 for way in ("in", "out")}
        ways |= {f"{way}BroadcastPkts": 1 for way in ("in", "out")}
        names = ("totalInErrors", "inDiscards", "totalOutErrors", "outDiscards")
        counters = ways | dict.fromkeys(names, 0) | ({} if at else dict(lost))
        told[port] = {"name": port, "interfaceCounters": counters}
    return sectioned({"ports": json.dumps({"interfaces": told}) + "\n"})


def nxos(ports: Sequence[str], sent: Sent, lost: Lost) -> str:
    """`show interface | json`, as far as it is read: some counts are numbers, others digits."""
    rows = []
    for at, port in enumerate(ports):
        counted = {"eth_inpkts": _of(sent, port), "eth_outpkts": _of(sent, port)}
        names = ("eth_inerr", "eth_indiscard", "eth_outerr", "eth_outdiscard")
        mine = dict.fromkeys(names, 0) | ({} if at else dict(lost))
        digits = {name: str(count) for name, count in mine.items()}
        rows.append({"interface": port, **counted, **digits})
    told = {"TABLE_interface": {"ROW_interface": rows}}
    return sectioned({"ports": json.dumps(told) + "\n"})


SAYS: Mapping[str, Callable[[Sequence[str], Sent, Lost], str]] = {
    "cumulus": cumulus,
    "eos": eos,
    "nxos": nxos,
    "sonic": sonic,
}
