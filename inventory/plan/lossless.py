"""The class that carries RoCE data."""

from __future__ import annotations

from dataclasses import dataclass

from .words import LosslessMode


@dataclass(frozen=True, slots=True)
class Lossless:
    """The one class that carries RoCE data, and the strict class of its CNPs.

    `mode` "marking-only" is a fabric without PFC, ECN and buffers: only that the DSCP
    survives, the MTU and the counters may be asked of it.
    """

    mode: LosslessMode
    dscp: int
    priority: int
    cnp_dscp: int
    cnp_priority: int
    host_ip_mtu_bytes: int
    switch_ip_mtu_bytes: int

    @property
    def tos(self) -> int:
        """The IPv4 TOS byte of RoCE data: DSCP with ECT(0) (RFC 3168), e.g. 26 -> 106."""
        return self.dscp << 2 | 0b10
