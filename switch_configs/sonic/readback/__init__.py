"""config_db.json and frr.conf -> SwitchFacts. Shares nothing with tables/ but names in FRR.

Never raises: what it does not understand is in `unread`, what will not work in `hazards`.
"""

from __future__ import annotations

from switch_configs import frr
from switch_configs.intent import Rendered
from switch_configs.readback.facts import PortFacts, SwitchFacts, hazards_of
from switch_configs.shown.unread import unread

from ..files import CONFIG_DB, FRR
from ..frr_words import READING
from ..json_text import last_said
from . import buffers, control_plane, device, pairs, ports, qos, vlans
from .database import Database
from .reserved import reserved

__all__ = ["readback", "reserved"]


def readback(rendered: Rendered) -> SwitchFacts:
    """What both files say."""
    texts = {file.path: file.text for file in rendered.files}
    said = frr.read(texts.get(FRR, ""), READING)
    db = _database(texts.get(CONFIG_DB, ""))
    box = device.read(db, said.release)
    found = _Ports(db, box)
    services = device.services(db, box.release)
    device.valid_servers(db, services)
    _agree(db, box, said, found.ports)
    return SwitchFacts(
        hostname=box.hostname,
        release=box.release,
        asn=said.asn,
        router_id=said.router_id,
        ports=found.facts,
        sessions=said.sessions,
        policies=said.policies,
        originates=said.originates,
        discards=said.discards,
        ecmp_width=said.ecmp_width,
        ebgp_requires_policy=said.ebgp_requires_policy,
        isolated_ports=(),
        lldp_hold_s=None,
        hazards=hazards_of((*said.hazards, *db.hazards)),
        unread=(
            *(unread(name) for name in sorted(set(texts) - {CONFIG_DB, FRR})),
            *map(unread, said.unread),
            *sorted(db.leftovers()),
        ),
        drained=said.drained,
        tables=said.tables,
        vlans=found.vlans,
        bonds=found.bonds,
        pair=found.pair,
        buffers=found.buffers.facts,
        services=services,
    )


class _Ports:
    """Everything about ports, in the order in which one part needs the other."""

    def __init__(self, db: Database, box: device.Device) -> None:
        self.ports = ports.read(db, box.box is not None)
        shared = pairs.read(db, ports.bonds(db, self.ports), self.ports)
        self.bonds, self.pair = shared.bonds, shared.pair
        self.vlans = vlans.read(db, self.ports, shared.between)
        control_plane.read(db)
        mtus = {port.name: port.mtu or 0 for port in self.ports.values()}
        self.buffers = buffers.read(db, mtus, box.is_dynamic, box.box)
        found = qos.read(db, self.ports, self.buffers)
        pairs.carry_all(shared, self.ports)
        data = (ports.facts(port, found[port.name]) for port in self.ports.values())
        own: list[PortFacts] = [ports.loopback(db), *data]
        self.facts = tuple(sorted(own, key=lambda one: one.name))


def _database(text: str) -> Database:
    found, twice = last_said(text)
    db = Database(found or {})
    for name in twice:
        db.hazard(f"config_db.json: the name {name} is there twice, and the last counts")
    if found is None:
        db.unread.append("the file is no JSON object")
    return db


def _agree(
    db: Database, box: device.Device, said: frr.FrrFacts, own: dict[str, ports.Port]
) -> None:
    """Where the two files must say one thing."""
    if said.hostname != box.hostname:
        are_two = None not in (said.hostname, box.hostname)
        db.hazard(
            f"frr.conf is of {said.hostname}, and config_db.json of {box.hostname}",
            "two-switches" if are_two else "routing-beside",
        )
    if said.asn != box.asn:
        words = f"frr.conf has ASN {said.asn}, and config_db.json {box.asn}"
        db.hazard(words, "routing-beside")
    if not box.has_bfd and any(session.bfd for session in said.sessions):
        db.hazard("BFD is not watched: bfdd starts with frr_mgmt_framework_config only")
    directions = {
        word
        for policy in said.policies
        for word in ("up", "down")
        if policy.name.endswith((f"{word}-in", f"{word}-out"))
    }
    if box.type not in device.types(directions):
        words = f"the hash has the seed of another tier: device type {box.type}"
        db.hazard(words, "routing-beside")
    for one in said.sessions:
        port = own.get(one.key)
        if port is not None and not port.link_local:
            db.hazard(f"port {one.key} has no next hops: no ipv6_use_link_local_only")
        if port is None and not one.key.replace(".", "").replace(":", "").isalnum():
            db.hazard(f"session {one.key} is over no port")
    routed = {session.key for session in said.sessions}
    for port in own.values():
        if port.link_local and port.name not in routed:
            db.hazard(f"port {port.name} has link-local addresses and no session")
