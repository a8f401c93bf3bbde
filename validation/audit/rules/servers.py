"""What must hold inside one server, whatever the fabric: its NICs, marks and routes agree."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from ipaddress import IPv4Interface, IPv4Network

from validation.audit.hosts.facts import HostFacts, NicFacts
from validation.audit.hosts.host import Host
from validation.audit.network import Network
from validation.audit.rule import Problem, Rule

from .nics import MARKS

_CE = 3
# What NICs of one server have alike: a rail that differs is the slowest of all.
_ALIKE = ("trust", "pfc_priorities", "priority_of", "ecn_priorities", "cnp_dscp", "roce_mtu_bytes")


class MarksAgree(Rule):
    """All that sets a mark on a server sets one DSCP."""

    id = "marks-differ"
    severity = "critical"
    why = (
        "which of them a packet has depends on the library that sends it, and only one can be the "
        "fabric's lossless DSCP (NCCL_IB_TC 41 beside UCX 105 stood in a vendor's own stack)"
    )

    def of_host(self, host: Host) -> Iterator[Problem]:
        said = {
            f"{nic.name}.{what}": value
            for nic in _peers(host.facts)
            for what in ("tos", "traffic_class")
            if (value := getattr(nic, what)) is not None
        }
        said |= _numbers(host)
        by_dscp = defaultdict(list)
        for key, value in said.items():
            by_dscp[value >> 2].append(key)
        if len(by_dscp) > 1:
            usual = max(by_dscp, key=lambda dscp: len(by_dscp[dscp]))
            for dscp, keys in sorted(by_dscp.items()):
                if dscp != usual:
                    found = f"{keys[0]} is DSCP {dscp}, {by_dscp[usual][0]} is DSCP {usual}"
                    yield self.host_problem(host, keys[0], found, "one DSCP everywhere")


class MarksAreNoCongestion(Rule):
    """No mark says that the packet has met congestion."""

    id = "marks-ce"
    severity = "critical"
    why = "ECN bits 11 are Congestion Experienced (RFC 3168): each packet slows its own sender"

    def of_host(self, host: Host) -> Iterator[Problem]:
        for key, value in _numbers(host).items():
            if value & _CE == _CE:
                found = f"{key} {value} sets both bits of ECN"
                yield self.host_problem(host, key, found, f"{key}={value & ~1}")


def _peers(facts: HostFacts) -> tuple[NicFacts, ...]:
    """The NICs of collectives: those that NCCL is told of, or all of RoCE."""
    asked = facts.settings.get("NCCL_IB_HCA", "")
    named = {word.partition(":")[0].strip() for word in asked.lstrip("=").split(",")}
    found = tuple(nic for nic in facts.roce_nics if nic.device in named)
    return found or facts.roce_nics


def _numbers(host: Host) -> Mapping[str, int]:
    settings = host.facts.settings
    return {name: int(settings[name]) for name in MARKS if settings.get(name, "").isdigit()}


class CmIsRoceV2(Rule):
    """The connection manager makes RoCE v2."""

    id = "nic-roce-v1"
    severity = "critical"
    why = "RoCE v1 has no IP: it has no DSCP, and no router forwards it (Annex A17 of the IBTA)"

    def of_host(self, host: Host) -> Iterator[Problem]:
        for nic in host.facts.nics:
            if nic.is_roce_v2 is False:
                key, fix = f"{nic.name}.is_roce_v2", f"cma_roce_mode -d {nic.device} -p 1 -m 2"
                yield self.host_problem(host, key, "the default of RDMA-CM is RoCE v1", fix)


class GidIsRoutable(Rule):
    """The GID that NCCL and UCX are told is RoCE v2 with the NIC's own IPv4 address."""

    id = "gid-index"
    severity = "critical"
    why = (
        "the index is an accident of the order in which addresses came; another one is RoCE v1 or "
        "link-local, and no router forwards it (show_gids of Mellanox/mlnx-tools)"
    )

    def of_host(self, host: Host) -> Iterator[Problem]:
        for name in ("NCCL_IB_GID_INDEX", "UCX_IB_GID_INDEX"):
            asked = host.facts.settings.get(name, "")
            if not asked.isdigit():
                continue
            for nic in host.facts.roce_nics:
                if nic.gids is None:
                    continue
                gid = next((one for one in nic.gids if one.index == int(asked)), None)
                own = {text.partition("/")[0] for text in nic.addresses or ()}
                is_own = gid and gid.ipv4 and (not own or gid.ipv4 in own)
                if not (gid and gid.is_v2 and is_own):
                    told = "not there" if gid is None else _gid(gid.is_v2, gid.ipv4)
                    found = f"{name} {asked} is {told} on {nic.name}"
                    fix = f"leave {name} out (NCCL 2.21 finds it), or the index of show_gids"
                    yield self.host_problem(host, name, found, fix)


def _gid(is_v2: bool, ipv4: str) -> str:
    return f"RoCE v{2 if is_v2 else 1}, {ipv4 or 'no IPv4 address'}"


class GlobalPauseIsOff(Rule):
    """A NIC that pauses priorities does not pause the whole link."""

    id = "nic-global-pause"
    severity = "critical"
    why = "global pause stops all classes, CNPs too, and excludes PFC (IEEE 802.3x, 802.1Qbb)"

    def of_host(self, host: Host) -> Iterator[Problem]:
        for nic in host.facts.nics:
            if nic.has_global_pause and nic.pfc_priorities:
                key, fix = f"{nic.name}.has_global_pause", f"ethtool -A {nic.name} rx off tx off"
                yield self.host_problem(host, key, "global pause is on beside PFC", fix)


class HostRulesDcbx(Rule):
    """What the host sets of priorities, no firmware sets again."""

    id = "nic-dcbx"
    severity = "minor"
    why = "firmware that rules DCBX takes over what a neighbour offers by LLDP (IEEE 802.1Qaz)"

    def of_host(self, host: Host) -> Iterator[Problem]:
        for nic in host.facts.nics:
            if nic.rules_dcbx is False and nic.pfc_priorities:
                key, fix = f"{nic.name}.rules_dcbx", f"mlnx_qos -i {nic.name} -d os"
                yield self.host_problem(host, key, "DCBX is the firmware's", fix)


class NicsAreAlike(Rule):
    """All NICs of a server that carry RoCE treat it alike."""

    id = "nics-differ"
    severity = "critical"
    why = "a collective is as fast as its slowest rail, and loses what the odd one loses"

    def of_host(self, host: Host) -> Iterator[Problem]:
        for what in _ALIKE:
            said = {
                nic.name: value
                for nic in _peers(host.facts)
                if (value := getattr(nic, what)) is not None
            }
            yield from self._odd(host, what, said)

    def _odd(self, host: Host, what: str, said: Mapping[str, object]) -> Iterator[Problem]:
        if len(set(said.values())) > 1:
            (usual, count), *_ = Counter(said.values()).most_common()
            for name, value in said.items():
                if value != usual:
                    shown = "" if what == "priority_of" else f" is {_told(value)}"
                    found = f"{what}{shown}, not as on {count} other NICs{_told_as(what, usual)}"
                    yield self.host_problem(host, f"{name}.{what}", found, "set all NICs alike")


class MtuIsAlike(Rule):
    """All NICs that carry RoCE send packets of one size."""

    id = "nics-mtu"
    severity = "major"
    why = "queue pairs with the odd NIC take its smaller RoCE MTU, or fail where nobody negotiates"

    def of_network(self, network: Network) -> Iterator[Problem]:
        said = [
            (host, nic)
            for host in network.hosts
            for nic in _peers(host.facts)
            if nic.mtu_bytes is not None
        ]
        sizes = Counter(nic.mtu_bytes for _, nic in said)
        if len(sizes) > 1:
            (usual, count), *_ = sizes.most_common()
            for host, nic in said:
                if nic.mtu_bytes != usual:
                    found = f"MTU {nic.mtu_bytes}; {count} other NICs have {usual}"
                    fix = f"ip link set {nic.name} mtu {usual}"
                    yield self.host_problem(host, f"{nic.name}.mtu_bytes", found, fix)


class RailsHaveRoutes(Rule):
    """Each of several NICs in reach of one another has a rule and a table of its own."""

    id = "nic-routes"
    severity = "critical"
    why = (
        "without them the kernel answers for all rails on one NIC: flows leave by the wrong rail "
        "or not at all (AMD Instinct system acceptance guide; ip-rule(8))"
    )

    def of_host(self, host: Host) -> Iterator[Problem]:
        facts = host.facts
        nics = _rails(facts)
        if facts.rules is None or len(nics) < 2:
            return
        tables = {nic.name: _table(facts, nic) for nic in nics}
        shared = _shared(nics)
        for nic in nics:
            address = _address(nic)
            number = 100 + [one.name for one in nics].index(nic.name)
            if tables[nic.name] is None and (nic.name in shared or any(tables.values())):
                found = f"no rule for {address}, as other NICs of it have or need"
                fix = f"ip rule add from {address} table {number}"
                yield self.host_problem(host, f"{nic.name}.addresses", found, fix)
            elif (table := tables[nic.name]) and facts.routes is not None:
                ports = {one.port for one in facts.routes if one.table == table and one.port}
                if ports != {nic.name} and (ports or facts.routes):
                    told = ", ".join(sorted(ports)) or "nothing"
                    found = f"table {table} of {address} leads to {told}"
                    fix = f"ip route add default dev {nic.name} table {table}"
                    yield self.host_problem(host, "routes", f"{nic.name}: {found}", fix)


class RailsAnswerForThemselves(Rule):
    """Of several NICs in one subnet, each answers ARP for its own address alone."""

    id = "nic-arp"
    severity = "major"
    why = "any NIC answers for all addresses otherwise, and a rail's traffic takes another rail"
    wanted = (("arp_ignore", 1), ("arp_announce", 2))

    def of_host(self, host: Host) -> Iterator[Problem]:
        for nic_name in sorted(_shared(_rails(host.facts))):
            for name, least in self.wanted:
                key, value = in_force(host.facts, nic_name, name)
                if value is not None and value < least:
                    found = f"{nic_name}: {name} is {value}, in a subnet with other NICs"
                    fix = f"net.ipv4.conf.{nic_name}.{name} = {least}"
                    yield self.host_problem(host, key, found, fix)


class FilterIsLoose(Rule):
    """Of several rails, none drops what another rail has the route back to."""

    id = "nic-rp-filter"
    severity = "major"
    why = (
        "strict reverse path filtering drops what comes by another NIC than the way back takes "
        "(RFC 3704; ip-sysctl of the kernel: the larger of all's and the port's counts)"
    )

    def of_host(self, host: Host) -> Iterator[Problem]:
        rails = _rails(host.facts)
        for nic in rails if len(rails) > 1 else ():
            key, value = in_force(host.facts, nic.name, "rp_filter")
            if value == 1:
                found = f"{nic.name}: rp_filter is strict"
                fix = f"net.ipv4.conf.{nic.name}.rp_filter = 2"
                yield self.host_problem(host, key, found, fix)


def in_force(facts: HostFacts, port: str, name: str) -> tuple[str, int | None]:
    """A kernel parameter of a port: the larger of its own and `all`'s; the key that says it.

    None where the port's own is not said: what a distribution sets by itself is not known.
    """
    own = f"net.ipv4.conf.{port}.{name}"
    keys = [own, *(key for key in facts.sysctls if fnmatchcase(own, key))]
    keys += [f"net.ipv4.conf.default.{name}"]
    key = next((one for one in keys if facts.sysctls.get(one, "").isdigit()), None)
    every = facts.sysctls.get(f"net.ipv4.conf.all.{name}", "0")
    if key is None:
        return own, None
    return key, max(int(facts.sysctls[key]), int(every) if every.isdigit() else 0)


def _rails(facts: HostFacts) -> list[NicFacts]:
    """NICs with RoCE and an address, of which one server has several."""
    return [nic for nic in facts.roce_nics if nic.addresses and not nic.bond]


def _address(nic: NicFacts) -> str:
    return (nic.addresses or ("",))[0].partition("/")[0]


def _table(facts: HostFacts, nic: NicFacts) -> str | None:
    address = _address(nic)
    mine = (one.table for one in facts.rules or () if _holds(one.source, address))
    return next(mine, None)


def _holds(source: str, address: str) -> bool:
    """Whether a rule is of this address: itself or its own subnet."""
    if source.partition("/")[0] == address:
        return True
    try:
        return "/" in source and IPv4Interface(address).ip in IPv4Network(source, strict=False)
    except ValueError:
        return False


def _shared(nics: list[NicFacts]) -> set[str]:
    """Names of NICs that have a subnet with another one in common."""
    nets = defaultdict(set)
    for nic in nics:
        for text in nic.addresses or ():
            try:
                nets[IPv4Interface(text).network].add(nic.name)
            except ValueError:
                continue
    return {name for names in nets.values() if len(names) > 1 for name in names}


class NcclNamesDevices(Rule):
    """The devices that NCCL is told of are there."""

    id = "nccl-hca"
    severity = "critical"
    why = "NCCL leaves a device out that it does not find, and a rail stands idle (NCCL user guide)"

    def of_host(self, host: Host) -> Iterator[Problem]:
        asked = host.facts.settings.get("NCCL_IB_HCA", "")
        there = host.facts.devices
        if not asked or there is None or asked.startswith("^"):
            return
        is_exact = asked.startswith("=")
        for word in asked.lstrip("=").split(","):
            name = word.partition(":")[0].strip()
            known = name in there if is_exact else any(one.startswith(name) for one in there)
            if name and not known:
                found = f"NCCL_IB_HCA names {name}; there are {', '.join(there) or 'none'}"
                yield self.host_problem(host, "NCCL_IB_HCA", found, f"NCCL_IB_HCA={_all(there)}")


def _all(there: tuple[str, ...]) -> str:
    return "=" + ",".join(sorted(there, key=lambda name: (len(name), name)))


class FilesAreInForce(Rule):
    """What files of a server set is what runs there."""

    id = "host-two-truths"
    severity = "major"
    why = "the next boot or the next job takes the other value, and the server changes by itself"

    def of_host(self, host: Host) -> Iterator[Problem]:
        for one in host.facts.disputes:
            found = f"{one.key}: {one.written} in {one.written_at}, and {one.running} runs"
            yield self.host_problem(host, one.key, found, "apply the file, or mend it")


def _told(value: object) -> str:
    return re.sub(r"[()]", "", str(value)).rstrip(",") or "none"


def _told_as(what: str, value: object) -> str:
    return "" if what == "priority_of" else f" ({_told(value)})"
