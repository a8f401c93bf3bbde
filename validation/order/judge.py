"""Whether a state is wrong, or any of all in which some devices have either of two versions.

Devices change independently of one another, and what becomes of a packet on a hop depends on four
of them alone: sender, receiver and the two ends of the cable. So not each of 2^n states is looked
at, but each combination of versions of these four, once for all that are alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from .classes import colours
from .hop import Kind, Wrong, wrong_on
from .model import Cable, End, Fabric, HostSide, is_up
from .ways import Ways, ways

# So few are looked at pair by pair: where cables are missing, those that look alike may not be.
_FEW_LEAVES = 16
# Who has to do with what is wrong: near and far end, sender, receiver.
_CONCERNED: Mapping[Kind, tuple[int, ...]] = {
    "unmarked": (2,),
    "class": (0, 1, 2),
    "lossy": (0, 1, 2),
    "cnp": (0, 1, 2),
    "order": (0, 3),
    "size": (0, 1, 2, 3),
}

Versions = Mapping[str, tuple[int, ...]]
"""Of each device the versions that it may have, by their numbers."""


@dataclass(frozen=True, slots=True)
class _Port:
    """A port in each version that its device may have; `kind` is a number of all alike.

    `was` is of each version what the device may have had before the first move: see `Ground.every`.
    """

    device: str
    versions: tuple[int, ...]
    ends: tuple[End, ...]
    kind: int
    was: tuple[tuple[End | None, ...], ...] = ()


@dataclass
class Ground:
    """A fabric, what is required of it, and what was found once.

    `now` is what devices have before the first move, where that is not the first version of all.
    """

    fabric: Fabric
    now: Versions | None = None
    _kinds: dict[object, int] = field(default_factory=dict)
    _last: tuple[Versions, list[Cable]] | None = None
    _hops: dict[object, tuple[tuple[Kind, str, tuple[int, ...]], ...]] = field(default_factory=dict)

    @cached_property
    def ends(self) -> Mapping[tuple[str, str], tuple[int, ...]]:
        """A number for what each port does, by version; those that do alike have one number."""
        ports = {(c.below, c.below_port) for c in self.fabric.cables}
        ports |= {(c.above, c.above_port) for c in self.fabric.cables}
        return {
            (name, port): tuple(
                self.kind(_plain(one.ends.get(port))) for one in self.fabric.devices[name].versions
            )
            for name, port in ports
        }

    def kind(self, value: object) -> int:
        """The number of a value."""
        return self._kinds.setdefault(value, len(self._kinds))

    @cached_property
    def up(self) -> Mapping[Cable, frozenset[tuple[int, int]]]:
        """With which versions of its ends each cable carries packets."""
        devices = self.fabric.devices
        return {
            cable: frozenset(
                pair
                for pair in product(
                    range(len(devices[cable.below].versions)),
                    range(len(devices[cable.above].versions)),
                )
                if is_up(self.fabric, cable, *pair)
            )
            for cable in self.fabric.cables
        }

    @cached_property
    def colours(self) -> Mapping[str, int]:
        """A number for each device; those that are alike have one (`classes.py`)."""
        return colours(self.fabric, self.ends, self.up)

    @property
    def first(self) -> Versions:
        """All devices as they are."""
        return dict.fromkeys(self.fabric.devices, (0,))

    @property
    def last(self) -> Versions:
        """All devices as they shall be."""
        return {name: (len(one.versions) - 1,) for name, one in self.fabric.devices.items()}

    @cached_property
    def required(self) -> frozenset[tuple[str, str]]:
        """The pairs of leaves that reach each other before, now and after."""
        times = (self.first, *((self.now,) if self.now else ()), self.last)
        both = [self.ways(one) for one in times]
        leaves = self.fabric.leaves
        return frozenset(
            (a, b)
            for at, a in enumerate(leaves)
            for b in leaves[at + 1 :]
            if all(a in way.hosts and b in way.hosts and way.tier(a, b) for way in both)
        )

    @cached_property
    def excused(self) -> Mapping[Kind, Wrong]:
        """What is wrong already before or still after: no order mends it, none is judged by it."""
        ends = (one for state in (self.last, self.first) for one in self.every(state))
        return {one.kind: one for one in ends if one.kind != "path"}

    def ways(self, versions: Versions, out: frozenset[str] = frozenset()) -> Ways:
        """The paths that are there whatever versions the devices have; none over those `out`."""
        # Asked for the same versions with one device away after the other.
        if self._last is None or self._last[0] is not versions:
            carry = [
                cable
                for cable, pairs in self.up.items()
                if pairs.issuperset(product(versions[cable.below], versions[cable.above]))
            ]
            self._last = versions, carry
        usable = [c for c in self._last[1] if c.below not in out and c.above not in out]
        return ways(self.fabric, usable, self._asns(versions))

    def _asns(self, versions: Versions) -> Mapping[str, frozenset[int]]:
        """The AS numbers that each switch may have."""
        return {
            name: frozenset(
                asn for at in versions[name] if (asn := one.versions[at].asn) is not None
            )
            for name, one in self.fabric.devices.items()
            if one.level
        }

    def wrong(
        self,
        versions: Versions,
        out: frozenset[str] = frozenset(),
        moved: Versions | None = None,
    ) -> Wrong | None:
        """The smallest wrong state among these; those `out` carry nothing and are excused.

        `moved` as in `every`.
        """
        found = (one for one in self.every(versions, out, moved) if one.kind not in self.excused)
        return min(found, key=lambda one: one.size, default=None)

    def cut(self, versions: Versions, out: frozenset[str]) -> Wrong | None:
        """Two leaves without a path, while these are `out`."""
        return next(self._cut(self.ways(versions, out), versions, out), None)

    def every(
        self,
        versions: Versions,
        out: frozenset[str] = frozenset(),
        moved: Versions | None = None,
    ) -> Iterator[Wrong]:
        """One of each kind of wrong state that there is among these.

        With `moved` only what the moves made wrong, not what was wrong on that hop before them: it
        holds the devices that moved, or are about to, each with the versions that it may have had.
        """
        way = self.ways(versions, out)
        yield from self._cut(way, versions, out)
        seen = set[object]()
        for a, b in _kinds_of_pairs(way, self, versions, moved or {}):
            senders, receivers = ([*self._hosts(way, leaf, versions, moved)] for leaf in (a, b))
            climb = [
                (
                    self._port(c.below, c.below_port, versions, moved),
                    self._port(c.above, c.above_port, versions, moved),
                )
                for c in way.cone(a, b)
            ]
            fall = [
                (
                    self._port(c.above, c.above_port, versions, moved),
                    self._port(c.below, c.below_port, versions, moved),
                )
                for c in way.cone(b, a)
            ]
            for (nic, leaf), (far_nic, far_leaf) in product(senders, receivers):
                if nic.device == far_nic.device:
                    continue
                hops = [(nic, leaf), *climb, *fall, (far_leaf, far_nic)]
                for near, far in hops:
                    key = (near.kind, far.kind, nic.kind, far_nic.kind, near is nic, far is far_nic)
                    if key not in seen:
                        seen.add(key)
                        yield from self._on_hop(key, near, far, nic, far_nic)

    def _hosts(
        self, way: Ways, leaf: str, versions: Versions, moved: Versions | None
    ) -> Iterator[tuple[_Port, _Port]]:
        """Two of each kind of hosts of a leaf: their own port, and the leaf's."""
        count: dict[tuple[int, int], int] = {}
        for cable in way.hosts.get(leaf, ()):
            nic = self._port(cable.below, cable.below_port, versions, moved)
            port = self._port(cable.above, cable.above_port, versions, moved)
            count[nic.kind, port.kind] = count.get((nic.kind, port.kind), 0) + 1
            if count[nic.kind, port.kind] <= 2:
                yield nic, port

    def _port(self, device: str, port: str, versions: Versions, moved: Versions | None) -> _Port:
        have = versions[device]
        numbers = self.ends[device, port]
        made = self.fabric.devices[device].versions
        ends = tuple(made[one].ends[port] for one in have)
        if moved is None:
            kind = self.kind((have, tuple([numbers[one] for one in have])))
            return _Port(device, have, ends, kind)
        # Who moves has its last version in the end, and any other since before.
        last = len(made) - 1
        were = [moved.get(device, (one,)) if one == last else (one,) for one in have]
        kind = self.kind(
            (have, tuple(tuple((at, numbers[at]) for at in (one, *was))
             for one, was in zip(have, were, strict=True)))
        )  # fmt: skip
        was = tuple(tuple(made[at].ends.get(port) for at in one) for one in were)
        return _Port(device, have, ends, kind, was)

    def _on_hop(
        self, key: object, near: _Port, far: _Port, sender: _Port, receiver: _Port
    ) -> Iterator[Wrong]:
        if key not in self._hops:
            self._hops[key] = tuple(_combinations(near, far, sender, receiver))
        for kind, said, at in self._hops[key]:
            four = (near, far, sender, receiver)
            have = {
                one.device: self.fabric.devices[one.device].versions[one.versions[number]].word
                for number, one in ((at[place], four[place]) for place in _CONCERNED[kind])
            }
            state = tuple(sorted((name, str(word)) for name, word in have.items()))
            yield Wrong(kind, f"{near.device} > {far.device}", said, state)

    def _cut(self, way: Ways, versions: Versions, out: frozenset[str]) -> Iterator[Wrong]:
        """Two leaves that shall reach each other, and have no path left."""
        for a, b in sorted(self.required):
            if out.isdisjoint((a, b)) and way.tier(a, b) is None:
                yield self._without_path(a, b, versions, out)
                return

    def _without_path(self, a: str, b: str, versions: Versions, out: frozenset[str]) -> Wrong:
        moved = {name: have for name, have in versions.items() if have != (0,)}
        words = {
            name: "or ".join(self.fabric.devices[name].versions[one].word for one in have)
            for name, have in moved.items()
        }
        near = {c.above for c in (*self.fabric.up.get(a, ()), *self.fabric.up.get(b, ()))} | {a, b}
        state = {name: word for name, word in words.items() if name in near}
        state |= dict.fromkeys(out, "away")
        return Wrong("path", f"{a} > {b}", "no path is left", tuple(sorted(state.items())))


def _plain(end: End | None) -> object:
    """What a port does with packets; AS numbers decide only whether its cable is up."""
    if isinstance(end, HostSide) or end is None:
        return end
    return (end.roce, end.strict, end.ip_mtu_bytes, end.adaptive)


def _combinations(
    near: _Port, far: _Port, sender: _Port, receiver: _Port
) -> Iterator[tuple[Kind, str, tuple[int, ...]]]:
    """What is wrong with which versions of the four; only the first of each kind."""
    found: dict[Kind, tuple[Kind, str, tuple[int, ...]]] = {}
    four = (near, far, sender, receiver)
    for at in product(*(range(len(one.versions)) for one in four)):
        if (near is sender and at[0] != at[2]) or (far is receiver and at[1] != at[3]):
            continue
        ends = [one.ends[number] for one, number in zip(four, at, strict=True)]
        if isinstance(ends[2], HostSide) and isinstance(ends[3], HostSide):
            wrong = [
                one for one in wrong_on(ends[0], ends[1], ends[2], ends[3]) if one[0] not in found
            ]
            before = _before(four, at) if wrong else frozenset()
            found |= {kind: (kind, said, at) for kind, said in wrong if kind not in before}
    yield from found.values()


def _before(four: tuple[_Port, _Port, _Port, _Port], at: tuple[int, ...]) -> frozenset[Kind]:
    """What was wrong already between the four, whatever they had, before they moved to this."""
    near, far, sender, receiver = four
    found: frozenset[Kind] | None = None
    were = [one.was[number] if one.was else () for one, number in zip(four, at, strict=True)]
    for ends in product(*were):
        if (near is sender and ends[0] is not ends[2]) or (
            far is receiver and ends[1] is not ends[3]
        ):
            continue
        a, b, sends, takes = ends
        if not (a and b and isinstance(sends, HostSide) and isinstance(takes, HostSide)):
            return frozenset()
        kinds = frozenset(kind for kind, _ in wrong_on(a, b, sends, takes))
        found = kinds if found is None else found & kinds
    return found or frozenset()


def _kinds_of_pairs(
    way: Ways, ground: Ground, versions: Versions, moved: Versions
) -> Iterator[tuple[str, str]]:
    """One pair of leaves of each kind, both ways round."""
    known: dict[str, int] = {}
    have = {name: (one, moved.get(name)) for name, one in versions.items()}

    def above(name: str) -> int:
        if name not in known:
            known[name] = ground.kind(
                frozenset(
                    (
                        ground.ends[c.below, c.below_port], have[c.below],
                        ground.ends[c.above, c.above_port], have[c.above], above(c.above),
                    )
                    for c in way.up.get(name, ())
                )
            )  # fmt: skip
        return known[name]

    def kind_of(leaf: str) -> tuple[int, frozenset[object]]:
        hosts = frozenset(
            (
                ground.ends[c.below, c.below_port], have[c.below],
                ground.ends[c.above, c.above_port], have[c.above],
            )
            for c in way.hosts.get(leaf, ())
        )  # fmt: skip
        return above(leaf), hosts

    kinds = {leaf: ground.kind(kind_of(leaf)) for leaf in way.fabric.leaves if leaf in way.hosts}
    seen = set[object]()
    few = len(kinds) <= _FEW_LEAVES
    for a, kind in kinds.items():
        for b, other in kinds.items():
            tier = way.tier(a, b)
            is_new = few or (kind, other, tier) not in seen
            if tier is not None and is_new:
                seen.add((kind, other, tier))
                yield a, b
