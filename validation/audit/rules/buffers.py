"""ECN, watchdog and headroom of the lossless class inside one box."""

from __future__ import annotations

import re
from collections.abc import Iterator

from validation.audit.box import Box
from validation.audit.rule import Problem, Rule

from .marking import carriers, paused


class LosslessIsMarked(Rule):
    """A lossless class is marked by ECN before it pauses."""

    id = "lossless-without-ecn"
    severity = "critical"
    why = (
        "without marks DCQCN never slows a sender, and every congestion becomes pauses that spread "
        "(DCQCN, SIGCOMM 2015, section 3)"
    )

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in carriers(box):
            for one in paused(port):
                if one.ecn is None:
                    found = f"no ECN on the lossless class of priority {one.pfc_priority}"
                    yield self.problem(box, port.name, found, "mark its queue by WRED with ECN")


class EcnThresholdsRise(Rule):
    """Marking begins below where all is marked."""

    id = "ecn-order"
    severity = "major"
    why = "with Kmin at Kmax marking is all or nothing, and flows swing (DCQCN, SIGCOMM 2015)"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in box.facts.ports:
            for one in port.qos.classes if port.qos else ():
                if one.ecn and one.ecn.kmin_bytes >= one.ecn.kmax_bytes:
                    found = f"Kmin {one.ecn.kmin_bytes}, Kmax {one.ecn.kmax_bytes} bytes"
                    yield self.problem(box, port.name, found, "Kmin below Kmax")


class LossyIsMarkedOnPurpose(Rule):
    """ECN stands on a class that somebody pauses, where the port pauses any."""

    id = "ecn-beside"
    severity = "major"
    why = "marks on another class than the paused one slow the wrong flows and leave RoCE unmarked"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in carriers(box):
            classes = port.qos.classes if port.qos else ()
            marked = [one for one in classes if one.ecn]
            if marked and all(one.pfc_priority is None for one in marked):
                found = "ECN is on classes that are not paused alone"
                yield self.problem(box, port.name, found, "put it on the queue of the paused one")


class StormsAreEnded(Rule):
    """A port that pauses has a PFC watchdog."""

    id = "no-watchdog"
    severity = "critical"
    why = (
        "one NIC that sends pauses for ever stops a fabric hop by hop; the watchdog drops its "
        "queue (SIGCOMM 2016, section 4.3)"
    )

    def of_box(self, box: Box) -> Iterator[Problem]:
        bare = [port.name for port in carriers(box) if port.qos and port.qos.watchdog is None]
        if bare:
            more = f" and {len(bare) - 1} more" if len(bare) > 1 else ""
            found = f"no PFC watchdog on {bare[0]}{more}"
            yield self.problem(box, bare[0], found, "turn it on where PFC is")


class WatchdogWaits(Rule):
    """A watchdog restores a queue later than it looks for storms."""

    id = "watchdog-times"
    severity = "minor"
    why = "a queue that is restored before the next look is shut and opened all the time"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in carriers(box):
            dog = port.qos.watchdog if port.qos else None
            if dog and dog.restore_ms and dog.poll_ms and dog.restore_ms < dog.poll_ms:
                found = f"restores after {dog.restore_ms} ms, looks every {dog.poll_ms} ms"
                yield self.problem(box, port.name, found, "restore after two looks or more")


# What a readback says of the lossless path; all else that it calls a hazard is beside it.
_LOSSLESS = re.compile(
    r"(?i)traffic.class|priorit|queue|pool|buffer|\becn\b|dscp|lossless|headroom|watchdog|pause|qos"
)
# Only a plan of ours may ask for these.
_PLANNED = ("has no isolated part", "is not only between the leaves")


class ChainsHold(Rule):
    """Maps, profiles and pools of the lossless path lead somewhere."""

    id = "broken-chain"
    severity = "critical"
    why = "a map that no port has, a pool without size: the box takes it, and does something else"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for hazard in box.facts.hazards:
            if _LOSSLESS.search(hazard):
                yield self.problem(box, _port(hazard), hazard, "mend the chain that it names")


class NothingWorksOtherwise(Rule):
    """What stands in the configuration works as it reads."""

    id = "hazard"
    severity = "minor"
    why = "it reads as if it did something, and does not, or more than it says"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for hazard in box.facts.hazards:
            if not _LOSSLESS.search(hazard) and not any(one in hazard for one in _PLANNED):
                yield self.problem(box, _port(hazard), hazard, "see whether it is meant")


def _port(hazard: str) -> str:
    """The port that a reader's sentence begins with; "" where it is of the whole box."""
    named = re.match(r"port ([\w./-]+)", hazard)
    return named[1] if named else ""
