"""Routes: what a box originates, lets out, lets in, and keeps from going up again."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from ipaddress import IPv4Network

from switch_configs.readback.facts import LOOPBACK, PermitFacts, PolicyFacts
from validation.audit.box import Box
from validation.audit.links import End, Link
from validation.audit.network import Network
from validation.audit.rule import Problem, Rule


@lru_cache(maxsize=1 << 16)
def net_of(text: str) -> IPv4Network | None:
    """A network, of an address with bits too; None for what is none."""
    try:
        return IPv4Network(text, strict=False)
    except ValueError:
        return None


def passes(prefix: str, permits: tuple[PermitFacts, ...]) -> bool:
    """Whether any of these lets a prefix pass; what cannot be read passes."""
    return any(_passes(prefix, permit) for permit in permits)


def _passes(prefix: str, permit: PermitFacts) -> bool:
    net, within = net_of(prefix), net_of(permit.prefix)
    if net is None or within is None:
        return True
    fits = permit.shortest_bits <= net.prefixlen <= permit.longest_bits
    return fits and net.subnet_of(within)


def tables(box: Box) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each routing table with what it originates; "" is the default one."""
    yield "", box.facts.originates
    yield from ((one.vrf, one.originates) for one in box.facts.tables)


def _policies(box: Box) -> dict[str, PolicyFacts]:
    return {one.name: one for one in box.facts.policies}


class WhatIsOriginatedIsAnnounced(Rule):
    """What a box originates passes one of its policies out."""

    id = "not-announced"
    severity = "critical"
    why = "a prefix that no policy out lets pass is known to nobody: its hosts answer no one"
    needs = frozenset({"originates", "policy.permits", "session.policy_out"})
    of = "originates"

    def of_box(self, box: Box) -> Iterator[Problem]:
        known = _policies(box)
        for vrf, originates in tables(box):
            names = {one.policy_out for one in box.facts.sessions if one.vrf == vrf}
            if not names or not all(name and name in known for name in names):
                continue
            permits = tuple(permit for name in names if name for permit in known[name].permits)
            for prefix in originates:
                if not passes(prefix, permits):
                    found = f"{prefix} passes none of {', '.join(sorted(map(str, names)))}"
                    yield self.problem(box, "", found, "permit it there", values=(prefix,))


class PoliciesLetSomethingPass(Rule):
    """A policy of a session lets something pass."""

    id = "policy-drops-all"
    severity = "minor"
    why = "the session is up and carries no route (RFC 4271, 9.1: what no policy accepts is unused)"
    needs = frozenset({"policy.permits", "session.policy_in"})
    of = "policy.permits"

    def of_box(self, box: Box) -> Iterator[Problem]:
        used = {name for one in box.facts.sessions for name in (one.policy_in, one.policy_out)}
        for one in box.facts.policies:
            if one.name in used and not one.permits:
                found = f"policy {one.name} lets nothing pass"
                yield self.problem(box, one.name, found, "permit what is meant, or end the session")


class WhatIsAnnouncedIsOriginated(Rule):
    """A prefix that a policy names as the box's own is originated by it."""

    id = "not-originated"
    severity = "major"
    why = "the policy waits for a route that nobody makes: the network behind it is not reachable"
    needs = frozenset({"originates", "policy.permits", "session.policy_out"})
    of = "policy.permits"

    def of_box(self, box: Box) -> Iterator[Problem]:
        known = _policies(box)
        for vrf, originates in tables(box):
            if not originates:
                continue
            names = {one.policy_out for one in box.facts.sessions if one.vrf == vrf}
            for name in sorted(name for name in names if name in known and name):
                for permit in known[name].permits:
                    if _is_one(permit) and permit.prefix not in originates and _below(box, permit):
                        found = f"policy {name} lets {permit.prefix} out, which is not originated"
                        words = (permit.prefix,)
                        yield self.problem(box, name, found, "originate it", values=words)


def _is_one(permit: PermitFacts) -> bool:
    net = net_of(permit.prefix)
    return net is not None and permit.shortest_bits == permit.longest_bits == net.prefixlen > 0


def _below(box: Box, permit: PermitFacts) -> bool:
    """Whether a prefix is the box's own: an address or a network of its ports lies in it."""
    within = net_of(permit.prefix)
    addresses = (text for port in box.facts.ports for text in port.addresses)
    return within is not None and any(
        (net := net_of(text)) is not None and net.subnet_of(within) for text in addresses
    )


class WhatIsAnnouncedIsTaken(Rule):
    """What a box originates and lets out over a link, the other end lets in."""

    id = "refused"
    severity = "critical"
    why = "a route that the neighbour refuses is a network that nobody beyond it reaches"
    needs = frozenset({"originates", "policy.permits", "session.policy_in"})
    of = "policy.permits"

    def of_link(self, link: Link) -> Iterator[Problem]:
        for here, there in ((link.a, link.b), (link.b, link.a)):
            out, into = _policy(here, "policy_out"), _policy(there, "policy_in")
            if not out or not into or not here.session or not into.permits:
                continue
            mine = dict(tables(here.box)).get(here.session.vrf, ())
            for prefix in mine:
                if passes(prefix, out.permits) and not passes(prefix, into.permits):
                    found = f"policy {into.name} refuses {prefix} of {here.box.name}"
                    also = [(here.box, out.name)]
                    yield self.problem(
                        there.box, into.name, found, "permit it", values=(prefix,), also=also
                    )


def _policy(end: End, way: str) -> PolicyFacts | None:
    name = getattr(end.session, way) if end.session else None
    return next((one for one in end.box.facts.policies if one.name == name), None)


class DrainsAreHeard(Rule):
    """Where one end of a link uses a drained neighbour last, the other does."""

    id = "drain-ends"
    severity = "major"
    why = (
        "a switch that is drained for work keeps the traffic of whoever does not listen (RFC 8326)"
    )
    needs = frozenset({"policy.permits", "session.policy_in"})
    of = "session.policy_in"

    def of_link(self, link: Link) -> Iterator[Problem]:
        for here, there in ((link.a, link.b), (link.b, link.a)):
            mine, theirs = _policy(here, "policy_in"), _policy(there, "policy_in")
            if mine and theirs and theirs.drained_last and not mine.drained_last and here.session:
                found = f"policy {mine.name} does not use {there.box.name} last when it drains"
                fix = "match community graceful-shutdown: local preference 0, first of all"
                key, also = here.session.key, [(here.box, mine.name)]
                yield self.problem(here.box, key, found, fix, values=(mine.name,), also=also)


class HostsAreAnnounced(Rule):
    """Networks of ports towards hosts lie in what the box originates."""

    id = "hosts-unannounced"
    severity = "critical"
    why = "a host whose network nobody announces gets no answer from beyond its leaf"
    needs = frozenset({"originates", "port.addresses"})
    of = "port.addresses"

    def of_network(self, network: Network) -> Iterator[Problem]:
        for box in network.boxes:
            told = [net for text in box.facts.originates if (net := net_of(text)) and net.prefixlen]
            wide = [net for net in told if net.prefixlen < net.max_prefixlen]
            peers = {peer for one in box.facts.sessions if (peer := net_of(one.key)) is not None}
            if not wide or box.said("", "redistributes"):
                continue
            for port in box.facts.ports:
                for text in port.addresses:
                    net = net_of(text)
                    is_ours = net is None or port.vrf or (box.name, port.name) in network.far_end
                    if is_ours or net is None or net.prefixlen == net.max_prefixlen:
                        continue
                    asked = any(peer.subnet_of(net) for peer in peers)
                    if not asked and not any(net.subnet_of(one) for one in wide):
                        found = f"{net} is in nothing that the box originates"
                        fix = "originate its network, or mend the address"
                        yield self.problem(box, port.name, found, fix, values=(text,))


class OwnAddressesAreOriginated(Rule):
    """A single address that a box originates is on it, and its router id too."""

    id = "foreign-address"
    severity = "major"
    why = "packets for an address that is not there come to the box and are dropped"
    needs = frozenset({"originates", "port.addresses", "router_id"})
    of = "originates"

    def of_box(self, box: Box) -> Iterator[Problem]:
        own = {text.partition("/")[0] for port in box.facts.ports for text in port.addresses}
        if not own:
            return
        # An id must be its own alone, and every tool takes it for an address of the switch.
        loopback = box.port(LOOPBACK)
        router_id = box.facts.router_id
        if loopback and loopback.addresses and router_id and router_id not in own:
            found = f"router id {router_id} is on none of its ports"
            fix = "the address of its loopback"
            yield self.problem(box, "", found, fix, values=(router_id,))
        for prefix in box.facts.originates:
            address, _, bits = prefix.partition("/")
            if bits == "32" and address not in own:
                found = f"originates {prefix}, which is on none of its ports"
                yield self.problem(box, "", found, "its own loopback", values=(prefix,))


class AggregatesAreDiscarded(Rule):
    """What is originated as a whole is discarded where no part of it is known."""

    id = "aggregate-loops"
    severity = "major"
    why = (
        "packets for a part that is down go up by the default route and come back: a loop of "
        "lossless packets (RFC 4632, 5.1: who originates an aggregate discards)"
    )
    needs = frozenset({"originates", "discards"})
    of = "originates"

    def of_box(self, box: Box) -> Iterator[Problem]:
        own = {net_of(text) for port in box.facts.ports for text in port.addresses}
        own |= {net_of(one.address or "") for one in box.facts.vlans}
        for prefix in box.facts.originates:
            net = net_of(prefix)
            if net is None or not 0 < net.prefixlen < net.max_prefixlen or net in own:
                continue
            if prefix not in box.facts.discards:
                found = f"{prefix} is originated, and nothing discards the rest of it"
                fix = f"a route for {prefix} to nowhere"
                yield self.problem(box, "", found, fix, values=(prefix,))


class GatewaysAreNear(Rule):
    """A VLAN's gateway lies in the network of the switch's own address there."""

    id = "gateway-outside"
    severity = "critical"
    why = "hosts ask for a gateway that their network does not have (RFC 1122, 3.3.1)"
    needs = frozenset({"vlans"})
    of = "vlans"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for vlan in box.facts.vlans:
            net, gate = net_of(vlan.address or ""), net_of(vlan.gateway or "")
            if net and gate and gate.network_address not in net:
                found = f"VLAN {vlan.id}: gateway {vlan.gateway} is not in {net}"
                yield self.problem(box, "", found, "one network", values=(vlan.gateway,))
