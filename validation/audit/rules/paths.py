"""Where packets go through all boxes together: ways that are missing, wrong, narrow or circular.

Routes are those of `validation/fabric`. Where only a part of a fabric was read, a rule says nothing
that a box which was not read could put right.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from switch_configs import dialect
from switch_configs.readback.facts import LOOPBACK, PortFacts
from validation.audit.box import Box
from validation.audit.network import Network
from validation.audit.rule import Problem, Rule
from validation.fabric.buffers import Cycle, cycles
from validation.fabric.failures import Whole, whole
from validation.fabric.prefixes import Bits, numbers
from validation.fabric.sessions import cable_port
from validation.fabric.ways import Ways

# No host of a RoCE network sends more in one IP packet.
_HOST_MTU_BYTES = 9000


class NothingGoesUpAgain(Rule):
    """A route that was learnt from above is told to nobody above."""

    id = "valley"
    of = "session.policy_out"
    severity = "major"
    why = (
        "packets then come down and go up again through a box that has no room for them, and "
        "paused buffers can wait in a circle (RFC 7938, 5.2.3; Hu et al., HotNets 2016)"
    )
    needs = frozenset({"policy.permits", "policy.refuses"})

    def of_network(self, network: Network) -> Iterator[Problem]:
        seen = whole(network)
        tables, edges, tier = seen.made.tables, seen.made.edges, seen.roles.tier
        for at, table in enumerate(tables):
            own = tier.get(table.box.name)
            above = {
                e: tables[edges[e].source].box.name
                for e in seen.made.into[at]
                if own is not None and tier.get(tables[edges[e].source].box.name, -1) > own
            }
            for e in seen.made.out[at]:
                to = tables[edges[e].target].box.name
                heard = _either(seen.routes.hops[one] for one, name in above.items() if name != to)
                leaked = heard & seen.routes.told(e) if to in above.values() else 0
                if leaked:
                    found = f"{_some(seen, leaked)} learnt from above and told to {to} above"
                    port = edges[e].far.partition(":")[2]
                    fix = "a policy out, upwards, of the box's own prefixes alone"
                    yield self.problem(table.box, port, found, fix)
                    break


class NoCircularWait(Rule):
    """Paused buffers never wait for each other in a circle, whatever one part fails."""

    id = "buffer-cycle"
    severity = "critical"
    why = (
        "once each buffer of the circle is full, none empties again: the fabric stands until it is "
        "restarted (Hu et al., Deadlocks in Datacenter Networks, HotNets 2016)"
    )
    needs = frozenset({"qos.pfc_priorities"})

    def of_network(self, network: Network) -> Iterator[Problem]:
        seen = whole(network)
        told: set[frozenset[str]] = set()
        states: list[tuple[str, tuple[Cycle, ...]]] = [("", cycles(seen.forwarding))]
        states += [(loss.name, loss.cycles) for loss in seen.single_failures]
        for failed, some in states:
            for one in some:
                boxes = frozenset(port.partition(":")[0] for port in one.ports)
                if boxes not in told:
                    told.add(boxes)
                    name, _, port = one.ports[0].partition(":")
                    when = f" once {failed} fails" if failed else ""
                    found = f"{' waits for '.join((*one.ports, one.ports[0]))}{when}"
                    fix = "no way down and up again: mend the policy that lets it"
                    yield self.problem(network.box[name], port, found, fix)


class EveryPairMeets(Rule):
    """Boxes at the edge reach each other's users wherever cables lead there."""

    id = "no-path"
    severity = "critical"
    why = "a job whose nodes are behind both never starts, or hangs in its first collective"

    def of_network(self, network: Network) -> Iterator[Problem]:
        seen = whole(network)
        ways = Ways(seen.made, seen.roles)
        for at, missing in seen.forwarding.lost():
            box = seen.made.tables[at].box
            unmet = _met_by_cables(seen, ways, box, missing)
            if unmet:
                found = f"no route to {_some(seen, unmet)} that cables lead to"
                yield self.problem(box, "", found, "mend the session or policy on the way")


class OneFailureCutsNobody(Rule):
    """No single failure cuts a pair that cables would still join."""

    id = "single-cut"
    severity = "major"
    why = "cables were paid for that carry nothing when they are needed (RFC 7938, 3.2)"

    def of_network(self, network: Network) -> Iterator[Problem]:
        seen = whole(network)
        ways = Ways(seen.made, seen.roles)
        for loss in seen.single_failures:
            for table, prefix in loss.lost_pairs:
                owners = _owners(seen, prefix)
                start = table.partition(" ")[0]
                if ways.exists(start, owners, loss.failed):
                    box = network.box[loss.name.partition(":")[0]]
                    found = f"once it fails, {start} does not reach {prefix} over cables left"
                    if len(loss.alike) > 1:
                        found += f"; so of {len(loss.alike)} alike"
                    fix = "sessions and policies on the other cables as on this one"
                    yield self.problem(box, loss.name.partition(":")[2], found, fix)
                    break


class EqualPathsAreUsed(Rule):
    """All equal cables upwards carry packets."""

    id = "uneven-ecmp"
    severity = "major"
    why = "packets crowd on some cables while others are empty (RFC 2992; RFC 7938, 6.1)"

    def of_network(self, network: Network) -> Iterator[Problem]:
        seen = whole(network)
        for at in range(len(seen.made.tables)):
            yield from self._unused(seen, at)

    def _unused(self, seen: Whole, at: int) -> Iterator[Problem]:
        tables, edges, tier = seen.made.tables, seen.made.edges, seen.roles.tier
        own, hidden = tier.get(tables[at].box.name), seen.made.open_boxes()
        if own is None:
            return
        used: dict[str, dict[int, Bits]] = defaultdict(dict)
        for e in seen.made.into[at]:
            name = tables[edges[e].source].box.name
            if tier.get(name, -1) > own and name not in hidden:
                used[name][e] = seen.forwarding.sends[e] & seen.forwarding.present[at]
        most = max((bits.bit_count() for one in used.values() for bits in one.values()), default=0)
        for name, beside in used.items():
            full = _either(beside.values())
            for e, bits in beside.items():
                if (most and bits != full) or (most and not full):
                    found = f"carries {bits.bit_count()} prefixes of users, others {most}"
                    fix = f"the same sessions and policies to {name} as on the others"
                    yield self.problem(tables[at].box, edges[e].port, found, fix)


class TableIsWide(Rule):
    """A table takes as many paths as are equal, whichever ASs they lead over."""

    id = "ecmp-width"
    of = "ecmp_width"
    severity = "major"
    why = "paths beyond the width carry nothing: uplinks that were paid for stay empty (RFC 2992)"
    needs = frozenset({"ecmp_width"})

    def of_network(self, network: Network) -> Iterator[Problem]:
        seen = whole(network)
        for at, table in enumerate(seen.made.tables):
            for _, group in seen.groups(at):
                asns = Counter(seen.made.tables[seen.made.edges[e].source].asn for e in group)
                # Many links to one AS are `narrow-ecmp`'s.
                if max(asns.values()) <= table.width < len(group):
                    found = f"{table.width} paths, and {len(group)} are equal"
                    fix = f"maximum paths of {len(group)} or more"
                    yield self.problem(table.box, "", found, fix)
                    break


class PathsTakeWhatEdgesTake(Rule):
    """No cable of a path takes smaller packets than the ports of users at its ends."""

    id = "mtu-path"
    of = "port.ip_mtu_bytes"
    severity = "critical"
    why = (
        "larger packets vanish there: RoCE forbids fragments, and switches send no ICMP in its "
        "place (IBTA Annex A17, RoCEv2; RFC 1191)"
    )
    needs = frozenset({"port.ip_mtu_bytes"})

    def of_network(self, network: Network) -> Iterator[Problem]:
        seen = whole(network)
        needed = _edge_mtu(seen)
        told: set[str] = set()
        for e, bits in enumerate(seen.forwarding.carries):
            edge = seen.made.edges[e]
            limit = next((most for most, some in needed if some & bits), 0)
            for cable, table in zip(edge.cables, (edge.source, edge.target), strict=True):
                box = seen.made.tables[table].box
                name = cable.partition(":")[2]
                port = box.port(name)
                takes = port.ip_mtu_bytes if port else None
                if takes is not None and takes < limit and cable not in told:
                    told.add(cable)
                    found = f"IP MTU {takes} B on a path to ports of users that take {limit} B"
                    yield self.problem(box, name, found, f"IP MTU {limit} B or more")


class LosslessAllTheWay(Rule):
    """No cable of a path lacks PFC while the others of its fabric have it."""

    id = "lossy-hop"
    of = "qos.pfc_priorities"
    severity = "critical"
    why = "a class that is paused on every hop but one is dropped there under load (IEEE 802.1Qbb)"
    needs = frozenset({"qos.pfc_priorities"})

    def of_network(self, network: Network) -> Iterator[Problem]:
        seen = whole(network)
        by_part: dict[int, dict[tuple[str, str], bool]] = defaultdict(dict)
        for edge, bits in zip(seen.made.edges, seen.forwarding.carries, strict=True):
            if bits:
                first, second = sorted(edge.cables)
                by_part[seen.roles.parts[edge.target]][first, second] = edge.lossless
        for cables in by_part.values():
            if 2 * sum(cables.values()) > len(cables):
                for ends in sorted(ends for ends, lossless in cables.items() if not lossless):
                    yield from self._of_cable(network, ends)

    def _of_cable(self, network: Network, ends: tuple[str, str]) -> Iterator[Problem]:
        for end in ends:
            name, _, port = end.partition(":")
            facts = network.box[name].port(port)
            if self.needs & dialect(network.box[name].system).unsaid:
                continue
            if facts and not (facts.qos and facts.qos.pfc_priorities):
                found = "pauses no priority, and most cables of its fabric do"
                fix = "the QoS of the other ports between switches"
                yield self.problem(network.box[name], port, found, fix)


def _either(some: Iterable[Bits]) -> Bits:
    found = 0
    for bits in some:
        found |= bits
    return found


def _some(seen: Whole, bits: Bits) -> str:
    """The first prefix, and how many more."""
    first = seen.made.prefixes.every[next(numbers(bits))]
    more = bits.bit_count() - 1
    return f"{first} and {more} more" if more else str(first)


def _owners(seen: Whole, prefix: str) -> frozenset[str]:
    """Boxes at the edge that announce it."""
    bit = next(1 << n for n, one in enumerate(seen.made.prefixes.every) if str(one) == prefix)
    return frozenset(t.box.name for t in seen.made.tables if t.origin & bit)


def _met_by_cables(seen: Whole, ways: Ways, box: Box, missing: Bits) -> Bits:
    found, known = 0, {}
    for number in numbers(missing):
        owners = _owners(seen, str(seen.made.prefixes.every[number]))
        if owners not in known:
            known[owners] = ways.exists(box.name, owners)
        found |= known[owners] << number
    return found


def _edge_mtu(seen: Whole) -> list[tuple[int, Bits]]:
    """(what ports of users take, prefixes behind them), largest first, as far as hosts use it."""
    found: dict[int, Bits] = defaultdict(int)
    for table in seen.made.tables:
        if table.box.name in seen.roles.edges:
            takes = [
                port.ip_mtu_bytes
                for port in table.box.facts.ports
                if port.ip_mtu_bytes and _is_of_users(seen, table.box, port, table.vrf)
            ]
            if takes:
                found[min(_HOST_MTU_BYTES, *takes)] |= table.origin
    return sorted(found.items(), reverse=True)


def _is_of_users(seen: Whole, box: Box, port: PortFacts, vrf: str) -> bool:
    """A port towards hosts: it has addresses of the table, and no cable to a box that was read."""
    below = cable_port(port.name)
    linked = (box.name, port.name) in seen.made.network.far_end
    linked |= (box.name, below) in seen.made.network.far_end
    sessions = {cable_port(session.key) for session in box.facts.sessions}
    plain = port.name != LOOPBACK and below not in sessions and not linked
    return plain and bool(port.addresses) and port.vrf == vrf
