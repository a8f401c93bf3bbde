"""BGP of one box: policies, limits, failure detection, ECMP."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from ipaddress import IPv4Network

from switch_configs.readback.facts import PermitFacts, SessionFacts
from validation.audit.box import Box
from validation.audit.rule import Problem, Rule

from .announced import net_of
from .marking import carriers

_SLOW_HOLD_S = 30
_LINK_BITS = range(24, 32)
_HASTY_MS, _SLOW_MS = 150, 3_000


def external(box: Box) -> Iterator[SessionFacts]:
    """Sessions to other ASes that carry IPv4; those of overlays have filters of their own."""
    inside = ("internal", box.facts.asn)
    return (one for one in box.facts.sessions if one.peer_asn not in inside and one.carries_ipv4)


class PolicyBothWays(Rule):
    """An external session has a policy in and out."""

    id = "bgp-without-policy"
    severity = "major"
    why = "RFC 8212: without one, everything that a neighbour says is believed, leaks among it"
    needs = frozenset({"session.policy_in"})
    of = "session.policy_in"

    def of_box(self, box: Box) -> Iterator[Problem]:
        if box.facts.ebgp_requires_policy:
            return
        for session in external(box):
            ways = (("in", session.policy_in), ("out", session.policy_out))
            missing = [way for way, policy in ways if not policy]
            if missing:
                table = f" in table {session.vrf}" if session.vrf else ""
                found = f"no policy {' and '.join(missing)}{table}"
                yield self.problem(box, session.key, found, "a route map or filter each way")


class PrefixesAreCounted(Rule):
    """An external session has a maximum of prefixes."""

    id = "no-maximum-prefix"
    severity = "minor"
    why = "a leak fills the hardware table, and what no longer fits is forwarded by nobody"
    needs = frozenset({"session.maximum_prefix"})
    of = "session.maximum_prefix"

    def of_box(self, box: Box) -> Iterator[Problem]:
        every = [*external(box)]
        bare = [one.key for one in every if one.maximum_prefix is None]
        if bare:
            found = f"{len(bare)} of {len(every)} sessions without one, {bare[0]} first"
            yield self.problem(box, bare[0], found, "a limit above what is planned")


class FailuresAreSeen(Rule):
    """A silent link is noticed by BFD, or by a short hold time."""

    id = "slow-failure"
    severity = "major"
    why = "until BGP's hold time is over, 1/N of the flows of a leaf go into a dead link (RFC 5880)"
    needs = frozenset({"session.bfd"})
    of = "session.hold_s"

    def of_box(self, box: Box) -> Iterator[Problem]:
        every = [one for one in box.facts.sessions if one.carries_ipv4]
        slow = [one for one in every if not one.bfd and (one.hold_s or 180) > _SLOW_HOLD_S]
        if slow:
            count = f"{len(slow)} of {len(every)} sessions"
            found = f"{count} without BFD and with a hold time of {slow[0].hold_s or 180} s"
            words = (slow[0].hold_s,)
            yield self.problem(box, slow[0].key, found, "BFD, or timers of 3 and 9 s", values=words)


class EcmpIsWide(Rule):
    """ECMP takes as many paths as there are links to neighbours of one AS."""

    id = "narrow-ecmp"
    severity = "major"
    why = "paths beyond the width carry nothing: uplinks that were paid for stay empty"
    needs = frozenset({"ecmp_width"})
    of = "ecmp_width"

    def of_box(self, box: Box) -> Iterator[Problem]:
        near = {net for port in box.facts.ports for net in _nets(port.addresses)}
        named = (
            one
            for one in external(box)
            if isinstance(one.peer_asn, int) and not one.vrf
            if _is_name(one.key) or any(_within(one.key, bits, near) for bits in _LINK_BITS)
        )
        width = box.facts.ecmp_width
        most = max(Counter(one.peer_asn for one in named).values(), default=0)
        if width is not None and most > 1 and width < most:
            found = f"{width} paths, and {most} links lead to one AS"
            fix = f"maximum paths of {most} or more"
            yield self.problem(box, "", found, fix, values=(width,))


class HoldIsThreeKeepalives(Rule):
    """The hold time is three keepalives or more."""

    id = "bgp-timers"
    severity = "major"
    why = "one keepalive that is late ends a session: a third of the hold time (RFC 4271, 4.4)"
    needs = frozenset({"session.hold_s"})
    of = "session.hold_s"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for one in box.facts.sessions:
            keepalive, hold = one.keepalive_s, one.hold_s
            if keepalive and hold and hold < 3 * keepalive:
                found = f"keepalive {keepalive} s, hold {hold} s"
                words = (keepalive, hold)
                yield self.problem(box, one.key, found, "3 and 9 s", values=words)


class BfdIsNeitherHastyNorSlow(Rule):
    """BFD finds a dead link between 150 ms and 3 s."""

    id = "bfd-times"
    severity = "minor"
    why = (
        "sooner, a busy CPU loses sessions that live; later, BGP's own timers do (RFC 5880, 6.8.4; "
        "RFC 5882, 3.2)"
    )
    needs = frozenset({"session.bfd_interval_ms"})
    of = "bfd.timers"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for one in box.facts.sessions:
            if not one.bfd or one.bfd_interval_ms is None or one.bfd_multiplier is None:
                continue
            after = one.bfd_interval_ms * one.bfd_multiplier
            if not _HASTY_MS <= after <= _SLOW_MS:
                found = f"a link is dead after {after} ms"
                words = (one.bfd_interval_ms, one.bfd_multiplier)
                yield self.problem(box, one.key, found, "300 ms, 3 times", values=words)


class SessionsHaveTheirPort(Rule):
    """A session over a port is over one that is there."""

    id = "session-without-port"
    severity = "critical"
    why = "a session over no port never comes up (RFC 5549 sessions are found by their port)"
    needs = frozenset({"session.key"})
    of = "session.peer_asn"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for one in box.facts.sessions:
            if _is_name(one.key) and box.facts.ports and one.key not in box.ports:
                yield self.problem(box, one.key, "no such port", "the name of the port")


class SessionsHaveAnAs(Rule):
    """BGP has an AS, and a session says which its neighbour is."""

    id = "session-without-as"
    severity = "critical"
    why = "a session to no AS is refused, or never comes up (RFC 4271, 6.2)"
    needs = frozenset({"session.peer_asn"})
    of = "session.peer_asn"

    def of_box(self, box: Box) -> Iterator[Problem]:
        if box.facts.sessions and box.facts.asn is None:
            yield self.problem(box, "", "BGP has no AS of its own", "the AS of the switch")
        some = [one for one in box.facts.sessions if one.peer_asn is not None]
        for one in box.facts.sessions if some else ():
            if one.peer_asn is None:
                yield self.problem(box, one.key, "no AS of the neighbour", "remote-as")


class TablesHavePorts(Rule):
    """A routing table that has sessions has ports."""

    id = "table-without-port"
    severity = "major"
    why = "routes of a table in which no port is lead nowhere: its name is another than the ports'"
    needs = frozenset({"port.vrf", "table.vrf"})
    of = "tables"

    def of_box(self, box: Box) -> Iterator[Problem]:
        has = {port.vrf for port in box.facts.ports} | {vlan.vrf for vlan in box.facts.vlans}
        said = {session.vrf for session in box.facts.sessions} - {"", "default"}
        for vrf in sorted(said - has):
            yield self.problem(box, vrf, f"no port is in table {vrf}", "one name", values=(vrf,))


class PoliciesAreThere(Rule):
    """A policy that a session names is defined."""

    id = "policy-undefined"
    severity = "critical"
    why = "one system drops all routes by a policy that is not there, another lets all pass"
    needs = frozenset({"session.policy_in", "policies"})
    of = "session.policy_in"

    def of_box(self, box: Box) -> Iterator[Problem]:
        known = {one.name for one in box.facts.policies}
        for one in box.facts.sessions if known else ():
            for name in (one.policy_in, one.policy_out):
                if name and name not in known:
                    found = f"policy {name} is not defined"
                    yield self.problem(box, one.key, found, "define it", values=(name,))


class PoliciesChoose(Rule):
    """A policy lets no prefix of whatever length pass."""

    id = "policy-permits-all"
    severity = "minor"
    why = "one wrong announcement takes the traffic of the fabric with it (RFC 7454, section 6)"
    needs = frozenset({"policy.permits", "session.policy_in"})
    of = "policy.permits"

    def of_box(self, box: Box) -> Iterator[Problem]:
        used = {name for one in external(box) for name in (one.policy_in, one.policy_out)}
        for policy in box.facts.policies:
            wide = [one for one in policy.permits if one.prefix.endswith("/0") and _any(one)]
            if wide and policy.name in used:
                found = f"lets every prefix of {wide[0].prefix} pass, up to /{wide[0].longest_bits}"
                words = (wide[0].prefix,)
                yield self.problem(box, policy.name, found, "name the prefixes", values=words)


class NobodyMakesDefaultRoutes(Rule):
    """No switch of the fabric originates a default route in the table of RoCE."""

    id = "default-originated"
    severity = "minor"
    why = (
        "packets for what is gone follow it up and come down again: a loop fills lossless buffers "
        "(RFC 7938, 5.2.4: default routes and failures)"
    )
    needs = frozenset({"originates"})
    of = "originates"

    def of_box(self, box: Box) -> Iterator[Problem]:
        if "0.0.0.0/0" in box.facts.originates and any(True for _ in carriers(box)):
            found = "originates 0.0.0.0/0 in the table of the fabric"
            yield self.problem(box, "", found, "only where a border is", values=("0.0.0.0/0",))


class OwnAsIsALoop(Rule):
    """No session lets the box's own AS pass."""

    id = "own-as-allowed"
    severity = "minor"
    why = (
        "it takes away what keeps routes from going up again after they came down (RFC 4271, "
        "9.1.2; RFC 7938, 5.2.2 wants it at the edge alone)"
    )
    of = "session.own_as"

    def of_box(self, box: Box) -> Iterator[Problem]:
        lines = box.said("", self.of)
        if lines and box.facts.asn is not None:
            yield self.problem(box, "", "its own AS may be in a path", "an AS for each leaf")


class IsNotDrained(Rule):
    """A switch is not asked to be used last for ever."""

    id = "drained"
    severity = "minor"
    why = "a drain that somebody forgot takes its links out of every path (RFC 8326)"
    needs = frozenset({"drained"})
    of = "drained"

    def of_box(self, box: Box) -> Iterator[Problem]:
        if box.facts.drained:
            yield self.problem(box, "", "is drained", "take the drain back, or the switch out")


def _is_name(key: str) -> bool:
    """Whether a session's key names a port; those over a VLAN's own interface are no ports."""
    return ":" not in key and not re.fullmatch(r"[0-9./]+|(?i:vlan|irb|bvi).*", key)


def _nets(addresses: Iterable[str]) -> Iterator[IPv4Network]:
    """The networks of a port's addresses, but those of one address alone."""
    return (net for text in addresses if (net := net_of(text)) and net.prefixlen < 32)


def _within(key: str, bits: int, nets: Collection[IPv4Network]) -> bool:
    net = net_of(f"{key}/{bits}")
    return net is not None and net in nets


def _any(one: PermitFacts) -> bool:
    return one.shortest_bits == 0 and one.longest_bits >= 32
