"""What `apply` does not mend, kind by kind, with what a person has to do instead. Pure.

A run changes device after device, and its gates ask for all of a device. What no run mends stops
the first gate that asks for it, so it is said at the survey, before anything is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from validation.manifest.differences import Drift, DriftKind
from validation.manifest.drift import Compared

OWN = "a switch's own"
_SSH = "/etc/ssh/"
_MASKED = ("masked", "masked-runtime")  # systemctl(1), is-enabled


@dataclass(frozen=True, slots=True, order=True)
class Unmended:
    """One thing that no run mends: its row in `ROWS`, and in words which it is."""

    kind: str
    what: str

    def __str__(self) -> str:
        return self.what


@dataclass(frozen=True, slots=True)
class StayingKind:
    """A kind of difference. `stays` says of one, beside all else of its device, whether it does.

    `said` are the words before the devices, `remedy` those after them.
    """

    stays: Callable[[Drift, Compared], bool]
    said: str
    remedy: str


def left_on_server(found: Compared) -> tuple[Unmended, ...]:
    """What stays on a server whatever roles run there, in the order of its drifts."""
    return tuple(
        Unmended(drift.kind, _words(drift))
        for drift in found.drifts
        if ROWS[drift.kind].stays(drift, found)
    )


def left_on_switch(own: Iterable[str]) -> tuple[Unmended, ...]:
    """What a switch keeps as its own beside the plan, a sentence each."""
    return tuple(Unmended(OWN, one) for one in own)


def _words(one: Drift) -> str:
    if one.kind == "stray":
        return one.what
    return f"{one.what} (found {one.found}, wanted {one.wanted})"


def _never(_: Drift, __: Compared) -> bool:
    return False


def _always(_: Drift, __: Compared) -> bool:
    return True


def _is_said_by_others(one: Drift, found: Compared) -> bool:
    """Our own files for sshd are known, and as planned: then they mend nothing."""
    open_ones = [other.what for other in found.drifts if (other.role, other.kind) == _file(one)]
    unknown = [other for other in found.unknowns if (other.role, other.kind) == _file(one)]
    return not unknown and not any(path.startswith(_SSH) for path in open_ones)


def _file(one: Drift) -> tuple[str, str]:
    return one.role, "file"


def _is_masked(one: Drift, found: Compared) -> bool:
    """systemctl(1) enables no masked unit; a file of ours in the link's place takes that away."""
    files = {other.what.rpartition("/")[2] for other in found.drifts if other.kind == "file"}
    return one.found in _MASKED and one.what not in files


MENDED = StayingKind(_never, "", "")
ROWS: Mapping[DriftKind | str, StayingKind] = {
    "file": MENDED,
    "folder": MENDED,
    "package": MENDED,
    "sysctl": MENDED,
    "kernel arguments": MENDED,
    "unit": StayingKind(
        _is_masked,
        "units that somebody masked on",
        "no role unmasks one: see why it was done, then `systemctl unmask` it there",
    ),
    "sshd option": StayingKind(
        _is_said_by_others,
        "sshd does otherwise than planned, by files that no role owns, on",
        "no role changes these: see /etc/ssh/sshd_config.d and `sshd -T` there; `railbed drift`",
    ),
    "stray": StayingKind(
        _always,
        "things of nobody on",
        "no run takes them away: see why they are there, then remove them; `railbed drift`",
    ),
    OWN: StayingKind(
        _always,
        "settings of their own on",
        "no push touches them: see who made them, then remove them there; `railbed diff`",
    ),
}
