"""What each single failure of a site takes away, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console

from deploy.show.words import plain_table, print_line

if TYPE_CHECKING:  # see rollout.py
    from validation.proof.failures import SiteLoss


def losses_json(found: Sequence[SiteLoss]) -> dict[str, Any]:
    """Each kind of failure."""
    return {
        "failures": [
            {
                "kind": one.kind,
                "name": one.name,
                "alike": one.count,
                "switches": one.switches,
                "nodes": one.nodes,
                "pairs": one.loss.pairs,
                "pairs_lost": one.loss.lost,
                "lost": [list(pair) for pair in one.loss.lost_pairs],
                "capacity_left": round(one.loss.capacity_share, 4),
                "narrowest": one.loss.narrowest,
                "looped": list(one.loss.looped),
                "valleys": list(one.loss.valleys),
                "cycles": [str(cycle) for cycle in one.loss.cycles],
            }
            for one in found
        ]
    }


def losses_text(found: Sequence[SiteLoss], out: Console) -> None:
    """A row a kind; what is lost besides the part itself."""
    if not found:
        return
    print_line(out, "If one of these fails: ways of all others that are lost, and what is left of")
    print_line(out, "the path that loses most (NICs and servers that go with it are not counted)")
    table = plain_table("", ("what fails", "alike", "for example", "ways lost", "left"))
    for one in found:
        lost = f"{one.loss.lost:,} of {one.loss.pairs:,}" if one.loss.lost else "none"
        left = f"{one.loss.capacity_share:.0%}"
        table.add_row(one.kind, f"{one.count:,}", one.name, lost, left)
    out.print(table)
    for one in found:
        for word, where in (
            ("circle", one.loss.looped),
            ("come down and go up again", one.loss.valleys),
            ("wait for each other's buffers", tuple(map(str, one.loss.cycles))),
        ):
            if where:
                print_line(out, (one.kind, "red"), f" {one.name}: packets {word}: {where[0]}")
