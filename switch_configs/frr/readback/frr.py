"""Reads an FRR configuration, ours or not.

By FRR's own rule: a line that the present block does not know is tried in the blocks
around it (lib/command.c, cmd_execute_command).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from switch_configs.frr.options import Names, Reading
from switch_configs.readback.facts import PolicyFacts, SessionFacts, TableFacts

from .bfd import Bfd
from .bgp import Bgp
from .drain import with_drain
from .policies import Policies, is_place
from .reading import FrrFacts, FrrReading

_Handler = Callable[[list[str]], bool]
# What begins a line of the outermost level, whatever block is open.
_HEADS = frozenset(
    """
    access-list agentx bfd bgp debug fpm frr hostname interface ip ipv6 key line log mac mpls no
    password rmap router route-map rpki segment-routing service username vni vrf zebra
    """.split()  # noqa: SIM905  a list of words is read as words
)
_OF_PORTS = re.compile(
    r"(?:no )?(?:(?:ip|ipv6) (?:address|igmp|mld|nd|ospf6?|pim|rip|router)\b|mpls |link-|shutdown)"
)
# bgpd/bgp_vty.c, address_family; what it does not know opens nothing.
_FAMILY = re.compile(
    r"address-family (?:(?:ipv4|ipv6)(?: (?:unicast|multicast|vpn|labeled-unicast|flowspec))?"
    r"|vpnv[46](?: unicast)?|l2vpn evpn)"
)
_LEAVE = (["exit"], ["end"], ["exit-address-family"], ["exit-vrf"])


def read_text(text: str, reading: Reading) -> FrrFacts:
    """Every statement of a file, then all of them together."""
    reader = _Frr(reading)
    for raw in text.splitlines():
        line = raw.strip()
        if line and not line.startswith(("!", "#")) and not reader.line(line.split()):
            reader.found.unread.append(line)
    return reader.facts()


class _Frr:
    """The blocks that are open, outermost first."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.found = FrrReading()
        self.policies = Policies()
        self.bfd = Bfd()
        self.instances: dict[str, Bgp] = {}
        self.profile = "traditional"
        self.hostname: str | None = None
        self.release: str | None = None
        self.discards: list[str] = []
        self.drained = False
        self.said: set[str] = set()
        self.opened = Bgp("")
        self.beside, self.family = "", [""]
        self.blocks: list[_Handler] = [self._top]

    def line(self, words: list[str]) -> bool:
        """Take one statement; False when no open block knows it."""
        families = (self.opened.ipv4, self._other_family)
        if words == ["exit-address-family"] and self.blocks[-1] not in families:
            return False
        if words in _LEAVE:
            del self.blocks[1 if words == ["end"] else -1 :]
            self.blocks = self.blocks or [self._top]
            return True
        present = self.blocks
        for depth in range(len(present), 0, -1):
            self.blocks = present[:depth]
            if present[depth - 1](words):
                return True
        self.blocks = present
        return False

    def facts(self) -> FrrFacts:
        """Put what the blocks said together."""
        found, plain = self.found, self.instances.get("", Bgp(""))
        sessions = [
            session
            for speaker in self.instances.values()
            for session in speaker.sessions(found, self.profile, self.bfd)
        ]
        policies = self.policies.facts(found)
        policies, drained = with_drain(self._drained(), sessions, policies, found)
        self.policies.references(sessions, found)
        self._tables_agree(plain)
        self._missing()
        return FrrFacts(
            hostname=self.hostname,
            release=self.release,
            asn=plain.asn,
            router_id=plain.router_id,
            sessions=_sessions(sessions, self.reading.names),
            policies=_policies(policies, self.reading.names),
            originates=tuple(sorted(plain.networks)),
            discards=tuple(sorted(self.discards)),
            ecmp_width=self._width(plain) if plain.asn else None,
            ebgp_requires_policy=all(
                speaker.needs_policy(self.profile) for speaker in self.instances.values()
            ),
            drained=drained,
            tables=self._tables(),
            hazards=tuple(sorted(found.hazards)),
            unread=tuple(found.unread),
        )

    def _drained(self) -> dict[str, bool]:
        return {vrf: self.drained or one.drained for vrf, one in self.instances.items()}

    def _width(self, one: Bgp) -> int:
        return one.paths or self.reading.paths_built

    def _tables(self) -> tuple[TableFacts, ...]:
        name = self.reading.names.plan_vrf
        return tuple(
            TableFacts(name(vrf), tuple(sorted(one.networks)), self._width(one))
            for vrf, one in sorted(self.instances.items(), key=lambda pair: name(pair[0]))
            if vrf
        )

    def _tables_agree(self, plain: Bgp) -> None:
        """One switch has one ASN and one router id, in all of its tables."""
        for vrf, one in self.instances.items() if plain.asn is not None else ():
            if one.asn != plain.asn:
                self.found.hazard(f"table {vrf} has ASN {one.asn}, the switch {plain.asn}")
            if one.router_id != plain.router_id:
                self.found.hazard(
                    f"table {vrf} has router id {one.router_id}, the switch {plain.router_id}"
                )

    def _missing(self) -> None:
        for line, hazard in self.reading.system.items():
            if hazard and line not in self.said:
                self.found.hazard(hazard)
        for line, hazard in self.reading.instance.items():
            if hazard and any(line not in speaker.said for speaker in self.instances.values()):
                self.found.hazard(hazard)

    def _top(self, words: list[str]) -> bool:
        line = " ".join(words)
        if line in self.reading.system:
            self.said.add(line)
            return True
        match words:
            case ["frr", "version", release]:
                self.release = release
            case ["frr", "defaults", "traditional" | "datacenter" as profile]:
                self.profile = profile
            case ["hostname", name]:
                self.hostname = name
            case ["ip", "route", prefix, "blackhole" | "Null0"]:
                self.discards.append(prefix)
            case ["ip", "prefix-list", *rest]:
                return self.policies.prefix_list(rest)
            case ["bgp", "community-list", *rest]:
                return self.policies.community_list(rest)
            case ["bgp", "graceful-shutdown"]:
                self.drained = True
            case _:
                return self._open(words)
        return True

    def _open(self, words: list[str]) -> bool:
        match words:
            case ["route-map", name, "permit" | "deny" as action, place] if is_place(place, 65535):
                self.policies.entry(name, action, int(place))
                self.blocks.append(self.policies.inside)
            case ["router", "bgp", asn] if asn.isdecimal():
                return self._instance(int(asn), "")
            case ["router", "bgp", asn, "vrf", vrf] if asn.isdecimal():
                return self._instance(int(asn), vrf)
            case ["bfd"]:
                self.blocks.append(self._bfd)
            case ["vrf", _]:
                self.blocks.append(self._vrf)
            case ["interface" | "router" | "key" | "segment-routing" | "mpls" | "line", *_]:
                self.found.unread.append(" ".join(words))
                self.beside = " ".join(words)
                self.blocks.append(self._beside)
            case _:
                return False
        return True

    def _beside(self, words: list[str]) -> bool:
        """Lines of a block that no plan has: they must not be taken for BGP's."""
        line = " ".join(words)
        is_of_port = self.beside.startswith("interface ") and _OF_PORTS.match(line)
        if words[0] in _HEADS and not is_of_port:
            return False
        self.found.unread.append(f"{self.beside} / {line}")
        return True

    def _vrf(self, words: list[str]) -> bool:
        """Routes of a table by hand: they must not be taken for the default one's."""
        is_route = words[:2] == ["ip", "route"]
        if is_route:
            self.found.unread.append(f"{' '.join(words)} (in a table of users)")
        return is_route

    def _instance(self, asn: int, vrf: str) -> bool:
        """One instance a table, with one ASN: FRR refuses another one."""
        one = self.instances.setdefault(vrf, Bgp(vrf, asn))
        if one.asn != asn:
            return False
        one.known = self.reading.instance
        self.opened = one
        self.blocks.append(self._bgp)
        return True

    def _bgp(self, words: list[str]) -> bool:
        if words in (["address-family", "ipv4", "unicast"], ["address-family", "ipv4"]):
            self.blocks.append(self.opened.ipv4)
            return True
        if _FAMILY.fullmatch(" ".join(words)):
            self.found.unread.append(" ".join(words))
            self.family = words[1:]
            self.blocks.append(self._other_family)
            return True
        return self.opened.line(words)

    def _bfd(self, words: list[str]) -> bool:
        match words:
            case ["profile", name]:
                self.bfd.open(name)
                self.blocks.append(self.bfd.inside)
                return True
        return False

    def _other_family(self, words: list[str]) -> bool:
        """Lines of a family that is not read: they must not be taken for IPv4's."""
        self.opened.other_family(words)
        is_family_line = words[0] in ("neighbor", "network", "maximum-paths", "redistribute")
        if is_family_line:
            self.found.unread.append(f"{' '.join(words)} (in another address family)")
        return is_family_line


def _sessions(found: list[SessionFacts], names: Names) -> tuple[SessionFacts, ...]:
    """In the plan's names, by table, then key."""
    out = [
        replace(
            session,
            key=session.key if session.key.count(".") == 3 else names.plan_port(session.key),
            vrf=names.plan_vrf(session.vrf) if session.vrf else "",
            policy_in=_plan_map(session.policy_in, names),
            policy_out=_plan_map(session.policy_out, names),
        )
        for session in found
    ]
    return tuple(sorted(out, key=lambda one: (one.vrf, one.key)))


def _policies(found: list[PolicyFacts], names: Names) -> tuple[PolicyFacts, ...]:
    out = [replace(policy, name=_plan_map(policy.name, names) or "") for policy in found]
    return tuple(sorted(out, key=lambda one: one.name))


def _plan_map(name: str | None, names: Names) -> str | None:
    return name.removesuffix(names.map_suffix) if name else name
