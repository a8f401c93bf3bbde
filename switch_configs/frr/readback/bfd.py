"""BFD profiles in FRR (FRR manual, "BFD"), with the defaults of what they leave out."""

from __future__ import annotations

from dataclasses import dataclass, field

from .reading import FrrReading

# bfdd/bfd.h: BFD_DEFDETECTMULT 3, BFD_DEFREQUIREDMINRX and BFD_DEFDESIREDMINTX 300 ms.
_DEFAULT_MULTIPLIER = 3
_DEFAULT_MS = 300


@dataclass
class _Profile:
    multiplier: int = _DEFAULT_MULTIPLIER
    transmit_ms: int = _DEFAULT_MS
    receive_ms: int = _DEFAULT_MS


@dataclass
class Bfd:
    """The profiles by name, and the one whose block is open."""

    profiles: dict[str, _Profile] = field(default_factory=dict)
    opened: _Profile = field(default_factory=_Profile)

    def open(self, name: str) -> None:
        """Begin or go on with a profile."""
        self.opened = self.profiles.setdefault(name, _Profile())

    def inside(self, words: list[str]) -> bool:
        """A line of the open profile."""
        match words:
            case ["detect-multiplier", times] if times.isdecimal():
                self.opened.multiplier = int(times)
            case ["transmit-interval", ms] if ms.isdecimal():
                self.opened.transmit_ms = int(ms)
            case ["receive-interval", ms] if ms.isdecimal():
                self.opened.receive_ms = int(ms)
            case _:
                return False
        return True

    def times(self, name: str | None, found: FrrReading) -> tuple[int, int]:
        """Interval (ms) and multiplier of a session with this profile."""
        profile = self.profiles.get(name or "")
        if name and profile is None:
            found.hazard(f"BFD profile {name} is used and not defined")
        profile = profile or _Profile()
        if profile.transmit_ms != profile.receive_ms:
            found.hazard(
                f"BFD profile {name} sends every {profile.transmit_ms} ms "
                f"and wants every {profile.receive_ms} ms",
            )
        return profile.transmit_ms, profile.multiplier
