"""Stage 42: no cable loses small packets.

A loss of some percent does not stop BGP, LLDP or a single probe that is sent again, and slows RoCE
to nothing. Each cable is asked alone, so the one that loses is named.
"""

from __future__ import annotations

from testinfra.host import Host

from inventory.plan import Plan
from inventory.reading.fields import Unreadable
from validation.locating import locate
from validation.locating.locate import Blame
from validation.locating.view import View
from validation.probes import hops
from validation.stage import Check, Faults
from validation.stages.s25_switch_state import ask
from validation.stages.s42_loss.expect import WireExpected

from .wire import Wire, terms

_RESEAT = "clean and reseat the cable; compare the error counters of both ports"


class VerifyCablesLoseNothing(Check):
    """The other end of every cable answers every small packet.

    Success: of some hundred packets at most one got no answer.
    Failure: more were lost on the way there or back. A port whose own MTU explains that is blamed,
    and no cable.
    """

    expects = WireExpected

    def test(
        self, host: Host, plan: Plan, expect: tuple[WireExpected, ...], faults: Faults, view: View
    ) -> None:
        answers = ask.pings(host, tuple(expectation.wire for expectation in expect))
        for one in expect:
            wire = one.wire
            counted = answers.get(wire.here.port)
            asked = (wire.target, wire.packets)
            if counted is None or (counted.target, counted.sent) != asked:
                raise Unreadable(f"the other end of {wire.here} was not asked as planned")
            lost = counted.sent - counted.received
            faults.figure(one, 100 * lost / counted.sent, "%")
            if lost > terms().most_lost:
                blame = _blame(view, wire) or Blame(
                    f"cable {plan.cable_at[wire.here]}", "", _RESEAT
                )
                between = f"between {wire.here} and {wire.there}"
                said = f"{lost} of {counted.sent} packets {between} are lost"
                found = f"{said}; {blame.found}" if blame.found else said
                faults.add(one, blame.suspect, found, hint=blame.hint)


def _blame(view: View, wire: Wire) -> Blame | None:
    """What explains the loss better than the cable: a port that cannot carry such packets."""
    found = locate.wiring(view, wire.here) or locate.link(view, wire.here)
    return found or hops.too_small(view, (wire.here, wire.there), wire.ip_bytes)
