"""Both ends of a cable say the same."""

from __future__ import annotations

import re
from collections.abc import Iterator

from validation.audit.links import Link
from validation.audit.rule import Problem, Rule

from .marking import paused

# A box may show a neighbour another AS than its own (`local-as`); no reader here knows to which.
_ANOTHER_AS = re.compile(r"local[-_]asn?\b")


class _Alike(Rule):
    """A rule that compares one thing of both ends."""

    def differ(self, link: Link, what: str, a: object, b: object, fix: str) -> Iterator[Problem]:
        """A problem at the first end, where both say something, and not the same."""
        if a is not None and b is not None and a != b:
            found = f"{what} {_told(a)}; {link.b} has {_told(b)} (one link by {link.by})"
            yield self.problem(link.a.box, link.a.port.name, found, fix)


class MtuAtBothEnds(_Alike):
    """Both ends carry packets of one size."""

    id = "mtu-ends"
    severity = "critical"
    why = "the end with less drops whole packets silently, and RDMA retries for ever"

    def of_link(self, link: Link) -> Iterator[Problem]:
        a, b = link.a.port.ip_mtu_bytes, link.b.port.ip_mtu_bytes
        yield from self.differ(link, "IP MTU", a, b, "one MTU on every hop, above the hosts'")


class RateAtBothEnds(_Alike):
    """Both ends run at one rate."""

    id = "rate-ends"
    severity = "major"
    why = "a link whose ends are set to two rates never comes up"

    def of_link(self, link: Link) -> Iterator[Problem]:
        a, b = link.a.port.rate_gbps, link.b.port.rate_gbps
        yield from self.differ(link, "rate in Gb/s", a, b, "one rate at both ends")


class FecAtBothEnds(_Alike):
    """Both ends use one FEC."""

    id = "fec-ends"
    severity = "major"
    why = "ends of two FECs have no link (IEEE 802.3, 91, 108)"

    def of_link(self, link: Link) -> Iterator[Problem]:
        a, b = link.a.port.fec, link.b.port.fec
        yield from self.differ(link, "FEC", a, b, "one FEC at both ends")


class PauseAtBothEnds(_Alike):
    """Both ends pause the same priorities."""

    id = "pfc-ends"
    severity = "critical"
    why = "an end that pauses what the other does not obey drops what it was told to hold"

    def of_link(self, link: Link) -> Iterator[Problem]:
        a, b = (end.port.qos.pfc_priorities if end.port.qos else () for end in (link.a, link.b))
        yield from self.differ(link, "paused priorities", a, b, "the same priorities at both ends")


class DscpAtBothEnds(_Alike):
    """Both ends sort the same DSCPs into the lossless class."""

    id = "dscp-ends"
    severity = "critical"
    why = "a packet that is lossless on one hop and lossy on the next is lost there"

    def of_link(self, link: Link) -> Iterator[Problem]:
        if not (link.a.port.qos and link.b.port.qos):
            return
        a, b = (
            tuple(sorted(dscp for one in paused(end.port) for dscp in one.dscps))
            for end in (link.a, link.b)
        )
        yield from self.differ(link, "lossless DSCPs", a, b, "one map of DSCPs in the fabric")


class AsnAtBothEnds(_Alike):
    """Each end expects the ASN that the other has."""

    id = "asn-ends"
    severity = "critical"
    why = "a session to the wrong ASN is refused by RFC 4271, and its link carries nothing"

    def of_link(self, link: Link) -> Iterator[Problem]:
        for here, there in ((link.a, link.b), (link.b, link.a)):
            asked = here.session.peer_asn if here.session else None
            has = there.box.facts.asn
            if any(_ANOTHER_AS.search(text) for text in there.box.texts.values()):
                continue
            if isinstance(asked, int) and has is not None and asked != has:
                found = f"expects AS {asked}, and {there.box.name} is AS {has}"
                yield self.problem(here.box, here.port.name, found, f"AS {has}, or mend the other")


class BfdAtBothEnds(_Alike):
    """BFD runs at both ends or at none."""

    id = "bfd-ends"
    severity = "major"
    why = "BFD at one end alone never comes up, and may hold the session down (RFC 5882)"

    def of_link(self, link: Link) -> Iterator[Problem]:
        if link.a.session and link.b.session:
            a, b = link.a.session.bfd, link.b.session.bfd
            yield from self.differ(link, "BFD", a, b, "BFD at both ends")


class SeedsDiffer(Rule):
    """Neighbouring tiers hash by different seeds."""

    id = "hash-seed"
    severity = "major"
    why = "two tiers that hash alike leave half of the paths empty (hash polarization)"

    def of_link(self, link: Link) -> Iterator[Problem]:
        a, b = link.a.box.facts, link.b.box.facts
        # Boxes of one AS, and the two of a pair, are beside each other: of one tier.
        beside = a.asn == b.asn or (a.pair is not None and b.pair is not None)
        if not beside and link.a.session and link.b.session and a.hash_seed == b.hash_seed:
            if a.hash_seed is None:
                return
            found = f"hash seed {a.hash_seed}, as {link.b.box.name} above or below it"
            yield self.problem(link.a.box, "", found, "a seed for each tier")


def _told(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value)
