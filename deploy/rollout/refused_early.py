"""The refusal of a run at its survey: all that it would not mend, and the remedies. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from .unmended import ROWS, Unmended


def refusal(found: Mapping[str, tuple[Unmended, ...]], chosen: Collection[str]) -> str:
    """What no run mends on the chosen devices, kind by kind with its remedy; else empty."""
    said = []
    for kind, row in ROWS.items():
        on = {
            name: [str(unmended) for unmended in found[name] if unmended.kind == kind]
            for name in sorted(found.keys() & set(chosen))
        }
        if told := [f"{name}: {', '.join(what)}" for name, what in on.items() if what]:
            said.append(f"{row.said} {'; '.join(told)}; {row.remedy}")
    return ". And ".join(said)
