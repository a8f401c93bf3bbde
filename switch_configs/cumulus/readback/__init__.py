"""NVUE's tree and the rules beside it -> SwitchFacts. Shares nothing with `sections`.

Reads foreign configurations too: what it does not understand it lists, leaf by leaf.
"""

from __future__ import annotations

from switch_configs.errors import DialectError
from switch_configs.intent import Rendered
from switch_configs.readback.facts import PortFacts, SwitchFacts, hazards_of

from ..parse import configuration, configuration_of
from ..wording import mixed
from . import interfaces, isolation, policies, qos, routing, services, switching
from .forms import FORMS
from .reading import CumulusReading, Iface
from .take import Node, Read, is_whole, left, read

_STARTUP = "/etc/nvue.d/startup.yaml"
_ISOLATION = "/etc/cumulus/acl/policy.d/60_railbed_isolation.rules"
_HEADER = {"model", "nvue-api-version", "rev-id", "version"}
_FEC = {"rs": "rs", "baser": "fc", "off": "none"}


def readback(rendered: Rendered) -> SwitchFacts:
    """What the files say together; a file that is not there says nothing. Never raises."""
    texts = {file.path: file.text for file in rendered.files}
    startup, rules = texts.pop(_STARTUP, ""), texts.pop(_ISOLATION, "")
    unread = [f"{path}: no reader" for path in sorted(texts)]
    held = read(startup) if startup else Read({}, {}, [])
    if held is None:
        unread += startup.splitlines()
        held = Read({}, {}, [])
    header, tree = held.header, held.tree
    found = CumulusReading(hazards=[f"the key {one} is there twice" for one in held.twice])
    found.hazards += _of_other_releases(startup, held)
    unread += [f"header {key}" for key in header if key not in _HEADER]
    try:
        return _facts(header, tree, rules, found, unread)
    except (ValueError, RecursionError):  # a number or a depth that no switch would take
        return _facts({}, {}, "", CumulusReading(), [*unread, *startup.splitlines()])


def _of_other_releases(startup: str, held: Read) -> list[str]:
    """What is said in words that the release has not, or in those of two: it holds only one."""
    release = str(held.header.get("version", "")).removeprefix("Cumulus Linux ")
    try:
        said = configuration(startup) if held.plain is None else configuration_of(held.plain)
        places = mixed(said[1], release)
    except (DialectError, RecursionError):
        return []  # no tree, and unread as a whole
    return [f"{place}: no word of release {release or 'of the others'}" for place in places]


def _facts(
    header: Node, tree: Node, rules: str, found: CumulusReading, unread: list[str]
) -> SwitchFacts:
    interfaces.read(tree, found)
    vlans, pair = switching.read(tree, found)
    qos.read(tree, found)
    routing.read(tree, found)
    policies.read(tree, found)
    system, served = services.read(tree, found)
    isolated = _isolated(rules, found, unread)
    ports = _ports(found)
    found.hazards += found.left_open()
    unread += left(tree)
    return SwitchFacts(
        hostname=system.hostname,
        release=str(header.get("version", "")).removeprefix("Cumulus Linux ") or None,
        asn=found.asn,
        router_id=found.router_id,
        ports=tuple(sorted(ports, key=lambda one: one.name)),
        sessions=tuple(sorted(found.sessions, key=lambda one: (one.vrf, one.key))),
        policies=tuple(sorted(found.policies, key=lambda one: one.name)),
        originates=tuple(sorted(found.originates)),
        discards=tuple(sorted(found.discards)),
        ecmp_width=found.ecmp_width,
        ebgp_requires_policy=False,
        isolated_ports=isolated,
        lldp_hold_s=None,
        hazards=hazards_of(sorted(found.hazards)),
        unread=tuple(map(FORMS.read, unread)),
        drained=found.drained,
        tables=tuple(sorted(found.tables, key=lambda one: one.vrf)),
        hash_seed=system.hash_seed,
        vlans=vlans,
        bonds=switching.bonds(found),
        pair=pair,
        services=served,
    )


def _isolated(rules: str, found: CumulusReading, unread: list[str]) -> tuple[str, ...]:
    """eth0 of a switch with data is apart by its table; access ports by the rules."""
    isolated, trunks, odd = isolation.read(rules)
    unread += [f"{_ISOLATION}: {one}" for one in odd]
    for name in (*isolated, *trunks):
        if name not in found.interfaces:
            found.hazards.append(f"the rules of isolation name {name}, which is no interface")
    bridged = {iface.name for iface in found.interfaces.values() if iface.domain}
    if isolated and bridged - set(isolated) - set(trunks):
        found.hazards.append("the rules of isolation leave bridged ports out")
    tagged = [
        iface.name for iface in found.interfaces.values() if iface.domain and not _is_access(iface)
    ]
    if found.asn is None and not isolated and len(tagged) > 1:
        found.hazards.append("trunks towards racks see each other: no rules isolate them")
    isolated = tuple(one for one in isolated if one not in tagged)
    own = [
        iface.name
        for iface in found.interfaces.values()
        if iface.kind == "eth" and iface.vrf == "mgmt" and found.asn is not None
    ]
    return tuple(sorted([*(one for one in isolated if one not in trunks), *own]))


def _is_access(one: Iface) -> bool:
    return one.access is not None or one.untagged != "none"


def _ports(found: CumulusReading) -> list[PortFacts]:
    bond_of = {name: iface for iface in found.interfaces.values() for name in iface.members}
    out = []
    for one in found.interfaces.values():
        if one.kind == "loopback":
            out.append(PortFacts(one.name, None, tuple(sorted(one.addresses)), one.description))
        elif one.kind == "swp" and one.breakout in (None, 1):
            out.append(_physical(one, bond_of.get(one.name), found))
        elif one.kind == "sub" and one.base != "peerlink":
            out.append(_sub(one, found))
    return out


def _physical(one: Iface, bond: Iface | None, found: CumulusReading) -> PortFacts:
    logical = bond or one
    between = bond is not None and bond.kind == "peerlink"
    vlans, trunk = ((), False) if between else _vlans(logical, found)
    digits = bond.name.removeprefix("bond") if bond else ""
    return PortFacts(
        name=one.name,
        ip_mtu_bytes=logical.mtu if one.mtu is None else one.mtu,
        addresses=tuple(sorted(one.addresses)),
        description=one.description,
        rate_gbps=qos.rate(one.speed),
        fec=_FEC.get(one.fec or ""),
        autoneg=one.autoneg,
        vrf=one.vrf,
        vlans=vlans,
        trunk=trunk,
        bond=int(digits) if is_whole(digits) else None,
        adaptive_routing=one.adaptive,
        qos=found.qos.get(one.name),
    )


def _vlans(one: Iface, found: CumulusReading) -> tuple[tuple[int, ...], bool]:
    """Those a port carries, the untagged one first; without own words, all of the bridge."""
    if one.domain is None:
        return (), False
    if one.access is not None:
        vlans: tuple[int, ...] = (one.access,)
    elif one.untagged == "none":
        vlans = tuple(sorted(one.tagged or found.bridge_vlans))
    else:
        first = int(one.untagged) if one.untagged and is_whole(one.untagged) else 1
        rest = sorted(set(one.tagged or found.bridge_vlans) - {first})
        vlans = (first, *rest)
    for vlan in vlans:
        if vlan not in found.bridge_vlans and vlan != 1:
            found.hazards.append(f"{one.name} carries VLAN {vlan}, which the bridge has not")
    return vlans, one.untagged == "none" and one.access is None


def _sub(one: Iface, found: CumulusReading) -> PortFacts:
    below = found.interfaces.get(one.base or "")
    name = f"{one.base}.{one.vlan}"
    if name != one.name or below is None:
        found.hazards.append(f"{one.name} is VLAN {one.vlan} of {one.base}")
    mtu = one.mtu if one.mtu is not None else below.mtu if below else None
    return PortFacts(one.name, mtu, tuple(sorted(one.addresses)), one.description, vrf=one.vrf)
