"""From what a group measured to a verdict, and to who holds it up: a node, or the storage."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from statistics import median

from testinfra.host import Host

from validation.evidence.reading import answer
from validation.judging.limits import WHAT_CHANGED, Limit, Opinion
from validation.judging.limits import judge as limit_judge
from validation.locating.view import View
from validation.parse.gpu import gdsio
from validation.parse.loads.fio import Way
from validation.probes.disk_io import Answer, Refused
from validation.probes.disk_io import answer as disk_answer
from validation.stage import Faults

from .expect import DirectExpected, FairExpected, PartExpected, TotalExpected
from .groups import Group
from .terms import terms

_DIRECT = "GPUD"
_NODE = (
    "compare the counters of its storage NICs and their leaf ports, its mount options and its "
    "client's version with a good node's"
)
_STORAGE = "the nodes are alike: see the storage's servers, their links and what else uses them"


@dataclass(frozen=True, slots=True)
class Together:
    """A group in one direction: each node's rate in Gb/s, and how long all ran at once.

    `overlap` is a share of the time that was asked; `missing` are nodes without a result.
    """

    rates: tuple[tuple[str, float], ...]
    missing: tuple[str, ...]
    overlap: float


def part(host: Host, one: PartExpected, faults: Faults, view: View) -> None:
    """One node's rate; a slow node among good ones is the suspect, else the storage is."""
    try:
        mine = _gbps(_measured(one.group, host), one.way)
    except Refused as refused:
        suspect = f"mount {one.group.mount.path} on {one.device}"
        faults.add(one, suspect, str(refused), hint="see `findmnt`, `df -h` and the client's log")
        return
    together = _together(view, one.group, one.way)
    asked, planned = terms().fio, one.group.part_gbps(one.device, one.way)
    how = _how(one.group, planned)
    faults.figure(one, mine, "Gb/s", how)
    limit = Limit(asked.source, least=asked.least, gap=asked.gap, trend=asked.trend)
    rates = [rate for _, rate in together.rates]
    opinion = limit_judge(mine, limit, planned, rates, view.history(one.id, how))
    path = one.group.mount.path
    nic = one.group.nic_gbps[one.group.nodes.index(one.device)]
    if why := _impossible(mine, nic):
        faults.unknown(one, f"mount {path} on {one.device}", why)
    elif opinion.bad:
        suspect, hint = _blame(one, together, planned * asked.least)
        hint = _since(hint, opinion)
        faults.add(one, suspect, f"{mine:.3g} Gb/s: {'; '.join(opinion.bad)}", hint=hint)
    elif len(one.group.nodes) > 1 and (why := _not_at_once(together)):
        faults.unknown(one, f"mount {path} on {one.device}", why)


def _impossible(gbps: float, nic_gbps: float) -> str:
    """Why a rate proves nothing: no data came faster than the NICs carry. Empty where it may."""
    if gbps <= nic_gbps:
        return ""
    return f"{gbps:.3g} Gb/s: more than its NICs carry, so something else was measured"


def _blame(one: PartExpected, together: Together, least: float) -> tuple[str, str]:
    slow = [node for node, rate in together.rates if rate < least]
    path = one.group.mount.path
    if len(slow) > len(together.rates) / 2 and len(together.rates) > 1:
        return f"storage {path}", _STORAGE
    return f"mount {path} on {one.device}", _NODE


def total(host: Host, one: TotalExpected, faults: Faults, view: View) -> None:
    """What all nodes of a group got at once."""
    _measured(one.group, host)
    together = _together(view, one.group, one.way)
    suspect = f"storage {one.group.mount.path}"
    if why := _not_at_once(together) or _impossible_of(together, one.group):
        faults.unknown(one, suspect, why)
        return
    sum_, planned = sum(rate for _, rate in together.rates), one.group.total_gbps(one.way)
    asked, how = terms().fio, _how(one.group, planned)
    faults.figure(one, sum_, "Gb/s", how)
    limit = Limit(asked.source, least=asked.total_least, trend=asked.trend)
    opinion = limit_judge(sum_, limit, planned, (), view.history(one.id, how))
    if opinion.bad:
        found = f"{sum_:.4g} Gb/s: {'; '.join(opinion.bad)}"
        faults.add(one, suspect, found, hint=_since(_STORAGE, opinion))


def _how(group: Group, planned: float) -> str:
    return f"fio {group.files.asked} on {len(group.nodes)} nodes of {planned:g} Gb/s"


def _since(hint: str, opinion: Opinion) -> str:
    return f"{hint}; {WHAT_CHANGED}" if opinion.lost else hint


def fair(host: Host, one: FairExpected, faults: Faults, view: View) -> None:
    """The slowest node against the fastest."""
    _measured(one.group, host)
    together = _together(view, one.group, one.way)
    if why := _not_at_once(together) or _impossible_of(together, one.group):
        faults.unknown(one, f"storage {one.group.mount.path}", why)
        return
    slowest, fastest = (pick(together.rates, key=lambda x: x[1]) for pick in (min, max))
    share = slowest[1] / fastest[1] if fastest[1] else 0.0
    faults.figure(one, share, "of the fastest")
    if share < terms().fio.fair:
        middle = median(rate for _, rate in together.rates)
        found = f"{slowest[0]} gets {slowest[1]:.3g} Gb/s, {fastest[0]} {fastest[1]:.3g}"
        suspect = f"mount {one.group.mount.path} on {slowest[0]}"
        hint = _NODE if middle > 2 * slowest[1] else _STORAGE
        faults.add(one, suspect, found, hint=hint)


def direct(host: Host, one: DirectExpected, faults: Faults, view: View) -> None:
    """Reads from storage to a GPU, which did not go through the CPU."""
    found = gdsio.run(answer(host, one.command))
    suspect = f"GPUDirect Storage of {one.device}"
    if (found.io, found.way) != ("READ", _DIRECT):
        what = f"gdsio did {found.io} by {found.way}"
        faults.add(one, suspect, what, hint="see `gdscheck -p` and cufile.log")
        return
    asked, rate = terms().gds, found.bytes_per_s * 8 / 1e9
    how = f"{one.command} of {one.part_gbps:g} Gb/s"
    faults.figure(one, rate, "Gb/s", how)
    if why := _impossible(rate, one.nic_gbps):
        faults.unknown(one, suspect, why)
        return
    limit = Limit(asked.source, least=asked.least, trend=asked.trend)
    opinion = limit_judge(rate, limit, one.part_gbps, (), view.history(one.id, how))
    if opinion.bad:
        hint = "compare with the same mount by fio: where that is fast, see `gdscheck -p` and PCIe"
        hint = _since(hint, opinion)
        faults.add(one, suspect, f"{rate:.3g} Gb/s: {'; '.join(opinion.bad)}", hint=hint)


def _measured(group: Group, host: Host) -> Answer:
    told = host.run(group.command)
    return disk_answer(group.files, told.rc, str(told.stdout), str(told.stderr))


def _gbps(found: Answer, way: Way) -> float:
    return found.of(way).bytes_per_s * 8 / 1e9


def _together(view: View, group: Group, way: Way) -> Together:
    """Both directions of a group are read once."""

    def make() -> dict[str, Answer | None]:
        return {node: view.look(node, partial(_measured, group)) for node in group.nodes}

    found = view.once(("store", group.id), make)
    some = {node: one for node, one in found.items() if one is not None}
    spans = [one.span(way) for one in some.values()]
    at_once = min((end for _, end in spans), default=0.0) - max((a for a, _ in spans), default=0.0)
    return Together(
        tuple((node, _gbps(one, way)) for node, one in some.items()),
        tuple(node for node in group.nodes if node not in some),
        max(at_once, 0.0) / terms().fio.seconds,
    )


def _impossible_of(together: Together, group: Group) -> str:
    """The same of the first node with such a rate: a sum would hide it, and all would look slow."""
    carries = dict(zip(group.nodes, group.nic_gbps, strict=True))
    some = ((node, _impossible(rate, carries[node])) for node, rate in together.rates)
    return next((f"{node}: {why}" for node, why in some if why), "")


def _not_at_once(together: Together) -> str:
    """Why a sum of these rates would be no rate; empty where it is one."""
    if together.missing:
        return f"no result of {', '.join(together.missing[:3])} ({len(together.missing)} in all)"
    least = terms().fio.overlap
    if together.overlap < least:
        return f"all ran at once for {together.overlap:.0%} of the time, {least:.0%} is asked"
    return ""
