"""An estimate on a terminal and as JSON: the whole, each wave, and on what it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from rich.console import Console

from deploy.show.words import print_line

from .arithmetic import Estimate, Part, Range, Wave, total, wider

_MEANS = {
    "recorded": "runs on record measured",
    "twin": "the twin measured, with the load of this machine in it",
    "plan": "the plan says",
    "published": "published",
    "reported": "reported",
    "assumed": "assumed, nobody was found who says it",
}
_WIDTH = 18
_ROUNDED, _IN_SECONDS, _IN_MINUTES = 20, 119, 90
# What a wave's name has of its place among those of its kind.
_PLACE = re.compile(r"(-(canary|rest(\.\d+)?|[prs]\d+(\.\d+)?)|-?\d+(\.\d+)?)$")
# Lines of their own, with who says it; the others stand in one line.
_WITH_SOURCE = frozenset({"published", "reported", "plan"})


def estimate_text(one: Estimate, out: Console) -> None:
    """How long a rollout of the whole site would take, as a range, and what that stands on."""
    devices = sum(wave.devices for wave in one.waves)
    if not one.waves:
        print_line(out, f"the real site, {one.title}: nothing would change")
        return
    said = f"{_several(devices, 'device')} in {_several(len(one.waves), 'wave')}"
    print_line(out, f"the real site, {one.title}: {_range(one.takes)} for {said}")
    print_line(out, _row(one.around, "around the waves"))
    for some in _alike(one.waves):
        print_line(out, _row(total(one.takes for one in some), _named(some)))
    if one.loads.most_s:
        print_line(out, _row(one.loads, "loads of the last gate"))
    for later in one.later:
        how = f"{_range(later.part.takes)} each" if later.part.takes else "nobody knows how long"
        count = _several(later.devices, "device")
        gates = f"{_several(later.gates, 'gate')} wait{'' if later.gates > 1 else 's'} for it"
        when = f"between waves: {gates}" if later.gates else "afterwards"
        said = f"{later.what}, {count}, {how}, {when}"
        print_line(out, f"  not in it, and people do it: {said}")
    if one.unknown:
        print_line(out, f"  not in it, nobody knows how long: {', '.join(one.unknown)}")


def stands_on(estimates: Sequence[Estimate], out: Console) -> None:
    """All figures of some estimates, by who says them; each once."""
    parts: dict[tuple[str, bool], Part] = {}
    for part in (part for one in estimates for part in _every(one) if part.takes):
        parts[part.key] = wider(parts.get(part.key), part)
    if not parts:
        return
    print_line(out, "these times stand on:")
    for note in dict.fromkeys(note for one in estimates for note in one.notes):
        print_line(out, f"  {note}")
    for basis, means in _MEANS.items():
        mine = [one for one in parts.values() if one.basis == basis]
        if not mine:
            continue
        if basis in _WITH_SOURCE:
            for one in mine:
                who = f" ({one.source})" if one.source else ""
                print_line(out, f"  {means}: {_figure(one)}{who}")
        else:
            print_line(out, f"  {means}: {', '.join(map(_figure, mine))}")


def estimate_json(one: Estimate) -> dict[str, Any]:
    """The same for machines; seconds, least and most."""
    return {
        "title": one.title,
        "seconds": _pair(one.takes),
        "around_seconds": _pair(one.around),
        "loads_seconds": _pair(one.loads),
        "waves": [
            {
                "wave": wave.name,
                "step": wave.step,
                "devices": wave.devices,
                "at_once": wave.at_once,
                "seconds": _pair(wave.takes),
                "gate_seconds": _pair(wave.gate),
                "again_seconds": _pair(wave.again),
            }
            for wave in one.waves
        ],
        "stands_on": [
            {
                "what": part.name,
                "seconds": _pair(part.takes) if part.takes else None,
                "basis": part.basis,
                "source": part.source,
            }
            for part in one.parts
        ],
        "later": [
            {
                "what": later.what,
                "devices": later.devices,
                "gates": later.gates,
                "seconds_each": _pair(later.part.takes) if later.part.takes else None,
                "basis": later.part.basis,
                "source": later.part.source,
            }
            for later in one.later
        ],
        "nobody_knows": list(one.unknown),
        "notes": list(one.notes),
    }


def _every(one: Estimate) -> tuple[Part, ...]:
    return (*one.parts, *(later.part for later in one.later))


def _figure(part: Part) -> str:
    return f"{part.name} {_range(part.takes)}" if part.takes else part.name


def _alike(waves: Sequence[Wave]) -> Iterator[list[Wave]]:
    """Waves of one kind that follow each other, its canary with the others."""
    for _, some in groupby(waves, lambda one: (one.step, _PLACE.sub("", one.name))):
        yield list(some)


def _named(some: Sequence[Wave]) -> str:
    """`leaves-r0: 8 devices`, or `leaves, 9 waves of 1 to 8 devices, 2 min to 5 min each`."""
    first, devices = some[0], [one.devices for one in some]
    most = max(one.at_once for one in some)
    width = f", at most {most} at once" if most < max(devices) else ""
    if len(some) == 1:
        return f"{first.name}: {_several(first.devices, 'device')}{width}"
    fewest, many = min(devices), max(devices)
    of = _several(many, "device") if fewest == many else f"{fewest} to {many} devices"
    each = Range(min(one.takes.least_s for one in some), max(one.takes.most_s for one in some))
    name = _PLACE.sub("", first.name)
    return f"{name}, {len(some)} waves of {of}{width}, {_range(each)} each"


def _row(takes: Range, what: str) -> str:
    return f"  {_range(takes):{_WIDTH}} {what}"


def _range(takes: Range | None) -> str:
    if takes is None:
        return "not known"
    least, most = _seconds(takes.least_s), _seconds(takes.most_s)
    return least if least == most else f"{least} to {most}"


def _seconds(seconds: float) -> str:
    """No more exact than an estimate is."""
    if seconds < _IN_SECONDS:
        return f"{round(seconds, -1) if seconds >= _ROUNDED else seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < _IN_MINUTES else f"{seconds / 3600:.1f} h"


def _several(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def _pair(takes: Range) -> list[float]:
    return [round(takes.least_s, 1), round(takes.most_s, 1)]
