"""How the classes of a port share it: weights, strict ones, and where notifications go."""

from __future__ import annotations

from collections.abc import Iterator

from switch_configs.readback.facts import ClassFacts, PortFacts
from validation.audit.box import Box
from validation.audit.rule import Problem, Rule

from .marking import carriers, paused

# NVIDIA, Broadcom and Juniper send CNPs with it; switches' own BGP has it too (CS6, RFC 4594).
CNP_DSCP = 48
# Priorities in the VLAN tags of CNPs: NVIDIA's NICs, and Broadcom's, unless they are told another.
_CNP_TAGS = (6, 7)
_BEST_EFFORT = 0
_LEAST_PERCENT = 10
_MOST_DSCPS = 8


def class_of(port: PortFacts, dscp: int) -> ClassFacts | None:
    """The class of a port that has a DSCP."""
    classes = port.qos.classes if port.qos else ()
    return next((one for one in classes if dscp in one.dscps), None)


class WeightsFit(Rule):
    """Shares of the classes of a port sum to 100 at most."""

    id = "weights"
    severity = "minor"
    why = "shares of more than the port are cut by each system in its own way (IEEE 802.1Qaz)"
    needs = frozenset({"class.weight_percent"})
    of = "class.weight_percent"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in box.facts.ports:
            shares = [one.weight_percent or 0 for one in (port.qos.classes if port.qos else ())]
            if sum(shares) > 100:
                found = f"weights of {sum(shares)} %"
                yield self.problem(box, port.name, found, "let them sum to 100", values=shares)


class LosslessIsNotStrict(Rule):
    """The lossless class shares its port by weight."""

    id = "lossless-strict"
    severity = "major"
    why = "a strict lossless class starves all else, CNPs and BGP among it (IEEE 802.1Qaz)"
    needs = frozenset({"class.strict"})
    of = "class.strict"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in carriers(box):
            for one in paused(port):
                if one.strict:
                    found = f"the lossless class of priority {one.pfc_priority} is strict"
                    fix = "give it a weight; CNPs are strict"
                    words = (one.pfc_priority, "strict")
                    yield self.problem(box, port.name, found, fix, values=words)


class LosslessHasAShare(Rule):
    """The lossless class has a share of its port that is worth the name."""

    id = "lossless-starved"
    severity = "major"
    why = (
        "a class that is never served fills its buffer and pauses its senders, whatever they send "
        "(IEEE 802.1Qaz: a bandwidth group of 0 % gets what others leave)"
    )
    needs = frozenset({"class.weight_percent"})
    of = "class.weight_percent"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in carriers(box):
            for one in paused(port):
                share = one.weight_percent
                if share is not None and share < _LEAST_PERCENT and not one.strict:
                    found = f"{share} % of the port for the class of priority {one.pfc_priority}"
                    fix = f"a weight of {_LEAST_PERCENT} % or more"
                    words = (one.pfc_priority, share)
                    yield self.problem(box, port.name, found, fix, values=words)


class StrictIsCapped(Rule):
    """A strict class beside a lossless one has a cap."""

    id = "strict-uncapped"
    severity = "minor"
    why = (
        "whoever marks packets so is served first without limit, the lossless class waits and "
        "pauses (RFC 3246, 2.9: a strict class needs a limit; DSCP 48 is anybody's CS6)"
    )
    needs = frozenset({"class.strict", "class.rate_cap_percent"})
    of = "class.rate_cap_percent"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in carriers(box):
            for one in port.qos.classes if port.qos else ():
                if one.strict and one.pfc_priority is None and one.rate_cap_percent is None:
                    found = f"the class of DSCP {_few(one)} is strict and has no cap"
                    yield self.problem(
                        box, port.name, found, "cap it, as at 5 %", values=("strict",)
                    )


class OneIsStrict(Rule):
    """Only one class of a port that pauses is strict."""

    id = "many-strict"
    severity = "minor"
    why = "of two strict classes the lower waits for the other, and all that share wait for both"
    needs = frozenset({"class.strict"})
    of = "class.strict"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in carriers(box):
            strict = [one for one in (port.qos.classes if port.qos else ()) if one.strict]
            if len(strict) > 1:
                found = f"{len(strict)} strict classes: DSCP {', '.join(map(_few, strict))}"
                yield self.problem(
                    box, port.name, found, "a weight for all but CNPs'", values=("strict",)
                )


class NotificationsAreLossy(Rule):
    """Congestion notifications are in no class that is paused."""

    id = "cnp-lossless"
    severity = "major"
    why = (
        "a CNP that waits behind the paused data arrives when it no longer helps (DCQCN, SIGCOMM "
        "2015, section 3; DSCP 48 unless a NIC is told another)"
    )
    needs = frozenset({"class.dscps"})
    of = "class.dscps"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in carriers(box):
            one = class_of(port, CNP_DSCP)
            for tag, priority in port.qos.by_tag if port.qos else ():
                if tag in _CNP_TAGS and priority is not None:
                    found = f"tags of priority {tag} are in the lossless class of {priority}"
                    yield self.problem(box, port.name, found, "a class of their own")
            if one and one.pfc_priority is not None and _BEST_EFFORT not in one.dscps:
                found = f"DSCP {CNP_DSCP} is in the lossless class of priority {one.pfc_priority}"
                yield self.problem(
                    box, port.name, found, "a strict, capped class", values=(CNP_DSCP,)
                )


class NotificationsAreFirst(Rule):
    """Congestion notifications are served before best effort."""

    id = "cnp-behind"
    severity = "minor"
    why = (
        "CNPs that queue behind best effort slow senders too late (DCQCN, SIGCOMM 2015, section 3: "
        "they go with high priority; DSCP 48 unless a NIC is told another)"
    )
    needs = frozenset({"class.dscps", "class.strict"})
    of = "class.dscps"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in carriers(box):
            one = class_of(port, CNP_DSCP)
            tags = {tag for tag, _ in (port.qos.by_tag if port.qos else ())}
            if one and _BEST_EFFORT in one.dscps and not one.strict and tags.isdisjoint(_CNP_TAGS):
                found = f"DSCP {CNP_DSCP} is in the class of DSCP {_BEST_EFFORT}"
                if tags:
                    found += f", and tags of priority {_CNP_TAGS[0]} and {_CNP_TAGS[1]} in no other"
                yield self.problem(
                    box, port.name, found, "a strict, capped class", values=(CNP_DSCP,)
                )


class NotificationsAreNotMarked(Rule):
    """The strict class of notifications has no ECN."""

    id = "cnp-marked"
    severity = "minor"
    why = "a queue that marks drops what is not ECN-capable, as CNPs may be (RFC 3168, section 7)"
    needs = frozenset({"class.ecn", "class.dscps"})
    of = "class.ecn"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in carriers(box):
            one = class_of(port, CNP_DSCP)
            if one and one.ecn and one.pfc_priority is None and _BEST_EFFORT not in one.dscps:
                found = f"ECN on the class of DSCP {CNP_DSCP}"
                words = (one.ecn.kmin_bytes, one.ecn.kmax_bytes)
                yield self.problem(box, port.name, found, "no WRED there", values=words)


class LosslessIsNarrow(Rule):
    """Only few DSCPs are lossless."""

    id = "wide-lossless"
    severity = "major"
    why = (
        "DSCPs that nobody gave to RoCE go to best effort: what is lossless by chance is paused "
        "with it and fills its headroom (SIGCOMM 2016, section 2; RFC 2474, section 3)"
    )
    needs = frozenset({"class.dscps"})
    of = "class.dscps"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in carriers(box):
            for one in paused(port):
                if len(one.dscps) > _MOST_DSCPS and _BEST_EFFORT not in one.dscps:
                    found = (
                        f"{len(one.dscps)} DSCPs are in the class of priority {one.pfc_priority}"
                    )
                    words = (*one.dscps, one.pfc_priority)
                    yield self.problem(box, port.name, found, "RoCE's alone", values=words)


def _few(one: ClassFacts) -> str:
    """Its first DSCPs, for people."""
    few = ", ".join(map(str, one.dscps[:3]))
    return few + (" ..." if len(one.dscps) > 3 else "")
