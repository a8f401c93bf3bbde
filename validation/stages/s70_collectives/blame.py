"""From a slow group to the node that holds it back, as far as the search has found it. Pure."""

from __future__ import annotations

from dataclasses import replace

from validation.locating.bisection import Named
from validation.locating.locate import Blame

from .runs import Run
from .seen import Seen


def blame(run: Run, seen: Seen) -> Blame:
    """The suspect of a slow run: a node, nodes that nothing tells apart, or the whole group."""
    named = seen.named.get(run.profile)
    whole = run.nodes[0] if len(run.nodes) == 1 else f"{run.nodes[0]} to {run.nodes[-1]}"
    if len(run.nodes) == 1:
        return Blame(f"device {whole}", "", "nothing left the node: GPUs, NVLink and PCIe")
    if named is None:
        hint = "run it again: no smaller group was found to be slow"
        return Blame(f"nodes {whole}", "", hint)
    return _named(run, named, whole, "slow")


def damage(run: Run, seen: Seen) -> Blame:
    """The same for a run whose data is wrong."""
    hint = "a GPU, a NIC or memory damages data"
    named = seen.damaging.get(run.profile)
    whole = f"{run.nodes[0]} to {run.nodes[-1]}"
    if len(run.nodes) == 1:
        return Blame(f"device {run.nodes[0]}", "", hint)
    if named is None:
        return Blame(f"nodes {whole}", "", hint)
    return replace(_named(run, named, whole, "wrong"), hint=hint)


def _named(run: Run, named: Named, whole: str, is_: str) -> Blame:
    mine = [suspect for suspect in named.suspects if set(suspect) & set(run.nodes)]
    if mine:
        told = f"; every run with {' and '.join(mine[0])} is {is_}, {named.sure}"
        kind = "device" if len(mine[0]) == 1 else "nodes"
        return Blame(f"{kind} {' or '.join(mine[0])}", told, named.hint)
    between = [one for one in named.together if set(one) & set(run.nodes)]
    if between:
        where = f"{between[0][0]} to {between[0][-1]}"
        return Blame(f"path between nodes {where}", "; each part alone is good", named.hint)
    return Blame(f"nodes {whole}", f"; no node of it is {is_} with others", named.hint)
