"""What a healthy site leaves of probes and loads."""

from __future__ import annotations

import json
from itertools import chain

from inventory.plan import Plan
from validation.pairing.coverage import command
from validation.pairing.latency import LatencyProbe, latencies
from validation.pairing.schedule import loads
from validation.probes.planned import FIRST_SOURCE_PORT, Probe, probes
from validation.stages.s42_loss.wire import wires
from validation.stages.s70_collectives.runs import steps
from validation.stages.s75_storage.groups import groups
from validation.stages.s80_soak.terms import lengths

from .. import nccl_says, roce_site, single_says, storage_says
from ..carried_says import SAYS
from ..healthy import stage_42, stage_60, stage_80
from ..recorded import EVIDENCE
from ..uplinks import asked
from .said import Said

ACCEPTANCE = lengths()["acceptance"]


def _everything(plan: Plan) -> frozenset[str]:
    return frozenset(plan.devices)


def df(plan: Plan) -> Said:
    """Probes whose packets all arrived, unchanged."""
    found: Said = {}
    for one in probes(plan, _everything(plan)):
        found.setdefault(one.sender, {})[one.command] = _df(one)
    return found


def _df(one: Probe) -> str:
    there = {"host": one.receiver, "tos": one.tos, "tos_back": one.tos}
    full = {**there, "bytes": one.ip_bytes - 28}
    ports = [
        {"port": FIRST_SOURCE_PORT + at, "small": {**there, "bytes": 72}, "full": full}
        for at in range(one.source_ports)
    ]
    icmp = {"exit": 0, "received": 3, "said": "3 packets transmitted, 3 received"}
    told = {"id": one.id, "ip_bytes": one.ip_bytes, "tos": one.tos}
    return json.dumps({**told, "ports": ports, "icmp": icmp})


def cables(plan: Plan) -> Said:
    """Cables whose other end answered every ping."""
    every = wires(plan, _everything(plan))
    devices = sorted({one.here.device for one in every})
    return {
        name: stage_42.leaf_says(stage_42.mine(plan, _everything(plan), name)) for name in devices
    }


def pairs(plan: Plan) -> Said:
    """Every flow at 97 of 100 of its rate."""
    found: Said = {}
    for flow in chain(*loads(plan, _everything(plan))):
        text = roce_site.perftest(flow, 0.97 * flow.rate_gbps)
        found.setdefault(flow.sender, {})[flow.command] = text
    return found


def latency(plan: Plan) -> Said:
    """Every message in time."""
    found: Said = {}
    for one in chain(*latencies(plan, _everything(plan))):
        found.setdefault(one.sender, {})[one.command] = _lat(one)
    return found


def _lat(one: LatencyProbe) -> str:
    """The recorded client, of other devices, half a bound late."""
    text = (EVIDENCE / "perftest" / "ib_write_lat_client.txt").read_text()
    *head, row, rule = text.replace("rxe0", one.sender_device).splitlines()
    late, asked = (one.fibre_us + one.most_us) / 2, one.terms
    figures = (late * 0.9, late * 1.3, late, late, 0.1, late * 1.1, late * 1.2)
    row = f" {asked.size_bytes}  {asked.iterations}  " + "  ".join(f"{n:.2f}" for n in figures)
    return "\n".join([*head, row, rule, ""])


def uplinks(plan: Plan) -> Said:
    """Each uplink was loaded in some round."""
    found: Said = {}
    for one in asked(plan):
        says = SAYS[plan.switch[one.device].dialect]
        full = {up.port: int(up.rate_gbps * 1e9 / 8 * one.terms.seconds) for up in one.uplinks}
        for name in one.rounds:
            mine = found.setdefault(one.device, {})
            mine[command(name, "before")] = says(dict.fromkeys(full, (10**6, 10**6)), 100.0)
            after = {port: (10**6 + size, 10**6 + size) for port, size in full.items()}
            mine[command(name, "after")] = says(after, 115.0 + one.terms.seconds)
    return found


def soak(plan: Plan) -> Said:
    """Streams without loss, devices that stay as they are, drills that are soon over."""
    return stage_80.everything(plan, _everything(plan), ACCEPTANCE.name)


def alone(plan: Plan) -> Said:
    """Nodes that are fast by themselves."""
    return {one.name: single_says.parts(one) for one in plan.nodes}


def incast(plan: Plan) -> Said:
    """Incasts beside victims, counted as they should be."""
    return stage_60.said_of(plan)


def collectives(plan: Plan) -> Said:
    """Every collective on every group, right and at nine tenths of the line."""
    found: Said = {}
    for one in chain(*steps(plan, _everything(plan))):
        found.setdefault(one.nodes[0], {})[one.launch.command] = nccl_says.said(plan, one)
    return found


def storage(plan: Plan) -> Said:
    """Every step of every mount at nearly its part."""
    found: Said = {}
    for group in groups(plan, _everything(plan)):
        for node in group.nodes:
            found.setdefault(node, {})[group.command] = storage_says.fio(group, node)
    return found
