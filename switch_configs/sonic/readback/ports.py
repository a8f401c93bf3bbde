"""Ports, bonds, VLANs and addresses (sonic-port.yang, sonic-interface.yang, sonic-vlan.yang)."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

from switch_configs.readback.facts import LOOPBACK, BondFacts, PortFacts, QosFacts

from .database import Database, DatabaseRow

_PORT = re.compile(r"Ethernet(\d+)")
_BOND = re.compile(r"PortChannel(\d{1,4})")
_MODE = re.compile(r"(\d)x(\d+)G(\[(\d+G,)*\d+G\])?")


# sonic-port.yang, and for bonds teammgrd (cfgmgr/teammgr.cpp): what one has that says none.
_DEFAULT_MTU_BYTES = 9100
_ON = ("on", "off")
_FECS = ("auto", "fc", "none", "rs")


@dataclass
class Port:
    """A port as its row says it; `speed` in Mbit/s."""

    name: str
    speed: int | None
    mtu: int | None
    fec: str | None
    autoneg: bool | None
    description: str
    index: int | None
    lanes: tuple[int, ...]
    addresses: list[str] = field(default_factory=list)
    link_local: bool = False
    vlans: list[int] = field(default_factory=list)
    bond: int | None = None
    vrf: str = ""
    alias: str = ""


def read(db: Database, is_known: bool) -> dict[str, Port]:
    """Every port, with its addresses; bonds and VLANs are put in by others.

    `is_known` says that the box is one whose cages are all alike.
    """
    ports = {key: _port(db, row) for key, row in db.rows("PORT").items()}
    _aliases(db, ports)
    _lanes(db, ports)
    _indexes(db, ports, is_known)
    _breakout(db, ports)
    headed: set[str] = set()
    for key, row in db.rows("INTERFACE").items():
        name, _, address = key.partition("|")
        port = ports.get(name)
        if port is None:
            db.hazard(f"{name} has an interface and is no port")
        elif address:
            port.addresses.append(db.address(row, address))
        else:
            port.link_local = row.text("ipv6_use_link_local_only") == "enable"
            port.vrf = row.text("vrf_name") or ""
            headed.add(name)
    for port in ports.values():
        if port.addresses and port.name not in headed:
            db.hazard(f"port {port.name} has an address and no interface")
    return ports


def _port(db: Database, row: DatabaseRow) -> Port:
    if row.text("admin_status") != "up":
        db.hazard(f"port {row.key} is down: no admin_status up")
    alias = row.text("alias") or row.key
    if alias != row.key:
        db.hazard(f"port {row.key} has another name in LLDP, its alias", "name-in-lldp")
    autoneg = {"on": True, "off": False}.get(db.word(row, "autoneg", _ON) or "")
    speed, offered = row.number("speed"), row.text("adv_speeds")
    if autoneg and offered != str(speed):
        db.hazard(f"port {row.key} negotiates, and may come up at another rate than its speed")
    for name in ("link_training", "pfc_asym"):
        db.word(row, name, _ON)
    return Port(
        name=row.key,
        speed=speed,
        mtu=row.number("mtu") if "mtu" in row.fields else _DEFAULT_MTU_BYTES,
        fec=db.word(row, "fec", _FECS),
        autoneg=autoneg,
        description=row.text("description") or "",
        index=row.number("index"),
        lanes=tuple(int(one) for one in (row.text("lanes") or "").split(",") if one.isdecimal()),
        alias=alias,
    )


def _aliases(db: Database, ports: dict[str, Port]) -> None:
    """LLDP names a port by its alias (dockers/docker-lldp, lldpmgrd): two of one are one cable."""
    taken: dict[str, str] = {}
    for port in ports.values():
        if taken.setdefault(port.alias, port.name) != port.name:
            db.hazard(f"ports {taken[port.alias]} and {port.name} have one name in LLDP")


def _lanes(db: Database, ports: dict[str, Port]) -> None:
    """Lanes of a port follow one another, are nobody else's, and parts are counted in a cage."""
    taken: dict[int, str] = {}
    for port in ports.values():
        first = port.lanes[0] if port.lanes else 0
        if not port.lanes or port.lanes != tuple(range(first, first + len(port.lanes))):
            db.hazard(f"port {port.name} has no lanes side by side")
        if len(port.lanes) not in (1, 2, 4, 8):
            db.hazard(f"port {port.name} has {len(port.lanes)} lanes")
        for lane in port.lanes:
            if taken.setdefault(lane, port.name) != port.name:
                db.hazard(f"ports {taken[lane]} and {port.name} share lane {lane}")
    for row in [one for one in db.handed if one.table == "PORT"]:
        subport, own = row.number("subport"), ports[row.key]
        beside = [one for one in ports.values() if one.index == own.index]
        part = 1 + sum(one.lanes < own.lanes for one in beside)
        if subport not in (None, 0) and len(own.lanes) and subport != _part(own, part):
            db.hazard(f"port {row.key} is not part {subport} of its cage")


def _part(port: Port, counted: int) -> int:
    """By its number where that tells (Ethernet4 of four lanes is part 2), else as counted."""
    match = _PORT.fullmatch(port.name)
    if match is None or len(port.lanes) == 8:
        return counted
    return int(match[1]) % 8 // len(port.lanes) + 1


def _indexes(db: Database, ports: dict[str, Port], is_known: bool) -> None:
    """Indexes follow from names; where cages are of several kinds they at least grow with them."""
    numbers = _numbers(ports)
    if len(numbers) != len(ports):
        db.hazard("a port has no index, so nobody knows its module")
    indexes = [index for _, index in sorted(numbers)]
    follow = _names_of_a_cage(ports) if is_known else indexes == sorted(indexes)
    if numbers and not follow:
        db.hazard("indexes of ports do not follow their names")


def _numbers(ports: dict[str, Port]) -> list[tuple[int, int]]:
    return [
        (int(match[1]), port.index)
        for port in ports.values()
        if (match := _PORT.fullmatch(port.name)) and port.index is not None
    ]


def _names_of_a_cage(ports: dict[str, Port]) -> int | None:
    """A cage has eight, four or two names, or one: then indexes follow from names."""
    numbers = _numbers(ports)
    return next(
        (
            width
            for width in (1, 2, 4, 8)
            if numbers and all(number // width + 1 == index for number, index in numbers)
        ),
        None,
    )


def _breakout(db: Database, ports: dict[str, Port]) -> None:
    width = _names_of_a_cage(ports)
    for key, row in db.rows("BREAKOUT_CFG").items():
        match = _MODE.fullmatch(row.fields.get("brkout_mode", ""))
        if match is None:
            continue
        row.text("brkout_mode")
        ways, own_rates = int(match[1]), (match[3] or "[]")[1:-1].split(",")
        speeds = {1000 * int(match[2]), *(1000 * int(one[:-1]) for one in own_rates if one)}
        own = _in_cage(key, ports, width)
        if not own or len(own) > ways or any(port.speed not in speeds for port in own):
            db.hazard(f"the cage of {key} is not split as its ports are")
        # Where cages are of several kinds, nobody says how many lanes one of them has.
        lanes = {4, 8, width} if width else {1, 2, 4, 8}
        if any(len(port.lanes) * ways not in lanes for port in own):
            db.hazard(f"the ports in the cage of {key} have lanes for another split")


def _in_cage(key: str, ports: dict[str, Port], width: int | None) -> list[Port]:
    """By their names; by their indexes where names are not enough."""
    first = _PORT.fullmatch(key)
    if width is None:
        cage = ports.get(key)
        return [port for port in ports.values() if cage and port.index == cage.index]
    return [
        port
        for port in ports.values()
        if first
        and (number := _PORT.fullmatch(port.name))
        and int(number[1]) // width == int(first[1]) // width
    ]


def bonds(db: Database, ports: dict[str, Port]) -> tuple[BondFacts, ...]:
    """Bonds by LACP, as far as this switch is in them."""
    rows, members = db.rows("PORTCHANNEL"), defaultdict(list)
    for key in db.rows("PORTCHANNEL_MEMBER"):
        bond, _, name = key.partition("|")
        match = _BOND.fullmatch(bond)
        if match is None or name not in ports or bond not in rows:
            db.hazard(f"port {name} is in the bond {bond}, and one of them is not there")
            continue
        ports[name].bond = int(match[1])
        members[bond].append(name)
        mtu = rows[bond].fields.get("mtu", str(_DEFAULT_MTU_BYTES))
        if mtu != str(ports[name].mtu):
            db.hazard(f"{bond} and its port {name} have other MTUs")
    keyed = any("lacp_key" in row.fields for row in rows.values())
    for name, row in rows.items():
        row.number("mtu")
        if keyed and "lacp_key" not in row.fields:
            db.hazard(f"bond {name} has no lacp_key, as others here have")
        if not members[name]:
            db.hazard(f"bond {name} has no member")
        # As in a VLAN's row: SONiC reads the table of members alone.
        if strange := sorted(set(row.texts("members")) - set(members[name])):
            db.hazard(f"{name} names members that its table has not: {', '.join(strange)}")
        if row.text("admin_status") != "up":
            db.hazard(f"bond {name} is not up")
        if row.text("lacp_key") not in (None, "auto") or row.text("min_links") not in (None, "1"):
            db.hazard(f"bond {name} has a key or a least number of links that we do not know")
    return tuple(
        sorted(
            (
                BondFacts(int(name.removeprefix("PortChannel")), tuple(sorted(names)), False)
                for name, names in members.items()
                if names
            ),
            key=lambda one: one.number,
        )
    )


def loopback(db: Database) -> PortFacts:
    """Loopback0; others are not understood."""
    addresses = []
    rows = db.rows("LOOPBACK_INTERFACE")
    if rows and "Loopback0" not in rows:
        db.hazard("Loopback0 has an address and no interface")
    for key, row in rows.items():
        name, _, address = key.partition("|")
        if name != "Loopback0":
            db.stray(row)
        elif address:
            addresses.append(db.address(row, address))
    return PortFacts(LOOPBACK, None, tuple(sorted(addresses)), "")


def facts(port: Port, qos: QosFacts | None) -> PortFacts:
    """A port in neutral words."""
    return PortFacts(
        name=port.name,
        ip_mtu_bytes=port.mtu,
        addresses=tuple(sorted(port.addresses)),
        description=port.description,
        rate_gbps=port.speed / 1000 if port.speed else None,
        fec=port.fec,
        vrf=port.vrf,
        autoneg=port.autoneg,
        vlans=tuple(port.vlans),
        bond=port.bond,
        qos=qos,
    )
