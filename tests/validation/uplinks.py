"""Uplink counters as switches would print them, and how full rounds make the uplinks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from inventory.plan import Plan, PortRef
from validation.evidence.store import Frame
from validation.pairing.coverage import CoverageExpected, coverages
from validation.pairing.schedule import Pair, Room, loads

from .carried_says import SAYS
from .healthy import frame

Ways = Mapping[PortRef, tuple[float, float]]  # Gbit received and sent
FULL_GBPS = 0.19  # what iperf3 gets through a lab link


def asked(plan: Plan) -> tuple[CoverageExpected, ...]:
    """What stage 50 asks of a whole fabric's uplinks."""
    everything = frozenset(plan.devices)
    return tuple(coverages(plan, everything, loads(plan, everything)))


def printed(
    one: CoverageExpected,
    loaded: Collection[str],
    uptime_s: float,
    rounds: int,
    dialect: str = "linux_frr",
) -> str:
    """Counters after so many rounds in which the ports of `loaded` were full both ways."""
    size = int(FULL_GBPS * 1e9 / 8 * one.terms.seconds) * rounds
    ports = {
        up.port: (7000 + size * (up.port in loaded), 9000 + size * (up.port in loaded))
        for up in one.uplinks
    }
    return SAYS[dialect](ports, uptime_s)


def counted(plan: Plan, one: CoverageExpected, name: str, loaded: Collection[str]) -> list[Frame]:
    """Both frames of one round."""
    dialect = plan.switch[one.device].dialect
    texts = {
        "before": printed(one, loaded, 100, 0, dialect),
        "after": printed(one, loaded, 102 + one.terms.seconds, 1, dialect),
    }
    return [
        frame(plan, one.device, f"probe uplinks round {name} {when}", text)
        for when, text in texts.items()
    ]


def uplink_load(plan: Plan, pairs: Iterable[Pair]) -> dict[str, float]:
    """Switch -> the share of its uplinks that the pairs are expected to fill, each way."""
    room = Room(plan)
    for pair in pairs:
        room.force(pair)
    return room.expected


def moved(plan: Plan, one: CoverageExpected, name: str, gbit: Ways) -> list[Frame]:
    """Both frames of a round in which these ports got and sent so much, and others their rate."""
    full = FULL_GBPS * one.terms.seconds
    found = []
    for when, uptime_s, part in (("before", 100.0, 0), ("after", 104.0, 1)):
        ways = {up.port: gbit.get(PortRef(one.device, up.port), (full, full)) for up in one.uplinks}
        ports = {
            port: (7000 + int(part * down * 1e9 / 8), 7000 + int(part * up * 1e9 / 8))
            for port, (down, up) in ways.items()
        }
        text = SAYS[plan.switch[one.device].dialect](ports, uptime_s)
        found.append(frame(plan, one.device, f"probe uplinks round {name} {when}", text))
    return found
