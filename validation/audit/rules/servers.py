"""What must hold inside one server, whatever the fabric: its NICs, marks and routes agree."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Interface, IPv4Network

from validation.audit.hosts.facts import HostFacts, NicFacts
from validation.audit.hosts.host import Host
from validation.audit.network import Network
from validation.audit.rule import Problem, Rule

from .nics import MARKS

_CE = 3
# What NICs of one server have alike.
_QOS = ("trust", "pfc_priorities", "priority_of", "ecn_priorities", "cnp_dscp", "cnp_priority")
ALIKE = (*_QOS, "roce_mtu_bytes")


class MarksAgree(Rule):
    """All that sets a mark on a server sets one DSCP."""

    id = "marks-differ"
    severity = "critical"
    needs = frozenset({"nic.tos"})
    why = (
        "which of them a packet has depends on the library that sends it, and only one can be the "
        "fabric's lossless DSCP (NCCL_IB_TC 41 beside UCX 105 stood in a vendor's own stack)"
    )

    def of_host(self, host: Host) -> Iterator[Problem]:
        said = {
            f"{nic.name}.{what}": value
            for nic in peers(host.facts)
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
    needs = frozenset({"host.NCCL_IB_TC"})
    why = "ECN bits 11 are Congestion Experienced (RFC 3168): each packet slows its own sender"

    def of_host(self, host: Host) -> Iterator[Problem]:
        for key, value in _numbers(host).items():
            if value & _CE == _CE:
                found = f"{key} {value} sets both bits of ECN"
                yield self.host_problem(host, key, found, f"{key}={value & ~1}")


def peers(facts: HostFacts) -> tuple[NicFacts, ...]:
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
    needs = frozenset({"nic.is_roce_v2"})
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
    needs = frozenset({"host.NCCL_IB_GID_INDEX", "nic.gids"})
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
    needs = frozenset({"nic.has_global_pause"})
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
    needs = frozenset({"nic.rules_dcbx"})
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
    needs = frozenset({"host.nics"})
    why = "a collective is as fast as its slowest rail, and loses what the odd one loses"

    def of_host(self, host: Host) -> Iterator[Problem]:
        for what in ALIKE:
            said = {
                nic.name: value
                for nic in peers(host.facts)
                if (value := getattr(nic, what)) is not None
            }
            yield from self._odd(host, what, said)

    def _odd(self, host: Host, what: str, said: Mapping[str, object]) -> Iterator[Problem]:
        if len(set(said.values())) > 1:
            (usual, count), *_ = Counter(said.values()).most_common()
            for name, value in said.items():
                if value != usual:
                    shown = "" if what == "priority_of" else f" is {told(value)}"
                    found = f"{what}{shown}, not as on {count} other NICs{_told_as(what, usual)}"
                    yield self.host_problem(host, f"{name}.{what}", found, "set all NICs alike")


class MtuIsAlike(Rule):
    """All NICs that carry RoCE send packets of one size."""

    id = "nics-mtu"
    severity = "major"
    needs = frozenset({"nic.mtu_bytes"})
    why = "queue pairs with the odd NIC take its smaller RoCE MTU, or fail where nobody negotiates"

    def of_network(self, network: Network) -> Iterator[Problem]:
        said = [
            (host, nic)
            for host in network.hosts
            for nic in peers(host.facts)
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


class NcclNamesDevices(Rule):
    """The devices that NCCL is told of are there."""

    id = "nccl-hca"
    severity = "critical"
    needs = frozenset({"host.NCCL_IB_HCA", "host.devices"})
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


class SharesAddUp(Rule):
    """A NIC's classes under ETS share the port, and each class has one share."""

    id = "nic-weights"
    severity = "major"
    needs = frozenset({"nic.shares"})
    why = "the tool refuses shares that do not sum to 100, and nothing of them is set (mlnx_qos)"

    def of_host(self, host: Host) -> Iterator[Problem]:
        for nic in host.facts.roce_nics:
            shares = {one.traffic_class: one for one in nic.shares or ()}
            twice = [one for one in nic.shares or () if shares[one.traffic_class] != one]
            total = sum(one.percent for one in shares.values() if one.algorithm == "ets")
            has_ets = any(one.algorithm == "ets" for one in shares.values())
            if twice or (has_ets and total != 100):
                told = f"two shares of class {twice[0].traffic_class}" if twice else f"{total} %"
                key, fix = (
                    f"{nic.name}.shares",
                    f"mlnx_qos -i {nic.name} -s ... -t ... (100 in all)",
                )
                yield self.host_problem(host, key, f"ETS: {told}", fix)


class LosslessHasItsBuffer(Rule):
    """What a NIC pauses has a receive buffer of its own."""

    id = "nic-buffer"
    severity = "major"
    needs = frozenset({"nic.is_buffer_apart"})
    why = "paused and dropped traffic in one receive buffer pause and drop each other (mlnx_qos)"

    def of_host(self, host: Host) -> Iterator[Problem]:
        for nic in host.facts.roce_nics:
            if nic.is_buffer_apart is False and nic.pfc_priorities:
                bits = ",".join(str(int(one in nic.pfc_priorities)) for one in range(8))
                key, fix = (
                    f"{nic.name}.is_buffer_apart",
                    f"mlnx_qos -i {nic.name} --prio2buffer {bits}",
                )
                found = "a paused priority shares its buffer with others"
                yield self.host_problem(host, key, found, fix)


class NcclFindsItsGids(Rule):
    """NCCL looks for RoCE v2 among the addresses that the NICs have."""

    id = "nccl-range"
    severity = "critical"
    needs = frozenset({"nic.addresses"})
    why = "no GID fits, and NCCL ends or takes TCP (NCCL user guide, NCCL_IB_ADDR_RANGE)"

    def of_host(self, host: Host) -> Iterator[Problem]:
        settings = host.facts.settings
        if settings.get("NCCL_IB_ROCE_VERSION_NUM", "2") != "2":
            name = "NCCL_IB_ROCE_VERSION_NUM"
            yield self.host_problem(host, name, f"{name} {settings[name]}", f"{name}=2")
        if settings.get("NCCL_IB_ADDR_FAMILY", "AF_INET") != "AF_INET" and peers(host.facts):
            name = "NCCL_IB_ADDR_FAMILY"
            yield self.host_problem(host, name, f"{name} {settings[name]}", f"{name}=AF_INET")
        name = "NCCL_IB_ADDR_RANGE"
        try:
            reach = IPv4Network(settings[name], strict=False) if name in settings else None
        except ValueError:
            reach = None
            if ":" not in settings[name]:
                found = f"{name} {settings[name]} is no range"
                yield self.host_problem(host, name, found, f"{name} that holds all rails")
        for nic in peers(host.facts) if reach else ():
            held = [IPv4Interface(text).ip for text in nic.addresses or ()]
            if reach and held and not any(one in reach for one in held):
                found = f"{name} {reach} has not {held[0]} of {nic.name}"
                yield self.host_problem(host, name, found, f"{name} that holds all rails")


class SettingsNameWhatIsThere(Rule):
    """Interfaces and devices that NCCL and UCX are told of are there, each once."""

    id = "named-ports"
    severity = "critical"
    needs = frozenset({"host.nics"})
    why = "ranks do not find each other over a port that is not there (NCCL_SOCKET_IFNAME)"

    def of_host(self, host: Host) -> Iterator[Problem]:
        facts = host.facts
        devices, ports = facts.devices or (), [nic.name for nic in facts.nics]
        asked = facts.settings.get("NCCL_SOCKET_IFNAME", "")
        # Only where addresses are said are all ports known.
        if asked and asked[0] != "^" and any(nic.addresses for nic in facts.nics):
            exact = asked.startswith("=")
            for word in asked.lstrip("=").split(","):
                if not any(one == word if exact else one.startswith(word) for one in ports):
                    found = f"NCCL_SOCKET_IFNAME names {word}, which is not there"
                    yield self.host_problem(host, "NCCL_SOCKET_IFNAME", found, "a port with a way")
        for name in ("NCCL_IB_HCA", "UCX_NET_DEVICES"):
            listed = [word.partition(":")[0] for word in facts.settings.get(name, "").split(",")]
            words = [word.strip().lstrip("=^") for word in listed if word.strip()]
            for word, count in Counter(words).items():
                is_lost = name[0] == "U" and devices and word.startswith("mlx")
                if count > 1 or (is_lost and word not in devices):
                    told = "twice" if count > 1 else "which is not there"
                    yield self.host_problem(host, name, f"{name} names {word} {told}", "mend it")


class FilesAreInForce(Rule):
    """What a file of a server sets, no other tool sets otherwise, and it runs."""

    id = "host-two-truths"
    severity = "major"
    needs = frozenset({"host.nics"})
    why = "the next boot or the next job takes the other value, and the server changes by itself"

    def of_host(self, host: Host) -> Iterator[Problem]:
        for one in host.facts.disputes:
            found = f"{one.key}: {one.written} in {one.written_at}, and {one.other}"
            yield self.host_problem(host, one.key, found, "apply the file, or mend it")


def told(value: object) -> str:
    """A value in few signs."""
    return re.sub(r"[()]", "", str(value)).rstrip(",") or "none"


def _told_as(what: str, value: object) -> str:
    return "" if what == "priority_of" else f" ({told(value)})"
