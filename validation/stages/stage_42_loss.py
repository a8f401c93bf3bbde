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
from validation.stage import Faults, Stage, check
from validation.switches import ask
from validation.switches.expect import WireExpected
from validation.switches.wire import Wire, terms

STAGE = Stage(
    number=42,
    title="Loss",
    needs=(20,),
    blocks="loads between nodes: they would measure a cable that loses",
)
_RESEAT = "clean and reseat the cable; compare the error counters of both ports"


@check("wire")
def test_cables_lose_nothing(
    host: Host, plan: Plan, expect: tuple[WireExpected, ...], faults: Faults, view: View
) -> None:
    """The other end of every cable answers every small packet.

    Success: of some hundred packets at most one got no answer.
    Failure: more were lost on the way there or back. A port whose own MTU explains that is blamed,
    and no cable.
    """
    answers = ask.pings(host, tuple(one.wire for one in expect))
    for one in expect:
        wire = one.wire
        counted = answers.get(wire.here.port)
        asked = (wire.target, wire.packets)
        if counted is None or (counted.target, counted.sent) != asked:
            raise Unreadable(f"the other end of {wire.here} was not asked as planned")
        lost = counted.sent - counted.received
        faults.figure(one, 100 * lost / counted.sent, "%")
        if lost > terms().most_lost:
            blame = _blame(view, wire) or Blame(f"cable {plan.cable_at[wire.here]}", "", _RESEAT)
            said = f"{lost} of {counted.sent} packets between {wire.here} and {wire.there} are lost"
            found = f"{said}; {blame.found}" if blame.found else said
            faults.add(one, blame.suspect, found, hint=blame.hint)


def _blame(view: View, wire: Wire) -> Blame | None:
    """What explains the loss better than the cable: a port that cannot carry such packets."""
    found = locate.wiring(view, wire.here) or locate.link(view, wire.here)
    return found or hops.too_small(view, (wire.here, wire.there), wire.ip_bytes)
