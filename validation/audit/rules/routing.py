"""BGP of one box: policies, limits, failure detection, ECMP."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from switch_configs.readback.facts import SessionFacts
from validation.audit.box import Box
from validation.audit.rule import Problem, Rule

_SLOW_HOLD_S = 30


def _external(box: Box) -> Iterator[SessionFacts]:
    inside = ("internal", box.facts.asn)
    return (one for one in box.facts.sessions if one.peer_asn not in inside)


class PolicyBothWays(Rule):
    """An external session has a policy in and out."""

    id = "bgp-without-policy"
    severity = "major"
    why = "RFC 8212: without one, everything that a neighbour says is believed, leaks among it"

    def of_box(self, box: Box) -> Iterator[Problem]:
        if box.facts.ebgp_requires_policy:
            return
        for session in _external(box):
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

    def of_box(self, box: Box) -> Iterator[Problem]:
        bare = [one.key for one in _external(box) if one.maximum_prefix is None]
        if bare:
            found = f"{len(bare)} sessions without one, {bare[0]} first"
            yield self.problem(box, bare[0], found, "a limit above what is planned")


class FailuresAreSeen(Rule):
    """A silent link is noticed by BFD, or by a short hold time."""

    id = "slow-failure"
    severity = "major"
    why = "until BGP's hold time is over, 1/N of the flows of a leaf go into a dead link (RFC 5880)"

    def of_box(self, box: Box) -> Iterator[Problem]:
        slow = [
            one for one in box.facts.sessions if not one.bfd and (one.hold_s or 180) > _SLOW_HOLD_S
        ]
        if slow:
            found = f"{len(slow)} sessions without BFD and a hold time of {slow[0].hold_s or 180} s"
            yield self.problem(box, slow[0].key, found, "BFD, or timers of 3 and 9 s")


class EcmpIsWide(Rule):
    """ECMP takes as many paths as there are links to neighbours of one AS."""

    id = "narrow-ecmp"
    severity = "major"
    why = "paths beyond the width carry nothing: uplinks that were paid for stay empty"

    def of_box(self, box: Box) -> Iterator[Problem]:
        named = (one for one in _external(box) if isinstance(one.peer_asn, int) and not one.vrf)
        width = box.facts.ecmp_width
        most = max(Counter(one.peer_asn for one in named).values(), default=0)
        if width is not None and most > 1 and width < most:
            found = f"{width} paths, and {most} links lead to one AS"
            yield self.problem(box, "", found, f"maximum paths of {most} or more")
