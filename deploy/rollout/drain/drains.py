"""The drains of one wave: for each switch what its push begins with, by what worked before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial

from deploy.switches.push_device import Drain
from inventory.plan import BgpSession, PortRef
from switch_configs.intent import Rendered
from validation.stages.s20_cabling_routing.expect import sessions

from ..gatekeeper import Gatekeeper
from .chosen import choice
from .idle import seen_idle
from .marks import NO_PLACE, drained_as


@dataclass
class Drains:
    """Knows what worked before the run. A first rollout drains nothing: nothing works yet.

    `goals` are what switches shall run where that is not their plan.
    """

    keeper: Gatekeeper
    wave: str
    goals: Mapping[str, Rendered] = field(default_factory=dict)

    def of(self, name: str) -> Drain | None:
        """What a push begins with; None where no traffic of jobs crosses the switch."""
        plan = self.keeper.context.plan
        switch = plan.switch.get(name)  # those of the OOB plane route nothing
        if switch is None or not any(self._works(name, one) for one in switch.sessions):
            return None
        chosen = choice(plan, name, self._works)
        drained = drained_as(plan, name, self.goals.get(name)) if chosen.drains else None
        why = NO_PLACE if chosen.drains and not drained else chosen.why
        _, transport = self.keeper.timed(self.wave)
        idle = partial(seen_idle, plan, name, transport, self._ports(name))
        return Drain(chosen.least, why, drained, idle, anyway=self.keeper.accept_loss)

    def _ports(self, name: str) -> Mapping[str, bool]:
        """Where others' traffic may come in, and whether a session was seen to work there.

        Where none did though both ends were asked (a dead cable, a leaf that is to come) nothing
        comes. What a leaf hears of its own nodes is theirs.
        """
        switch, answered = self.keeper.context.plan.switch[name], self.keeper.answered_before
        mine = [one for one in switch.sessions if switch.tier != "leaf" or one.direction == "up"]
        used = {one.port for one in mine if self._works(name, one)}
        unseen = {one.port for one in mine if one.peer.device not in answered}
        return {port: port in used for port in sorted(used | unseen)}

    def alone(self, names: Iterable[str]) -> list[str]:
        """Those that are changed one at a time: while one is drained, others carry its traffic."""
        plan = self.keeper.context.plan
        above = [one for one in names if one in plan.switch and plan.switch[one].tier != "leaf"]
        return [name for name in above if (one := self.of(name)) and one.drained]

    def _works(self, name: str, session: BgpSession) -> bool:
        here = (PortRef(name, session.port), session.vrf)
        return here in self._worked and (session.peer, session.vrf) in self._worked

    @cached_property
    def _worked(self) -> frozenset[tuple[PortRef, str]]:
        """Both ends of a session say so."""
        plan, before = self.keeper.context.plan, self.keeper.worked_before
        tables = {
            (PortRef(switch.name, one.port), one.key): one.vrf
            for switch in plan.switches
            for one in switch.sessions
        }
        ends = (
            (PortRef(one.device, one.port), one.key)
            for one in sessions(plan, frozenset(plan.devices))
            if one.id in before
        )
        return frozenset((end, tables[end, key]) for end, key in ends)
