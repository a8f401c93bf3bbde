"""What was seen on the wire, held against the plan: who sits where, who is missing or new."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from inventory.topology.asbuilt import CHASSIS
from inventory.topology.asbuilt_rows import BuiltRow, natural

from ..plan import Plan, PortRef
from .merge import Claim, Place
from .sightings import Sighting
from .site import DevicePorts

NOTHING_SEEN, AS_PLANNED, DIFFERS = 3, 0, 1


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A device of the plan at another's seat, or at a port with no planned cable."""

    who: PortRef
    at: PortRef
    seat_of: PortRef | None


@dataclass(frozen=True, slots=True)
class Stranger:
    """What nobody planned: its MAC, or the name it goes by; `at` is where, as far as known."""

    who: str
    at: str
    serial: str
    seat_of: PortRef | None


@dataclass(frozen=True, slots=True)
class Learned:
    """The report. `proposed` are new rows; `unproven` lack only a serial number."""

    seen: int
    as_planned: tuple[PortRef, ...]
    swapped: tuple[tuple[Misplaced, Misplaced], ...]
    misplaced: tuple[Misplaced, ...]
    strangers: tuple[Stranger, ...]
    missing: tuple[PortRef, ...]
    proposed: tuple[Claim, ...]
    unproven: tuple[Claim, ...]

    @property
    def exit_code(self) -> int:
        """0 all as planned, 1 something differs, 3 nothing was seen."""
        if not self.seen:
            return NOTHING_SEEN
        differs = (
            self.swapped
            or self.misplaced
            or self.strangers
            or self.missing
            or self.proposed
            or self.unproven
        )
        return DIFFERS if differs else AS_PLANNED


@dataclass(slots=True)
class _Notes:
    """What is put together while sightings are looked at."""

    fine: set[PortRef] = field(default_factory=set)
    about: set[PortRef] = field(default_factory=set)
    misplaced: dict[tuple[PortRef, PortRef], Misplaced] = field(default_factory=dict)
    strangers: dict[tuple[str, str], Stranger] = field(default_factory=dict)
    new: dict[PortRef, dict[str, Sighting]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Known:
    """What the plan and `asbuilt.csv` know beforehand.

    `far` is the planned end of the cable in a port, `machines` the serial number of a device;
    `serials`, by MAC, come from a maker's manifest.
    """

    far: Mapping[PortRef, PortRef]
    rows: Mapping[Place, BuiltRow]
    by_mac: Mapping[str, PortRef]
    devices: frozenset[str]
    machines: Mapping[str, str]
    serials: Mapping[str, str]


def known(
    plan: Plan,
    ports: Mapping[str, DevicePorts],
    rows: Mapping[Place, BuiltRow],
    serials: Mapping[str, str],
) -> Known:
    """Gather what is known before anything was seen."""
    far: dict[PortRef, PortRef] = {}
    for cable in plan.cables:
        far[cable.a], far[cable.b] = cable.b, cable.a
    by_mac = {row.mac: PortRef(*row.place) for row in rows.values() if row.mac}
    machines = {row.device: row.serial for row in rows.values() if row.port == CHASSIS}
    for name, mine in ports.items():
        if (name, mine.management) in rows:
            machines.setdefault(name, rows[name, mine.management].serial)
    return Known(far, rows, by_mac, frozenset(ports), machines, serials)


def oob_seats(plan: Plan, ports: Mapping[str, DevicePorts]) -> frozenset[PortRef]:
    """Return the ports that ask for a lease: management ports and BMCs with an OOB cable."""
    ends = {end for cable in plan.cables if cable.plane == "oob" for end in (cable.a, cable.b)}
    return frozenset(
        end
        for end in ends
        if end.device != plan.oob.name
        if (mine := ports.get(end.device)) and end.port in (mine.management, mine.bmc)
    )


def neighbour_seats(plan: Plan, switches: frozenset[str]) -> frozenset[PortRef]:
    """Return the ports that these switches should hear by LLDP.

    Those behind the OOB plane are not asked for: few BMCs and PDUs speak it.
    """
    cables = [cable for cable in plan.cables if cable.plane != "oob"]
    ends = [(cable.a, cable.b) for cable in cables] + [(cable.b, cable.a) for cable in cables]
    return frozenset(there for here, there in ends if here.device in switches)


def learn(
    sightings: Iterable[Sighting],
    facts: Known,
    watched: frozenset[PortRef],
) -> Learned:
    """Hold sightings against the plan; `watched` are the planned ports that could be seen."""
    listed = _latest(sightings)
    notes = _Notes()
    for sighting in listed:
        _look(sighting, facts, notes)
    proposed, unproven = _proposals(facts, notes)
    swapped, misplaced = _swaps(notes.misplaced)
    silent = watched - notes.fine - notes.about - set(notes.new)
    return Learned(
        seen=len(listed),
        as_planned=tuple(sorted(notes.fine, key=_by_name)),
        swapped=swapped,
        misplaced=misplaced,
        strangers=tuple(notes.strangers[key] for key in sorted(notes.strangers)),
        missing=tuple(sorted(silent, key=_by_name)),
        proposed=proposed,
        unproven=unproven,
    )


def _by_name(ref: PortRef) -> tuple[tuple[tuple[int, int | str], ...], ...]:
    return natural(ref.device), natural(ref.port)


def _latest(sightings: Iterable[Sighting]) -> list[Sighting]:
    """Where a MAC was last: of all its leases, the last one that says where counts."""
    leases: dict[str, Sighting] = {}
    others: list[Sighting] = []
    for sighting in sightings:
        if sighting.mac is None or sighting.system or sighting.near:
            others.append(sighting)
        elif sighting.mac not in leases or sighting.at or not leases[sighting.mac].at:
            leases[sighting.mac] = sighting
    return [*leases.values(), *others]


def _who(one: Sighting, facts: Known) -> PortRef | None:
    """The planned port that spoke, as far as it can be told; its port is "" if unknown."""
    if one.mac in facts.by_mac:
        return facts.by_mac[one.mac or ""]
    if one.mac is not None and one.system not in facts.devices:
        return None
    if one.system in facts.devices:
        return PortRef(one.system, one.port if one.mac is None else "")
    near = facts.by_mac.get(one.near or "")
    return PortRef(near.device, one.port) if near else None


def _look(one: Sighting, facts: Known, notes: _Notes) -> None:
    who = _who(one, facts)
    if one.at is None:
        if who is not None:
            notes.about.add(who)
        else:
            _stranger(one, None, facts, notes)
        return
    seat = facts.far.get(one.at)
    if who is None:
        empty = seat is not None and seat_is_free(seat, facts) and one.mac is not None
        if empty and seat is not None and one.mac is not None:
            notes.new.setdefault(seat, {})[one.mac] = one
        else:
            _stranger(one, seat, facts, notes)
    elif seat is not None and who.device == seat.device and who.port in ("", seat.port):
        _sits_right(one, seat, facts, notes)
    else:
        notes.about.add(who)
        notes.misplaced[who, one.at] = Misplaced(who, one.at, seat)


def seat_is_free(seat: PortRef, facts: Known) -> bool:
    """Whether nobody has said yet which MAC is at a planned port."""
    return (seat.device, seat.port) not in facts.rows


def _sits_right(one: Sighting, seat: PortRef, facts: Known, notes: _Notes) -> None:
    """The right device in its seat; its port's MAC may be news, or another than recorded."""
    if one.mac is None or one.mac in facts.by_mac:
        notes.fine.add(seat)
    elif seat_is_free(seat, facts):
        notes.new.setdefault(seat, {})[one.mac] = one
    else:
        _stranger(one, seat, facts, notes)


def _stranger(one: Sighting, seat: PortRef | None, facts: Known, notes: _Notes) -> None:
    who = one.mac or one.system or one.near or "no name"
    at = str(one.at) if one.at else one.circuit
    serial = facts.serials.get(one.mac or one.near or "", "")
    notes.strangers[who, at] = Stranger(who, at, serial, seat)


def _proposals(facts: Known, notes: _Notes) -> tuple[tuple[Claim, ...], tuple[Claim, ...]]:
    """A row for each seat in which one new MAC was seen.

    Two MACs in one seat are strangers, and so are MACs of another machine than the one in whose
    seats they are: somebody crossed cables.
    """
    proposed: list[Claim] = []
    unproven: list[Claim] = []
    machines = _machines(facts, notes)
    for seat in sorted(notes.new, key=_by_name):
        found = notes.new[seat]
        serials = machines[seat.device]
        if len(found) > 1 or len(serials) > 1:
            for one in found.values():
                _stranger(one, seat, facts, notes)
            continue
        ((mac, one),) = found.items()
        # With a manifest, a MAC that is not in it proves nothing.
        serial = facts.serials.get(mac, "" if facts.serials else "".join(serials))
        claim = Claim(BuiltRow(seat.device, seat.port, mac, serial), one.file, one.line)
        (proposed if serial else unproven).append(claim)
    return tuple(proposed), tuple(unproven)


def _machines(facts: Known, notes: _Notes) -> dict[str, set[str]]:
    """The serial numbers that each device would have: its own so far, and those of new MACs."""
    found: dict[str, set[str]] = {}
    for seat, seen in notes.new.items():
        own = facts.machines.get(seat.device)
        serials = {facts.serials[mac] for mac in seen if mac in facts.serials}
        found.setdefault(seat.device, {own} if own else set()).update(serials)
    return found


def _swaps(
    found: Mapping[tuple[PortRef, PortRef], Misplaced],
) -> tuple[tuple[tuple[Misplaced, Misplaced], ...], tuple[Misplaced, ...]]:
    """Two that sit in each other's seats belong together."""
    by_seat = {(one.who, one.seat_of): one for one in found.values() if one.seat_of}
    pairs, alone = [], []
    for key in sorted(found):
        one = found[key]
        other = by_seat.get((one.seat_of, one.who)) if one.seat_of else None
        if other is None:
            alone.append(one)
        elif one.who < other.who:
            pairs.append((one, other))
    return tuple(pairs), tuple(alone)
