"""A server as its files and saved outputs say it: recognised by content, read without a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from .facts import HostFacts, NicFacts


@dataclass(frozen=True)
class Host:
    """One server: its facts, and its texts by the names of the files that they came in."""

    name: str
    facts: HostFacts
    texts: Mapping[str, str] = field(repr=False)

    @cached_property
    def _nics(self) -> Mapping[str, NicFacts]:
        return {nic.name: nic for nic in self.facts.nics}

    def nic(self, name: str) -> NicFacts | None:
        """The facts of a port of this name."""
        return self._nics.get(name)

    def place(self, key: str) -> str:
        """`file:line` of a fact; of one that nobody says, the first file."""
        return self.facts.places.get(key) or min(self.texts, default="")


def host(source: str, texts: Mapping[str, str], *, is_switch: bool = False) -> Host | None:  # noqa: ARG001 # readers follow
    """What one server's texts say, by the path of each; None where they are of no server.

    `is_switch`: its texts are a switch's as well, so only what no switch has makes it a server.
    Never raises on text: a file of a known kind that cannot be read is in `HostFacts.unread`.
    """
    return None
