"""Ports and cables: network namespaces, veth pairs, and a rate on the data links."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from .command import run
from .paths import NETNS, LabPaths
from .spec import LabSpec

# A machine whose processor was taken away for some 100 ms loses none of its rate: what waits
# (latency) goes on meanwhile, and the bucket (burst: 42 ms at 200 Mb/s) makes up for the rest.
_SHAPE = "tbf rate {rate}mbit burst 1mb latency 60ms"


def made_up_mac(machine: str, port: str) -> str:
    """A locally administered address for a port that `asbuilt.csv` does not list."""
    digest = hashlib.sha256(f"{machine}:{port}".encode()).digest()
    return ":".join(f"{byte:02x}" for byte in (0x06, *digest[:5]))


def lay(spec: LabSpec) -> None:
    """Make every machine's namespace and plug every cable; all ports are down."""
    paths = LabPaths(spec.name)
    _ip(f"netns add {paths.netns(one.name)}" for one in spec.machines)
    _ip(
        f"link add name {link.a.name} address {link.a.mac} netns {paths.netns(link.a.machine)}"
        f" type veth peer name {link.b.name} address {link.b.mac}"
        f" netns {paths.netns(link.b.machine)}"
        for link in spec.links
    )
    for machine in spec.machines:
        shape(spec, machine.name, spec.shaped_ports(machine.name))


def plug_access(spec: LabSpec, mac: str) -> None:
    """Cable the jump host to this host, and give both ends their addresses."""
    port, peer = LabPaths(spec.name).host_port, LabPaths(spec.name).netns(spec.oob)
    far = f"name {spec.access_port} netns {peer} address {mac}"
    _ip(
        [
            f"link add name {port} type veth peer {far}",
            f"address add {spec.host_address}/30 dev {port}",
            f"link set {port} up",
        ]
    )
    _address_access(spec)


def replug(spec: LabSpec, machine: str) -> None:
    """Give a machine a new namespace: its ports come back, everything set on them is gone.

    Addresses, routes, rules, nft, sysctls, MTU and names for people went with the old one;
    MAC addresses, cables and their rate are the hardware's and stay.
    """
    old = LabPaths(spec.name).netns(machine)
    new = f"{old}.new"
    ports = [port.name for port in spec.ports(machine)]
    ports += [spec.access_port] if machine == spec.oob else []
    _ip(f"netns delete {new}" for _ in range((NETNS / new).exists()))
    _ip([f"netns add {new}"])
    run(["ip", "-netns", old, "-batch", "-"], _lines(_unset(port, new) for port in ports))
    _ip([f"netns delete {old}", f"netns add {old}"])
    back = _lines(f"link set dev {port} netns {old}" for port in ports)
    run(["ip", "-netns", new, "-batch", "-"], back)
    _ip([f"netns delete {new}"])
    shape(spec, machine, spec.shaped_ports(machine))
    if machine == spec.oob:
        _address_access(spec)


def _unset(port: str, namespace: str) -> str:
    return f'link set dev {port} down mtu 1500 alias "" netns {namespace}'


def _address_access(spec: LabSpec) -> None:
    lines = [
        "link set lo up",
        f"address replace {spec.access_address}/30 dev {spec.access_port}",
        f"link set {spec.access_port} up",
    ]
    if spec.planned_access:
        lines.append(f"address replace {spec.planned_access}/32 dev {spec.access_port}")
    run(["ip", "-netns", LabPaths(spec.name).netns(spec.oob), "-batch", "-"], _lines(lines))


def shape(spec: LabSpec, machine: str, ports: Iterable[str]) -> None:
    """Give these ports of a machine the lab's rate, whatever they had."""
    rule = _SHAPE.format(rate=spec.rate_mbps)
    lines = [f"qdisc replace dev {port} root {rule}" for port in ports]
    if lines:
        run(["tc", "-netns", LabPaths(spec.name).netns(machine), "-batch", "-"], _lines(lines))


def _ip(lines: Iterable[str]) -> None:
    text = _lines(lines)
    if text:
        run(["ip", "-batch", "-"], text)


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
