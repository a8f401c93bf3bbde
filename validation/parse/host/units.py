"""`systemctl show --property=Id,LoadState,ActiveState,...`: blocks of NAME=VALUE (systemctl(1))."""

from __future__ import annotations

from dataclasses import dataclass

from inventory.reading.fields import Unreadable

_NEEDED = ("Id", "LoadState", "ActiveState", "SubState", "UnitFileState")


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit's state, in systemd's words; `enabled` is empty for one that is not there."""

    name: str
    load: str
    active: str
    sub: str
    enabled: str

    @property
    def is_there(self) -> bool:
        """Whether systemd knows a file of it."""
        return self.load != "not-found"


def units(text: str) -> dict[str, Unit]:
    """The units by name; Unreadable where a block lacks a property."""
    found: dict[str, Unit] = {}
    for block in text.strip().split("\n\n"):
        pairs = [line.partition("=") for line in block.splitlines()]
        named = {name: value for name, _, value in pairs}
        if set(_NEEDED) != set(named) or len(pairs) != len(named) or named["Id"] in found:
            raise Unreadable(f"systemctl show left out or repeated something: {block[:80]!r}")
        found[named["Id"]] = Unit(*(named[one] for one in _NEEDED))
    return found
