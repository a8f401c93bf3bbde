"""`cabling`: the steps in their order, what may stay as built, and what is not known."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from rich.console import Console

from .words import print_line

if TYPE_CHECKING:  # see rollout.py
    from validation.miscabling.solve import Cabling, Link, Step


def cabling_json(found: Cabling) -> dict[str, Any]:
    """Everything, ports as `device:port`."""
    return {
        "exit_code": found.exit_code,
        "cables": found.cables,
        "steps": [_step(step) for step in found.steps],
        "accept_as_built": [
            {
                "links": _links(alike.links),
                "planned": _links(alike.planned),
                "steps": [_step(step) for step in alike.steps],
                "why": alike.why,
                "accept": alike.accept,
            }
            for alike in found.alike
        ],
        "unknown": [
            {"cables": _links(one.cables), "reasons": list(one.reasons)} for one in found.unknown
        ],
        "not_in_the_plan": list(found.beside),
    }


def _links(links: tuple[Link, ...]) -> list[dict[str, str]]:
    return [{"a": str(link.a), "b": str(link.b), "label": link.label} for link in links]


def _step(one: Step) -> dict[str, Any]:
    return {
        "act": "move" if one.act.is_move else "exchange",
        "plugs": [str(port) for port in one.act.plugs],
        "makes": _links(one.links),
        "note": one.note,
    }


def cabling_text(found: Cabling, out: Console) -> None:
    """The list that a person takes into the hall, then one line that counts."""
    line = partial(print_line, out)
    for number, step in enumerate(found.steps, start=1):
        line(f"{number}. {step}")
    for alike in found.alike:
        line(f"accept as built: {'; '.join(map(str, alike.links))}")
        line(f"  why: {alike.why}")
        line(f"  to accept: {alike.accept}")
        line(f"  or: {'; then '.join(map(str, alike.steps))}")
    for unknown in found.unknown:
        line(f"not known: {'; '.join(map(str, unknown.cables))}")
        for reason in unknown.reasons:
            line(f"  {reason}")
    for said in found.beside:
        line(f"beside the plan: {said}")
    open_ones = sum(len(one.cables) for one in found.unknown)
    line(
        f"{found.cables} cables planned: {len(found.steps)} to do, {len(found.alike)} may stay as"
        f" built, {open_ones} cables not known"
    )
