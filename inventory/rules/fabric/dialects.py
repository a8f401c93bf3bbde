"""Rules on switch systems: what a site asks of its switches must be in their words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from inventory.load import profile_names as named
from inventory.load.yaml_positions import Path
from inventory.model import Fabric
from inventory.oob import plane as oob
from inventory.problems import Problem, close_to, one_of
from inventory.schema import SwitchProfile
from inventory.switches.abilities import (
    AdaptiveRouting,
    abilities,
    cannot,
    of,
)
from inventory.topology.fabrics import DEFAULT_VRF, SwitchFabric
from inventory.topology.racks import layout


@dataclass(frozen=True, slots=True)
class Ask:
    """A feature that an option asks of a switch profile."""

    feature: str
    path: Path
    found: str
    profile: str


def dialects_are_here(fabric: Fabric) -> Iterator[Problem]:
    """Of a system that nobody knows nothing is said, so nothing would be refused."""
    known = sorted(abilities())
    for path, name in named.switch_profiles(fabric.intent):
        dialect = fabric.switch_profiles[name].dialect
        if dialect not in known:
            found = f"`{name}`, of the switch system `{dialect}`, which is not here"
            hint = close_to(dialect, known), "one of a package of its own has to be installed"
            yield fabric.problem(path, found, one_of(known), "; ".join(filter(None, hint)))


def dialects_can_do_it(fabric: Fabric) -> Iterator[Problem]:
    """What a switch OS cannot do would be a line that is missing, and nobody would see it."""
    seen: set[tuple[str, Path, str]] = set()
    for ask in asks(fabric):
        profile = fabric.switch_profiles[ask.profile]
        no = cannot(ask.feature, profile.dialect)
        key = (ask.feature, ask.path, profile.dialect)
        if no is None or key in seen:
            continue
        seen.add(key)
        expected = f"no {ask.feature} on {profile.dialect} {profile.release} ({ask.profile})"
        yield fabric.problem(ask.path, ask.found, expected, f"{no.why}; {no.instead}")


def asks(fabric: Fabric) -> Iterator[Ask]:
    """Everything that the site's options ask of its switch profiles."""
    for one in fabric.fabrics:
        yield from _links(fabric, one)
    yield from _vlans(fabric)
    yield from _oob(fabric)
    yield from _services(fabric)


def _profiles(one: SwitchFabric) -> tuple[str, ...]:
    top = (one.superspine_profile,) if one.superspine_profile else ()
    return tuple(dict.fromkeys((one.leaf_profile, one.spine_profile, *top)))


def _links(fabric: Fabric, one: SwitchFabric) -> Iterator[Ask]:
    word = "numbered" if one.numbered else "unnumbered"
    own = ("topology",) if one.plane == "compute" else one.path
    for profile in _profiles(one):
        yield Ask(f"{word} links", (*own, "fabric_links"), f"`{word}`", profile)
        if one.clos.three_tier:
            kind = fabric.intent.topology.kind
            yield Ask("three tiers", ("topology", "kind"), f"`{kind}`", profile)


def _vlans(fabric: Fabric) -> Iterator[Ask]:
    business = fabric.intent.business
    for one in fabric.fabrics:
        for service in one.services:
            leaf = one.leaf_profile
            if service.vlans:
                yield Ask("VLANs", (service.plane, "attach"), "VLANs", leaf)
            if service.bonded:
                over = "over two leaves" if len(one.clos.slots) > 1 else "on one leaf"
                yield Ask(f"bonds {over}", (service.plane, "attach"), "`lacp`", leaf)
            if service.plane != "business" or business is None:
                continue
            for at, vlan in enumerate(business.vlans):
                path = ("business", "vlans", at)
                if vlan.acl:
                    found = f"{len(vlan.acl)} rules"
                    yield Ask("access lists", (*path, "acl"), found, leaf)
                if vlan.vrf != DEFAULT_VRF:
                    for profile in _profiles(one):
                        yield Ask("routing tables", (*path, "vrf"), f"`{vlan.vrf}`", profile)


def _oob(fabric: Fabric) -> Iterator[Ask]:
    said = fabric.intent.oob.switches
    if said is None:
        return
    keys = ("access_profile", "aggregation_profile", "core_profile")
    for key in keys:
        name = getattr(said, key)
        if name is not None:
            yield Ask("OOB switches", ("oob", "switches", key), f"`{name}`", name)


def _services(fabric: Fabric) -> Iterator[Ask]:
    said = fabric.intent.switch_services
    asked = {
        "NTP": ("ntp", bool(said.ntp)),
        "syslog": ("syslog", bool(said.syslog)),
        "TACACS+": ("tacacs", said.tacacs is not None),
        "SNMPv3": ("snmp", said.snmp is not None),
        "gNMI": ("gnmi_port", said.gnmi_port is not None),
    }
    servers = [*(said.ntp or ()), *said.syslog, *(said.tacacs.servers if said.tacacs else ())]
    said_oob = fabric.intent.oob.switches
    below = (said_oob.access_profile, said_oob.aggregation_profile) if said_oob else ()
    top = (said_oob.core_profile,) if said_oob and said_oob.core_profile else ()
    data = (name for one in fabric.fabrics for name in _profiles(one))
    for profile in dict.fromkeys((*data, *below, *top)):
        for feature, (key, is_asked) in asked.items():
            if is_asked:
                yield Ask(feature, ("switch_services", key), f"`{key}`", profile)
        if any(server.version == 6 for server in servers):
            yield Ask("IPv6 servers", ("switch_services",), "an IPv6 address", profile)


def oob_switches_isolate_alike(fabric: Fabric) -> Iterator[Problem]:
    """What isolated ports send crosses trunks in VLANs that other dialects would drop."""
    said = fabric.intent.oob.switches
    if said is None:
        return
    first = fabric.switch_profiles[said.access_profile].dialect
    for key in ("aggregation_profile", "core_profile"):
        name = getattr(said, key)
        if name is None:
            continue
        dialect = fabric.switch_profiles[name].dialect
        if of(dialect).private_vlans != of(first).private_vlans:
            found = f"`{name}` of {dialect} above {first}"
            alike = (each for each, said in abilities().items() if said.private_vlans)
            expected = f"OOB switches all of {' or '.join(alike)}, or none"
            hint = "these isolate ports by private VLANs, which the others do not know"
            yield fabric.problem(("oob", "switches", key), found, expected, hint)


def adaptive_routing_is_possible(fabric: Fabric) -> Iterator[Problem]:
    """Packets of a flow overtake each other: a switch or a NIC that cannot loses the job."""
    if not fabric.intent.compute.adaptive_routing:
        return
    path = ("compute", "adaptive_routing")
    for name in _profiles(fabric.compute):
        profile = fabric.switch_profiles[name]
        rule = of(profile.dialect).adaptive_routing
        if rule is None:
            expected = "`false`: nobody could check it there"
            yield fabric.problem(path, f"`true` on {name}, {profile.dialect}", expected)
            continue
        yield from _limits(fabric, name, rule)
    node = fabric.intent.compute.node_profile
    for at, nic in enumerate(fabric.node_profile.rails):
        if not nic.out_of_order:
            found = f"`true`, and NIC {at} of {node} does not say `out_of_order`"
            yield fabric.problem(path, found, "every NIC takes packets out of order")


def _limits(fabric: Fabric, name: str, rule: AdaptiveRouting) -> Iterator[Problem]:
    path, profile = ("compute", "adaptive_routing"), fabric.switch_profiles[name]
    here = f"`true` on {name}"
    if profile.asic not in rule.asics:
        expected = f"an ASIC of {', '.join(rule.asics)}"
        yield fabric.problem(path, f"{here}, {profile.asic}", expected, rule.source)
    if profile.release not in rule.releases:
        expected = f"release {', '.join(rule.releases)}"
        yield fabric.problem(path, f"{here}, {profile.release}", expected, rule.source)
    for rate in sorted(_rates(fabric.compute, name)):
        if rate not in rule.rates_gbps:
            expected = f"links of {' or '.join(f'{one:g}' for one in rule.rates_gbps)} Gb/s"
            yield fabric.problem(path, f"{here}, links of {rate:g} Gb/s", expected, rule.source)


def _rates(one: SwitchFabric, name: str) -> set[float]:
    """Rates of a profile's links between switches: adaptive routing chooses among these."""
    ways, ports = one.clos.ways, one.profiles[name].ports
    used = {ways[1]} if name in (one.leaf_profile, one.spine_profile) else set()
    if one.superspine_profile and name in (one.spine_profile, one.superspine_profile):
        used.add(ways[2])
    return {ports.rate_of(way) for way in used if way in ports.ways()}


def services_name_credentials(fabric: Fabric) -> Iterator[Problem]:
    """A secret is an entry of `credentials`: a name that is none would be found at the push."""
    said = fabric.intent.switch_services
    named = {("tacacs", "key"): said.tacacs.key} if said.tacacs else {}
    if said.snmp:
        named |= {("snmp", "auth"): said.snmp.auth, ("snmp", "priv"): said.snmp.priv}
    known = fabric.intent.credentials
    for path, name in named.items():
        if name not in known:
            expected = f"one of {', '.join(sorted(known))}"
            hint = "credentials: {NAME: file:PATH}"
            yield fabric.problem(("switch_services", *path), f"`{name}`", expected, hint)


def ip_mtu_fits_the_switches(fabric: Fabric) -> Iterator[Problem]:
    """A switch OS that takes less would print less, and the far end would believe more."""
    seen: set[tuple[Path, str]] = set()
    for one in fabric.fabrics:
        for service in one.services:
            section = "lossless" if service.plane == "compute" else service.plane
            path, asked = (section, "ip_mtu_bytes", "switches"), service.switch_ip_mtu_bytes
            for name in _profiles(one):
                dialect = one.profiles[name].dialect
                most = of(dialect).most_ip_mtu_bytes
                if most is None or asked <= most.value or (path, dialect) in seen:
                    continue
                seen.add((path, dialect))
                expected = f"at most {most.value}, the largest IP MTU of {dialect} ({name})"
                yield fabric.problem(path, str(asked), expected, most.source)


def priorities_are_free(fabric: Fabric) -> Iterator[Problem]:
    """A class that shares its number with what a switch OS puts there is shared with strangers."""
    said = fabric.intent.lossless
    asked: dict[Path, int] = {("lossless", "priority"): said.priority}
    asked[("lossless", "cnp", "priority")] = said.cnp.priority
    if said.mode == "marking-only":
        return
    own = {profile.dialect for one in fabric.fabrics for profile in _held(one)}
    for dialect in sorted(own):
        taken = of(dialect).taken_priorities
        for path, number in asked.items() if taken else ():
            if taken and number in taken.priorities:
                expected = f"another: {dialect} keeps it for {taken.priorities[number]}"
                yield fabric.problem(path, str(number), expected, taken.source)


def _held(one: SwitchFabric) -> tuple[SwitchProfile, ...]:
    return tuple(one.profiles[name] for name in _profiles(one))


def raw_lines_have_a_switch(fabric: Fabric) -> Iterator[Problem]:
    """Lines for nobody are a slip: somebody believes that a switch has them."""
    if not fabric.intent.raw:
        return
    names = {*fabric.profile_of_switch, *oob.netmgmt_indexes(fabric, layout(fabric))}
    for at, one in enumerate(fabric.intent.raw):
        for number, pattern in enumerate(one.devices):
            if not any(fnmatchcase(name, pattern) for name in names):
                path = ("raw", at, "devices", number)
                yield fabric.problem(path, f"`{pattern}`", "a switch of the site, or a pattern")


def raw_sections_exist(fabric: Fabric) -> Iterator[Problem]:
    """Lines in a section that a system does not have would stand nowhere."""
    switches = [*fabric.profile_of_switch.items()]
    for at, one in enumerate(fabric.intent.raw):
        meant = {
            fabric.switch_profiles[profile].dialect
            for name, profile in switches
            if any(fnmatchcase(name, pattern) for pattern in one.devices)
        }
        for dialect in sorted(meant):
            known = of(dialect).raw_sections
            if one.section not in known:
                path = ("raw", at, "section")
                expected = f"a section of {dialect}: {', '.join(known)}"
                yield fabric.problem(path, f"`{one.section}`", expected)


DIALECT_RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (
    dialects_are_here,
    dialects_can_do_it,
    oob_switches_isolate_alike,
    adaptive_routing_is_possible,
    services_name_credentials,
    raw_sections_exist,
    ip_mtu_fits_the_switches,
    priorities_are_free,
)
