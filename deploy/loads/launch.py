"""What starts a program on many nodes at once: an interface, because a site may have its own.

MPI over SSH (`mpi_run.py`) needs nothing but Open MPI on the nodes. Where a scheduler owns the
nodes, it must be the one that starts there: another class with this one method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from validation.evidence.store import EvidenceStore
from validation.stages.s70_collectives.launch import Launch


class Launcher(Protocol):
    """Runs launches and leaves what they printed as evidence."""

    def run(self, launches: Sequence[Launch], store: EvidenceStore) -> Mapping[str, str]:
        """Run all of them at once; they share no node. Return why nodes took no part, by node.

        Each launch that printed anything leaves one frame with its first node, under its
        `command`, with the launcher's exit status. Never raises for what a node or network does.
        Nothing of a run is left on any node afterwards, also where it was cut off.
        """
