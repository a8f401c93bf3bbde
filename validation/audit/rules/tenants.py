"""Addresses, tables, VLANs, bonds and management: what must not be twice, missing or mixed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from switch_configs.readback.facts import LOOPBACK, BondFacts, PortFacts
from validation.audit.box import Box
from validation.audit.links import End
from validation.audit.network import Network
from validation.audit.rule import Problem, Rule

from .marking import carriers
from .sessions import is_of_one

# Signals of 50 and 100 Gb/s a lane need RS-FEC (IEEE 802.3cd, 802.3bs, 802.3ck).
_FEC_GBPS = 200
_ROCE_MTU_BYTES = 4200
_DEFAULT_VLAN = 1
_LONG_HOLD_S = 130
_FAR = re.compile(r"(\S+):\S+$")


class AddressesDiffer(Rule):
    """No address is on two ports of a switch, or on a loopback or VLAN and elsewhere."""

    id = "address-clash"
    severity = "critical"
    why = "packets for one of them go to the other, as routes have it at the moment (RFC 5227)"
    needs = frozenset({"port.addresses"})
    of = "port.addresses"

    def of_network(self, network: Network) -> Iterator[Problem]:
        for joined in network.joined:
            for address, spots in sorted(_addresses(joined).items()):
                # Ports of a bond have its address; leaves of a pair may answer for one both.
                bonds = {
                    (box.name, port.bond or port.name): (box, port.name) for box, port in spots
                }
                pair = all(box.facts.pair for box, _ in spots)
                # Ports of several switches are `address-twice`'s.
                told = pair or all(is_of_one(port) for _, port in spots)
                if len(bonds) < 2 or (told and len({box.name for box, _ in spots}) > 1):
                    continue
                (box, at), *also = list(bonds.values())[:4]
                found = f"{address[1]} is on {also[0][0].name}:{also[0][1]} too"
                fix, words = "one address for each port", (address[1],)
                yield self.problem(box, at, found, fix, values=words, also=also)
            yield from self._of_vlans(joined)

    def _of_vlans(self, joined: Iterable[Box]) -> Iterator[Problem]:
        """What a switch has for itself in a VLAN; the gateway may be on two."""
        seen: dict[tuple[str, int, str], Box] = {}
        for box in joined:
            for vlan in box.facts.vlans:
                own = (vlan.address or "").partition("/")[0]
                if not own or not vlan.gateway or own == vlan.gateway.partition("/")[0]:
                    continue
                first = seen.setdefault((vlan.vrf, vlan.id, own), box)
                if first is not box:
                    found = f"{own} in VLAN {vlan.id} is of {first.name} too"
                    also = [(first, "")]
                    fix = "one address for each switch"
                    yield self.problem(box, "", found, fix, values=(own,), also=also)


def _addresses(boxes: Iterable[Box]) -> dict[tuple[str, str], list[tuple[Box, PortFacts]]]:
    """Who has each IPv4 address of each table."""
    seen: dict[tuple[str, str], list[tuple[Box, PortFacts]]] = defaultdict(list)
    for box in boxes:
        for port in box.facts.ports:
            for text in port.addresses:
                if ":" not in text:
                    seen[port.vrf, text.partition("/")[0]].append((box, port))
    return seen


class VlansAreThere(Rule):
    """A VLAN that a port carries is one that the switch has."""

    id = "vlan-undefined"
    severity = "major"
    why = "frames of a VLAN that is not there are dropped (IEEE 802.1Q-2018, 8.8)"
    needs = frozenset({"port.vlans", "vlans"})
    of = "port.vlans"

    def of_box(self, box: Box) -> Iterator[Problem]:
        known = {one.id for one in box.facts.vlans} | {_DEFAULT_VLAN}
        for port in box.facts.ports if box.facts.vlans else ():
            lost = [vlan for vlan in port.vlans if vlan not in known]
            # A port may name more than is there: what counts is that it carries something.
            if lost and "." not in port.name and len(lost) == len(port.vlans):
                found = f"VLAN {', '.join(map(str, lost[:4]))} is not defined"
                yield self.problem(box, port.name, found, "define it", values=lost)


class ManagementIsApart(Rule):
    """Management is in a table of its own, where the box has data ports."""

    id = "management-table"
    severity = "major"
    why = (
        "from any rail a packet comes to the switches' own logins, and out again (NIST SP 800-215)"
    )
    needs = frozenset({"services.management_vrf", "services.management_address"})
    of = "services.management_vrf"

    def of_box(self, box: Box) -> Iterator[Problem]:
        said = box.facts.services
        if said.management_address and not said.management_vrf and box.facts.sessions:
            found = f"{said.management_address} is in the default table"
            words = (said.management_address,)
            yield self.problem(box, "", found, "a table for management", values=words)


class BondsLeadToOne(Rule):
    """All ports of a bond lead to one switch, or to the two of a pair."""

    id = "bond-split"
    severity = "critical"
    why = "LACP takes the ports to one partner alone (IEEE 802.1AX, 6.4): the others carry nothing"
    needs = frozenset({"port.bond"})
    of = "port.bond"

    def of_box(self, box: Box) -> Iterator[Problem]:
        """Two bonds that each name the same two at their far ends have exchanged ports."""
        named = {bond.number: _named(box, bond) for bond in box.facts.bonds}
        several = {number: names for number, names in named.items() if len(names) > 1}
        for bond in box.facts.bonds:
            names = several.get(bond.number, frozenset())
            others = [number for number, same in several.items() if same == names]
            if len(others) > 1 and bond.number == min(others):
                far, beside = ", ".join(sorted(names)), others[-1]
                found = f"by descriptions bonds {bond.number} and {beside} both lead to {far}"
                fix = "the ports of one server in one bond"
                yield self.problem(box, bond.ports[0], found, fix, values=(bond.number,))

    def of_network(self, network: Network) -> Iterator[Problem]:
        for box in network.boxes:
            for bond in box.facts.bonds:
                ends = [
                    (name, end)
                    for name in bond.ports
                    if (end := network.far_end.get((box.name, name)))
                ]
                far = {end.box.name for _, end in ends}
                pair = len(far) == 2 and all(_is_shared(end) for _, end in ends)
                if len(far) > 1 and not pair:
                    found = f"bond {bond.number} leads to {', '.join(sorted(far))}"
                    also = [(box, name) for name, _ in ends[1:4]]
                    fix = "one switch, or two that are a pair"
                    words = (bond.number,)
                    yield self.problem(box, ends[0][0], found, fix, values=words, also=also)


def _named(box: Box, bond: BondFacts) -> frozenset[str]:
    """Whom descriptions of a bond's ports name, as in `to node-1:eth0`; none if one has no name."""
    ports = [box.ports[name] for name in bond.ports if name in box.ports]
    names = [_FAR.search(port.description) for port in ports]
    return frozenset(one[1] for one in names if one) if all(names) else frozenset()


def _is_shared(end: End) -> bool:
    """Whether its box is one of a pair, or its bond another's too (an Ethernet segment of EVPN)."""
    return bool(end.box.facts.pair) or any(
        one.shared for one in end.box.facts.bonds if one.number == end.port.bond
    )


class MtuHoldsRdma(Rule):
    """A port that pauses carries RDMA's largest packet."""

    id = "mtu-small"
    severity = "major"
    why = (
        "RDMA falls back to a smaller MTU, or packets are dropped without a word (InfiniBand "
        "specification 1.4, volume 1: 4,096 bytes and headers)"
    )
    needs = frozenset({"port.ip_mtu_bytes", "qos.pfc_priorities"})
    of = "port.ip_mtu_bytes"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in carriers(box):
            size = port.ip_mtu_bytes
            if size is not None and size < _ROCE_MTU_BYTES:
                found = f"IP MTU {size} bytes on a port of the lossless class"
                yield self.problem(box, port.name, found, "9,000 or more", values=(size,))


class RoutedPortsCarryAlike(Rule):
    """Ports that a fabric routes over carry what its other ports do."""

    id = "mtu-routed"
    severity = "critical"
    why = "a whole packet of a host that goes over this port is dropped (RFC 1191, section 4)"
    needs = frozenset({"port.ip_mtu_bytes"})
    of = "port.ip_mtu_bytes"

    def of_network(self, network: Network) -> Iterator[Problem]:
        for box in network.boxes:
            sizes = {
                end.port.name: end.port.ip_mtu_bytes
                for link in network.links_of.get(box.name, ())
                for end in link.ends
                if end.box is box and end.session and end.port.ip_mtu_bytes
            }
            hosts = max(
                (
                    port.ip_mtu_bytes or 0
                    for port in box.facts.ports
                    if port.addresses and port.name not in (*sizes, LOOPBACK) and not port.vrf
                    if (box.name, port.name) not in network.far_end
                ),
                default=0,
            )
            for name, size in sorted(sizes.items()):
                if size < hosts:
                    found = f"IP MTU {size} bytes towards the fabric, {hosts} towards hosts"
                    fix = "the fabric's MTU above the hosts'"
                    yield self.problem(box, name, found, fix, values=(size,))


class FastLinksCorrect(Rule):
    """A port of 200 Gb/s or more has FEC."""

    id = "fec-off"
    severity = "critical"
    why = (
        "lanes of PAM4 have errors all the time: no link without RS-FEC (IEEE 802.3bs, clause 119)"
    )
    needs = frozenset({"port.fec", "port.rate_gbps"})
    of = "port.fec"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port in box.facts.ports:
            if port.fec == "none" and (port.rate_gbps or 0) >= _FEC_GBPS:
                found = f"no FEC at {port.rate_gbps:g} Gb/s"
                yield self.problem(box, port.name, found, "RS-FEC", values=("none", "off"))


class NeighboursAreBelievedShortly(Rule):
    """A neighbour that is gone is forgotten."""

    id = "lldp-hold"
    severity = "minor"
    why = "who looks at LLDP after a cable was moved sees the old one (IEEE 802.1AB: 120 s)"
    needs = frozenset({"lldp_hold_s"})
    of = "lldp_hold_s"

    def of_box(self, box: Box) -> Iterator[Problem]:
        hold = box.facts.lldp_hold_s
        if hold is not None and hold > _LONG_HOLD_S:
            found = f"neighbours are believed for {hold} s"
            yield self.problem(box, "", found, "120 s or less", values=(hold,))


class ServersAreAsked(Rule):
    """A switch has the time and the log that others of the network have."""

    id = "servers"
    severity = "minor"
    why = "without one clock and one log nobody says what came first (RFC 5905, RFC 5424)"
    needs = frozenset({"services.ntp", "services.syslog"})
    of = "services.ntp"

    def of_network(self, network: Network) -> Iterator[Problem]:
        for name in ("ntp", "syslog"):
            has = [box for box in network.boxes if getattr(box.facts.services, name)]
            for box in network.boxes if len(has) * 2 > len(network.boxes) else ():
                if not getattr(box.facts.services, name):
                    found = f"no server for {name}, which {len(has)} others have"
                    yield self.problem(box, "", found, "the same servers")
