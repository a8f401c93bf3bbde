"""Whether streams crossed what is pulled, by ports that count a switch's own frames, too. Pure.

A switch with 128 ports sends and receives a thousand frames of BFD and BGP in a second, as many as
some streams: what these alone can explain shows neither that a stream went, nor that it stayed.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from inventory.plan import Switch
from inventory.reading.fields import Unreadable

# An interval of BFD is shortened by at most a quarter (RFC 5880, 6.8.7), one of BGP too (RFC 4271,
# 10). A keepalive has an answer of TCP.
_SHORTEST = 0.75
_WAYS, _OF_A_KEEPALIVE = 2, 2
# LLDP each 30 s (IEEE 802.1AB, 9.2.5.7), neighbour discovery, LACP, a route now and then.
_REST_PER_S = 1.0
# Readings are trips: between two goes more time than is waited.
_LONGER = 2


@dataclass(frozen=True, slots=True)
class Crossed:
    """Frames counted before and meanwhile, and how many of them at most were the switch's own.

    All of it within `seconds`; `least` are those of streams that show that these went.
    """

    before: int
    during: int
    own_before: float
    own_during: float
    seconds: int
    least: float

    @property
    def _time(self) -> str:
        return "a second" if self.seconds == 1 else f"in {self.seconds} s"

    def unshown(self, *, goes_on: bool) -> str:
        """Why the counts prove nothing; "" where streams crossed it, and `goes_on` elsewhere."""
        before = f"{self.before} frames {self._time} crossed it"
        if self.before < self.least:
            return f"{before}, so the streams took other ways"
        if self.before - self.own_before < self.least:
            return f"{before}, {_own(self.own_before)}: nobody knows whether streams did"
        during = f"{self.during} frames {self._time} crossed the other ports while it was off"
        if goes_on and self.during < self.least:
            return f"{during}: no stream went then"
        if goes_on and self.during - self.own_during < self.least:
            return f"{during}, {_own(self.own_during)}: nobody knows whether streams went then"
        return ""

    def undrained(self) -> str:
        """What a drained switch still forwards, more than half; "" where it is left.

        Raises Unreadable where its own frames may be what decides.
        """
        said = f"drained, it still forwards {self.during} packets {self._time}"
        if (self.during - self.own_during) * 2 > self.before:
            return said
        if self.during * 2 > self.before - self.own_before:
            raise Unreadable(f"{said}, {_own(self.own_during)}: nobody knows whether it is left")
        return ""


def _own(frames: float) -> str:
    return f"of which {frames:.0f} may be its own (BFD, BGP, LLDP)"


def own_frames(switch: Switch, ports: Collection[str], seconds: int) -> float:
    """The frames that go over these ports without any stream, both ways, at most."""
    timers = switch.timers
    bfd_per_s = 1000 / (_SHORTEST * timers.bfd_interval_ms)
    bgp_per_s = _OF_A_KEEPALIVE / (_SHORTEST * timers.bgp_keepalive_s)
    sessions = sum(one.port in ports for one in switch.sessions)
    per_s = _WAYS * (sessions * (bfd_per_s + bgp_per_s) + len(ports) * _REST_PER_S)
    return per_s * seconds * _LONGER
