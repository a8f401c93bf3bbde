"""Racks: what they hold, and what they may draw."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .types import Closed, Count, Name, Watts


class Racks(Closed):
    """One kind of rack for the whole site."""

    units: Annotated[int, Field(ge=4, le=60)] = Field(description="rack units of a rack")
    power_w: Watts = Field(description="most power a rack may draw, W")
    pdus: Annotated[int, Field(ge=1, le=8)] = Field(default=2, description="PDUs in a rack")
    pdu_power_w: Watts = Field(description="most power of one PDU, W; one may fail")
    power_of: dict[Name, Watts] = Field(
        default_factory=dict,
        description="W of profiles whose makers publish none, as people measured or budgeted them",
    )
    racks_per_row: Count | None = Field(
        default=None, description="racks of a pod that hang on one row's power; default: all"
    )
    switches_per_rack: Count = Field(default=16, description="switches in a network rack")
