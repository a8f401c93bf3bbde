"""What repositories of any kind are asked, and what they say. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from inventory.plan import LockedPackage

# Where packages come from, and what a controller does that reaches none of it.
CARRIED = "where no mirror is reached: `railbed packages import FOLDER`"
HINT = (
    f"packages come from the sources of the nodes' release: inventory/versions/README.md; {CARRIED}"
)
# A slower link is as good as none.
_SLOWEST_BYTES_S = 2**15


@dataclass(frozen=True, slots=True)
class Offered:
    """What a repository says of one version: size in bytes, SHA-256, and what it needs exactly.

    `licence` is empty where the lists say none.
    """

    version: str
    sha256: str
    size_bytes: int
    needs: dict[str, str]
    licence: str = ""


class Resolver(Protocol):
    """The repositories of a release, asked by that release's own resolver.

    Every question raises RailbedError where they do not answer, or nobody that may has signed.
    """

    def beyond_base(self, names: Iterable[str]) -> dict[str, Offered]:
        """All that `names` bring beyond a minimal system, and what that needs exactly."""

    def versions_of(self, names: Iterable[str]) -> dict[str, list[str]]:
        """The versions of each package that they have, newest first."""

    def download(self, packages: Sequence[LockedPackage], into: Path) -> None:
        """Put the files of these packages into a folder."""


def download_limit_s(asking_s: float, packages: Iterable[LockedPackage]) -> float:
    """After how long a download is given up: beyond the time of any question, by its size."""
    return asking_s + sum(one.size_bytes for one in packages) / _SLOWEST_BYTES_S
