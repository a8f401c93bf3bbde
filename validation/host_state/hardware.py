"""Rows of a node's hardware: GPUs, PCIe of its NICs, what its kernel complained of. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from inventory.own_yaml import own_yaml
from inventory.plan import Node, Plan
from inventory.reading.fields import Unreadable
from validation.parse.host.kernel_log import Event, most_within
from validation.parse.host.lspci import PciLink

from .facts import HostFacts, known
from .gpu_rows import gpu_count, gpu_rows
from .wanted import HostRow, RoceNic, Rows, roce_nics

PART = "hardware"
THRESHOLDS = Path(__file__).with_name("kernel_log.yml")
_HARMLESS = ("app", "watch")
_UNKNOWN = {"means": "not in our table", "mends": "reset"}
_NONE = "none"


Complaints = list[tuple[str, str]]  # of which place, and its words
Reader = Callable[[Sequence[Event]], Complaints]


@dataclass(frozen=True, slots=True)
class LogTerms:
    """What lines of a kernel's log mean; `kernel_log.yml` says where from."""

    flaps: int
    flaps_hours: float
    source: str
    xid: dict[int, dict[str, str]]


@cache
def log_terms() -> LogTerms:
    """The terms. TypeError where the file lacks or adds one."""
    said: dict[str, Any] = own_yaml(THRESHOLDS)
    return LogTerms(**said)


def asks_hardware(node: Node) -> bool:
    """Whether the plan knows hardware of the node that can be asked: GPUs, or NICs by address."""
    return bool(gpu_count(node)) or any(nic.pci for nic in roce_nics(node))


def hardware_rows(plan: Plan, node: Node, found: HostFacts) -> Iterator[HostRow]:
    """Everything, in a fixed order."""
    if not asks_hardware(node):
        return
    yield from gpu_rows(node, found, PART)
    make = Rows(PART, f"device {node.name}")
    nics = [one for one in roce_nics(node) if one.pci]
    for nic in nics:
        rate_gbps = plan.cable_at[nic.leaf].rate_gbps
        yield make.row(
            f"PCIe of {nic.port}",
            f"carries {rate_gbps:g} Gb/s",
            partial(_pcie, found, nic, rate_gbps),
            f"NIC {node.name}:{nic.port}",
        )
    yield from _log(node, nics, make, found)


def _pcie(found: HostFacts, nic: RoceNic, rate_gbps: float) -> str:
    device = known(found.pci).get(str(nic.pci))
    link: PciLink | None = device.link if device else None
    if link is None:
        raise Unreadable(f"lspci tells no link of {nic.pci}")
    enough = link.gbps >= rate_gbps and not link.downgraded
    return f"carries {rate_gbps:g} Gb/s" if enough else str(link)


def _log(node: Node, nics: Sequence[RoceNic], make: Rows, found: HostFacts) -> Iterator[HostRow]:
    """One row a kind of complaint since the last boot."""
    terms = log_terms()
    kinds: tuple[tuple[str, Reader], ...] = (
        ("Xid that needs a reset", _xids),
        ("NVSwitch errors that are fatal", _switches),
        ("GPUs that fell off the bus", partial(_kind, "gpu lost", None)),
        ("PCIe links that are narrow", partial(_kind, "pcie limited", _places(found, nics))),
        ("PCIe errors", partial(_kind, "pcie error", None)),
        ("errors that the firmware reported", partial(_kind, "platform error", None)),
        ("machine checks", partial(_kind, "machine check", None)),
        ("NIC faults", partial(_kind, "nic fault", None)),
        (
            f"ports down {terms.flaps} times in {terms.flaps_hours:g} h",
            partial(_flaps, terms, nics),
        ),
    )
    for what, of in kinds:
        told = partial(_told, found, of)
        yield make.row(what, _NONE, told, _suspect(node, nics, found, of))


def _told(found: HostFacts, of: Reader) -> str:
    log = known(found.log)
    if told := "; ".join(dict.fromkeys(says for _, says in of(log))):
        return told
    if over := _complaints("overflow", log):
        raise Unreadable(over[0][1])
    return _NONE


def _suspect(node: Node, nics: Sequence[RoceNic], found: HostFacts, of: Reader) -> str:
    """The part that the first complaint is of; the device where it names none of ours."""
    if isinstance(found.log, tuple):
        for at, _ in of(found.log):
            for nic in nics:
                if at in (nic.pci, nic.port):
                    return f"NIC {node.name}:{nic.port}"
            for number, gpu in enumerate(_gpus(found)):
                if at == gpu:
                    return f"GPU {node.name}:{number}"
    return ""


def _gpus(found: HostFacts) -> list[str]:
    smi = found.gpu.smi
    return [one.pci for one in getattr(smi, "gpus", ())]


def _places(found: HostFacts, nics: Sequence[RoceNic]) -> frozenset[str]:
    """Of our GPUs and NICs: many a disk or console is narrow by design."""
    return frozenset({*_gpus(found), *(str(nic.pci) for nic in nics)})


def complaint(one: Event) -> str:
    """Why this line is a fault by itself; "" where it is none: a program's own Xid, say."""
    if one.kind == "xid":
        meaning = log_terms().xid.get(one.code or 0, _UNKNOWN)
        mild = meaning["mends"] in _HARMLESS or _is_mild(meaning.get("unless", ""), one.says)
        return "" if mild else f"{one.code} of {one.at}: {meaning['means']}"
    return "" if one.kind == "sxid" and "Non-fatal" in one.says else one.says


def _is_mild(words: str, says: str) -> bool:
    return bool(words) and re.search(words, says, re.IGNORECASE) is not None


def _complaints(kind: str, log: Sequence[Event]) -> Complaints:
    return [(event.at, why) for event in log if event.kind == kind and (why := complaint(event))]


def _xids(log: Sequence[Event]) -> Complaints:
    return _complaints("xid", log)


def _switches(log: Sequence[Event]) -> Complaints:
    return _complaints("sxid", log)


def _kind(kind: str, places: frozenset[str] | None, log: Sequence[Event]) -> Complaints:
    mine = [event for event in log if event.kind == kind and (places is None or event.at in places)]
    return [(event.at, event.says) for event in mine]


def _flaps(terms: LogTerms, nics: Sequence[RoceNic], log: Sequence[Event]) -> Complaints:
    made: Complaints = []
    for nic in nics:
        mine = [event for event in log if event.kind == "link down" and event.at == nic.port]
        most = most_within(mine, terms.flaps_hours)
        made += [(nic.port, f"{nic.port} {most} times")] if most >= terms.flaps else []
    return made
