"""What a profile of a switch ASIC may say: how its headroom is found, and what it holds.

An ASIC has a formula, or a table that somebody published, or nothing: then the switch OS finds
the number (`system`). They are never mixed, because tables of two ASICs differ twofold.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from .lossless import BufferBytes, EcnFile
from .types import Closed, Gbps, Metres, Text

_KIB = 1024
_WIDE_LANES = 8


class PauseQuanta(Closed):
    """How long a peer of this rate may still send after a pause, in quanta of 512 bit times."""

    rate_gbps: Gbps = Field(description="port rate, Gb/s")
    quanta: int = Field(ge=1, le=65535, description="quanta of 512 bits (IEEE 802.3, 31B.3.7)")


class HeadroomFormula(Closed):
    """Parameters of the headroom formula of SONiC's dynamic buffer model."""

    cell_bytes: int = Field(ge=32, le=4096, description="unit of buffer memory, bytes")
    pipeline_kib: float = Field(gt=0, le=1024, description="packets inside the pipeline, KiB")
    mac_phy_kib: float = Field(ge=0, le=1024, description="packets inside MAC and PHY, KiB")
    tile_ns: int = Field(default=0, ge=0, le=10_000, description="time between tiles, ns")
    lane_gbps: Gbps = Field(description="rate of its fastest electrical lane, Gb/s")
    pause_quanta: list[PauseQuanta] = Field(min_length=1, description="response time of peers")

    def quanta(self, rate_gbps: float) -> int | None:
        """The pause quanta of a rate; None where nobody published them."""
        return next(
            (quanta.quanta for quanta in self.pause_quanta if quanta.rate_gbps == rate_gbps), None
        )

    def is_wide(self, rate_gbps: float, lanes: int) -> bool:
        """Whether a port takes eight lanes, so two buffer units of the ASIC.

        At its own rate or, in a cage that nobody split, at a lower one. A rate that fewer lanes
        do not carry tells it also of a switch whose profile does not say how many there are.
        """
        return lanes == _WIDE_LANES or rate_gbps >= _WIDE_LANES * self.lane_gbps


class HeadroomRow(Closed):
    """One published row: a port of this rate with a cable of up to this length."""

    rate_gbps: Gbps = Field(description="port rate, Gb/s")
    cable_m: Metres = Field(description="longest cable it holds for, metres")
    xon_bytes: int = Field(
        default=0, ge=0, le=1_000_000_000, description="below it the peer may send again"
    )
    xoff_bytes: BufferBytes = Field(description="room for what arrives after the pause, bytes")
    size_bytes: BufferBytes = Field(description="reserved for the priority group, bytes")
    xon_offset_bytes: int = Field(
        default=0, ge=0, le=1_000_000_000, description="how far a queue falls before it resumes"
    )


class BufferFile(Closed):
    """The packet buffer that all ports share, and what is taken from it beside headroom."""

    total_bytes: BufferBytes = Field(description="all buffer that ports may use, bytes")
    lossless_share_percent: int = Field(
        default=100, ge=1, le=100, description="what is left for the lossless class, percent"
    )
    alpha: float = Field(
        gt=0, le=128, allow_inf_nan=False, description="share of the free pool one queue may take"
    )
    port_reserved_kib: int = Field(default=0, ge=0, le=4096, description="taken by each port, KiB")
    wide_port_reserved_kib: int = Field(
        default=0, ge=0, le=4096, description="the same of a port of eight lanes, KiB"
    )
    fixed_kib: int = Field(default=0, ge=0, le=1_000_000, description="taken once, KiB")
    private_headroom_kib: int = Field(
        default=0, ge=0, le=4096, description="of shared headroom, each port's own, KiB"
    )
    source: Text = Field(description="where these numbers come from")

    def reserved_bytes(self, *, is_wide: bool) -> int:
        """Bytes that one port takes beside its headroom."""
        return (self.wide_port_reserved_kib if is_wide else self.port_reserved_kib) * _KIB


class AsicProfile(Closed):
    """A switch ASIC."""

    headroom: Literal["formula", "table", "system"] = Field(
        description="how headroom is found; system: the switch OS does it"
    )
    formula: HeadroomFormula | None = Field(default=None, description="its parameters")
    table: list[HeadroomRow] = Field(default_factory=list, description="published rows")
    buffer: BufferFile | None = Field(default=None, description="the packet buffer")
    system_cable_m: Metres | None = Field(
        default=None, description="longest cable for which the system's own headroom is enough"
    )
    ecn: EcnFile | None = Field(
        default=None, description="published thresholds: of the model, or where no buffer is known"
    )
    source: Text = Field(description="where these numbers come from")

    @model_validator(mode="after")
    def _is_whole(self) -> AsicProfile:
        if (self.headroom == "formula") != (self.formula is not None):
            raise ValueError("`formula` with `headroom: formula`, and only there")
        if (self.headroom == "table") != bool(self.table):
            raise ValueError("`table` with `headroom: table`, and only there")
        if (self.headroom == "system") == (self.buffer is not None):
            raise ValueError("`buffer`, unless `headroom: system`")
        return self
