"""Stage 20: every cable ends where it should, and routing uses all of them.

The plan, routing (FRR, EOS, NX-OS) and forwarding (the kernel, the hardware) must say the same:
routing can believe in a path that forwarding has lost.
"""

from __future__ import annotations

from ipaddress import IPv4Network

from testinfra.host import Host

from inventory.plan import PortRef
from switch_configs.answers.forms import Bgp, FibRoute
from switch_configs.answers.said import FeatureOff
from validation.evidence import ask
from validation.locating import locate
from validation.locating.view import View
from validation.routing.systems import dialect_of, words
from validation.stage import Check, Faults
from validation.stages.s20_cabling_routing.expect import (
    BgpExpected,
    LinkExpected,
    LldpExpected,
    NoMoreRoutesExpected,
    RouteExpected,
)

_LLDPD = "lldpd"
# github.com/lldpd/lldpd/issues/611: news of a change ends its first reading of all ports.
_MISSES = (
    "; or a port is not in `lldpcli show interfaces`: lldpd before 1.0.18 misses some where a link "
    "changes as it starts, until `systemctl restart lldpd`"
)


class VerifyPortsAreUp(Check):
    """Every cabled data port is up.

    Success: the device shows the port up, with a signal.
    Failure: it is switched off at one end, or has no carrier.
    """

    expects = LinkExpected

    def test(
        self, host: Host, expect: tuple[LinkExpected, ...], faults: Faults, view: View
    ) -> None:
        ports = ask.ports(host, dialect_of(view.plan, expect[0].device))
        for expectation in expect:
            here = PortRef(expectation.device, expectation.port)
            if expectation.port not in ports:
                hint = "the port does not exist: is this the planned switch model?"
                faults.add(expectation, f"port {here}", f"{here} does not exist", hint=hint)
            elif not ports[expectation.port].up:
                blame = locate.wiring(view, here) or locate.link(view, here)
                blame = blame or locate.Blame(f"cable {expectation.cable}")
                faults.add(expectation, blame.suspect, f"{here} is down", hint=blame.hint)


class VerifyNeighboursAreThePlannedOnes(Check):
    """Every cabled data port hears the port at the other end of its cable.

    Success: LLDP (IEEE 802.1AB) shows exactly the planned system and port.
    Failure: nobody, somebody else, or more than one is heard, or LLDP is off.
    """

    expects = LldpExpected

    def test(
        self, host: Host, expect: tuple[LldpExpected, ...], faults: Faults, view: View
    ) -> None:
        try:
            heard = ask.lldp(host, dialect_of(view.plan, expect[0].device))
        except FeatureOff as off:
            for one in expect:
                faults.add(one, f"device {one.device}", f"{one.device}: {off}", hint=off.hint)
            return
        for expectation in expect:
            here = PortRef(expectation.device, expectation.port)
            found = locate.as_ports(view.plan, heard.get(expectation.port, ()))
            if found == (expectation.peer,):
                continue
            said = f"{here} hears {', '.join(map(str, found)) or 'nobody'}"
            blame = locate.wiring(view, here) or locate.link(view, here)
            blame = blame or _unheard(view, expectation)
            faults.add(expectation, blame.suspect, said, hint=blame.hint)


def _unheard(view: View, one: LldpExpected) -> locate.Blame:
    peer = one.peer.device
    if view.lldp(peer) is None:
        name = words(view.plan, peer).lldp
        return locate.Blame(f"device {peer}", hint=f"the link is up: does {name} run on {peer}?")
    hint = "the link is up and both ends run LLDP: does something between them filter it?"
    if _LLDPD in (words(view.plan, one.device).lldp, words(view.plan, peer).lldp):
        hint += _MISSES
    return locate.Blame(f"cable {one.cable}", hint=hint)


class VerifySessionsAreEstablished(Check):
    """Every planned BGP session is established, between the planned ASNs.

    Success: the switch shows the session Established, and both ASNs are the plan's.
    Failure: it is missing, in another state (RFC 4271, 8.2.2), or between other ASNs.
    """

    expects = BgpExpected

    def test(self, host: Host, expect: tuple[BgpExpected, ...], faults: Faults, view: View) -> None:
        switch = view.plan.switch[expect[0].device]
        vrfs = {one.vrf for one in switch.sessions if one.vrf}
        speaker = ask.bgp(host, switch.dialect, vrfs)
        for expectation in expect:
            if said := _session_fault(expectation, speaker):
                blame = locate.session(view, PortRef(expectation.device, expectation.port))
                found = f"{said}; {blame.found}" if blame.found else said
                faults.add(expectation, blame.suspect, found, hint=blame.hint)


def _session_fault(one: BgpExpected, speaker: Bgp) -> str:
    peer = speaker.peers.get(one.key)
    if speaker.asn != one.asn:
        return f"{one.device} speaks as AS {speaker.asn or 'none'}"
    if peer is None:
        return f"{one.device} has no neighbour {one.key}"
    if not peer.established:
        return f"the session at {one.device}:{one.port} is {peer.state}"
    if (peer.local_asn, peer.remote_asn) != (one.asn, one.peer_asn):
        return f"{one.device}:{one.port} is a session of AS {peer.local_asn} and {peer.remote_asn}"
    return ""


class VerifyRoutesUseEveryPath(Check):
    """Every prefix is reached over all planned ports: plan, routing and forwarding agree.

    Success: the selected route and what forwarding has leave by exactly the planned ports.
    Failure: a path is missing or too many, or forwarding has others than routing.
    """

    expects = RouteExpected

    def test(
        self, host: Host, expect: tuple[RouteExpected, ...], faults: Faults, view: View
    ) -> None:
        dialect = dialect_of(view.plan, expect[0].device)
        rib, fib, say = (
            ask.rib(host, dialect),
            ask.fib(host, dialect),
            words(view.plan, expect[0].device),
        )
        for expectation in expect:
            route = rib.get(expectation.prefix)
            ports = route.ports if route and route.protocol == "bgp" else ()
            forwards = fib.get(expectation.prefix, FibRoute("none", ())).ports
            missing = sorted(set(expectation.ports) - set(ports))
            if route and route.protocol == "kernel":
                said = (
                    f"{expectation.prefix} leaves by a route that the kernel has from somebody else"
                )
                faults.add(
                    expectation, f"{say.routes} of {expectation.device}", said, hint=say.foreign
                )
            elif missing:
                blame = locate.missing_path(view, expectation, missing[0])
                said = (
                    f"{say.routing} has {expectation.prefix} over {', '.join(ports) or 'nothing'}"
                )
                faults.add(expectation, blame.suspect, _joined(said, blame.found), hint=blame.hint)
            elif not set(ports) <= set(expectation.may):
                extra = ", ".join(sorted(set(ports) - set(expectation.may)))
                faults.add(
                    expectation,
                    f"device {expectation.device}",
                    f"{expectation.prefix} also leaves by {extra}",
                )
            elif set(forwards) != set(ports):
                has = f"{say.routing} has {', '.join(ports)}"
                carried = f"{say.forwarding} {', '.join(forwards) or 'nothing'}"
                said = f"{expectation.prefix}: {has}, {carried}"
                hint = say.stale if set(forwards) < set(ports) else say.foreign
                faults.add(expectation, f"{say.routes} of {expectation.device}", said, hint=hint)


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


class VerifyNoOtherRoutes(Check):
    """Inside the plan's pools a switch knows the planned prefixes only.

    Success: neither routing nor forwarding has another prefix of the pools.
    Failure: something is announced that should not be: a host's route, a lost aggregate.
    """

    expects = NoMoreRoutesExpected

    def test(
        self, host: Host, expect: tuple[NoMoreRoutesExpected, ...], faults: Faults, view: View
    ) -> None:
        dialect = dialect_of(view.plan, expect[0].device)
        rib, fib = ask.rib(host, dialect), ask.fib(host, dialect)
        for expectation in expect:
            everything = {key: route.ports for key, route in fib.items()}
            everything |= {key: route.ports for key, route in rib.items()}
            inside = {
                key for key in everything if any(key.subnet_of(pool) for pool in expectation.pools)
            }
            if more := sorted(inside - expectation.allowed):
                found = f"{expectation.device} also knows {', '.join(map(str, more))}"
                if not any(key in rib and rib[key].protocol == "bgp" for key in more):
                    see = words(view.plan, expect[0].device).see_routes
                    hint = (
                        f"nobody announced it: somebody put it there; {see} on {expectation.device}"
                    )
                    faults.add(expectation, f"device {expectation.device}", found, hint=hint)
                    continue
                suspect = _announcer(view, expectation.device, more[0])
                hint = f"see what {suspect} announces, and the policy that should stop it"
                faults.add(expectation, f"device {suspect}", found, hint=hint)


def _announcer(view: View, device: str, prefix: IPv4Network) -> str:
    """Where a route comes from: followed from neighbour to neighbour, to who has it from nobody."""
    here = device
    for _ in view.plan.switches:
        route = (view.rib(here) or {}).get(prefix)
        ports = [PortRef(here, port) for port in route.ports] if route else []
        cabled = [end for end in ports if end in view.plan.cable_at]
        if route is None or route.protocol != "bgp" or not cabled:
            return here
        here = locate.other_end(view.plan, cabled[0]).device
    return device
