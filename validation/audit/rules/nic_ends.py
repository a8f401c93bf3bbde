"""A NIC and the switch port at the other end of its cable say the same of the link."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from validation.audit.hosts.facts import NicFacts
from validation.audit.hosts.host import Host
from validation.audit.hosts.join import NicLink
from validation.audit.network import Network
from validation.audit.rule import Problem, Rule

# mlx5 keeps headroom for this where nobody says a length (en/port_buffer.h of Linux).
_DEFAULT_CABLE_M = 7
# So many NICs of one length are no chance.
_MANY = 8


class NicKnowsItsCable(Rule):
    """A NIC keeps headroom for a cable as long as the one that its switch port is told of."""

    id = "nic-cable"
    severity = "minor"
    needs = frozenset({"nic.cable_m", "qos.cable_m"})
    why = "headroom for a shorter cable overflows while the pause is on its way (mlnx_qos)"

    def of_nic(self, link: NicLink) -> Iterator[Problem]:
        qos = link.port.qos
        mine, theirs = link.nic.cable_m, qos.cable_m if qos else None
        is_own = mine == _DEFAULT_CABLE_M and theirs is not None and mine > theirs
        if link.nic.pfc_priorities and mine and theirs and mine != int(theirs) and not is_own:
            found = f"its cable has {mine} m; at {link} {theirs:g} m (by {link.by})"
            yield self._at(link.host, link.nic, found, int(theirs))

    def of_network(self, network: Network) -> Iterator[Problem]:
        """Where all other NICs have one length, the odd one is told, if its port says none."""
        told = {
            (link.host.name, link.nic.name)
            for link in network.nic_links
            if link.port.qos and link.port.qos.cable_m
        }
        said = [(host, nic, nic.cable_m) for host in network.hosts for nic in host.facts.roce_nics]
        lengths = Counter(metres for _, _, metres in said if metres)
        for host, nic, metres in said if len(lengths) == 2 else ():
            (usual, count), (odd, once) = lengths.most_common()
            if metres == odd and once == 1 and count >= _MANY and (host.name, nic.name) not in told:
                found = f"its cable has {odd} m, and those of all {count} other NICs {usual} m"
                yield self._at(host, nic, found, usual)

    def _at(self, host: Host, nic: NicFacts, found: str, metres: int) -> Problem:
        fix = f"mlnx_qos -i {nic.name} --cable_len {metres}"
        return self.host_problem(host, f"{nic.name}.cable_m", found, fix)


class NicFitsItsPort(Rule):
    """A switch port takes packets as long as its NIC sends."""

    id = "nic-mtu"
    severity = "critical"
    needs = frozenset({"nic.mtu_bytes", "port.ip_mtu_bytes"})
    why = "the switch drops longer packets silently, and RDMA retries until it gives up"

    def of_nic(self, link: NicLink) -> Iterator[Problem]:
        mine, theirs = link.nic.mtu_bytes, link.port.ip_mtu_bytes
        if mine and theirs and mine > theirs:
            found = f"MTU {mine}; {link} has {theirs} (by {link.by})"
            fix = f"ip link set {link.nic.name} mtu {theirs}, or raise the switch port's"
            yield self.host_problem(link.host, f"{link.nic.name}.mtu_bytes", found, fix)


class NicRate(Rule):
    """A NIC runs at the rate that its switch port is set to."""

    id = "nic-rate"
    severity = "major"
    needs = frozenset({"nic.rate_gbps", "port.rate_gbps"})
    why = "a link whose ends are set to two rates does not come up, or runs at the lower one"

    def of_nic(self, link: NicLink) -> Iterator[Problem]:
        mine, theirs = link.nic.rate_gbps, link.port.rate_gbps
        if mine and theirs and mine != theirs:
            found = f"runs at {mine:g} Gb/s; {link} is set to {theirs:g} (by {link.by})"
            fix = f"ethtool -s {link.nic.name} speed {theirs * 1000:.0f}, or another cable"
            yield self.host_problem(link.host, f"{link.nic.name}.rate_gbps", found, fix)


class NicFec(Rule):
    """A NIC uses the FEC of its switch port."""

    id = "nic-fec"
    severity = "major"
    needs = frozenset({"nic.fec", "port.fec"})
    why = "ends of two FECs have no link (IEEE 802.3, 91, 108)"

    def of_nic(self, link: NicLink) -> Iterator[Problem]:
        mine, theirs = link.nic.fec, link.port.fec
        if mine and theirs and mine != theirs:
            found = f"FEC {mine}; {link} has {theirs} (by {link.by})"
            words = {"fc": "baser", "none": "off"}.get(theirs, theirs)
            fix = f"ethtool --set-fec {link.nic.name} encoding {words}"
            yield self.host_problem(link.host, f"{link.nic.name}.fec", found, fix)


class NicNegotiates(Rule):
    """A NIC negotiates where its switch port does, and nowhere else."""

    id = "nic-autoneg"
    severity = "major"
    needs = frozenset({"nic.autoneg", "port.autoneg"})
    why = "an end that negotiates and one that does not may never link (IEEE 802.3, 73)"

    def of_nic(self, link: NicLink) -> Iterator[Problem]:
        mine, theirs = link.nic.autoneg, link.port.autoneg
        if mine is not None and theirs is not None and mine != theirs:
            word = {True: "on", False: "off"}
            found = f"negotiation {word[mine]}; at {link} {word[theirs]} (by {link.by})"
            fix = f"ethtool -s {link.nic.name} autoneg {word[theirs]}"
            yield self.host_problem(link.host, f"{link.nic.name}.autoneg", found, fix)
