"""A launch: one program on several nodes at once, as data; `deploy/loads/` runs it."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from validation.evidence.lookup import PROBE


@dataclass(frozen=True, slots=True, order=True)
class Launch:
    """`argv` runs `ranks_per_node` times on each of `nodes`; what it prints is one frame.

    The frame lies with the first node under `command`, which changes with everything that is
    asked. `env` reaches every rank, `settings` are the launcher's own. `meet_at` is the address of
    each node, inside `meet_over`, at which the launcher's processes meet; `data_over` is where MPI
    may move data by TCP: all are the plan's, never found by the tool. `limit_s` ends the whole run.
    """

    command: str
    nodes: tuple[str, ...]
    ranks_per_node: int
    argv: tuple[str, ...]
    env: tuple[tuple[str, str], ...]
    settings: tuple[tuple[str, str], ...]
    meet_at: tuple[IPv4Address, ...]
    meet_over: IPv4Network
    data_over: IPv4Network
    limit_s: float

    def __post_init__(self) -> None:
        if not self.command.startswith(PROBE):
            raise ValueError(f"{self.command!r} does not begin with {PROBE!r}")
        if not self.nodes or len(set(self.nodes)) != len(self.nodes):
            raise ValueError(f"{self.command!r}: its nodes are not each named once")

    @property
    def ranks(self) -> int:
        """How many processes there are."""
        return len(self.nodes) * self.ranks_per_node
