"""Stage 60: an incast over RDMA, with PFC, ECN and CNPs as they should be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from inventory.plan import Plan, Switch
from validation.stages.s60_congestion.incast import groups, incasts, slots
from validation.stages.s60_congestion.phases import (
    AFTER,
    ALONE,
    BEFORE,
    Phase,
    fair_gbps,
    is_victims,
    phases,
    places,
    turn_command,
)

from .. import roce_site, typed_counters_says
from ..roce_site import Nic, Port
from . import Healthy, answered

TURN = 1
POLLS_MS = {"cumulus": 2000, "sonic": 10000}
Said = dict[str, dict[str, str]]
ChangePort = Callable[[str, str, Port], Port]
ChangeNic = Callable[[str, str, Nic], Nic]


def healthy() -> Healthy:
    """Two incasts, each beside a victim, on a fabric of 400G."""
    return case()


def case(
    rate: Callable[[str, float], float] = lambda _, gbps: gbps,
    nic: ChangeNic = lambda _, __, one: one,
    port: ChangePort = lambda _, __, one: one,
    wait: Callable[[str, int], str] = roce_site.waited,
) -> Healthy:
    """The same, with rates and final counters passed by these functions first.

    `wait` writes how often the counters of a switch are refreshed, and how long it was waited.
    `rate` gets a flow's id; `nic` a phase and a node; `port` a phase and `device:port`.
    """
    plan = roce_site.plan()
    said = said_of(plan, rate, nic, port, wait)
    return Healthy(60, plan, roce_site.everything(), answered(plan, said))


def said_of(
    plan: Plan,
    rate: Callable[[str, float], float] = lambda _, gbps: gbps,
    nic: ChangeNic = lambda _, __, one: one,
    port: ChangePort = lambda _, __, one: one,
    wait: Callable[[str, int], str] = roce_site.waited,
) -> Said:
    """What devices of any plan answer."""
    everything, said = frozenset(plan.devices), Said()
    for number, row in enumerate(incasts(plan, everything, TURN)):
        for phase in phases(plan, number, row):
            _flows(plan, phase, said, rate)
            _counters(plan, phase, said, nic, port, wait)
    for rail, leaf, _ in slots(plan, everything):
        first = groups(plan, everything)[rail][leaf][0].node
        said.setdefault(first, {})[turn_command(rail, leaf)] = f"turn {TURN}\n"
    return said


def _flows(plan: Plan, phase: Phase, said: Said, rate: Callable[[str, float], float]) -> None:
    for flow in phase.flows:
        mine = next(one for one in phase.incasts if f":{one.id}:" in flow.id)
        share = flow.rate_gbps
        if phase.name != ALONE:
            fair = fair_gbps(plan, mine)
            share = fair if is_victims(flow) else flow.rate_gbps / len(mine.senders)
        gbps = rate(flow.id, 0.97 * share)
        said.setdefault(flow.sender, {})[flow.command] = roce_site.perftest(flow, gbps)


def _counters(
    plan: Plan,
    phase: Phase,
    said: Said,
    nic: ChangeNic,
    port: ChangePort,
    wait: Callable[[str, int], str],
) -> None:
    loaded = phase.name != ALONE
    used = places(plan, phase.flows)
    for device in sorted({one.device for one in used}):
        texts = said.setdefault(device, {})
        if device in plan.node:
            then = roce_site.more(Nic(), np_cnp_sent=9, np_ecn_marked_roce_packets=90)
            then = roce_site.more(then, rp_cnp_handled=9) if loaded else roce_site.more(Nic())
            then = replace(then, rx_pause={3: 40}, tx_pause={3: 2}) if loaded else then
            ports = [one.port for one in plan.node[device].rails]
            texts[phase.moment(BEFORE)] = Nic().text(ports)
            texts[phase.moment(AFTER)] = nic(phase.name, device, then).text(ports)
            continue
        names = [one.port for one in used if one.device == device]
        after = Port(size=3 * roce_site.GIGABYTE)
        if loaded:
            after = replace(after, marked=500, rx_pause={3: 7}, tx_pause={3: 8})
        later = {one: port(phase.name, f"{device}:{one}", after) for one in names}
        switch = plan.switch[device]
        before = {name: Port(watched=one.watched) for name, one in later.items()}
        texts[phase.moment(BEFORE)] = _switch(switch, before)
        polls_ms, text = POLLS_MS.get(switch.dialect), _switch(switch, later)
        texts[phase.moment(AFTER)] = wait(text, polls_ms) if polls_ms else text


def _switch(switch: Switch, ports: dict[str, Port]) -> str:
    told = {
        "cumulus": roce_site.cumulus,
        "eos": typed_counters_says.eos,
        "linux_frr": typed_counters_says.linux,
        "nxos": typed_counters_says.nxos,
        "sonic": roce_site.sonic,
    }
    return told[switch.dialect](ports)
