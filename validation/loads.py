"""Loads: what a pair of NICs is asked to carry, as data. Running them is not done here.

A pair is loaded both ways at once, as collectives load it, by two flows that are measured
apart: the sum of both would hide a slow direction.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any, Literal

import yaml

from inventory.plan import RailNic

THRESHOLDS = Path(__file__).parent / "thresholds" / "loads.yml"
MESSAGE_BYTES = 65536  # one size, named in the evidence: no average over sizes
Tool = Literal["iperf3", "ib_write_bw"]


@dataclass(frozen=True, slots=True, order=True)
class Terms:
    """The settings and limits of one tool; `thresholds/loads.yml` says what they mean."""

    tool: Tool
    seconds: int
    streams: int
    fail_below: float
    nothing_above: float
    uplink_load: float
    rails_at_once: int
    source: str


@dataclass(frozen=True, slots=True, order=True)
class LoadProbe:
    """One flow from NIC to NIC of one rail, and the rate in Gb/s that the plan gives it.

    `leaves` are the sender's and the receiver's; `port` is the server's, its own in each
    round. Devices are RDMA devices, empty without. The frame of the result lies with the
    sender, under `command`.
    """

    id: str
    rail: int
    leaves: tuple[str, str]
    sender: str
    sender_port: str
    sender_device: str
    source: IPv4Address
    receiver: str
    receiver_port: str
    receiver_device: str
    target: IPv4Address
    port: int
    rate_gbps: float
    dscp: int
    terms: Terms

    @property
    def command(self) -> str:
        """The name of the evidence frame; it changes with everything that is asked."""
        asked = self.terms
        return (
            f"probe bw {asked.tool} {self.id} {self.source}>{self.target}:{self.port} "
            f"seconds={asked.seconds} streams={asked.streams} dscp={self.dscp}"
        )

    @property
    def least_gbps(self) -> float:
        """Below this the flow is too slow."""
        return self.rate_gbps * self.terms.fail_below

    @property
    def most_gbps(self) -> float:
        """Above this something else was measured."""
        return self.rate_gbps * self.terms.nothing_above


def tool_of(nic: RailNic) -> Tool:
    """The tool that loads this NIC."""
    return "ib_write_bw" if nic.rdma_device else "iperf3"


@cache
def terms_of(tool: Tool) -> Terms:
    """The settings and limits of a tool. ValueError where the file lacks or adds one."""
    said: dict[str, dict[str, Any]] = yaml.safe_load(THRESHOLDS.read_text(encoding="utf-8"))
    found = said.get(tool, {})
    expected = {one.name for one in fields(Terms)} - {"tool"}
    if set(found) != expected:
        wrong = ", ".join(sorted(set(found) ^ expected))
        raise ValueError(f"{THRESHOLDS.name}: {tool}: {wrong}: missing or unknown")
    return Terms(tool=tool, **found)
