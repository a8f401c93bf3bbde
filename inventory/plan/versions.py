"""Versions and BIOS settings wanted of each kind of device."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class VersionWanted:
    """The version of `component` that every device of `kind` shall run.

    `kind` says what it is and names its profile: `node hgx-h100`, `switch sn5600`. `source` is
    where somebody read that this version goes with the rest.
    """

    kind: str
    component: str
    version: str
    source: str


@dataclass(frozen=True, slots=True)
class BiosSetting:
    """The value of a BIOS attribute on every node of `kind`, as Redfish writes it."""

    kind: str
    attribute: str
    value: str | int | bool
