"""`ibv_devinfo` and `ibv_devinfo -v`: RDMA devices and their ports (ibv_devinfo(1), rdma-core).

`active_mtu` is the RDMA path MTU that the port settled on: 1024 where the Ethernet MTU is 1500.
Indents differ between versions, so lines are told by their words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from .fields import Unreadable

_FIELD = re.compile(r"^\s*(\w+):\s+(\S.*?)\s*$")
_STATE = re.compile(r"^PORT_(\w+) \((\d)\)$")
_MTU = re.compile(r"^(\d+) \((\d)\)$")
_MTUS = {256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5}
_END = "link_layer"


@dataclass(frozen=True, slots=True)
class RdmaPort:
    """A port: `state` as ACTIVE, DOWN, INIT or ARMED; MTUs in bytes of RDMA payload."""

    number: int
    state: str
    max_mtu_bytes: int
    active_mtu_bytes: int
    link_layer: str


@dataclass(frozen=True, slots=True)
class RdmaDevice:
    """A device with the firmware that it runs, and all its ports."""

    name: str
    firmware: str
    ports: tuple[RdmaPort, ...]


def devices(text: str) -> tuple[RdmaDevice, ...]:
    """Every device, in the tool's order. Raises Unreadable for none, or one that is cut short."""
    found: list[list[tuple[str, str]]] = []
    for line in text.splitlines():
        if line.startswith("CA '"):  # `ibstat` in the same text
            break
        match = _FIELD.match(line)
        if match and match[1] == "hca_id":
            found.append([])
        if match and found:
            found[-1].append((match[1], match[2]))
    if not found:
        said = " ".join(text.split())[:120] or "nothing"
        raise Unreadable(f"ibv_devinfo printed no device but: {said}")
    made = tuple(map(_device, found))
    if len({one.name for one in made}) != len(made):
        raise Unreadable("ibv_devinfo printed a device twice")
    return made


def device(text: str, name: str) -> RdmaDevice:
    """One device of them. Raises Unreadable without it, as the text has no count of devices."""
    for one in devices(text):
        if one.name == name:
            return one
    raise Unreadable(f"ibv_devinfo told nothing of {name}")


def _device(fields: list[tuple[str, str]]) -> RdmaDevice:
    starts = [at for at, (key, _) in enumerate(fields) if key == "port"]
    own = dict(fields[: starts[0]] if starts else fields)
    ports = tuple(_port(dict(fields[at:end])) for at, end in pairwise([*starts, len(fields)]))
    name, count = own["hca_id"], _of(own, "phys_port_cnt", own["hca_id"])
    if count != str(len(ports)):
        raise Unreadable(f"ibv_devinfo: {name} has {count} ports, {len(ports)} are told")
    return RdmaDevice(name, _of(own, "fw_ver", name), ports)


def _port(fields: dict[str, str]) -> RdmaPort:
    name = f"port {fields['port']}"
    state = _STATE.match(_of(fields, "state", name))
    if state is None or not fields["port"].isdecimal():
        raise Unreadable(f"ibv_devinfo: {name} has no known state")
    return RdmaPort(
        int(fields["port"]),
        state[1],
        _mtu(fields, "max_mtu", name),
        _mtu(fields, "active_mtu", name),
        _layer(_of(fields, _END, name), name),
    )


def _layer(said: str, name: str) -> str:
    if said not in ("Ethernet", "InfiniBand"):
        raise Unreadable(f"ibv_devinfo: {name} has link layer {said!r}")
    return said


def _mtu(fields: dict[str, str], key: str, name: str) -> int:
    """In bytes; the number in brackets is the enumeration's of the same size (verbs.h)."""
    found = _MTU.match(_of(fields, key, name))
    if found is None or _MTUS.get(int(found[1])) != int(found[2]):
        raise Unreadable(f"ibv_devinfo: {name}: {key} is no MTU")
    return int(found[1])


def _of(fields: dict[str, str], key: str, name: str) -> str:
    if key not in fields:
        raise Unreadable(f"ibv_devinfo: {name} has no {key!r}")
    return fields[key]
