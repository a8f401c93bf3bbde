"""How a proposed site is told: what the plan reproduces first, then what it does not, whole."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from rich.console import Console

from deploy.show.words import print_line
from validation.audit.learn.guess import Sure

from .learned import LearnedSite

_MOST = 12
_COLOURS: dict[Sure, str] = {"sure": "green", "likely": "cyan", "guess": "yellow"}


def learned_json(site: LearnedSite) -> dict[str, Any]:
    """Everything, nothing folded."""
    found, measured = site.learned, site.learned.measured
    return {
        "exit_code": site.exit_code,
        "folder": str(site.folder),
        "written": [str(path) for path in site.paths],
        "guesses": [asdict(one) for one in found.guesses],
        "not_expressed": list(found.unsaid),
        "problems": list(found.problems),
        "measured": measured
        and {
            "facts": measured.facts,
            "reproduced": measured.reproduced,
            "planned_names": dict(measured.planned),
            "not_reproduced": [
                {"switch": name, "kind": kind, "facts": count}
                for (name, kind), count in sorted(measured.missed.items())
            ],
            "differences": {name: list(said) for name, said in measured.sentences.items()},
            "only_planned": dict(measured.beyond),
            "planned_and_not_read": list(measured.absent),
            "read_and_not_planned": list(measured.strangers),
        },
    }


def learned_text(site: LearnedSite, out: Console) -> None:
    """For people: counts, what contradicts, what is left out; `--json` has all of it."""
    found, measured = site.learned, site.learned.measured
    sure = Counter(one.sure for one in found.guesses)
    for word, colour in _COLOURS.items():
        if sure[word]:
            print_line(out, f"{sure[word]} values ", (word, colour))
    disputed = [f"{g.path} = {g.value}, but {b}" for g in found.guesses for b in g.against]
    _some(out, "contradicted", disputed)
    if measured is None:
        print_line(out, ("no plan comes of it", "red"))
        _some(out, "because", found.problems)
    else:
        counts = f"{measured.reproduced:,} of {measured.facts:,} facts"
        print_line(out, f"{counts} are reproduced by the plan ({_percent(measured.percent)} %)")
        rows: dict[str, list[str]] = defaultdict(list)
        for (name, kind), count in sorted(measured.missed.items()):
            rows[name].append(f"{kind} {count}")
        _some(out, "not reproduced", [f"{name}: {', '.join(said)}" for name, said in rows.items()])
        _some(out, "in the plan, not read", measured.absent)
        _some(out, "read, without a place in the plan", measured.strangers)
        beyond = [f"{name}: {count}" for name, count in sorted(measured.beyond.items())]
        _some(out, "facts of the plan that no configuration says", beyond)
        other = [f"{here} is {there}" for here, there in measured.planned.items() if here != there]
        _some(out, "names: the plan has its own", other)
    _some(out, "not expressed", found.unsaid)
    for path in site.paths:
        print_line(out, f"written: {path}")
    if found.files and not site.paths:
        print_line(out, f"nothing is written; with --write: {', '.join(found.files)}")


def _percent(value: float) -> str:
    """Cut and not rounded, so that 100 is said of all alone."""
    return f"{int(value * 100) / 100:g}"


def _some(out: Console, what: str, lines: Iterable[str]) -> None:
    every = list(lines)
    for line in every[:_MOST]:
        print_line(out, f"{what}: {line}")
    if len(every) > _MOST:
        print_line(out, f"{what}: {len(every) - _MOST} more, all with --json")
