"""The course of a rehearsal: act after act, and none after one that did not pass."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import get_args

import yaml

from deploy import lab
from deploy.session import Selection
from inventory.own_yaml import own_yaml
from inventory.plan import Engine, Node, Plan

from .acts import Act, applied, changes_something, nothing_changed, under_traffic
from .fitting import fitted_with, settled, waits
from .growth import new_nodes
from .logins import put_secrets
from .staged import AT_CHANGE, AT_NOTHING, AT_SITE, Leads, Standing, stages, title
from .twin_site import Twin

Say = Callable[[str], None]
Run = Callable[[str], Act]


def acts(
    selection: Selection,
    twin: Twin,
    say: Say,
    later: Twin | None = None,
    *,
    both_engines: bool = False,
) -> Iterator[Act]:
    """Boot the twin, bring it to the plan, twice; then to `later`, twice, and back.

    With `both_engines` the other engine runs every role, before a change.
    """
    new = new_nodes(twin, later) if later else ()
    with ExitStack() as fitted:
        course = _Course(selection, twin, say, fitted)
        for act in course.whole(later, new, both_engines):
            yield act
            if not act.passed:
                return


@dataclass(frozen=True, slots=True)
class _Course:
    selection: Selection
    twin: Twin
    say: Say
    fitted: ExitStack

    def whole(self, later: Twin | None, new: Sequence[str], both_engines: bool) -> Iterator[Act]:
        yield _booted(self.selection, self.twin, later, new, self.say)
        self._fit(self.twin.plan.nodes)
        yield from self._rolled(
            self.twin.plan.nodes,
            "the whole rollout, from nothing",
            lambda what: applied(self.selection, what, self.say),
            (AT_NOTHING, AT_SITE),
        )
        yield nothing_changed(applied(self.selection, "the rollout again", self.say))
        if both_engines:
            yield self._by_the_other()
        if later is not None:
            for name in new:
                lab.restart(self.selection.lab, name)
            self._fit([later.plan.node[name] for name in new])
            yield from self._there_and_back(later, new)

    def _there_and_back(self, later: Twin, new: Sequence[str]) -> Iterator[Act]:
        there = stages(self.twin.plan, later.plan, later.folder)
        site, nodes = Path(self.selection.site), later.plan.nodes
        at = (AT_SITE, *(Standing("change", one.lines) for one in there[:-1]), AT_CHANGE)
        with _kept_aside(site) as before:
            now = self.twin.plan
            for number, stage in enumerate(there, start=1):
                _put(stage.folder, site)
                what = title("the change", number, [one.lines for one in there])
                run = self._under_traffic(now)
                for act in self._rolled(nodes, what, run, (at[number - 1], at[number])):
                    yield changes_something(act) if act.title == what else act
                now = stage.plan
            yield nothing_changed(applied(self.selection, "the change again", self.say))
            back = [(one.folder, one.lines, one.plan) for one in reversed(there[:-1])]
            back.append((before, ("as it was",), self.twin.plan))
            for number, (folder, _, plan) in enumerate(back, start=1):
                _put(folder, site)
                # New nodes lose their way into the fabric, as planned: that is no traffic lost.
                stay = replace(now, nodes=tuple(one for one in now.nodes if one.name not in new))
                what = title("the way back", number, [lines for _, lines, _ in back])
                leads, run = (at[-number], at[-number - 1]), self._under_traffic(stay)
                yield from self._rolled(self.twin.plan.nodes, what, run, leads)
                now = plan

    def _under_traffic(self, plan: Plan) -> Run:
        return lambda what: under_traffic(self.selection, plan, what, self.say)

    def _rolled(self, nodes: Sequence[Node], what: str, run: Run, leads: Leads) -> Iterator[Act]:
        """A rollout, what it leaves to a reboot, and again where a gate waits for that.

        So do people: what a gate holds for a reboot of these nodes is no failure.
        """
        for number in count(1):
            act = run(what if number == 1 else f"{what}, run {number}")
            act = replace(act, leads=leads)
            asks = [node for node in nodes if waits(self.selection.lab, node)]
            held = bool(asks) and act.held
            yield replace(act, passed=True) if held else act
            if asks:
                yield self._boot_anew(asks)
            if not held:
                return

    def _boot_anew(self, nodes: Sequence[Node]) -> Act:
        """Nodes whose driver asks for it; it fails where one asks again, and would for ever."""
        name = self.selection.lab
        began, what = time.monotonic(), f"{', '.join(one.name for one in nodes)} boot anew"
        self.say(f"{what} ...")
        for node in nodes:
            lab.restart(name, node.name)
            self._fit([node])
            settled(name, node.name)
        still = [f"{node.name}: {said}" for node in nodes if (said := waits(name, node))]
        said = "; ".join(still) or "what was installed runs"
        return Act(what, not still, said, time.monotonic() - began)

    def _by_the_other(self) -> Act:
        """Every role by the engine that did not bring the twin here: it finds nothing to do."""
        site = Path(self.selection.site)
        fabric = own_yaml(site / "fabric.yml")
        (other,) = {*get_args(Engine)} - {fabric["engine"]}
        with _kept_aside(site):
            text = yaml.safe_dump({**fabric, "engine": other}, sort_keys=False)
            (site / "fabric.yml").write_text(text, encoding="utf-8")
            what = f"every role again, by {other}"
            return nothing_changed(applied(self.selection, what, self.say, every_role=True))

    def _fit(self, nodes: Sequence[Node]) -> None:
        self.fitted.enter_context(fitted_with(nodes, self.selection.lab))


def _booted(
    selection: Selection, twin: Twin, later: Twin | None, new: Sequence[str], say: Say
) -> Act:
    """Every machine, those of `new` nodes, too; which are off then."""
    began, whole = time.monotonic(), later.plan if later and new else twin.plan
    say(f"{len(whole.devices)} machines, {len(whole.cables)} cables")
    folder = later.folder if later and new else selection.site
    built = lab.up(folder, selection.lab, say=say)
    lab.off(selection.lab, new)
    for one in (twin, later):
        if one is not None:
            put_secrets(one.plan, selection.state_dir)
    said = f"; {', '.join(new)} off until the change" if new else ""
    took = time.monotonic() - began
    return Act("the twin boots", True, f"{len(built.machines)} machines are up{said}", took)


@contextmanager
def _kept_aside(site: Path) -> Iterator[Path]:
    """While inside, the site's folder may be another; where a copy of it lies."""
    kept = site.with_name(f"{site.name}-before")
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(site, kept)
    try:
        yield kept
    finally:
        _put(kept, site)


def _put(source: Path, site: Path) -> None:
    shutil.rmtree(site)
    shutil.copytree(source, site)
