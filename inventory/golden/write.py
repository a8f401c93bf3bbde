"""A golden node as the YAML of its profile, with a comment for each thing no evidence says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .evidence import Gpu, Nic
from .pairs import Rail

_NEVER = (
    "os and arch: debian-12 and amd64 unless the profile says otherwise",
    "bmc, rack_units, power_w, tuning, the NICs of other planes",
)


@dataclass(frozen=True, slots=True)
class Golden:
    """What a golden node's evidence says, what it leaves open, and what is wrong with the node."""

    name: str
    origin: str
    management_port: str
    gpus: tuple[Gpu, ...]
    rails: tuple[Rail, ...]
    others: tuple[Nic, ...]
    unknown: tuple[str, ...]
    wrong: tuple[str, ...]


def to_yaml(golden: Golden) -> str:
    """Return the profile as text; the same bytes for the same evidence.

    A control character of a scrambled capture becomes `?`: YAML has none.
    """
    return "".join(f"{_printable(line)}\n" for line in _lines(golden))


def _printable(line: str) -> str:
    return "".join(one if one.isprintable() else "?" for one in line)


def _lines(golden: Golden) -> Iterator[str]:
    yield f"# Made from {golden.origin}."
    yield from _comments("Wrong on this node:", golden.wrong)
    yield from _comments("Not known, so not guessed:", golden.unknown)
    yield from _comments("To be said by people:", _NEVER)
    yield f"{golden.name}:"
    if golden.management_port:
        yield f"  management_port: {golden.management_port}"
    if golden.gpus:
        yield "  gpus:"
        yield from (f"    - {_flow(_gpu(gpu))}  # GPU {gpu.index}" for gpu in golden.gpus)
    if golden.rails:
        yield "  rails:"
        yield from _rails(golden.rails)
    yield from _comments(
        "No rail: NICs of the storage or business plane, or unused:",
        (_flow(_nic(nic)) for nic in golden.others),
    )
    yield f"  source: {json.dumps(f'railbed profile: {golden.origin}')}"


def _comments(title: str, lines: Sequence[str] | Iterator[str]) -> Iterator[str]:
    listed = list(lines)
    if listed:
        yield f"# {title}"
        yield from (f"#   - {line}" for line in listed)


def _rails(rails: Sequence[Rail]) -> Iterator[str]:
    gpus = sorted({rail.gpu for rail in rails})
    planes = any(rail.nic_plane for rail in rails)
    for one in rails:
        fields = _nic(one.nic)
        if planes:
            fields |= {"rail": str(gpus.index(one.gpu)), "nic_plane": str(one.nic_plane)}
        fields["gpu"] = str(one.gpu)
        yield f"    - {_flow(fields)}  # {one.distance}"


def _gpu(gpu: Gpu) -> dict[str, str]:
    return _said({"pci": _quoted(gpu.pci), "numa": _number(gpu.numa)})


def _nic(nic: Nic) -> dict[str, str]:
    return _said({
        "port": _word(nic.port),
        "rate_gbps": _number(nic.rate_gbps),
        "rdma_device": _word(nic.device),
        "pci": _quoted(nic.pci),
        "numa": _number(nic.numa),
    })  # fmt: skip


def _said(fields: dict[str, str | None]) -> dict[str, str]:
    return {key: value for key, value in fields.items() if value is not None}


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:g}"


def _quoted(pci: str | None) -> str | None:
    # Without quotes, readers of YAML 1.1 take 0000:18:00.0 for a number of base 60.
    return None if pci is None else f'"{pci}"'


def _word(name: str | None) -> str | None:
    """A name as it stands; quoted where a scrambled capture left what YAML would take apart."""
    plain = name is None or re.fullmatch(r"[A-Za-z][A-Za-z0-9_.-]*", name)
    return name if plain else json.dumps(name)


def _flow(fields: dict[str, str]) -> str:
    return "{" + ", ".join(f"{key}: {value}" for key, value in fields.items()) + "}"
