"""Pauses that never end, and pauses of the whole port."""

from __future__ import annotations

from collections.abc import Iterator

from validation.audit.box import Box
from validation.audit.rule import Problem, Rule

from .marking import carriers

# SONiC takes 100 to 5,000 ms; NVIDIA detects after 300 ms, the others after 200 by default.
_SOON_MS, _LATE_MS = 100, 1_000


class StormsAreEnded(Rule):
    """A port that pauses has a PFC watchdog."""

    id = "no-watchdog"
    severity = "critical"
    why = (
        "one NIC that sends pauses for ever stops a fabric hop by hop; the watchdog drops its "
        "queue (SIGCOMM 2016, section 4.3)"
    )

    needs = frozenset({"qos.watchdog"})
    of = "qos.watchdog"

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

    needs = frozenset({"qos.watchdog", "watchdog.restore_ms"})
    of = "watchdog.restore_ms"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in carriers(box):
            dog = port.qos.watchdog if port.qos else None
            if dog and dog.restore_ms and dog.poll_ms and dog.restore_ms < dog.poll_ms:
                found = f"restores after {dog.restore_ms} ms, looks every {dog.poll_ms} ms"
                fix = "restore after two looks or more"
                yield self.problem(box, port.name, found, fix, values=(dog.restore_ms,))


class StormsAreSeenInTime(Rule):
    """A storm is seen after some looks, and within a second."""

    id = "watchdog-detects"
    severity = "major"
    why = (
        "sooner than a congested port is served again, plain congestion is dropped; later, the "
        "storm has reached every port (SIGCOMM 2016, section 4.3)"
    )
    needs = frozenset({"qos.watchdog", "watchdog.detect_ms"})
    of = "watchdog.detect_ms"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in carriers(box):
            dog = port.qos.watchdog if port.qos else None
            if dog is None or dog.detect_ms is None:
                continue
            found = ""
            if not _SOON_MS <= dog.detect_ms <= _LATE_MS * 2:
                found = f"a storm counts after {dog.detect_ms} ms"
            elif dog.poll_ms is not None and dog.detect_ms < dog.poll_ms:
                found = f"a storm counts after {dog.detect_ms} ms, looks are every {dog.poll_ms} ms"
            if found:
                fix = "200 to 400 ms, two looks or more"
                yield self.problem(box, port.name, found, fix, values=(dog.detect_ms,))


class WatchdogDrops(Rule):
    """A watchdog drops what a storm holds."""

    id = "watchdog-action"
    severity = "major"
    why = (
        "a watchdog that only tells leaves the storm where it is, and one that forwards sends into "
        "a port that said stop (SIGCOMM 2016, section 4.3: drop)"
    )
    needs = frozenset({"watchdog.action"})
    of = "watchdog.action"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in carriers(box):
            dog = port.qos.watchdog if port.qos else None
            if dog and dog.action not in (None, "drop"):
                found = f"the watchdog's action is {dog.action}"
                yield self.problem(box, port.name, found, "drop", values=(dog.action,))


class WatchdogHasWork(Rule):
    """A watchdog stands where PFC is."""

    id = "watchdog-idle"
    severity = "minor"
    why = "a watchdog on a port that pauses nothing watches nothing: PFC or the port is meant"
    needs = frozenset({"qos.watchdog", "qos.pfc_priorities"})
    of = "qos.watchdog"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in box.facts.ports:
            if port.qos and port.qos.watchdog and not port.qos.pfc_priorities:
                found = "a PFC watchdog, and no priority is paused"
                yield self.problem(box, port.name, found, "PFC there, or no watchdog")


class PauseIsByPriority(Rule):
    """A port that pauses priorities has no pause of the whole port."""

    id = "global-pause"
    severity = "critical"
    why = (
        "a pause of the port stops every class, and PFC is off where it is on: a port does one "
        "of both (IEEE 802.1Q-2018, 36.1; IEEE 802.3, annex 31B)"
    )
    of = "port.global_pause"

    def of_box(self, box: Box) -> Iterator[Problem]:
        if not box.said("", self.of):
            return
        for port in carriers(box):
            if box.said(port.name, self.of):
                found = "pauses priorities and the whole port"
                yield self.problem(box, port.name, found, "take the pause of the port away")


class LosslessIsRouted(Rule):
    """No port that pauses is in a VLAN with others, beside a pair's bonds."""

    id = "lossless-switched"
    severity = "minor"
    why = (
        "a switch floods what it does not know, lossless too, and a flooded packet can close a "
        "circle of pauses (SIGCOMM 2016, section 4.2): route, or drop what ARP has and MAC has not"
    )
    needs = frozenset({"port.vlans"})
    of = "port.vlans"

    def of_box(self, box: Box) -> Iterator[Problem]:
        flat = [port for port in carriers(box) if port.vlans and not port.addresses]
        if flat:
            found = f"{len(flat)} ports that pause are in VLANs, {flat[0].name} first"
            vlans = flat[0].vlans
            yield self.problem(box, flat[0].name, found, "route RoCE", values=vlans)


class PairPausesAcross(Rule):
    """Leaves of a pair pause towards each other what they pause towards hosts."""

    id = "pair-lossy"
    severity = "major"
    why = (
        "when a leaf loses its uplinks its lossless packets go over the link of the pair, and are "
        "dropped there (NVIDIA Onyx user manual, MLAG: PFC on the inter-peer link)"
    )
    needs = frozenset({"qos.pfc_priorities", "pair"})
    of = "qos.pfc_priorities"

    def of_box(self, box: Box) -> Iterator[Problem]:
        pair = box.facts.pair
        among = {name for bond in box.facts.bonds if bond.shared for name in bond.ports}
        shared = {
            priority
            for port in carriers(box)
            if port.name in among
            for priority in (port.qos.pfc_priorities if port.qos else ())
        }
        for name in pair.ports if pair and shared else ():
            port = box.port(name)
            has = set(port.qos.pfc_priorities) if port and port.qos else set()
            if port and not shared <= has:
                found = f"bonds of the pair pause {sorted(shared)}, this link {sorted(has)}"
                yield self.problem(box, name, found, "the same PFC between the leaves")
