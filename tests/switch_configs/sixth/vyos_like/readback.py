"""A parser of its own: from `set` lines of anybody to neutral facts."""

from __future__ import annotations

import shlex
from collections import defaultdict
from dataclasses import replace

from switch_configs.intent import Rendered
from switch_configs.readback.facts import (
    PermitFacts,
    PolicyFacts,
    PortFacts,
    ServiceFacts,
    SessionFacts,
    SwitchFacts,
)
from switch_configs.shown.unread import Unread, unread

_NOTHING = SwitchFacts(
    None, None, None, None, (), (), (), (), (), None, False, (), None, (), ()
)  # fmt: skip
_SESSION = SessionFacts(
    "", None, "", None, None, None, None, None, False, None, None, None, None
)  # fmt: skip
_GRACEFUL_SHUTDOWN = "65535:0"


def readback(rendered: Rendered) -> SwitchFacts:
    """What a configuration says; lines that are not understood are in `unread`."""
    found = _Found()
    for line in (one for file in rendered.files for one in file.text.splitlines()):
        try:
            found.take(line)
        except (ValueError, LookupError):
            found.unread.append(unread(line))
    return found.facts()


class _Found:
    """What was read so far."""

    def __init__(self) -> None:
        self.whole = _NOTHING
        self.services = ServiceFacts()
        self.management = ""
        self.addresses: dict[str, list[str]] = defaultdict(list)
        self.ports: dict[str, PortFacts] = {}
        self.policies: dict[str, PolicyFacts] = {}
        self.sessions: dict[str, SessionFacts] = {}
        self.unread: list[Unread] = []

    def take(self, line: str) -> None:
        """One line. Raises ValueError or LookupError where it is not understood."""
        match shlex.split(line):
            case ["set", "system", *rest]:
                self._system(rest)
            case ["set", "service", "ntp", "server", one]:
                self.services = replace(self.services, ntp=(*self.services.ntp, one))
            case ["set", "vrf", "name", "mgmt", "route", "0.0.0.0/0", "next-hop", one]:
                self.services = replace(self.services, management_gateway=one)
            case ["set", "interfaces", "loopback", "lo", "address", one]:
                self.addresses["lo"].append(one)
                self.ports["lo"] = PortFacts("lo", None, (), "")
            case ["set", "interfaces", "ethernet", port, *rest]:
                self._port(port, rest)
            case ["set", "policy", "route-map", name, *rest]:
                self._policy(name, rest)
            case ["set", "protocols", "static", "route", one, "blackhole"]:
                self.whole = replace(self.whole, discards=(*self.whole.discards, one))
            case ["set", "protocols", "bgp", "neighbor", key, *rest]:
                self._session(key, rest)
            case ["set", "protocols", "bgp", *rest]:
                self._bgp(rest)
            case _:
                raise ValueError(line)

    def _system(self, rest: list[str]) -> None:
        match rest:
            case ["host-name", one]:
                self.whole = replace(self.whole, hostname=one)
            case ["release", one]:
                self.whole = replace(self.whole, release=one)
            case ["hash-seed", one]:
                self.whole = replace(self.whole, hash_seed=int(one))
            case ["syslog", "host", one]:
                self.services = replace(self.services, syslog=(*self.services.syslog, one))
            case _:
                raise ValueError(rest)

    def _port(self, port: str, rest: list[str]) -> None:
        held = self.ports.get(port, PortFacts(port, None, (), ""))
        match rest:
            case ["address", one]:
                self.addresses[port].append(one)
            case ["vrf", "mgmt"]:
                self.management = port
            case ["description", one]:
                held = replace(held, description=one)
            case ["mtu", one]:
                held = replace(held, ip_mtu_bytes=int(one))
            case ["speed", one]:
                held = replace(held, rate_gbps=int(one) / 1000)
            case ["fec", one]:
                held = replace(held, fec=one)
            case _:
                raise ValueError(rest)
        self.ports[port] = held

    def _policy(self, name: str, rest: list[str]) -> None:
        held = self.policies.get(name, PolicyFacts(name, ()))
        match rest:
            case ["permit", net, "length", bits]:
                one = PermitFacts(net, int(bits), int(bits))
                held = replace(held, permits=tuple(sorted((*held.permits, one))))
            case ["add-mark", one]:
                held = replace(held, adds=(*held.adds, one))
            case ["refuse-mark", one]:
                held = replace(held, refuses=(*held.refuses, one))
            case ["graceful-shutdown", "last"]:
                held = replace(held, drained_last=True)
            case _:
                raise ValueError(rest)
        self.policies[name] = held

    def _bgp(self, rest: list[str]) -> None:
        match rest:
            case ["system-as", one]:
                self.whole = replace(self.whole, asn=int(one))
            case ["router-id", one]:
                self.whole = replace(self.whole, router_id=one)
            case ["ebgp-requires-policy"]:
                self.whole = replace(self.whole, ebgp_requires_policy=True)
            case ["maximum-paths", one]:
                self.whole = replace(self.whole, ecmp_width=int(one))
            case ["network", one]:
                self.whole = replace(self.whole, originates=(*self.whole.originates, one))
            case _:
                raise ValueError(rest)

    def _session(self, key: str, rest: list[str]) -> None:
        held = self.sessions.get(key, replace(_SESSION, key=key))
        match rest:
            case ["remote-as", one]:
                held = replace(held, peer_asn=int(one))
            case ["description", one]:
                held = replace(held, description=one)
            case ["import", one]:
                held = replace(held, policy_in=one)
            case ["export", one]:
                held = replace(held, policy_out=one)
            case ["keepalive", one]:
                held = replace(held, keepalive_s=int(one))
            case ["holdtime", one]:
                held = replace(held, hold_s=int(one))
            case ["connect", one]:
                held = replace(held, connect_s=int(one))
            case ["bfd", "interval", one]:
                held = replace(held, bfd=True, bfd_interval_ms=int(one))
            case ["bfd", "multiplier", one]:
                held = replace(held, bfd=True, bfd_multiplier=int(one))
            case ["maximum-prefix-warning", one]:
                held = replace(held, maximum_prefix=int(one), over_maximum="warn")
            case _:
                raise ValueError(rest)
        self.sessions[key] = held

    def facts(self) -> SwitchFacts:
        """All of it, sorted."""
        ports = dict(self.ports)
        own = self.addresses.get(self.management, [])
        # The port in the table of its own is told among the services.
        ports.pop(self.management, None)
        return replace(
            self.whole,
            ports=tuple(
                replace(one, addresses=tuple(sorted(self.addresses[name])))
                for name, one in sorted(ports.items())
            ),
            sessions=tuple(one for _, one in sorted(self.sessions.items())),
            policies=tuple(one for _, one in sorted(self.policies.items())),
            originates=tuple(sorted(self.whole.originates)),
            discards=tuple(sorted(self.whole.discards)),
            isolated_ports=(self.management,) if self.management else (),
            drained=any(_GRACEFUL_SHUTDOWN in one.adds for one in self.policies.values()),
            services=replace(
                self.services,
                management_address=own[0] if own else None,
                management_vrf=bool(self.management),
            ),
            unread=tuple(sorted(self.unread)),
        )
