"""ECN of the lossless class inside one box, and what readers call a hazard."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inventory.lossless.headroom import roce_packet_bytes
from switch_configs.readback.facts import LOOPBACK, EcnFacts, Hazard
from validation.audit.box import Box
from validation.audit.network import Network
from validation.audit.rule import Problem, Rule

from .marking import carriers, paused

_FEW_BYTES = 2 * roce_packet_bytes(9000)


class LosslessIsMarked(Rule):
    """A lossless class is marked by ECN before it pauses."""

    id = "lossless-without-ecn"
    severity = "critical"
    why = (
        "without marks DCQCN never slows a sender, and every congestion becomes pauses that spread "
        "(DCQCN, SIGCOMM 2015, section 3)"
    )

    needs = frozenset({"class.ecn"})
    of = "class.ecn"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in carriers(box):
            for one in paused(port):
                if one.ecn is None:
                    found = f"no ECN on the lossless class of priority {one.pfc_priority}"
                    fix = "mark its queue by WRED with ECN"
                    yield self.problem(box, port.name, found, fix, values=(one.pfc_priority,))


class EcnThresholdsRise(Rule):
    """Marking begins below where all is marked."""

    id = "ecn-order"
    severity = "major"
    why = "with Kmin at Kmax marking is all or nothing, and flows swing (DCQCN, SIGCOMM 2015)"

    needs = frozenset({"class.ecn"})
    of = "class.ecn"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in box.facts.ports:
            for one in port.qos.classes if port.qos else ():
                if one.ecn and one.ecn.kmin_bytes >= one.ecn.kmax_bytes:
                    found = f"Kmin {one.ecn.kmin_bytes}, Kmax {one.ecn.kmax_bytes} bytes"
                    words = (one.ecn.kmin_bytes, one.ecn.kmax_bytes)
                    yield self.problem(box, port.name, found, "Kmin below Kmax", values=words)


class LossyIsMarkedOnPurpose(Rule):
    """ECN stands on a class that somebody pauses, where the port pauses any."""

    id = "ecn-beside"
    severity = "major"
    why = "marks on another class than the paused one slow the wrong flows and leave RoCE unmarked"

    needs = frozenset({"class.ecn"})
    of = "class.ecn"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in carriers(box):
            classes = port.qos.classes if port.qos else ()
            marked = [one for one in classes if one.ecn]
            if marked and all(one.pfc_priority is None for one in marked):
                found = "ECN is on classes that are not paused alone"
                words = (value for one in marked if one.ecn for value in _thresholds(one.ecn))
                fix = "put it on the queue of the paused one"
                yield self.problem(box, port.name, found, fix, values=words)


class SomeAreMarked(Rule):
    """Where marking begins it marks some, and from Kmax on what it says."""

    id = "ecn-probability"
    severity = "major"
    why = "a probability of 0 marks nothing between Kmin and Kmax (RFC 3168; DCQCN, SIGCOMM 2015)"
    needs = frozenset({"class.ecn"})
    of = "class.ecn"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in carriers(box):
            for one in paused(port):
                if one.ecn and not 0 < one.ecn.probability_percent <= 100:
                    found = f"a probability of {one.ecn.probability_percent} %"
                    words = (one.ecn.probability_percent, one.pfc_priority)
                    yield self.problem(box, port.name, found, "5 to 100 %", values=words)


class AFewPacketsAreNoCongestion(Rule):
    """Marking begins above a few packets."""

    id = "ecn-few-packets"
    severity = "major"
    why = (
        "a queue of two packets is no congestion: flows that are marked at once never reach the "
        "rate (DCQCN, SIGCOMM 2015, section 5; HPCC, SIGCOMM 2019, 5.1: 100 KB for each 25 Gb/s)"
    )
    needs = frozenset({"class.ecn"})
    of = "class.ecn"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in carriers(box):
            for one in paused(port):
                if one.ecn and one.ecn.kmin_bytes < _FEW_BYTES:
                    found = f"marks from {one.ecn.kmin_bytes} bytes on: two packets of RoCE"
                    words = (one.ecn.kmin_bytes, one.pfc_priority)
                    yield self.problem(box, port.name, found, "150 KB or more", values=words)


def _thresholds(ecn: EcnFacts) -> tuple[int, int]:
    return ecn.kmin_bytes, ecn.kmax_bytes


class ChainsHold(Rule):
    """Maps, profiles and pools of the lossless path lead somewhere."""

    id = "broken-chain"
    severity = "critical"
    why = "a map that no port has, a pool without size: the box takes it, and does something else"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for hazard in box.facts.hazards:
            if hazard.kind == "lossless":  # that a port lacks a watchdog is `no-watchdog`'s
                yield self.problem(box, _named(box, hazard), hazard, "mend the chain that it names")


class NothingWorksOtherwise(Rule):
    """What stands in the configuration works as it reads."""

    id = "hazard"
    severity = "minor"
    why = "it reads as if it did something, and does not, or more than it says"

    def of_network(self, network: Network) -> Iterator[Problem]:
        for box in network.boxes:
            for hazard in box.facts.hazards:
                beside = hazard.is_lossless or hazard.kind == "planned"
                if not (beside or _is_told(box, hazard) or _is_meant(network, box, hazard)):
                    yield self.problem(box, _named(box, hazard), hazard, "see whether it is meant")


def _is_meant(network: Network, box: Box, hazard: Hazard) -> bool:
    """What is wrong beside other things alone, where these are not there."""
    facts = box.facts
    match hazard.kind:
        case "static-default":  # past what BGP says, where there is BGP
            return not facts.sessions
        case "no-communities":
            return not any(one.adds or one.refuses or one.drained_last for one in facts.policies)
        case "trunk-to-switch":  # where no text says what it leads to it is not judged
            return not network.leads_to_switch(box, hazard.about)
        case "name-in-lldp":  # every port has, by SONiC's own alias
            many = sum(one.kind == hazard.kind for one in facts.hazards)
            return many * 2 > len(facts.ports)
        case "not-private":
            return not any("private-vlan" in text for text in box.texts.values())
        case "idle-list":  # but by what no reader here knows: CoPP, NTP
            name = re.escape(hazard.about)
            asked = re.compile(
                rf"(?m)^(?!ip(?:v6)? access-list|\s*(?:description|remark|name|\d+ remark|!))"
                rf".*(?<!\S){name}(?!\S)"
            )
            return any(asked.search(text) for text in box.texts.values())
        case "routing-beside":
            return not any(path.endswith("frr.conf") for path in box.texts)
        case "of-pair":  # what both of a pair count so is meant, and nobody else need
            others = [network.box[one] for one in network.pair_of(box) - {box.name}]
            both = bool(others) and all(hazard in one.facts.hazards for one in others)
            return facts.pair is None or both
    return False


def _is_told(box: Box, hazard: Hazard) -> bool:
    """Whether a session without policy is another rule's: all of an AS, or `bgp-without-policy`.

    Inside an AS nobody asks for policies (RFC 8212), but where other sessions there have one.
    """
    match hazard.kind:
        case "lines-lost":  # a doubt of `lost`
            return True
        case "undefined-policy":
            asked = {way for one in box.facts.sessions for way in (one.policy_in, one.policy_out)}
            return bool(box.facts.policies) and hazard.about in asked  # `policy-undefined`
        case "lacks-policy":  # `bgp-without-policy`
            return not box.facts.ebgp_requires_policy
        case "no-policy-in" | "no-policy-out":
            way = "policy_in" if hazard.kind == "no-policy-in" else "policy_out"
            inside = [
                one for one in box.facts.sessions if one.peer_asn in ("internal", box.facts.asn)
            ]
            if any(one.key == hazard.about for one in inside):
                return not any(getattr(one, way) for one in inside)
            return not box.facts.ebgp_requires_policy
    return False


def _named(box: Box, hazard: Hazard) -> str:
    """The port or session that a hazard is about, or names first; "" where it is of the box."""
    known = {*box.ports, *(one.key for one in box.facts.sessions)} - {LOOPBACK}
    if hazard.about in known:
        return hazard.about
    words: list[str] = [word.rstrip(":.,") for word in re.findall(r"[\w./:-]+", hazard)]
    if words[0] == "port" and len(words) > 1:
        return words[1]
    is_bond = words[0][-1:].isdigit() and box.outline.named(words[0])
    return words[0] if is_bond else next((word for word in words if word in known), "")
