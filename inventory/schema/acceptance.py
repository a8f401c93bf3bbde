"""What a node or a storage mount is measured by, beside its links."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field

from .types import Closed, Gbps, Key
from .versions import matching

# Printed into shell text as it stands: no blank, no quote, no dot-dot.
_PATH = re.compile(r"(/(?!\.{1,2}(?:/|$))[A-Za-z0-9._-]{1,100}){1,10}")
Place = Annotated[str, matching(_PATH, "an absolute path of plain words, like /var/tmp")]


class Acceptance(Closed):
    """Programs and places that the single-node stage may use on a kind of node.

    Memory is always measured, NVLink and the NICs wherever the profile has them.
    """

    scratch: Place | None = Field(
        default=None, description="folder on the local disk where fio may write for a while"
    )
    stream: Place | None = Field(
        default=None, description="STREAM, bound to each NUMA node; without it, a copy loop"
    )
    dcgm_level: Literal[1, 2, 3, 4] | None = Field(
        default=None, description="run level of `dcgmi diag`, 1 to 4"
    )
    burn: Place | None = Field(default=None, description="gpu_burn")
    all_reduce: Place | None = Field(default=None, description="all_reduce_perf of nccl-tests")


class MountFile(Closed):
    """A file system that nodes reach over the storage plane."""

    path: Place = Field(description="where nodes have it mounted")
    kinds: Annotated[list[Key], Field(min_length=1, max_length=32)] = Field(
        default_factory=lambda: ["gpu"], description="kinds of nodes that have it"
    )
    read_gbps: Gbps = Field(description="what the storage promises to all readers together, Gb/s")
    write_gbps: Gbps = Field(description="what the storage promises to all writers together, Gb/s")
    gds: bool = Field(default=False, description="GPUs read it directly (GPUDirect Storage)")
