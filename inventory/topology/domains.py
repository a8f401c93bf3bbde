"""Failure domains: what is gone when one thing is gone.

A domain is named `kind:name`: `gpu:node-p1-1:3`, `node:`, `rack:`, `pdu:`, `leaf:`, `spine:`,
`superspine:` or `pod:`. Its members are devices, and NIC ports (`node-p1-1:rail0`) whose leaf or
GPU is gone while their node is not. A device that is listed stands for all of its ports.

What only becomes slower is no member: a spine is alone in its domain, because the paths over the
others stay. Paths are not followed: a rack with every spine of a plane lists the spines.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from inventory.plan import Node, Plan, Rack

Members = tuple[str, ...]


def failure_domains(plan: Plan) -> dict[str, Members]:
    """Every domain of a plan with its members, both sorted by name."""
    landed = _landed(plan)
    found: dict[str, Iterable[str]] = {}
    for node in plan.nodes:
        found[f"node:{node.name}"] = (node.name,)
        found |= _gpus(node)
    for switch in plan.switches:
        found[f"{switch.tier}:{switch.name}"] = (switch.name, *landed[switch.name])
    for rack in plan.racks:
        found[f"rack:{rack.name}"] = _with_ports(_in_rack(rack), landed)
        found |= {f"pdu:{pdu.name}": _behind_pdu(rack, landed) for pdu in rack.pdus}
    for pod, devices in _pods(plan).items():
        found[f"pod:{pod}"] = _with_ports(devices, landed)
    return {name: tuple(sorted(found[name])) for name in sorted(found)}


def pdus_to_spare(rack: Rack) -> bool:
    """Whether the rack's other PDUs carry all of it when one is gone (N+1)."""
    return rack.power_w <= (len(rack.pdus) - 1) * rack.pdu_limit_w


def _gpus(node: Node) -> dict[str, Iterable[str]]:
    """Both ports of a dual-plane NIC go with its GPU; a NIC that names none has its rail's."""
    if node.kind != "gpu":
        return {}
    ports: dict[int, list[str]] = defaultdict(list)
    for nic in node.rails:
        ports[nic.rail if nic.gpu is None else nic.gpu].append(f"{node.name}:{nic.port}")
    return {f"gpu:{node.name}:{gpu}": names for gpu, names in ports.items()}


def _landed(plan: Plan) -> dict[str, list[str]]:
    """The NIC ports on each leaf."""
    out: dict[str, list[str]] = defaultdict(list)
    for node in plan.nodes:
        ends = [(nic.leaf.device, nic.port) for nic in node.rails]
        ends += [(nic.leaf.device, nic.port) for nic in node.nics]
        for leaf, port in ends:
            out[leaf].append(f"{node.name}:{port}")
    return out


def _with_ports(devices: Iterable[str], landed: dict[str, list[str]]) -> Iterator[str]:
    gone = set(devices)
    yield from gone
    for device in gone:
        yield from (port for port in landed.get(device, ()) if port.split(":")[0] not in gone)


def _in_rack(rack: Rack) -> Members:
    return (*(device.device for device in rack.devices), *(pdu.name for pdu in rack.pdus))


def _behind_pdu(rack: Rack, landed: dict[str, list[str]]) -> Iterable[str]:
    """Nothing where the other PDUs carry the rack; else all of it, as they trip one by one."""
    if pdus_to_spare(rack):
        return ()
    return _with_ports((device.device for device in rack.devices), landed)


def _pods(plan: Plan) -> dict[int, set[str]]:
    """Nodes and switches of each pod of the compute plane, and what stands in its racks."""
    out: dict[int, set[str]] = defaultdict(set)
    for node in plan.nodes:
        if node.pod:
            out[node.pod].add(node.name)
    for switch in plan.switches:
        if switch.plane == "compute" and switch.pod:
            out[switch.pod].add(switch.name)
    for rack in plan.racks:
        if rack.pod:
            out[rack.pod].update(_in_rack(rack))
    return out
