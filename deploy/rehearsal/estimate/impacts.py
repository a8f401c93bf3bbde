"""What pushes do to traffic, asked once for each kind of change: a system's steps are dear. Pure.

Switches of one kind whose configurations change alike, but for names and numbers, feel the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from deploy.rollout.switch_wave import window_s
from deploy.switches.push_result import worst_impact
from inventory.plan import Plan
from switch_configs import dialect
from switch_configs.intent import Impact, Rendered

# IP and MAC addresses, then what else counts: ports, ASNs, places in names.
_ADDRESS = re.compile(r"\b[0-9a-f]*(?:[:.][0-9a-f]*)*[:.][0-9a-f]+\b")
_NUMBER = re.compile(r"\d+")
_Kind = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Impacts:
    """The impacts of pushes to the switches of a plan; each kind of change is asked once."""

    plan: Plan
    known: dict[tuple[_Kind, frozenset[str], frozenset[str]], Impact | None] = field(
        default_factory=dict
    )

    def of(self, old: Rendered, new: Rendered) -> Impact | None:
        """The worst that its system's own steps say; None where there are none."""
        before, after = frozenset(_lines(old)), frozenset(_lines(new))
        gone, come = _masked(before - after), _masked(after - before)
        if not (gone or come):  # only their order differs
            return self._asked(old, new)
        key = (kind_of_switch(self.plan, new.device), gone, come)
        if key not in self.known:
            self.known[key] = self._asked(old, new)
        return self.known[key]

    def _asked(self, old: Rendered, new: Rendered) -> Impact | None:
        steps = dialect(new.dialect).push_steps(old, new, window_s(self.plan, new.device))
        return worst_impact(step.impact for step in steps) if steps else None


def kind_of_switch(plan: Plan, name: str) -> _Kind:
    """Its system, and its place in the fabric."""
    if at := plan.switch.get(name):
        return (at.dialect, at.plane, at.tier, at.profile)
    switch = plan.any_switch[name]
    return (switch.dialect, "oob", switch.tier)


def _lines(one: Rendered) -> Iterator[str]:
    """Each line of its files after all that it stands below, as indents say."""
    for file in one.files:
        above = [(-1, file.path)]
        for line in file.text.splitlines():
            said = line.lstrip()
            indent = len(line) - len(said)
            while above[-1][0] >= indent:
                above.pop()
            above.append((indent, f"{above[-1][1]}\n{said}"))
            yield above[-1][1]


def _masked(lines: frozenset[str]) -> frozenset[str]:
    return frozenset(_NUMBER.sub("#", _ADDRESS.sub("#", line)) for line in lines)
