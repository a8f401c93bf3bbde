"""Stage 80: streams without loss, devices that stay as they are, drills that are soon over."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import cast

from inventory import open_site
from inventory.plan import Plan, Switch
from validation.probes.planned import Probe
from validation.stages.s80_soak.drills import Drill, drills
from validation.stages.s80_soak.terms import LOOK, drilling, guard, lengths, soak
from validation.stages.s80_soak.work import (
    CROSSINGS,
    FRAMES,
    STEADY,
    back_command,
    back_devices,
    counted_devices,
    crossing_command,
    drill_command,
    drill_stream_command,
    file_command,
    runs_file,
    soak_command,
    soaked,
    steady_devices,
    streamed_s,
)

from .. import frames_says
from ..hashed import frames_per_s
from ..roce_site import sectioned
from . import Healthy, answered

Said = dict[str, dict[str, str]]


def healthy() -> Healthy:
    """The whole lab."""
    plan = open_site("lab")
    configured = frozenset(plan.devices)
    return Healthy(80, plan, configured, answered(plan, everything(plan, configured)))


def everything(plan: Plan, configured: frozenset[str], name: str = LOOK) -> Said:
    """Each device's answers to a soak of this length, and to all drills."""
    said: Said = {one: {} for one in steady_devices(plan, configured)}
    for device, mine in said.items():
        mine.update({line: steady(plan, device) for line in STEADY.values()})
    if lengths()[name].most_loss_ratio:
        for device in counted_devices(plan, configured):
            said[device][FRAMES["before"]] = frames_says.says(plan, device, 10**6)
            said[device][FRAMES["after"]] = frames_says.says(plan, device, 10**6 + 10**9)
    for one in soaked(plan, configured):
        asked = soak()
        length = lengths()[name]
        for number in range(1, length.slices + 1):
            text = stream(one, length.seconds, asked.gap_ms, asked.source_ports)
            said[one.sender][soak_command(one, length, number)] = text
    for drill in drills(plan, configured):
        drilled(plan, drill, said)
    return said


def drilled(
    plan: Plan, drill: Drill, said: Said, detected_ms: int = 90, gap_ms: float = 60
) -> None:
    """All that a drill leaves."""
    asked = drilling()
    gap_ms = min(gap_ms, drill.gap_ms)
    for one in drill.streams:
        line = drill_stream_command(drill, one)
        text = stream(one, streamed_s(drill), asked.gap_ms, drill.crossing.source_ports, gap_ms)
        said[one.sender][line] = text
    if drill.guarded:
        said[drill.device].update(crossed(plan, drill))
    else:
        said[drill.device][drill_command(drill)] = pulled(plan, drill, detected_ms)
        if runs_file(plan, drill):
            said[drill.device][file_command(drill)] = "end\n"
    for name in back_devices(plan, drill):
        says = steady if plan.switch[name].dialect in TYPED else summary
        said[name][back_command(drill, name)] = says(plan, name)


def crossed(plan: Plan, drill: Drill) -> dict[str, str]:
    """What ports counted: all of them before, and while one is off all others."""
    ports = [one.name for one in plan.switch[drill.device].ports]
    counts = [dict.fromkeys(ports, 10**6)]
    before, pulled = frames_per_s(plan, drill), frames_per_s(plan, drill, pulled=True)
    for added in (before, Counter[str](), pulled):
        # A port sends and receives so many each; readings are so many seconds apart.
        each = {port: added[port] * guard().apart_s // 2 for port in ports}
        counts.append({port: counts[-1][port] + each[port] for port in ports})
    return {
        crossing_command(drill, when): frames_says.says(plan, drill.device, each)
        for when, each in zip(CROSSINGS, counts, strict=True)
    }


def pulled(plan: Plan, drill: Drill, detected_ms: int) -> str:
    """The device's own words: date(1), then iproute2's monitor with its times."""
    before, during = (
        sum(count for port, count in one.items() if drill.port in (port, ""))
        for one in (frames_per_s(plan, drill), frames_per_s(plan, drill, pulled=True))
    )
    return (
        "pulled 2026-11-22T03:00:01.000000\n"
        "restored 2026-11-22T03:00:06.100000\n"
        f"crossing {before} {during}\n"
        f"[2026-11-22T03:00:01.{detected_ms:03}000] 10.16.64.0/19 proto bgp metric 20 \n"
        "\tnexthop via 169.254.0.1 dev swp6 weight 1 onlink \n"
        "[2026-11-22T03:00:07.500000] 10.16.64.0/19 proto bgp metric 20 \n"
        "end\n"
    )


def stream(one: Probe, seconds: int, gap_ms: int, ports: int, worst_ms: float = 0.0) -> str:
    """What `on_node/stream.py` prints."""
    each, lost = seconds * 1000 // gap_ms, 3 if worst_ms else 0
    every = next((one.interval_s for one in lengths().values() if one.seconds == seconds), 5)
    count = -(-seconds // every)
    sent = [each * ports // count] * count
    sent[-1] += each * ports - sum(sent)
    flows = [
        {"port": 49152 + n, "sent": each, "received": each, "worst_gap_ms": 0.0}
        for n in range(ports)
    ]
    flows[0].update(received=each - lost, worst_gap_ms=worst_ms)
    intervals = [
        {"sent": some, "received": some, "p99_ms": 0.4, "worst_gap_ms": 0.0} for some in sent
    ]
    intervals[0].update(received=sent[0] - lost, worst_gap_ms=worst_ms)
    asked = {"id": one.id, "source": str(one.source), "target": str(one.target)}
    paced = {"seconds": seconds, "gap_ms": gap_ms, "interval_s": every}
    return json.dumps(
        {**asked, **paced, "names": [one.receiver], "intervals": intervals, "flows": flows}
    )


_BOOTED = (
    "2026-11-22T01:00:00+0000 x kernel: mlx5_core 0000:18:00.0 enp24s0np0: Link down",
    "2026-11-22T01:00:09+0000 x kernel: NVRM: Xid (PCI:0000:b1:00): 79, pid=1, GPU has fallen off",
)


def steady(
    plan: Plan, name: str, flaps: int = 4, failed: tuple[str, ...] = (), more: tuple[str, ...] = ()
) -> str:
    """Counts as sysfs, systemd, journald and FRR give them; `more` lines of the kernel's log."""
    switch = plan.switch.get(name)
    if switch and switch.dialect in TYPED:
        return TYPED[switch.dialect](switch, flaps)
    ports = [one.name for one in switch.ports] if switch else []
    ports += [one.port for one in plan.node[name].rails] if name in plan.node else []
    lines = ["== carrier", *(f"{port} {flaps}" for port in ports), "== failed", *failed]
    told = (*_BOOTED, *more)
    lines += ["== kernel", *told, f"end of log, {len(told)} lines"]
    if switch:
        lines += ["== sessions", json.dumps(_tables(switch))]
    return "".join(f"{line}\n" for line in [*lines, "end"])


def _tables(switch: Switch) -> dict[str, dict[str, object]]:
    """`show bgp vrf all neighbors json` of FRR: a table for each instance."""
    made: dict[str, dict[str, object]] = {"default": {"vrfId": 0, "vrfName": "default"}}
    for one in switch.sessions:
        table = made.setdefault(one.vrf or "default", {"vrfId": 9, "vrfName": one.vrf})
        table[one.key] = {"bgpState": "Established", "connectionsEstablished": 1}
    return made


def eos(switch: Switch, flaps: int, since: float = 1763800000.25) -> str:
    """`show interfaces` and `show bgp summary vrf all`, as far as they are read."""
    ports = {
        one.name: {"name": one.name, "interfaceCounters": {"linkStatusChanges": flaps}}
        for one in switch.ports
    }
    tables: dict[str, dict[str, object]] = {}
    for one in switch.sessions:
        key = str(one.peer_address or f"fe80::1%{one.key.replace('Ethernet', 'Et')}")
        row = {"peerState": "Established", "peerAsn": str(one.peer_asn), "upDownTime": since}
        table = tables.setdefault(one.vrf or "default", {"asn": str(switch.asn), "peers": {}})
        cast("dict[str, object]", table["peers"])[key] = row
    told = {"ports": json.dumps({"interfaces": ports}), "sessions": json.dumps({"vrfs": tables})}
    return sectioned({name: f"{text}\n" for name, text in told.items()})


def nxos(switch: Switch, flaps: int, ago: str = "33week(s) 1day(s)", dropped: int = 0) -> str:
    """`show interface` and `show bgp sessions vrf all`, as far as they are read."""
    rows = [
        {"interface": one.name, "eth_reset_cntr": str(flaps), "eth_link_flapped": ago}
        for one in switch.ports
    ]
    vrfs = sorted({one.vrf for one in switch.sessions} | {""})
    tables = [_sessions_of(switch, vrf, dropped) for vrf in vrfs]
    ports = {"TABLE_interface": {"ROW_interface": rows}}
    sessions = {"TABLE_vrf": {"ROW_vrf": tables if tables[1:] else tables[0]}}
    told = {"ports": json.dumps(ports), "sessions": json.dumps(sessions)}
    return sectioned({name: f"{text}\n" for name, text in told.items()})


def _sessions_of(switch: Switch, vrf: str, dropped: int) -> dict[str, object]:
    rows = [
        {
            "neighbor-id": str(one.peer_address or f"fe80::1%{one.key}"),
            "remoteas": str(one.peer_asn),
            "connectionsdropped": str(dropped),
            "state": "Established",
        }
        for one in switch.sessions
        if one.vrf == vrf
    ]
    head = {"vrf-name-out": vrf or "default", "local-as": str(switch.asn)}
    count = {"vrfpeers": str(len(rows)), "vrfestablishedpeers": str(len(rows))}
    neighbours = {"TABLE_neighbor": {"ROW_neighbor": rows}} if rows else {}
    return {**head, **count, **neighbours}


TYPED: Mapping[str, Callable[..., str]] = {"eos": eos, "nxos": nxos}


def summary(plan: Plan, name: str, state: str = "Established") -> str:
    """`show bgp summary json`, as far as it is read."""
    switch = plan.switch[name]
    peers = {
        one.key: {"remoteAs": one.peer_asn, "localAs": switch.asn, "state": state}
        for one in switch.sessions
    }
    return json.dumps({"ipv4Unicast": {"as": switch.asn, "peers": peers}})
