"""What a drained switch runs: its plan with the lines of a drain, or any other text. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace

from inventory.plan import Plan
from switch_configs import dialect, intent, is_typed, render
from switch_configs.intent import ConfigFile, Rendered

Chain = tuple[str, ...]
NO_PLACE = "what it is to run uses other policies than the plan's, which a drain marks"


def drained_as(plan: Plan, name: str, goal: Rendered | None = None) -> Rendered | None:
    """The plan's configuration of a drained switch; `goal` drained where it is to run that.

    None where its text has no place for what a drain adds.
    """
    drained = dialect(plan.switch[name].dialect).render(intent(plan, name, drained=True))
    return drained if goal is None else marked(drained, render(plan, name), goal)


def marked(drained: Rendered, planned: Rendered, goal: Rendered) -> Rendered | None:
    """`goal` drained as `planned` is in `drained`; None where that is not the plan's own way.

    Each line that a drain adds stands where it does in the plan: by its neighbours in the same
    block, or at the block's head. The outcome must read as drained, or nothing is promised.
    """
    read = dialect(goal.dialect).readback
    if read(goal).drained or (is_typed(goal.dialect) and _outs(goal) != _outs(planned)):
        return None
    before = {file.path: file for file in planned.files}
    after = {file.path: file for file in drained.files}
    files: list[ConfigFile] = []
    for file in goal.files:
        text: str | None = file.text
        if file.path in before and file.path in after:
            text = _put(before[file.path].text, after[file.path].text, file.text)
        if text is None:
            return None
        files.append(replace(file, text=text))
    made = replace(goal, files=tuple(files))
    return made if read(made).drained else None


def _outs(one: Rendered) -> set[str | None]:
    """The policies that its sessions announce by: typed lines of a drain name the plan's."""
    return {session.policy_out for session in dialect(one.dialect).readback(one).sessions}


def _put(planned: str, drained: str, goal: str) -> str | None:
    """`goal` with what `drained` adds to `planned`; None where a line of it has no place there."""
    if planned == drained:
        return goal
    old, new, lines = (one.splitlines() for one in (planned, drained, goal))
    chains = _chains(new)
    for kind, start, end, at, to in difflib.SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if kind == "equal":
            continue
        if kind != "insert" or start != end:
            return None
        place = _place(chains, at, to, _chains(lines))
        if place is None:
            return None
        lines[place:place] = new[at:to]
    return "".join(f"{one}\n" for one in lines)


def _place(chains: Sequence[Chain], at: int, to: int, goal: Sequence[Chain]) -> int | None:
    """Before which line of the goal these stand: after the one before them, or at the head."""
    above = chains[at][:-1]
    beside = [(at - 1, 1), (to, 0)]
    known = [
        (chains[one], after)
        for one, after in beside
        if 0 <= one < len(chains) and chains[one][:-1] == above
    ]
    for chain, after in (*known, (above, 1)):
        if goal.count(chain) == 1:
            return goal.index(chain) + after
    return None if above else 0


def _chains(lines: Sequence[str]) -> list[Chain]:
    """Each line with those that it stands below, by their indents."""
    found: list[Chain] = []
    above: list[tuple[int, str]] = []
    for line in lines:
        indent = len(line) - len(line.lstrip())
        while above and above[-1][0] >= indent:
            above.pop()
        above.append((indent, line.strip()))
        found.append(tuple(words for _, words in above))
    return found
