"""VLANs, their addresses, and the rules on what comes in (sonic-vlan.yang, sonic-acl.yang)."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from ipaddress import AddressValueError, IPv4Interface, NetmaskValueError

from switch_configs.readback.facts import AclFacts, VlanFacts

from .database import Database, DatabaseRow
from .ports import Port

_VLAN = re.compile(r"Vlan(\d+)")
_PROTOCOLS = {6: "tcp", 17: "udp", 1: "icmp"}
_ACTIONS = {"FORWARD": "permit", "DROP": "deny"}


@dataclass
class _Seats:
    """The addresses of a switch in a VLAN, as address/bits."""

    own: list[str] = field(default_factory=list)
    second: list[str] = field(default_factory=list)
    vrf: str = ""


def read(db: Database, ports: dict[str, Port], between: str | None) -> tuple[VlanFacts, ...]:
    """Every VLAN; puts what a port carries into it. `between` joins the leaves of a pair."""
    members = _members(db, ports, between)
    seats = _addresses(db)
    rules = _lists(db, ports, seats)
    found = []
    for name, row in db.rows("VLAN").items():
        match = _VLAN.fullmatch(name)
        if match is None or row.number("vlanid") != int(match[1]):
            db.hazard(f"{name} is no VLAN of its number")
            continue
        if row.text("admin_status") != "up":
            db.hazard(f"{name} is not up")
        # Before VLAN_MEMBER was, a row named its members; SONiC now reads the table alone.
        if strange := sorted(set(row.texts("members")) - members.get(name, set())):
            db.hazard(f"{name} names members that its table has not: {', '.join(strange)}")
        own = seats.get(name, _Seats())
        found.append(
            VlanFacts(
                id=int(match[1]),
                name=row.text("description") or "",
                vrf=own.vrf,
                gateway=own.second[0].partition("/")[0] if own.second else None,
                address=own.own[0] if own.own else None,
                ip_mtu_bytes=row.number("mtu"),
                acl=tuple(rules.get(int(match[1]), ())),
            )
        )
    for name in set(seats) - {f"Vlan{vlan.id}" for vlan in found}:
        db.hazard(f"{name} has an address and is no VLAN")
    return tuple(sorted(found, key=lambda one: one.id))


def _members(db: Database, ports: dict[str, Port], between: str | None) -> dict[str, set[str]]:
    """By VLAN the names in VLAN_MEMBER."""
    found: dict[str, set[str]] = defaultdict(set)
    tagged: dict[str, list[int]] = defaultdict(list)
    plain: dict[str, list[int]] = defaultdict(list)
    for key, row in db.rows("VLAN_MEMBER").items():
        vlan, _, name = key.partition("|")
        match, mode = _VLAN.fullmatch(vlan), row.text("tagging_mode")
        if match is None or mode not in ("tagged", "untagged"):
            db.hazard(f"{key} says not how it is tagged")
            continue
        found[vlan].add(name)
        (tagged if mode == "tagged" else plain)[name].append(int(match[1]))
    bonded: dict[str, list[Port]] = defaultdict(list)
    for port in ports.values():
        name = port.name if port.bond is None else f"PortChannel{port.bond}"
        bonded[name].append(port)
    for name in sorted({*tagged, *plain}):
        if len(plain[name]) > 1:
            db.hazard(f"{name} has more than one VLAN without a tag")
        if not plain[name] and name != between:
            db.hazard(f"{name} has no VLAN without a tag")
        if name not in bonded:
            db.hazard(f"{name} is in a VLAN and is no port or bond")
        for port in bonded.get(name, ()):
            port.vlans = [*sorted(plain[name]), *sorted(tagged[name])]
    return found


def _addresses(db: Database) -> dict[str, _Seats]:
    found: dict[str, _Seats] = {}
    rows = db.rows("VLAN_INTERFACE")
    for name in sorted({one.partition("|")[0] for one in rows} - set(rows)):
        db.hazard(f"{name} has an address and no interface")
    for key, row in rows.items():
        name, _, address = key.partition("|")
        seats = found.setdefault(name, _Seats())
        if ":" in address:
            db.stray(row)  # IPv6 in a VLAN is nobody's gateway in our words
        elif address:
            second = row.text("secondary")
            db.address(row, address)
            (seats.second if second == "true" else seats.own).append(address)
        else:
            seats.vrf = row.text("vrf_name") or ""
    for name, seats in found.items():
        if len(seats.own) > 1 or len(seats.second) > 1:
            db.hazard(f"{name} has more than an address and a gateway")
        if len({_network(one) for one in (*seats.own, *seats.second)}) > 1:
            db.hazard(f"{name} has its gateway in another network than its address")
        if seats.own and not seats.second:
            # A lone address is the gateway and the switch's own.
            seats.second = list(seats.own)
    return found


@dataclass(frozen=True)
class _Rule:
    vlan: int
    priority: int
    facts: AclFacts


def _lists(
    db: Database, ports: dict[str, Port], seats: dict[str, _Seats]
) -> dict[int, list[AclFacts]]:
    """By VLAN, what is asked of packets that come in, in its order."""
    bound: set[str] = set()
    tables = db.rows("ACL_TABLE")
    for table in tables.values():
        kind, stage = table.text("type"), table.text("stage") or "ingress"
        if kind == "CTRLPLANE":
            db.beside(table, "access lists", "access list of what the switch itself receives")
            continue
        if kind != "L3" or stage.lower() != "ingress":
            db.hazard(f"access list {table.key} is not one on IPv4 packets that come in")
        bound.update(table.texts("ports"))
        table.text("policy_desc")
    rules: dict[int, list[_Rule]] = defaultdict(list)
    for row in db.rows("ACL_RULE").values():
        of = row.key.partition("|")[0]
        if of not in tables:
            db.hazard(f"there are rules of access list {of}, which is not there")
        rule = _rule(row)
        if rule is None:
            db.stray(row)
        else:
            rules[rule.vlan].append(rule)
    return {
        vlan: _ordered(db, vlan, found, seats.get(f"Vlan{vlan}", _Seats()))
        for vlan, found in rules.items()
        if _is_bound(db, vlan, ports, bound)
    }


def _is_bound(db: Database, vlan: int, ports: dict[str, Port], bound: set[str]) -> bool:
    carrying = {
        port.name if port.bond is None else f"PortChannel{port.bond}"
        for port in ports.values()
        if vlan in port.vlans
    }
    if not carrying <= bound:
        db.hazard(f"ports of VLAN {vlan} without its access list: {sorted(carrying - bound)}")
    if bound - {*ports, *(f"PortChannel{port.bond}" for port in ports.values())}:
        db.hazard("an access list is on a port that is not there")
    return True


def _rule(row: DatabaseRow) -> _Rule | None:
    vlan, priority = row.number("VLAN_ID"), row.number("PRIORITY")
    action = _ACTIONS.get(row.text("PACKET_ACTION") or "")
    ether, number = row.text("ETHER_TYPE"), row.number("IP_PROTOCOL")
    known = number is None or number in _PROTOCOLS
    if vlan is None or priority is None or action is None or ether != "0x0800" or not known:
        return None
    return _Rule(
        vlan,
        priority,
        AclFacts(
            action,
            "ip" if number is None else _PROTOCOLS[number],
            row.text("SRC_IP") or "any",
            row.text("DST_IP") or "any",
            row.number("L4_DST_PORT"),
        ),
    )


def _ordered(db: Database, vlan: int, rules: list[_Rule], seats: _Seats) -> list[AclFacts]:
    """By priority, without the two that a list on ports must have beside."""
    if len({rule.priority for rule in rules}) != len(rules):
        db.hazard(f"rules of VLAN {vlan} have one priority, so no order")
    said = [rule.facts for rule in sorted(rules, key=lambda one: -one.priority)]
    subnet = _subnet(seats)
    if said and subnet is not None and said[0] == AclFacts("permit", "ip", "any", subnet, None):
        said = said[1:]
    else:
        db.hazard(f"the access list of VLAN {vlan} also drops what stays in the VLAN")
    if said and said[-1] == AclFacts("deny", "ip", "any", "any", None):
        return said[:-1]
    db.hazard(f"the access list of VLAN {vlan} lets pass what no rule permits")
    return said


def _subnet(seats: _Seats) -> str | None:
    return _network(seats.own[0]) if seats.own else None


def _network(address: str) -> str | None:
    try:
        return str(IPv4Interface(address).network)
    except (AddressValueError, NetmaskValueError, ValueError):
        return None
