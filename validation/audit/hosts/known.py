"""What no rule could say of servers, and of which of it a verdict depends.

Of what neither files nor outputs say no rule says anything: it is listed, and called good nowhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Literal

from validation.audit.known import OF_SERVERS, SERVERS, How, NotJudged, known
from validation.audit.network import Network
from validation.audit.rules import rules

from .facts import NicFacts
from .host import Host

# A NIC of which one of these is not said may drop what its switch port pauses, or never pause.
_OF_CLASS = ("trust", "pfc_priorities", "priority_of", "ecn_priorities")
_MARKS = ("NCCL_IB_TC", "UCX_IB_TRAFFIC_CLASS")


def not_judged(hosts: Iterable[Host]) -> Iterator[NotJudged]:
    """What no rule could say of which servers, or NICs (`node-1:ens2`), by rule and facts."""
    every = tuple(hosts)
    for rule in rules():
        facts = sorted(fact for fact in rule.needs if fact.startswith(OF_SERVERS))
        silent: dict[str, list[str]] = defaultdict(list)
        for host in every if facts else ():
            mute = {fact: _silent(host, fact) for fact in facts}
            for place in dict.fromkeys(chain.from_iterable(mute.values())):
                about = (fact for fact in facts if {place, host.name} & {*mute[fact]})
                silent[", ".join(about)].append(place)
        for about_all, names in silent.items():
            how: How | Literal["not said"] = known(rule, SERVERS).how
            how = "not said" if how == "configuration" else how
            yield NotJudged(rule.id, SERVERS, how, f"{about_all} is not said", tuple(names))


def doubts(network: Network) -> Iterator[str]:
    """Why no NIC that meets a port with PFC is called good: what it does there is not said."""
    met = {(one.host.name, one.nic.name) for one in network.nic_links
           if one.port.qos and one.port.qos.pfc_priorities}  # fmt: skip
    if network.one_qos:
        met |= {(host.name, nic.name) for host, nic in network.loose_nics}
    for host in network.hosts:
        marks = not any(name in host.facts.settings for name in _MARKS)
        for nic in host.facts.nics:
            if (host.name, nic.name) in met and (missing := ", ".join(_missing(nic, marks))):
                place = f"{host.name}:{nic.name}"
                yield f"{place}: its switch port pauses, and nothing says its {missing}"


def _missing(nic: NicFacts, asks_marks: bool) -> Iterator[str]:
    yield from (name for name in _OF_CLASS if getattr(nic, name) is None)
    if asks_marks and nic.tos is None and nic.traffic_class is None:
        yield "DSCP of RoCE"


def _silent(host: Host, fact: str) -> tuple[str, ...]:
    """The NICs with RoCE that do not say a fact; the server where none does, or it is its own."""
    part, _, name = fact.partition(".")
    facts = host.facts
    if part == "nic":
        mute = tuple(f"{host.name}:{nic.name}" for nic in facts.roce_nics
                     if getattr(nic, name) is None)  # fmt: skip
        return (host.name,) if len(mute) == len(facts.roce_nics) else mute
    known_here = name in facts.settings or any(key.endswith(f".{name}") for key in facts.sysctls)
    is_said = known_here or getattr(facts, name, None) is not None
    return () if is_said else (host.name,)
