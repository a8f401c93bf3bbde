"""Leaves that share bonds: by MC-LAG, or as an Ethernet segment (EVPN Multihoming).

Source: sonic-mclag.yang (MCLAG_DOMAIN, MCLAG_INTERFACE); SONiC's EVPN VXLAN Multihoming design
(EVPN_ETHERNET_SEGMENT).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from switch_configs.readback.facts import BondFacts, PairFacts

from .database import Database, is_number
from .ports import Port

_BOND = "PortChannel"


@dataclass(frozen=True, slots=True)
class Shared:
    """Bonds without that between the leaves; `between` is its name, None where there is none."""

    bonds: tuple[BondFacts, ...]
    pair: PairFacts | None
    between: str | None


def read(db: Database, bonds: tuple[BondFacts, ...], ports: dict[str, Port]) -> Shared:
    """The pair and the bonds that are shared with its other leaf."""
    of = {f"{_BOND}{bond.number}": bond for bond in bonds}
    domains = db.rows("MCLAG_DOMAIN")
    shared = _by_mclag(db, set(domains)) | _by_segment(db)
    for name in sorted(shared - set(of)):
        db.hazard(f"{name} is shared with another leaf and is no bond")
    pair, between = None, None
    for key, row in domains.items():
        if len(domains) > 1 or not is_number(key):
            db.hazard(f"there is no single MC-LAG domain: {key}")
        between = row.text("peer_link")
        link = of.get(between or "")
        own = link.ports if link else (between,) if between in ports else ()
        if not own:
            db.hazard(f"the leaves of MC-LAG domain {key} have no link between them: {between}")
        pair = PairFacts(int(key) if is_number(key) else None, own, None)
    rest = (replace(one, shared=name in shared) for name, one in of.items() if name != between)
    return Shared(tuple(sorted(rest, key=lambda one: one.number)), pair, between)


def carry_all(shared: Shared, ports: dict[str, Port]) -> None:
    """Ports between the leaves carry every VLAN, and are in no bond of a node."""
    for name in shared.pair.ports if shared.pair else ():
        ports[name].vlans, ports[name].bond = [], None


def _by_mclag(db: Database, domains: set[str]) -> set[str]:
    found = set()
    for key, row in db.rows("MCLAG_INTERFACE").items():
        domain, _, name = key.partition("|")
        kind = row.text("if_type")
        if domain not in domains or kind not in (None, _BOND):
            db.hazard(f"{name} is of MC-LAG domain {domain} as {kind}, which cannot be")
        found.add(name)
    return found


def _by_segment(db: Database) -> set[str]:
    """The bonds of the segments; by `ifname`, else by the key of the row."""
    found = set()
    for key, row in db.rows("EVPN_ETHERNET_SEGMENT").items():
        found.add(row.text("ifname") or key)
    return found
