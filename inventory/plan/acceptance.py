"""What single nodes are measured with, and which mounts are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Paths on the node; None where its profile does not ask for that test.

    `dcgm_level` is the run level of `dcgmi diag`.
    """

    scratch: str | None
    stream: str | None
    dcgm_level: int | None
    burn: str | None
    all_reduce: str | None


@dataclass(frozen=True, slots=True, order=True)
class Mount:
    """A file system of the storage plane, mounted at `path` on nodes of these kinds.

    Both rates are what the storage promises to all its nodes together.
    """

    path: str
    kinds: tuple[str, ...]
    read_gbps: float
    write_gbps: float
    gds: bool
