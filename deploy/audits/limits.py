"""How much is read of what a stranger wrote, and the word where more would be."""

from __future__ import annotations

import io
from dataclasses import dataclass, field

from inventory.problems import ExpectedError

MIB = 2**20
TEXT_BYTES = 16 * MIB
"""The longest configuration; of a longer text only the configurations in it are kept."""
STREAM_BYTES = 1024 * MIB
"""The longest text that is looked through for a configuration."""
NESTED_BYTES = 256 * MIB
"""The largest archive that is held in memory: one in another, or on standard input."""
MEMBER_COUNT = 200_000
UNPACKED_BYTES = 4096 * MIB
# Configurations of one fabric are alike: an archive of a thousand shrinks to a hundredth.
BOMB_RATIO = 200
BOMB_BYTES = 64 * MIB


class TooMuchError(ExpectedError):
    """More than anybody should read; its text says of what."""


@dataclass
class Budget:
    """What may still be unpacked and looked at, for all of a PATH together."""

    members: int = MEMBER_COUNT
    unpacked: int = UNPACKED_BYTES
    told: set[str] = field(default_factory=set)

    def member(self) -> None:
        """One file more; `TooMuchError` over the most."""
        self.members -= 1
        if self.members < 0:
            raise TooMuchError(f"over {MEMBER_COUNT} files: the rest is not read")

    def take(self, count: int) -> None:
        """So many unpacked bytes more; `TooMuchError` over the most."""
        self.unpacked -= count
        if self.unpacked < 0:
            raise TooMuchError(f"unpacks to over {UNPACKED_BYTES // MIB} MiB: the rest is not read")


class Unpacked(io.RawIOBase):
    """The bytes that a packed stream unpacks to, counted; `TooMuchError` where they are a bomb."""

    def __init__(self, unpacking: io.BufferedIOBase, packed_bytes: int, budget: Budget) -> None:
        self._from = unpacking
        self._budget = budget
        self._most = max(BOMB_BYTES, packed_bytes * BOMB_RATIO)
        self._count = 0

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, into: bytearray | memoryview) -> int:  # type: ignore[override]
        """As a raw stream does."""
        data = self._from.read(min(len(into), MIB))
        self._count += len(data)
        self._budget.take(len(data))
        if self._count > self._most:
            raise TooMuchError(
                f"unpacks to over {self._count // MIB} MiB, {BOMB_RATIO} times its size: "
                "the rest is not read"
            )
        into[: len(data)] = data
        return len(data)
