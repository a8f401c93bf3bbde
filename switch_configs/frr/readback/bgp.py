"""The lines of `router bgp` in FRR (FRR manual, "BGP"), gathered and then resolved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network
from typing import Literal

from switch_configs.readback.facts import HazardKind, SessionFacts

from .bfd import Bfd
from .reading import FrrReading

_RELAX = "as-path multipath-relax"
# keepalive, hold, connect (seconds) and whether eBGP needs policies: bgpd/bgp_vty.c.
_DEFAULTS: Mapping[str, tuple[int, int, int, bool]] = {
    "traditional": (60, 180, 120, True),
    "datacenter": (3, 9, 10, False),
}


@dataclass
class _Neighbour:
    """A neighbour or a peer group, as far as its own lines say."""

    group: str | None = None
    is_group: bool = False
    is_port: bool = False
    asn: int | Literal["external", "internal"] | None = None
    description: str = ""
    bfd: bool = False
    bfd_profile: str | None = None
    times: tuple[int, int] | None = None
    connect_s: int | None = None
    active: bool | None = None
    others: bool = False
    policy_in: str | None = None
    policy_out: str | None = None
    maximum: int | None = None
    warns: bool = False


@dataclass
class Bgp:
    """All lines of one BGP instance, "" or the name of its VRF.

    `known` are lines that the system adds, and `said` those of them that are there; `paths`
    is None where FRR's build says.
    """

    vrf: str
    asn: int | None = None
    known: Mapping[str, str] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)
    drained: bool = False
    router_id: str | None = None
    requires_policy: bool | None = None
    relaxed: bool = False
    logs: bool = False
    default_ipv4: bool = True
    times: tuple[int, int] | None = None
    paths: int | None = None
    networks: list[str] = field(default_factory=list)
    neighbours: dict[str, _Neighbour] = field(default_factory=dict)

    def line(self, words: list[str]) -> bool:
        """A line outside any address family; those of IPv4 are known here too (bgpd/bgp_vty.c)."""
        line = " ".join(words)
        if line in self.known:
            self.said.add(line)
            return True
        match words:
            case ["bgp", "graceful-shutdown"]:
                self.drained = True
            case ["bgp", "router-id", address]:
                self.router_id = address
            case ["bgp", "log-neighbor-changes"]:
                self.logs = True
            case ["bgp", "bestpath", "as-path", "multipath-relax"]:
                self.relaxed = True
            case ["bgp", "ebgp-requires-policy"]:
                self.requires_policy = True
            case ["no", "bgp", "ebgp-requires-policy"]:
                self.requires_policy = False
            case ["no", "bgp", "default", "ipv4-unicast"]:
                self.default_ipv4 = False
            case ["timers", "bgp", keepalive, hold]:
                self.times = _pair(keepalive, hold)
                return self.times is not None
            case ["neighbor", key, *rest]:
                one = self._neighbour(key)
                return _session(one, rest) or _family(one, rest)
            case _:
                return self.ipv4(words)
        return True

    def ipv4(self, words: list[str]) -> bool:
        """A line of `address-family ipv4 unicast`."""
        match words:
            case ["network", prefix]:
                self.networks.append(_masked(prefix))
            case ["maximum-paths", paths] if paths.isdecimal():
                self.paths = int(paths)
            case ["no", "neighbor", key, "activate"]:
                self._neighbour(key).active = False
            case ["neighbor", key, *rest]:
                return _family(self._neighbour(key), rest)
            case _:
                return False
        return True

    def other_family(self, words: list[str]) -> None:
        """A line of another family, as `l2vpn evpn`: who speaks it; all else is no fact."""
        match words:
            case ["neighbor", key, "activate"]:
                self._neighbour(key).others = True

    def needs_policy(self, profile: str) -> bool:
        """Whether nothing passes a session without policies (RFC 8212)."""
        return _DEFAULTS[profile][3] if self.requires_policy is None else self.requires_policy

    def sessions(self, found: FrrReading, profile: str, bfd: Bfd) -> Iterator[SessionFacts]:
        """Sessions with their groups' lines and the profile's defaults."""
        if not self.relaxed:
            words = f"paths over different ASNs are not shared: no {_RELAX}"
            found.hazard(words, "paths-not-shared")
        if not self.logs and profile == "traditional":
            found.hazard("BGP logs no changes of its neighbours")
        for key, one in self.neighbours.items():
            if not (one.is_group or one.is_port or one.group or one.asn is not None):
                found.hazard(f"{key} is no neighbour and no group: FRR refuses its settings")
            elif not one.is_group:
                facts = self._facts(key, one, _DEFAULTS[profile], bfd, found)
                if self._carries_ipv4(one):
                    _require_policies(facts, self.needs_policy(profile), found)
                elif facts.carries_ipv4:
                    found.hazard(f"session {key} carries no IPv4: it is not activated")
                    _require_policies(facts, self.needs_policy(profile), found)
                yield facts

    def _group(self, own: _Neighbour) -> _Neighbour:
        return self.neighbours.get(own.group or "", _Neighbour())

    def _carries_ipv4(self, own: _Neighbour) -> bool:
        said = own.active if own.active is not None else self._group(own).active
        return bool(said if said is not None else self.default_ipv4)

    def _neighbour(self, key: str) -> _Neighbour:
        return self.neighbours.setdefault(key, _Neighbour())

    def _facts(
        self,
        key: str,
        own: _Neighbour,
        default: tuple[int, int, int, bool],
        bfd: Bfd,
        found: FrrReading,
    ) -> SessionFacts:
        group = self._group(own)
        if own.is_port == (key.count(".") == 3):
            found.hazard(f"session {key} is no port and no IPv4 address")
        keepalive_s, hold_s = own.times or group.times or self.times or default[:2]
        with_bfd = own.bfd or group.bfd
        profile = own.bfd_profile or group.bfd_profile
        interval_ms, multiplier = bfd.times(profile, found) if with_bfd else (None, None)
        owner = own if own.maximum is not None else group
        return SessionFacts(
            key=key,
            peer_asn=own.asn if own.asn is not None else group.asn,
            description=own.description or group.description,
            policy_in=own.policy_in or group.policy_in,
            policy_out=own.policy_out or group.policy_out,
            keepalive_s=keepalive_s,
            hold_s=hold_s,
            connect_s=own.connect_s or group.connect_s or default[2],
            bfd=with_bfd,
            bfd_interval_ms=interval_ms,
            bfd_multiplier=multiplier,
            maximum_prefix=owner.maximum,
            over_maximum=None if owner.maximum is None else "warn" if owner.warns else "reset",
            vrf=self.vrf,
            carries_ipv4=self._carries_ipv4(own) or not (own.others or group.others),
        )


def _require_policies(one: SessionFacts, needed: bool, found: FrrReading) -> None:
    passes = "nothing passes (RFC 8212)" if needed else "everything passes"
    ways: tuple[tuple[str | None, str, HazardKind], ...] = (
        (one.policy_in, "in", "no-policy-in"),
        (one.policy_out, "out", "no-policy-out"),
    )
    for policy, way, kind in ways:
        if policy is None:
            words = f"session {one.key} has no policy {way}: {passes}"
            found.hazard(words, "other" if needed else kind, one.key)


def _session(one: _Neighbour, words: list[str]) -> bool:
    """The words after a neighbour's name. `v6only` asks for no IPv4 address of the link."""
    match [word for word in words if word != "v6only" or words[0] != "interface"]:
        case ["peer-group"]:
            one.is_group = True
        case ["peer-group", group]:
            one.group = group
        case ["interface"]:
            one.is_port = True
        case ["interface", "peer-group", group]:
            one.is_port, one.group = True, group
        case ["interface", "remote-as", asn]:
            one.is_port = True
            return _asn(one, asn)
        case ["remote-as", asn]:
            return _asn(one, asn)
        case ["description", *rest] if rest:
            one.description = " ".join(rest)
        case ["bfd"]:
            one.bfd = True
        case ["bfd", "profile", name]:
            one.bfd, one.bfd_profile = True, name
        case ["timers", "connect", seconds] if seconds.isdecimal():
            one.connect_s = int(seconds)
        case ["timers", keepalive, hold]:
            one.times = _pair(keepalive, hold)
            return one.times is not None
        case ["capability", "extended-nexthop"]:
            pass
        case _:
            return False
    return True


def _family(one: _Neighbour, words: list[str]) -> bool:
    match words:
        case ["activate"]:
            one.active = True
        case ["route-map", name, "in"]:
            one.policy_in = name
        case ["route-map", name, "out"]:
            one.policy_out = name
        case ["maximum-prefix", most] if most.isdecimal():
            one.maximum = int(most)
        case ["maximum-prefix", most, "warning-only"] if most.isdecimal():
            one.maximum, one.warns = int(most), True
        case _:
            return False
    return True


def _asn(one: _Neighbour, word: str) -> bool:
    if word == "external":
        one.asn = "external"
    elif word == "internal":
        one.asn = "internal"
    elif word.isdecimal():
        one.asn = int(word)
    else:
        return False
    return True


def _pair(first: str, second: str) -> tuple[int, int] | None:
    return (int(first), int(second)) if first.isdecimal() and second.isdecimal() else None


def _masked(prefix: str) -> str:
    """Without host bits, as bgpd keeps it (bgpd/bgp_route.c, bgp_static_set: apply_mask)."""
    try:
        return str(IPv4Network(prefix, strict=False))
    except ValueError:
        return prefix
