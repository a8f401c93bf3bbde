"""New rows into `asbuilt.csv`: what is added, changed and removed, and what contradicts.

A merge of what is already there changes nothing, so every import may be run again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from inventory.topology.asbuilt import CHASSIS
from inventory.topology.asbuilt_rows import BuiltRow, asbuilt_text, in_order

from ..problems import Problem
from .site import DevicePorts

Place = tuple[str, str]
Rows = dict[Place, BuiltRow]


@dataclass(frozen=True, slots=True)
class Claim:
    """A row that a source brings, and where the source says so.

    `is_part`: the port's card may have a serial number of its own, and the source gave that of
    the machine; what an earlier row says of the same card is then kept.
    """

    row: BuiltRow
    file: str
    line: int
    is_part: bool = False

    def problem(self, found: str, expected: str, hint: str = "") -> Problem:
        """Return a problem at the claim's line; its path is the row's place."""
        path = f"{self.row.device} {self.row.port}"
        return Problem(self.file, self.line, 1, path, found, expected, hint)


@dataclass(frozen=True, slots=True)
class Merge:
    """What an import makes of the rows; with `problems`, nothing may be written."""

    rows: tuple[BuiltRow, ...]
    added: tuple[BuiltRow, ...]
    changed: tuple[tuple[BuiltRow, BuiltRow], ...]
    removed: tuple[BuiltRow, ...]
    unchanged: int
    problems: tuple[Problem, ...]

    @property
    def differs(self) -> bool:
        """Whether the import would change any row."""
        return bool(self.added or self.changed or self.removed)

    @property
    def text(self) -> str:
        """The text of the new `asbuilt.csv`."""
        return asbuilt_text(self.rows)


def merge(
    before: Mapping[Place, BuiltRow],
    claims: Iterable[Claim],
    *,
    owned: frozenset[str] = frozenset(),
    moved: bool = False,
) -> Merge:
    """Put claims over the rows before.

    Rows of `owned` devices that nobody claims are removed. A serial number that another
    device had is a problem, unless `moved` says that machines have changed places: then the
    other device loses the rows that it was known by.
    """
    listed = list(claims)
    wanted, problems = _wanted(listed)
    problems += [] if moved else list(_moved_serials(before, wanted.values()))
    gone = _gone(before, wanted, owned, moved)
    after: Rows = {place: row for place, row in before.items() if place not in gone}
    for place, claim in wanted.items():
        after[place] = _kept(before, claim)
    problems += _shared_macs(after, wanted)
    problems += _shared_serials(after, wanted, before, moved)
    return _diff(before, after, problems)


def _wanted(claims: list[Claim]) -> tuple[dict[Place, Claim], list[Problem]]:
    wanted: dict[Place, Claim] = {}
    problems = []
    for claim in claims:
        first = wanted.setdefault(claim.row.place, claim)
        if first.row != claim.row:
            hint = f"line {first.line} says {first.row.mac or '-'} {first.row.serial}"
            problems.append(claim.problem(f"{claim.row} as well", "each port once", hint))
    return wanted, problems


def _kept(before: Mapping[Place, BuiltRow], claim: Claim) -> BuiltRow:
    """The row to write: what is known of the same card, and the source does not say, stays."""
    row, old = claim.row, before.get(claim.row.place)
    if old is None or old.mac != row.mac:
        return row
    chassis = before.get((row.device, CHASSIS))
    is_own = claim.is_part and (chassis is None or chassis.serial != old.serial)
    serial = old.serial if is_own else row.serial
    firmware = row.firmware or (old.firmware if old.serial == serial else "")
    return replace(row, serial=serial, firmware=firmware)


def _owners(before: Mapping[Place, BuiltRow]) -> dict[str, str]:
    return {row.serial: row.device for row in before.values()}


def _moved_serials(before: Mapping[Place, BuiltRow], claims: Iterable[Claim]) -> Iterator[Problem]:
    owners = _owners(before)
    told: set[str] = set()
    for claim in claims:
        serial, device = claim.row.serial, claim.row.device
        owner = owners.get(serial, device)
        if owner != device and serial not in told:
            told.add(serial)
            hint = "if the machine was moved, say --moved"
            yield claim.problem(f"the serial {serial}", f"it on {owner}, as before", hint)


def _gone(
    before: Mapping[Place, BuiltRow],
    wanted: Mapping[Place, Claim],
    owned: frozenset[str],
    moved: bool,
) -> set[Place]:
    gone = {place for place in before if place[0] in owned and place not in wanted}
    if moved:
        now = {claim.row.serial: claim.row.device for claim in wanted.values()}
        gone |= {
            place
            for place, row in before.items()
            if place not in wanted and now.get(row.serial, row.device) != row.device
        }
    return gone


def _shared_macs(after: Rows, wanted: Mapping[Place, Claim]) -> Iterator[Problem]:
    claimed = {claim.row.mac for claim in wanted.values() if claim.row.mac}
    holders: dict[str, list[Place]] = {}
    for place, row in after.items():
        if row.mac in claimed:
            holders.setdefault(row.mac, []).append(place)
    for mac, places in holders.items():
        for place in places if len(places) > 1 else ():
            if place in wanted:
                others = ", ".join(" ".join(one) for one in places if one != place)
                found = f"the MAC {mac}"
                yield wanted[place].problem(found, "each MAC once", f"{others} has it")


def _shared_serials(
    after: Rows, wanted: Mapping[Place, Claim], before: Mapping[Place, BuiltRow], moved: bool
) -> Iterator[Problem]:
    """A serial number that two devices would have; one that has moved is told already."""
    claimed: dict[str, dict[str, Claim]] = {}
    for claim in wanted.values():
        claimed.setdefault(claim.row.serial, {}).setdefault(claim.row.device, claim)
    holders: dict[str, set[str]] = {serial: set(devices) for serial, devices in claimed.items()}
    for row in after.values() if moved else ():
        if row.serial in holders:
            holders[row.serial].add(row.device)
    known = _owners(before)
    for serial, devices in holders.items():
        if len(devices) > 1:
            for device, claim in claimed[serial].items():
                others = sorted(devices - {device})
                if moved or serial not in known or known[serial] == device:
                    hint = f"{', '.join(others)} has it"
                    yield claim.problem(f"the serial {serial}", "it on one device", hint)


def _diff(before: Mapping[Place, BuiltRow], after: Rows, problems: list[Problem]) -> Merge:
    changed = [row for place, row in after.items() if place in before and before[place] != row]
    added = [row for place, row in after.items() if place not in before]
    return Merge(
        rows=tuple(in_order(after.values())),
        added=tuple(in_order(added)),
        changed=tuple((before[row.place], row) for row in in_order(changed)),
        removed=tuple(in_order(row for place, row in before.items() if place not in after)),
        unchanged=len(after) - len(changed) - len(added),
        problems=tuple(sorted(set(problems))),
    )


def claims_of(
    device: str,
    serial: str,
    macs: Iterable[tuple[str, str]],
    ports: DevicePorts,
    file: str,
    line: int,
) -> Iterator[Claim]:
    """The rows of one machine: its chassis, and each of its ports under its serial number."""
    yield Claim(BuiltRow(device, CHASSIS, "", serial), file, line)
    for port, mac in macs:
        is_part = port not in (ports.management, ports.bmc)
        yield Claim(BuiltRow(device, port, mac, serial), file, line, is_part)
