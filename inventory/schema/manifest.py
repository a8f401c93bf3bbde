"""How a maker's manifest of machines is laid out."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .types import Closed, Text

Column = Annotated[str, Field(min_length=1, max_length=200)]


class ManifestForm(Closed):
    """One maker's form. A column of JSON may be a path: `metadata.name`, `nics[].mac`."""

    maker: Text = Field(description="who publishes the form")
    format: Literal["csv", "json"] = Field(description="csv or json")
    records: list[Column] = Field(
        default_factory=list, description="JSON: the keys down to the list of machines"
    )
    serial: Column | None = Field(default=None, description="column of the serial number")
    name: Column | None = Field(default=None, description="column of the machine's name")
    rack: Column | None = Field(default=None, description="column of the rack")
    unit: Column | None = Field(default=None, description="column of the rack unit")
    ports: dict[Column, Column] = Field(
        default_factory=dict,
        description="our port, `management` or `bmc` -> column of its MAC address",
    )
    more_macs: list[Column] = Field(
        default_factory=list, description="columns of MACs of which the form names no port"
    )
    unknown: list[Column] = Field(
        default_factory=list, description="values that stand for one that is not known yet"
    )
    source: Text = Field(description="where the form is published")
