"""Loads: what a pair of NICs is asked to carry, as data. Running them is not done here.

A pair is loaded both ways at once, as collectives load it, by two flows that are measured
apart: the sum of both would hide a slow direction.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any, Literal

from inventory.own_yaml import own_yaml
from inventory.plan import Plan, PortRef, RailNic

THRESHOLDS = Path(__file__).with_name("loads.yml")
MESSAGE_BYTES = 65536  # one size, named in the evidence: no average over sizes
SOFTWARE_BELOW_GBPS = 1  # no NIC with RDMA has so slow a port: rdma_rxe over a shaped link
Tool = Literal["iperf3", "ib_write_bw"]
Kind = Literal["iperf3", "ib_write_bw", "soft_roce"]


@dataclass(frozen=True, slots=True, order=True)
class Terms:
    """The settings and limits of one tool; `loads.yml` says what they mean."""

    tool: Tool
    seconds: int
    slack_s: int
    streams: int
    qp_timeout: int
    depth: int
    gpu_memory: bool
    fail_below: float
    nothing_above: float
    trend: float
    slow_again: int
    uplink_load: float
    rails_at_once: int
    across_times: int
    loaded_share: float
    top_up_rounds: int
    top_up_load: float
    top_up_streams: int
    source: str


@dataclass(frozen=True, slots=True, order=True)
class LoadProbe:
    """One flow from NIC to NIC of one rail, and the rate in Gb/s that the plan gives it.

    `leaves` are the sender's and the receiver's; `port` is the server's, its own in each
    round. Devices are RDMA devices, empty without. `gpus` are the numbers of those beside the two
    NICs, where the terms ask for their memory. The frame of the result lies with the sender,
    under `command`.
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
    gpus: tuple[int, ...] = ()

    @property
    def command(self) -> str:
        """The name of the evidence frame; it changes with everything that is asked."""
        asked = self.terms
        memory = f" gpus={self.gpus[0]}>{self.gpus[1]}" if self.gpus else ""
        return (
            f"probe bw {asked.tool} {self.id} {self.source}>{self.target}:{self.port} "
            f"seconds={asked.seconds} streams={asked.streams} dscp={self.dscp}{memory}"
        )

    @property
    def measured_as(self) -> str:
        """What a rate must have in common with an earlier one to be compared with it."""
        asked = self.terms
        how = f"{asked.tool} seconds={asked.seconds} streams={asked.streams} dscp={self.dscp}"
        return f"{how} of {self.rate_gbps:g} Gb/s"

    @property
    def least_gbps(self) -> float:
        """Below this the flow is too slow."""
        return self.rate_gbps * self.terms.fail_below

    @property
    def most_gbps(self) -> float:
        """Above this something else was measured."""
        return self.rate_gbps * self.terms.nothing_above


def kind_of(plan: Plan, node: str, nic: RailNic) -> Kind:
    """The section of the terms under which this NIC is loaded."""
    if not nic.rdma_device:
        return "iperf3"
    rate_gbps = plan.cable_at[PortRef(node, nic.port)].rate_gbps
    return "soft_roce" if rate_gbps < SOFTWARE_BELOW_GBPS else "ib_write_bw"


@cache
def terms_of(kind: Kind) -> Terms:
    """The settings and limits of a kind. ValueError where the file lacks or adds one."""
    said: dict[str, dict[str, Any]] = own_yaml(THRESHOLDS)
    found = said.get(kind, {})
    expected = {field.name for field in fields(Terms)} - {"tool"}
    if set(found) != expected:
        wrong = ", ".join(sorted(set(found) ^ expected))
        raise ValueError(f"{THRESHOLDS.name}: {kind}: {wrong}: missing or unknown")
    return Terms(tool="iperf3" if kind == "iperf3" else "ib_write_bw", **found)


@cache
def with_streams(terms: Terms, streams: int) -> Terms:
    """The same terms with another number of streams."""
    return replace(terms, streams=streams)


def gpus_of(terms: Terms, here: int | None, there: int | None) -> tuple[int, ...]:
    """The GPUs whose memory a flow uses: those beside both NICs, where the terms ask for it."""
    if not terms.gpu_memory or here is None or there is None:
        return ()
    return here, there
