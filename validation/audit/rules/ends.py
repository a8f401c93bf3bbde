"""Both ends of a cable say the same."""

from __future__ import annotations

import re
from collections.abc import Iterator

from switch_configs.readback.facts import SwitchFacts
from validation.audit.links import End, Link
from validation.audit.network import Network
from validation.audit.rule import Problem, Rule

from .marking import sorting


class Alike(Rule):
    """A rule that compares one thing of both ends."""

    def differ(self, link: Link, what: str, a: object, b: object, fix: str) -> Iterator[Problem]:
        """A problem at the first end, where both say something, and not the same."""
        if a is not None and b is not None and a != b:
            found = f"{what} {_told(a)}; {link.b} has {_told(b)} (one link by {link.by})"
            ends = [(end.box, self.at(end)) for end in link.ends]
            words = [*_words(a), *_words(b)]
            yield self.problem(*ends[0], found, fix, values=words, also=ends[1:])

    def at(self, end: End) -> str:
        """What of an end says it: its port, or the session over it."""
        if self.of.startswith("session.") and end.session:
            return end.session.key
        return end.port.name


class MtuAtBothEnds(Alike):
    """Both ends carry packets of one size."""

    id = "mtu-ends"
    severity = "critical"
    why = "the end with less drops whole packets silently, and RDMA retries for ever"
    needs = frozenset({"port.ip_mtu_bytes"})
    of = "port.ip_mtu_bytes"

    def of_link(self, link: Link) -> Iterator[Problem]:
        a, b = link.a.port.ip_mtu_bytes, link.b.port.ip_mtu_bytes
        if a is not None and b is not None and b < a:  # the end that drops comes first
            link, a, b = Link(link.b, link.a, link.by), b, a
        yield from self.differ(link, "IP MTU", a, b, "one MTU on every hop, above the hosts'")


class RateAtBothEnds(Alike):
    """Both ends run at one rate."""

    id = "rate-ends"
    severity = "major"
    why = "a link whose ends are set to two rates never comes up"
    needs = frozenset({"port.rate_gbps"})
    of = "port.rate_gbps"

    def of_link(self, link: Link) -> Iterator[Problem]:
        a, b = link.a.port.rate_gbps, link.b.port.rate_gbps
        yield from self.differ(link, "rate in Gb/s", a, b, "one rate at both ends")


class FecAtBothEnds(Alike):
    """Both ends use one FEC."""

    id = "fec-ends"
    severity = "major"
    why = "ends of two FECs have no link (IEEE 802.3, 91, 108)"
    needs = frozenset({"port.fec"})
    of = "port.fec"

    def of_link(self, link: Link) -> Iterator[Problem]:
        a, b = link.a.port.fec, link.b.port.fec
        yield from self.differ(link, "FEC", a, b, "one FEC at both ends")


class PauseAtBothEnds(Alike):
    """Both ends pause the same priorities."""

    id = "pfc-ends"
    severity = "critical"
    why = "an end that pauses what the other does not obey drops what it was told to hold"
    needs = frozenset({"qos.pfc_priorities"})
    of = "qos.pfc_priorities"

    def of_link(self, link: Link) -> Iterator[Problem]:
        a, b = (end.port.qos.pfc_priorities if end.port.qos else () for end in link.ends)
        yield from self.differ(link, "paused priorities", a, b, "the same priorities at both ends")


class DscpAtBothEnds(Alike):
    """Both ends sort the same DSCPs into the lossless class."""

    id = "dscp-ends"
    severity = "critical"
    why = "a packet that is lossless on one hop and lossy on the next is lost there"
    needs = frozenset({"class.dscps"})
    of = "class.dscps"

    def of_link(self, link: Link) -> Iterator[Problem]:
        if not (link.a.port.qos and link.b.port.qos):
            return
        a, b = (tuple(f"{dscp} in {at}" for dscp, at in sorting(end.port)) for end in link.ends)
        yield from self.differ(link, "lossless DSCPs", a, b, "one map of DSCPs in the fabric")


class AutonegAtBothEnds(Alike):
    """Both ends negotiate, or none."""

    id = "autoneg-ends"
    severity = "major"
    why = "an end that negotiates waits for one that does not (IEEE 802.3, clause 73)"
    needs = frozenset({"port.autoneg"})
    of = "port.autoneg"

    def of_link(self, link: Link) -> Iterator[Problem]:
        a, b = link.a.port.autoneg, link.b.port.autoneg
        yield from self.differ(link, "autonegotiation", a, b, "the same at both ends")


class CableAtBothEnds(Alike):
    """Both ends say one length of their cable."""

    id = "cable-ends"
    severity = "major"
    why = "one of them has headroom for another cable (IEEE 802.1Q-2018, annex O)"
    needs = frozenset({"qos.cable_m"})
    of = "qos.cable_m"

    def of_link(self, link: Link) -> Iterator[Problem]:
        a, b = (end.port.qos.cable_m if end.port.qos else None for end in link.ends)
        yield from self.differ(link, "a cable in metres of", a, b, "its true length")


class VrfAtBothEnds(Alike):
    """Both ends are in one table."""

    id = "vrf-ends"
    severity = "critical"
    why = "routes of a tenant come into the fabric, or those of the fabric into a tenant"
    needs = frozenset({"port.vrf"})
    of = "port.vrf"

    def of_link(self, link: Link) -> Iterator[Problem]:
        a, b = link.a.port, link.b.port
        if a.vrf != b.vrf:
            one, other = (end.vrf or "default" for end in (a, b))
            yield from self.differ(link, "table", one, other, "one table at both ends")


class VlansAtBothEnds(Alike):
    """Both ends of a trunk carry the same VLANs."""

    id = "vlan-ends"
    severity = "major"
    why = "a VLAN that one end alone carries ends there, or leaks further than it was meant to"
    needs = frozenset({"port.vlans"})
    of = "port.vlans"

    def of_link(self, link: Link) -> Iterator[Problem]:
        a, b = (tuple(sorted(end.port.vlans)) for end in link.ends)
        if a and b:
            yield from self.differ(link, "VLANs", a, b, "the same VLANs at both ends")


class BondAtBothEnds(Alike):
    """Both ends of a cable are in a bond, or none."""

    id = "bond-ends"
    severity = "major"
    why = "a port in a bond waits for LACP of the other end (IEEE 802.1AX), and carries nothing"
    needs = frozenset({"port.bond"})
    of = "port.bond"

    def of_link(self, link: Link) -> Iterator[Problem]:
        a, b = ("a bond" if end.port.bond is not None else "no bond" for end in link.ends)
        among = all(end.port.name in _paired(end) for end in link.ends)
        if not among:
            yield from self.differ(link, "", a, b, "a bond at both ends")


class TagsAtBothEnds(Alike):
    """Both ends of a cable have subinterfaces of the same tags."""

    id = "tag-ends"
    severity = "critical"
    why = "frames of a tag that the other end does not know are dropped (IEEE 802.1Q-2018, 6.9)"
    needs = frozenset({"port.vlans"})
    of = "port.vlans"

    def of_link(self, link: Link) -> Iterator[Problem]:
        a, b = (tuple(sorted(end.box.subinterfaces.get(end.port.name, {}))) for end in link.ends)
        # A trunk to a router has the tags of its subinterfaces as VLANs.
        is_trunk = any(
            tags and not others and {*tags} == {*map(str, end.port.vlans)}
            for tags, others, end in ((a, b, link.b), (b, a, link.a))
        )
        if (a or b) and not is_trunk:
            yield from self.differ(link, "tags", a, b, "the same tags at both ends")


class StrictAtBothEnds(Alike):
    """Both ends serve the same DSCPs first."""

    id = "strict-ends"
    severity = "major"
    why = (
        "notifications that are first on one hop wait on the next (DCQCN, SIGCOMM 2015, section 3)"
    )
    needs = frozenset({"class.strict", "class.dscps", "qos.pfc_priorities"})
    of = "class.dscps"

    def of_link(self, link: Link) -> Iterator[Problem]:
        if all(end.port.qos and end.port.qos.pfc_priorities for end in link.ends):
            a, b = (
                tuple(
                    sorted(
                        dscp
                        for one in (end.port.qos.classes if end.port.qos else ())
                        for dscp in one.dscps
                        if one.strict
                    )
                )
                for end in link.ends
            )
            yield from self.differ(link, "strict DSCPs", a, b, "one map of DSCPs in the fabric")


class PairIsOne(Alike):
    """Leaves of a pair have one domain, and ask each other by management."""

    id = "pair-domain"
    severity = "critical"
    why = "two domains are no pair: each leaf answers for bonds alone, and hosts lose half"
    needs = frozenset({"pair"})
    of = "pair.domain"

    def of_link(self, link: Link) -> Iterator[Problem]:
        a, b = (end.box.facts.pair for end in link.ends)
        if a and b and all(end.port.name in _paired(end) for end in link.ends):
            one, other = ("none" if pair.domain is None else pair.domain for pair in (a, b))
            yield from self.differ(link, "domain", one, other, "one domain")

    def of_network(self, network: Network) -> Iterator[Problem]:
        """Whom each asks, once, however many cables there are."""
        asked: set[tuple[str, str]] = set()
        for link in network.links:
            if all(end.box.facts.pair and end.port.name in _paired(end) for end in link.ends):
                for here, there in (link.ends, link.ends[::-1]):
                    if (here.box.name, there.box.name) not in asked:
                        asked.add((here.box.name, there.box.name))
                        yield from self.asks(here, there)

    def asks(self, here: End, there: End) -> Iterator[Problem]:
        """A problem where one asks for the other at an address that it does not have."""
        asked, own = _peer(here), there.box.facts.services.management_address
        facts = there.box.facts
        has = {own, *(text for port in facts.ports for text in port.addresses)}
        has |= {vlan.address for vlan in facts.vlans}
        if asked and own and asked not in {text.partition("/")[0] for text in has if text}:
            found = f"asks for the other leaf at {asked}; {there.box.name} has {own}"
            yield self.problem(here.box, "", found, "the other's own address", values=(asked,))


class PairSharesBonds(Alike):
    """Leaves of a pair share the same bonds, over a link that both know as theirs."""

    id = "pair-bonds"
    severity = "major"
    why = (
        "a bond that one leaf does not share has two partners for its host, and one carries "
        "nothing (IEEE 802.1AX, 6.4); a heartbeat to nobody ends in both leaves as the first"
    )
    needs = frozenset({"pair", "bonds"})
    of = "port.bond"

    def of_link(self, link: Link) -> Iterator[Problem]:
        for here, there in ((link.a, link.b), (link.b, link.a)):
            ours, theirs = here.box.facts, there.box.facts
            if not (ours.pair and theirs.pair and here.port.name in ours.pair.ports):
                continue
            if there.port.name not in theirs.pair.ports:
                found = f"{here} is between the leaves of the pair, and this end is not"
                yield self.problem(there.box, there.port.name, found, "the same at both ends")
            if here.port.name != min(ours.pair.ports):
                continue
            lone = _shared(ours) - _shared(theirs)
            for number in sorted(lone):
                found = f"bond {number} is shared here, and not by {there.box.name}"
                fix = "share it on both leaves, or on none"
                yield self.problem(here.box, "", found, fix, values=(number,))
            if not ours.pair.peer_management and theirs.pair.peer_management:
                found = f"no heartbeat to {there.box.name}, which has one to here"
                yield self.problem(here.box, "", found, "ask it over management")


def _shared(facts: SwitchFacts) -> set[int]:
    return {one.number for one in facts.bonds if one.shared}


class DescriptionsAreTrue(Rule):
    """A description names the box that the addresses lead to."""

    id = "description"
    severity = "minor"
    why = "whoever pulls a cable goes to the box that the description names"
    needs = frozenset({"port.description"})
    of = "port.description"

    def of_network(self, network: Network) -> Iterator[Problem]:
        names = set(network.box)
        for link in network.links:
            for here, there in ((link.a, link.b), (link.b, link.a)):
                words = set(re.split(r"[\s,;()]+", here.port.description.replace(":", " ")))
                other = sorted(words & names - {here.box.name, there.box.name})
                if other and there.box.name not in words:
                    found = f"names {other[0]}, and its address is of a link to {there}"
                    fix = "mend the description, or the cable"
                    at = here.port.name
                    yield self.problem(here.box, at, found, fix, values=(other[0],))


def _peer(end: End) -> str | None:
    return end.box.facts.pair.peer_management if end.box.facts.pair else None


def _paired(end: End) -> tuple[str, ...]:
    """The ports of a box that lead to the other leaf of its pair."""
    return end.box.facts.pair.ports if end.box.facts.pair else ()


def _words(value: object) -> list[str]:
    """What of a value may stand as a word in a line."""
    parts = value if isinstance(value, tuple) else (value,)
    return (
        [word for part in parts for word in f"{part:g}".split()]
        if all(isinstance(part, float) for part in parts)
        else [word for part in parts for word in str(part).split()]
    )


def _told(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value)
