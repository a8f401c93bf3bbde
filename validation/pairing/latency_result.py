"""What came of one latency probe, and whether it ran as it was asked."""

from __future__ import annotations

from dataclasses import dataclass

from inventory.reading.fields import Unreadable
from validation.parse.loads import perftest_lat

from .latency import LatencyProbe


@dataclass(frozen=True, slots=True, order=True)
class Waited:
    """A probe, and how long half of its round trips took."""

    probe: LatencyProbe
    median_us: float
    p99_us: float

    @property
    def late(self) -> bool:
        """Longer than its bounds allow."""
        over = self.median_us > self.probe.most_us
        return over or self.p99_us > self.probe.most_p99_us

    @property
    def impossible(self) -> bool:
        """Faster than light in the planned cables, so something else was measured."""
        return self.median_us < self.probe.fibre_us


def waited(probe: LatencyProbe, status: int, text: str, errors: str) -> Waited:
    """The result from what the probe's client printed. Raises Unreadable."""
    tool = probe.terms.tool
    if status and not text.strip():
        said = " ".join(errors.split())[:160] or "nothing"
        raise Unreadable(f"{tool} ended with status {status} and said: {said}")
    found = perftest_lat.latency(f"{errors}\n{text}")
    if status:
        raise Unreadable(f"{tool} ended with status {status}")
    row = found.row(probe.terms.size_bytes)
    ran = (
        found.test,
        found.events,
        found.settings.device,
        found.settings.link_type,
        found.settings.qps,
        found.settings.gpu,
        row.iterations,
    )
    asked = (
        "RDMA_Write", False, probe.sender_device, "Ethernet", 1, None, probe.terms.iterations,
    )  # fmt: skip
    if ran != asked:
        raise Unreadable(f"{tool} ran {ran}, asked was {asked}")
    return Waited(probe, row.median_us, row.p99_us)
