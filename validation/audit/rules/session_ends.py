"""Both ends of a session say the same, and neighbouring tiers hash otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator

from validation.audit.links import Link
from validation.audit.rule import Problem, Rule

from .ends import Alike

# A box may show a neighbour another AS than its own (`local-as`); no reader here knows to which.
_ANOTHER_AS = re.compile(r"local[-_]asn?\b")


class AsnAtBothEnds(Alike):
    """Each end expects the ASN that the other has."""

    id = "asn-ends"
    severity = "critical"
    why = "a session to the wrong ASN is refused by RFC 4271, and its link carries nothing"
    needs = frozenset({"session.peer_asn"})
    of = "session.peer_asn"

    def of_link(self, link: Link) -> Iterator[Problem]:
        for here, there in ((link.a, link.b), (link.b, link.a)):
            asked = here.session.peer_asn if here.session else None
            has = there.box.facts.asn
            if any(_ANOTHER_AS.search(text) for text in there.box.texts.values()):
                continue
            if isinstance(asked, int) and has is not None and asked != has:
                found = f"expects AS {asked}, and {there.box.name} is AS {has}"
                key = here.session.key if here.session else here.port.name
                fix = f"AS {has}, or mend the other"
                yield self.problem(here.box, key, found, fix, values=(asked,))


class IPv4AtBothEnds(Alike):
    """A session carries IPv4 at both ends or at none."""

    id = "family-ends"
    severity = "critical"
    why = "a family that one end did not activate is not negotiated: no route passes (RFC 4760, 8)"
    needs = frozenset({"session.carries_ipv4"})
    of = "session.peer_asn"

    def of_link(self, link: Link) -> Iterator[Problem]:
        for here, there in (link.ends, link.ends[::-1]):
            if not (here.session and there.session) or here.session.carries_ipv4:
                continue
            if there.session.carries_ipv4:
                found = f"carries no IPv4, and {there.box.name} expects it"
                yield self.problem(
                    here.box, here.session.key, found, "activate it for IPv4 unicast"
                )


class BfdAtBothEnds(Alike):
    """BFD runs at both ends or at none."""

    id = "bfd-ends"
    severity = "major"
    why = "BFD at one end alone never comes up, and may hold the session down (RFC 5882)"
    needs = frozenset({"session.bfd"})
    of = "session.bfd"

    def of_link(self, link: Link) -> Iterator[Problem]:
        if link.a.session and link.b.session:
            a, b = link.a.session.bfd, link.b.session.bfd
            yield from self.differ(link, "BFD", a, b, "BFD at both ends")


class SeedsDiffer(Rule):
    """Neighbouring tiers hash by different seeds."""

    id = "hash-seed"
    severity = "major"
    why = "two tiers that hash alike leave half of the paths empty (hash polarization)"
    needs = frozenset({"hash_seed"})
    of = "hash_seed"

    def of_link(self, link: Link) -> Iterator[Problem]:
        a, b = link.a.box.facts, link.b.box.facts
        # Boxes of one AS, and the two of a pair, are beside each other: of one tier.
        beside = a.asn == b.asn or (a.pair is not None and b.pair is not None)
        if not beside and link.a.session and link.b.session and a.hash_seed == b.hash_seed:
            if a.hash_seed is None:
                return
            found = f"hash seed {a.hash_seed}, as {link.b.box.name} above or below it"
            ends = [(end.box, "") for end in link.ends]
            words, fix = (a.hash_seed,), "a seed for each tier"
            yield self.problem(*ends[0], found, fix, values=words, also=ends[1:])


class SessionAtBothEnds(Rule):
    """A session that one end of a cable has, the other has too."""

    id = "session-ends"
    severity = "critical"
    why = "a peer that is not configured is not accepted (RFC 4271, 8.1): nothing is learned there"
    needs = frozenset({"session.key"})
    of = "session.peer_asn"

    def of_link(self, link: Link) -> Iterator[Problem]:
        for here, there in ((link.a, link.b), (link.b, link.a)):
            if here.session and not there.session and there.box.facts.sessions:
                found = f"a session, and {there} has none (one link by {link.by})"
                also = [(there.box, there.port.name)]
                yield self.problem(here.box, here.session.key, found, "one at both ends", also=also)


class TimersAtBothEnds(Alike):
    """Both ends of a session ask for the same times."""

    id = "timer-ends"
    severity = "minor"
    why = "the shorter hold time counts (RFC 4271, 4.2): one end believes in a time that is not"
    needs = frozenset({"session.hold_s"})
    of = "session.hold_s"

    def of_link(self, link: Link) -> Iterator[Problem]:
        if link.a.session and link.b.session:
            a, b = (
                None if one.hold_s is None else (one.keepalive_s, one.hold_s)
                for one in (link.a.session, link.b.session)
            )
            yield from self.differ(link, "keepalive and hold", a, b, "one pair of times")


class BfdTimersAtBothEnds(Alike):
    """Both ends of a session ask for the same BFD times."""

    id = "bfd-timer-ends"
    severity = "minor"
    why = "the slower interval counts (RFC 5880, 6.8.4), and each end's multiplier for the other"
    needs = frozenset({"session.bfd_interval_ms"})
    of = "bfd.timers"

    def of_link(self, link: Link) -> Iterator[Problem]:
        if link.a.session and link.b.session:
            a, b = (
                None if None in (one.bfd_interval_ms, one.bfd_multiplier) else times
                for one in (link.a.session, link.b.session)
                for times in [(one.bfd_interval_ms, one.bfd_multiplier)]
            )
            yield from self.differ(link, "BFD interval and multiplier", a, b, "one pair of times")


class NoAsTwice(Rule):
    """Two ends of an external session are of two ASes."""

    id = "asn-same"
    severity = "critical"
    why = "what an AS sends comes back to it as a loop and is refused (RFC 4271, 9.1.2)"
    needs = frozenset({"session.peer_asn"})
    of = "session.peer_asn"

    def of_link(self, link: Link) -> Iterator[Problem]:
        a, b = link.a.box.facts.asn, link.b.box.facts.asn
        asked = {end.session.peer_asn for end in link.ends if end.session}
        if a is not None and a == b and "external" in asked:
            found = f"external sessions, and both are AS {a}"
            ends = [(end.box, end.session.key if end.session else "") for end in link.ends]
            yield self.problem(*ends[0], found, "an AS each", values=("external",), also=ends[1:])
