"""A small fabric with RDMA: two Cumulus leaves, a SONiC spine, four nodes of one NIC of 400G.

What its hosts and switches print is written here by hand, in the forms that the readers name as
their sources; nothing of it is made by the readers' own code.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import yaml

from inventory import open_site, site_folder
from inventory.plan import Plan
from tests.generated.sites import make_up_asbuilt
from validation.pairing.loads import LoadProbe

_CHANGES = {
    "site: lab": "site: roce",
    "node_profile: lab-node": "node_profile: roce-node",
    "leaf_profile: lab-switch": "leaf_profile: sn5600-cumulus",
    "spine_profile: lab-switch": "spine_profile: sn5600-sonic",
    "mode: marking-only": "mode: full",
    "{node_leaf: 3, leaf_spine: 30}": "{node_leaf: 30, leaf_spine: 40}",
    "engine_groups: {rack_p1_2: ansible, rack_p2_2: ansible}": "engine_groups: {}",
    "  spines: 2\n": "  spines: 1\n",
    "spines: 4,": "spines: 1,",
}
_PROFILE = {
    "roce-node": {
        "os": "ubuntu-24.04",
        "arch": "amd64",
        "management_port": "eth0",
        "rails": [
            {"port": "rail0", "pci": "0000:1a:00.0", "rdma_device": "mlx5_0", "rate_gbps": 400}
        ],
        "nics": {"stack": "inbox"},
        "source": "tests: a node with one NIC",
    }
}
PRIORITIES = range(8)
GIGABYTE = 10**9


@cache
def plan(pods: int = 2, nodes_per_pod: int = 2) -> Plan:
    """The fabric's plan, with invented MACs; a leaf for each pod."""
    text = (site_folder("lab") / "fabric.yml").read_text(encoding="utf-8")
    sizes = {
        "  pods: 2\n": f"  pods: {pods}\n",
        "  nodes_per_pod: 2\n": f"  nodes_per_pod: {nodes_per_pod}\n",
    }
    for old, new in (_CHANGES | sizes).items():
        assert old in text, old
        text = text.replace(old, new)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "profiles").mkdir()
        (folder / "fabric.yml").write_text(text, encoding="utf-8")
        (folder / "asbuilt.csv").write_text("device,port,mac,serial\n", encoding="utf-8")
        profiles = folder / "profiles" / "nodes.yml"
        profiles.write_text(yaml.safe_dump(_PROFILE, sort_keys=False), encoding="utf-8")
        make_up_asbuilt(folder)
        return _with_doca(open_site(folder))


def _with_doca(made: Plan) -> Plan:
    """The same with NVIDIA's stack: a site would have to lock its packages for that."""
    nodes = (
        replace(one, software=replace(one.software, nics=replace(one.software.nics, stack="doca")))
        for one in made.nodes
    )
    return replace(made, nodes=tuple(nodes))


def everything() -> frozenset[str]:
    """All its devices."""
    return frozenset(plan().devices)


def sectioned(parts: Mapping[str, str]) -> str:
    """Outputs of several commands in one, each with its number of lines."""
    made = [
        f"railbed-section {name} 0 {len(text.splitlines())}\n{text}" for name, text in parts.items()
    ]
    return "".join([*made, f"railbed-sections {len(parts)}\n"])


def perftest(flow: LoadProbe, gbps: float) -> str:
    """A client of ib_write_bw -D 10 -q 4 -s 65536 --report_gbits, as perftest 4.5 prints it."""
    rule = "-" * 87
    mpps = gbps * 1e9 / 8 / 65536 / 1e6
    return f"""{rule}
                    RDMA_Write BW Test
 Dual-port       : OFF\t\tDevice         : {flow.sender_device}
 Number of qps   : {flow.terms.streams}\t\tTransport type : IB
 Connection type : RC\t\tUsing SRQ      : OFF
 Mtu             : 4096[B]
 Link type       : Ethernet
{rule}
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 65536      {int(mpps * 6e6)}              0.00               {gbps:.2f}   \t\t   {mpps:.6f}
{rule}
"""


@dataclass(frozen=True)
class Nic:
    """What a node's NIC has counted. Pauses, discards and marks by priority, where not 0."""

    size: int = GIGABYTE
    rx_pause: Mapping[int, int] = field(default_factory=dict)
    tx_pause: Mapping[int, int] = field(default_factory=dict)
    buf_discards: Mapping[int, int] = field(default_factory=dict)
    global_pause: int = 0
    storms: int = 0
    hardware: Mapping[str, int] = field(default_factory=dict)
    without: tuple[str, ...] = ()

    def text(self, ports: Iterable[str] = ("rail0",)) -> str:
        """Its node's counters, of NICs that are all alike: ip, tc, ethtool -S (mlx5), sysfs."""
        names = list(ports)
        queues = [{"kind": "mq", "dev": one, "root": True, "drops": 0} for one in names]
        parts = {"links": _links(dict.fromkeys(names, self.size))}
        parts["queues"] = json.dumps(queues) + "\n"
        for one in names:
            parts |= {f"nic:{one}": self._ethtool(), f"rdma:{one}": self._sysfs()}
        return sectioned(parts)

    def _ethtool(self) -> str:
        rows = {
            "rx_packets": 7,
            "rx_out_of_buffer": 0,
            "rx_bytes_phy": self.size,
            "tx_bytes_phy": self.size,
            "rx_pause_ctrl_phy": sum(self.rx_pause.values()) + self.global_pause,
            "tx_pause_ctrl_phy": sum(self.tx_pause.values()),
            "rx_discards_phy": 0,
            "tx_pause_storm_warning_events": 0,
            "tx_pause_storm_error_events": self.storms,
        }
        for one in PRIORITIES:
            rows |= {
                f"rx_prio{one}_buf_discard": self.buf_discards.get(one, 0),
                f"rx_prio{one}_cong_discard": 0,
                f"rx_prio{one}_marked": 0,
                f"rx_prio{one}_pause": self.rx_pause.get(one, 0),
                f"tx_prio{one}_pause": self.tx_pause.get(one, 0),
                f"rx_prio{one}_pause_duration": 0,
                f"tx_prio{one}_pause_duration": 0,
                f"rx_prio{one}_pause_transition": 0,
            }
        lines = [f"     {key}: {one}" for key, one in rows.items() if key not in self.without]
        return "\n".join(["NIC statistics:", *lines, ""])

    def _sysfs(self) -> str:
        names = (
            *("out_of_sequence", "packet_seq_err", "local_ack_timeout_err", "out_of_buffer"),
            *("np_cnp_sent", "np_ecn_marked_roce_packets", "rp_cnp_handled", "rnr_nak_retry_err"),
        )
        rows = {f"hw_counters/{one}": self.hardware.get(one, 0) for one in names}
        words = self.size // 4
        rows |= {"counters/port_rcv_data": words, "counters/port_xmit_data": words}
        rows |= {"counters/port_xmit_discards": 0}
        kept = {key: one for key, one in rows.items() if key.rpartition("/")[2] not in self.without}
        return "".join(f"{key} {one}\n" for key, one in sorted(kept.items()))


def _links(sizes: Mapping[str, int]) -> str:
    row = {"packets": 1, "errors": 0, "dropped": 0}
    entries = [
        {"ifname": name, "stats64": {way: {**row, "bytes": size} for way in ("rx", "tx")}}
        for name, size in sorted(sizes.items())
    ]
    return json.dumps(entries) + "\n"


@dataclass(frozen=True)
class Port:
    """What a switch port has counted. `watched` are the queues of its watchdog's rows."""

    size: int = GIGABYTE
    marked: int = 0
    rx_pause: Mapping[int, int] = field(default_factory=dict)
    tx_pause: Mapping[int, int] = field(default_factory=dict)
    queue_drops: Mapping[int, int] = field(default_factory=dict)
    group_drops: Mapping[int, int] = field(default_factory=dict)
    storms: int | None = 0
    watched: tuple[int, ...] = (3,)
    global_pause: int | None = 0


def waited(text: str, every_ms: int) -> str:
    """The same, of counters that are refreshed every so often, read after twice that time."""
    said = f"{every_ms} 8123.41 {8123.41 + every_ms / 500:.2f}\n"
    *parts, end = text.splitlines(keepends=True)
    count = int(end.split()[1]) + 1
    return f"railbed-section refresh 0 1\n{said}{''.join(parts)}railbed-sections {count}\n"


def cumulus(ports: Mapping[str, Port]) -> str:
    """The kernel's bytes, each port's ethtool, `counters qos`, and `qos pfc-watchdog status`."""
    asked = {f"qos:{name}": json.dumps(_nvue(one)) + "\n" for name, one in sorted(ports.items())}
    for name, one in sorted(ports.items()):
        if one.storms is not None:
            row = {"deadlock-count": one.storms, "status": "OK"}
            status = {str(queue): row for queue in one.watched}
            asked[f"watchdog:{name}"] = json.dumps(status) + "\n"
        asked[f"pause:{name}"] = _switchd(one)
    links = _links({name: one.size for name, one in ports.items()} | {"swp64": 1})
    return sectioned({"links": links, **asked})


def _switchd(one: Port) -> str:
    """`ethtool -S swp1`, in part: all pauses, and those of each priority."""
    rows = {"HwIfInOctets": one.size}
    for way, by in (("In", one.rx_pause), ("Out", one.tx_pause)):
        if one.global_pause is not None:
            extra = one.global_pause if way == "In" else 0
            rows[f"HwIf{way}PausePkt"] = sum(by.values()) + extra
        rows |= {f"HwIf{way}Pfc{n}Pkt": by.get(n, 0) for n in PRIORITIES}
    return "\n".join(["NIC statistics:", *(f"     {k}: {n}" for k, n in rows.items()), ""])


def _nvue(one: Port) -> dict[str, object]:
    queues = {
        str(n): {
            "ecn-marked-frames": one.marked if n == 3 else 0,
            "tx-bytes": 0,
            "tx-frames": 0,
            "tx-uc-buffer-discards": one.queue_drops.get(n, 0),
            "wred-discards": 0,
        }
        for n in PRIORITIES
    }
    pfc = {
        str(n): {
            "rx-pause-duration": 0,
            "rx-pause-frames": one.rx_pause.get(n, 0),
            "tx-pause-duration": 0,
            "tx-pause-frames": one.tx_pause.get(n, 0),
        }
        for n in PRIORITIES
    }
    groups = {
        str(n): {"rx-buffer-discards": f"{one.group_drops.get(n, 0)} Bytes", "rx-frames": 0}
        for n in PRIORITIES
    }
    return {"egress-queue-stats": queues, "ingress-buffer-stats": groups, "pfc-stats": pfc}


def redis(tables: Mapping[str, Mapping[str, object]]) -> str:
    """A dump by `sonic-db-dump -y`."""
    made = {
        key: {"expireat": 1764524951.6, "ttl": -0.001, "type": "hash", "value": dict(value)}
        for key, value in tables.items()
    }
    return json.dumps(made, indent=2) + "\n"


def sonic(ports: Mapping[str, Port]) -> str:
    """COUNTERS_DB with these ports."""
    tables: dict[str, dict[str, object]] = {
        f"COUNTERS_{one}_NAME_MAP": {} for one in ("PORT", "QUEUE", "PG")
    }
    for at, (name, one) in enumerate(sorted(ports.items())):
        oid = f"oid:0x1000000000{at:03x}"
        tables["COUNTERS_PORT_NAME_MAP"][name] = oid
        held = {
            "SAI_PORT_STAT_IF_IN_OCTETS": one.size,
            "SAI_PORT_STAT_IF_OUT_OCTETS": one.size,
            "SAI_PORT_STAT_IF_IN_DISCARDS": 0,
            **{f"SAI_PORT_STAT_PFC_{n}_RX_PKTS": one.rx_pause.get(n, 0) for n in PRIORITIES},
            **{f"SAI_PORT_STAT_PFC_{n}_TX_PKTS": one.tx_pause.get(n, 0) for n in PRIORITIES},
        }
        if one.global_pause is not None:
            held["SAI_PORT_STAT_PAUSE_RX_PKTS"] = one.global_pause
            held["SAI_PORT_STAT_PAUSE_TX_PKTS"] = 0
        tables[f"COUNTERS:{oid}"] = {key: str(value) for key, value in held.items()}
        for n in PRIORITIES:
            _queue(tables, name, one, at, n)
    return sectioned({"counters": redis(tables)})


def _queue(
    tables: dict[str, dict[str, object]], name: str, one: Port, at: int, number: int
) -> None:
    queue, group = f"oid:0x15{at:06x}{number:02x}", f"oid:0x1a{at:06x}{number:02x}"
    tables["COUNTERS_QUEUE_NAME_MAP"][f"{name}:{number}"] = queue
    tables["COUNTERS_PG_NAME_MAP"][f"{name}:{number}"] = group
    held = {
        "SAI_QUEUE_STAT_PACKETS": "1",
        "SAI_QUEUE_STAT_DROPPED_PACKETS": str(one.queue_drops.get(number, 0)),
        "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS": str(one.marked if number == 3 else 0),
    }
    if number in one.watched and one.storms is not None:
        held["PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED"] = str(one.storms)
    tables[f"COUNTERS:{queue}"] = dict(held)
    drops = str(one.group_drops.get(number, 0))
    tables[f"COUNTERS:{group}"] = {"SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS": drops}


def more(one: Nic, **hardware: int) -> Nic:
    """The same NIC later: a gigabyte on, and these RDMA counters higher."""
    known = dict(one.hardware)
    for name, value in hardware.items():
        known[name] = known.get(name, 0) + value
    return replace(one, size=one.size + GIGABYTE, hardware=known)


def names(ports: Iterable[str]) -> dict[str, Port]:
    """Ports that counted nothing but bytes."""
    return {one: Port() for one in ports}
