"""DSCP, class, priority and pause inside one box, and how alike its ports are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from switch_configs.readback.facts import ClassFacts, PortFacts
from validation.audit.box import Box
from validation.audit.rule import Problem, Rule

_MOST_LOSSLESS = 2
_BEST_EFFORT = 0


def paused(port: PortFacts) -> tuple[ClassFacts, ...]:
    """The classes of a port that are lossless."""
    classes = port.qos.classes if port.qos else ()
    return tuple(one for one in classes if one.pfc_priority is not None)


def carriers(box: Box) -> Iterator[PortFacts]:
    """The ports that pause any priority."""
    return (port for port in box.facts.ports if port.qos and port.qos.pfc_priorities)


class PausedPriorityHasADscp(Rule):
    """A priority that a port pauses carries some DSCP."""

    id = "pfc-without-class"
    severity = "critical"
    why = (
        "PFC on a priority into which no DSCP is sorted pauses nothing of RoCE: its packets are in "
        "a class that drops (IEEE 802.1Qbb; makers' parsers accept it)"
    )

    needs = frozenset({"class.dscps", "qos.pfc_priorities"})
    of = "qos.pfc_priorities"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in carriers(box):
            known = {one.pfc_priority for one in paused(port) if one.dscps}
            known |= {priority for _, priority in (port.qos.by_tag if port.qos else ())}
            for priority in sorted(set(port.qos.pfc_priorities if port.qos else ()) - known):
                found = f"priority {priority} is paused, and no DSCP is sorted into it"
                fix = "map RoCE's DSCP to it, or pause another"
                yield self.problem(box, port.name, found, fix, values=(priority,))


class BestEffortIsNotPaused(Rule):
    """DSCP 0, which everybody sends, is in no lossless class."""

    id = "best-effort-lossless"
    severity = "critical"
    why = (
        "unmarked packets in the lossless class are paused with it, and one storage or ssh flow "
        "stops RoCE on a whole tier (RDMA over Commodity Ethernet at Scale, SIGCOMM 2016)"
    )

    needs = frozenset({"class.dscps"})
    of = "class.dscps"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in carriers(box):
            for one in paused(port):
                if _BEST_EFFORT in one.dscps:
                    found = f"DSCP 0 is in the lossless class of priority {one.pfc_priority}"
                    fix = "sort only RoCE's DSCP into it; a port that trusts no DSCP has one class"
                    yield self.problem(box, port.name, found, fix, values=(_BEST_EFFORT,))


class FewPrioritiesArePaused(Rule):
    """A port pauses no more priorities than its buffer has headroom for."""

    id = "many-lossless"
    severity = "major"
    why = (
        "each lossless priority takes headroom of its own from the shared buffer; shallow switches "
        "hold one or two (SIGCOMM 2016, section 2)"
    )

    needs = frozenset({"qos.pfc_priorities"})
    of = "qos.pfc_priorities"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in carriers(box):
            many = port.qos.pfc_priorities if port.qos else ()
            if len(many) > _MOST_LOSSLESS:
                found = f"priorities {', '.join(map(str, many))} are all paused"
                yield self.problem(box, port.name, found, "pause RoCE's alone", values=many)


class MarkedIsPaused(Rule):
    """A class that is lossless on other ports of a box and marked here is paused here."""

    id = "pfc-missing"
    severity = "critical"
    why = "the same packets are held on one port and dropped on another (IEEE 802.1Qbb)"
    needs = frozenset({"qos.pfc_priorities", "class.dscps", "class.ecn"})
    of = "qos.pfc_priorities"

    def of_box(self, box: Box) -> Iterator[Problem]:
        held = {one.dscps: one.pfc_priority for port in carriers(box) for one in paused(port)}
        for port in box.facts.ports:
            for one in port.qos.classes if port.qos else ():
                if one.ecn and one.pfc_priority is None and held.get(one.dscps) is not None:
                    found = f"DSCP {', '.join(map(str, one.dscps))} is marked here and not paused"
                    fix = f"pause priority {held[one.dscps]}, as other ports do"
                    yield self.problem(box, port.name, found, fix)


class PortsSortAlike(Rule):
    """All ports between switches sort DSCPs into the same priorities."""

    id = "ports-differ"
    severity = "critical"
    why = (
        "a path is lossless only where every hop sorts a packet alike: a port that does not, drops"
    )

    needs = frozenset({"class.dscps"})
    of = "class.dscps"

    def of_box(self, box: Box) -> Iterator[Problem]:
        sorts = {port.name: sorting(port) for port in carriers(box)}
        if not sorts:
            return
        (usual, count), *_ = Counter(sorts.values()).most_common()
        for name, mine in sorted(sorts.items()):
            if mine != usual and count * 2 > len(sorts):
                found = f"lossless DSCPs are {_told(mine)}, on {count} other ports {_told(usual)}"
                words = (dscp for dscp, _ in mine)
                yield self.problem(box, name, found, "sort as the other ports do", values=words)


def sorting(port: PortFacts) -> tuple[tuple[int, int], ...]:
    """Each lossless DSCP of a port with its priority, sorted."""
    pairs = ((dscp, one.pfc_priority or 0) for one in paused(port) for dscp in one.dscps)
    return tuple(sorted(pairs))


def _told(pairs: tuple[tuple[int, int], ...]) -> str:
    return ", ".join(f"{dscp} in {priority}" for dscp, priority in pairs) or "none"
