"""Servers of one kind, and NICs of one server, are told the same, and none is left out.

What a file sets of one NIC and a like one lacks is a line lost more often than a wish: no fact
is there that another rule could judge.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping

from validation.audit.hosts.facts import NicFacts
from validation.audit.hosts.host import Host
from validation.audit.network import Network
from validation.audit.rule import Problem, Rule

from .odd import LEAST, MINORITY_PERCENT, odd
from .servers import ALIKE, peers, told

_SET = ("tos", "traffic_class", "shares", "has_global_pause", "rules_dcbx", "is_roce_v2")
_SERVERS = (*ALIKE, *_SET, "is_buffer_apart", "device", "pci")
# Facts of which each NIC with RoCE has one; without the first no NIC carries RoCE as it should.
_CORE = ("trust", "pfc_priorities", "tos")
_EACH = (*_CORE, "priority_of", "ecn_priorities", "cnp_dscp", "cnp_priority", *_SET[1:],
         "is_buffer_apart", "cable_m")  # fmt: skip
# Options that only some NICs of a server have, and have in their own way.
_OWN = re.compile(r"(?:list )?(?:route|rule) |list |out_of_order")
_SHOWN = 6
_STEM = re.compile(r"[A-Za-z]*")
Said = Mapping[tuple[str, str], Hashable]


def _nic_said(nic: NicFacts) -> tuple[tuple[str, object], ...]:
    whats = _SERVERS if nic.is_roce else ("mtu_bytes", "bond")
    values = [(what, getattr(nic, what)) for what in whats]
    if nic.is_roce and nic.cable_m is not None:
        values.append(("cable_m", True))  # cables of a kind have many lengths
    return (*((what, value) for what, value in values if value not in (None, "")), *nic.options)


def _said(host: Host) -> Said:
    """All that a server is told and others of its kind are told as well, by NIC and name."""
    found: dict[tuple[str, str], object] = {
        (nic.name, what): value for nic in host.facts.nics for what, value in _nic_said(nic)
    }
    for values in (host.facts.settings, host.facts.sysctls, host.facts.options):
        found.update((("", name), value) for name, value in values.items())
    return found


def _kinds(network: Network) -> Iterator[Mapping[str, tuple[Host, Said]]]:
    """Three servers and more with the same NICs and one first word in their names."""
    kinds: dict[tuple[str, ...], list[Host]] = defaultdict(list)
    for host in network.hosts:
        word = _STEM.match(host.name)
        names = (nic.name for nic in host.facts.roce_nics)
        kinds[(word[0] if word else "", *names)].append(host)
    for key, hosts in kinds.items():
        if len(key) > 1 and len(hosts) >= LEAST:
            yield {host.name: (host, _said(host)) for host in hosts}


class ServersAreAlike(Rule):
    """Servers with the same NICs are told the same."""

    id = "servers-differ"
    severity = "major"
    needs = frozenset({"host.nics"})
    why = "a job runs on many servers at once, and waits for the odd one"

    def of_network(self, network: Network) -> Iterator[Problem]:
        for kind in _kinds(network):
            yield from self._odd(kind)

    def _odd(self, kind: Mapping[str, tuple[Host, Said]]) -> Iterator[Problem]:
        values: dict[tuple[str, str], dict[str, Hashable]] = defaultdict(dict)
        for name, (_, said) in kind.items():
            for key, value in said.items():
                values[key][name] = value
        for (nic, what), by_host in values.items():
            if len(set(by_host.values())) == 1:
                continue
            for name, value, usual in odd(by_host, few_percent=MINORITY_PERCENT):
                host = kind[name][0]
                count = sum(one == usual for one in by_host.values())
                shown = "" if what == "priority_of" else f" is {told(value)}"
                fact = f"{nic}.{what}" if nic else what
                found = f"{fact}{shown}, not as on {count} servers of its kind"
                fix = "set all servers alike"
                yield self.host_problem(host, fact, found, fix, host.nic(nic))


class NothingIsLeftOut(Rule):
    """What is said of a NIC's or server's like is said of it."""

    id = "left-out"
    severity = "major"
    needs = frozenset({"host.nics"})
    why = (
        "what no line sets keeps the driver's default: PCP trusted, nothing paused or mapped "
        "(mlx5), the MTU 1500; a line lost on one of many is seen only beside the others"
    )

    def of_host(self, host: Host) -> Iterator[Problem]:
        nics = peers(host.facts)
        silent: dict[str, list[str]] = defaultdict(list)
        unlike: dict[str, list[str]] = defaultdict(list)
        for what in _EACH:
            bare = [nic.name for nic in nics if getattr(nic, what) is None]
            rest = len(nics) - len(bare)
            if bare and (rest > max(1, len(bare)) or (what in _CORE and rest >= len(bare))):
                for name in bare:
                    silent[name].append(what)
        options = {nic.name: dict(nic.options) for nic in nics if not nic.bond}
        for what in sorted({name for some in options.values() for name in some}):
            values = {name: some.get(what) for name, some in options.items()}
            alone = [] if _OWN.match(what) else [*odd(values, LEAST + 1)]
            for name, mine, usual in alone if len(alone) == 1 else ():
                if mine is None:
                    silent[name].append(what)
                elif usual is not None:
                    unlike[name].append(f"{what} is {mine} ({usual})")
        for name, whats in silent.items():
            found = f"nothing says its {_listed(whats)}; of its other NICs it is said"
            yield self._problem(host, name, found)
        for name, whats in unlike.items():
            yield self._problem(host, name, f"{_listed(whats)}, unlike all its other NICs")

    def of_network(self, network: Network) -> Iterator[Problem]:
        for kind in _kinds(network):
            count = Counter(key for _, said in kind.values() for key in said)
            usual = {key for key, times in count.items() if times * 2 > len(kind)}
            for host, said in kind.values():
                lost: dict[str, list[str]] = defaultdict(list)
                for nic, what in sorted(usual - said.keys()):
                    lost[nic].append(what)
                for nic, whats in lost.items():
                    found = (
                        f"nothing says {_listed(whats)}; on other servers of its kind it is said"
                    )
                    yield self._problem(host, nic, found)

    def _problem(self, host: Host, nic: str, found: str) -> Problem:
        """At the first line that says anything else of the NIC."""
        places = (key for key in host.facts.places if key.startswith(f"{nic}.")) if nic else ()
        fix = "say it as of the others, or save the same outputs"
        return self.host_problem(host, next(iter(places), ""), found, fix, host.nic(nic))


def _listed(whats: list[str]) -> str:
    more = f" and {len(whats) - _SHOWN} more" if len(whats) > _SHOWN else ""
    return ", ".join(whats[:_SHOWN]) + more
