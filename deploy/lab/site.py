"""From a site's folder to a LabSpec: its cables and its MACs, and nothing of its plan.

The wiring file is the oracle for the plan's cable list. A lab that were built from the
plan would agree with a wrong plan.
"""

from __future__ import annotations

import csv
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from deploy.errors import RailbedError

from .spec import ACCESS, LabSpec, Link, MachineSpec, Port, layer_of
from .wires import made_up_mac

_WIRING = ["a_device", "a_port", "b_device", "b_port", "plane"]
_ASBUILT = ["device", "port", "mac", "serial"]
_DEVICE = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
_PORT = re.compile(r"[a-z][a-z0-9]{0,14}")


@dataclass(frozen=True, slots=True)
class Hardware:
    """The MAC addresses that a site's as-built list gives to ports."""

    macs: dict[tuple[str, str], str]

    def port(self, machine: str, name: str) -> Port:
        """A port with its listed MAC, or a made-up one that is always the same."""
        mac = self.macs.get((machine, name)) or made_up_mac(machine, name)
        return Port(machine, name, mac)


def hardware(asbuilt: Path) -> Hardware:
    """Read `asbuilt.csv`; RailbedError if it is not one."""
    rows = _rows(asbuilt, _ASBUILT)
    return Hardware({(row["device"], row["port"]): row["mac"] for _, row in rows if row["mac"]})


def links(wiring: Path, known: Hardware) -> tuple[Link, ...]:
    """Read `wiring.csv`; every bad line is named at once, with its number."""
    found: list[Link] = []
    taken: dict[tuple[str, str], int] = {}
    problems: list[str] = []
    for number, row in _rows(wiring, _WIRING):
        ends = [(row["a_device"], row["a_port"]), (row["b_device"], row["b_port"])]
        problems += [f"{wiring}:{number}: {why}" for why in _wrong(ends, taken)]
        taken.update(dict.fromkeys(ends, number))
        a, b = sorted(known.port(*end) for end in ends)
        found.append(Link(a, b, shaped=row["plane"] != "oob"))
    if problems:
        raise RailbedError("\n".join(problems), hint="one line is one cable between two ports")
    return tuple(sorted(found))


def machines(cables: tuple[Link, ...], known: Hardware) -> tuple[MachineSpec, ...]:
    """Every device that has a cable or an as-built port, with its image layer."""
    ports: dict[str, set[str]] = {machine: set() for machine, _ in known.macs}
    for machine, port in known.macs:
        ports[machine].add(port)
    for end in (end for cable in cables for end in (cable.a, cable.b)):
        ports.setdefault(end.machine, set()).add(end.name)
    found = tuple(MachineSpec(name, layer_of(ports[name])) for name in sorted(ports))
    if sum(one.layer == "oob" for one in found) != 1:
        raise RailbedError(
            "a lab needs one OOB server, with ports nm1, nm2 ... or hm1, hm2 ... in its wiring"
        )
    return found


def wiring_digest(cables: tuple[Link, ...]) -> str:
    """Names exactly these cables and MACs."""
    return hashlib.sha256(repr(cables).encode()).hexdigest()[:16]


def access_mac(spec: LabSpec, known: Hardware) -> str:
    """The MAC of the jump host's access port, which is also its identity."""
    return known.port(spec.oob or "", ACCESS).mac


def _wrong(ends: list[tuple[str, str]], taken: dict[tuple[str, str], int]) -> list[str]:
    wrong = [
        f"found '{device}' and '{port}', expected a device and a port, e.g. spine1 and swp1"
        for device, port in ends
        if not (_DEVICE.fullmatch(device) and _PORT.fullmatch(port))
    ]
    wrong += [
        f"found {device}:{port} again, expected each port once (line {taken[device, port]})"
        for device, port in ends
        if (device, port) in taken
    ]
    return wrong + (["found a cable from a port to itself"] if ends[0] == ends[1] else [])


def _rows(path: Path, header: list[str]) -> list[tuple[int, dict[str, str]]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RailbedError(f"{path}: cannot be read: {error}") from None
    if not lines or lines[0] != header:
        raise RailbedError(f"{path}:1: expected the columns {','.join(header)}")
    bad = [n for n, line in enumerate(lines[1:], 2) if line and len(line) != len(header)]
    if bad:
        raise RailbedError(f"{path}:{bad[0]}: expected {len(header)} fields: {','.join(header)}")
    return [(n, dict(zip(header, line, strict=True))) for n, line in enumerate(lines, 1) if line][1:]
