"""What is lost when something fails: pairs at the edge, capacity, freedom from loops and waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from validation.audit.network import Network

from .buffers import Cycle, cycles
from .fabric import Fabric, fabric
from .forward import Forwarding
from .prefixes import Bits, numbers
from .roles import Roles
from .routes import Routes
from .solve import solve
from .symmetry import alike


@dataclass(frozen=True, slots=True)
class Loss:
    """What the failure of `failed` does to everything else.

    `alike` are the parts of which each alone would do the same, `failed` among them where it is
    one. Of `pairs` (a box at the edge, a prefix of another's users; neither end failed) that work
    while nothing fails, `lost` do not. `lost_pairs` are a few of them, by table and prefix.
    `capacity_share` is what is left of the narrowest group of equal paths to any prefix, by rates
    where all are known, at the table `narrowest`; `paths` are that group's cables before and after.
    `looped` and `valleys` are tables where packets circle, or come down and go up again; `cycles`
    are circular waits of buffers.
    """

    name: str
    alike: tuple[str, ...]
    failed: frozenset[str]
    pairs: int
    lost: int
    lost_pairs: tuple[tuple[str, str], ...]
    capacity_share: float
    narrowest: str
    paths: tuple[int, int]
    looped: tuple[str, ...]
    valleys: tuple[str, ...]
    cycles: tuple[Cycle, ...]

    @property
    def lost_share(self) -> float:
        """The lost part of the pairs, 0 to 1."""
        return self.lost / self.pairs if self.pairs else 0.0


_MOST_NAMED = 8


class Whole:
    """A fabric with nothing failed: what failures are compared with."""

    def __init__(self, network: Network | Fabric) -> None:
        self.made = network if isinstance(network, Fabric) else fabric(network)
        self.roles = Roles(self.made)
        self.routes: Routes = solve(self.made)
        self.forwarding = Forwarding(self.routes, self.roles)
        self._groups: dict[int, tuple[tuple[Bits, tuple[int, ...]], ...]] = {}

    @cached_property
    def single_failures(self) -> tuple[Loss, ...]:
        """What each kind of single failure loses: of a box, of a cable; each kind is done once."""
        return tuple(self.loss(kind[0], {kind[0]}, kind) for kind in alike(self.routes))

    def groups(self, at: int) -> tuple[tuple[Bits, tuple[int, ...]], ...]:
        """A table's groups of equal paths while nothing fails."""
        if at not in self._groups:
            self._groups[at] = _groups(self.made, self.forwarding, at)
        return self._groups[at]

    def loss(self, name: str, failed: Iterable[str], kind: tuple[str, ...] = ()) -> Loss:
        """What is lost when these parts (`box`, `box:port`) fail together."""
        gone = frozenset(failed)
        after = Forwarding(solve(self.made, gone), self.roles)
        pairs, lost, some = self._pairs(after)
        share, narrowest, paths = self._narrowest(after)
        tables = self.made.tables
        return Loss(
            name,
            kind or (name,),
            gone,
            pairs,
            lost,
            some,
            share,
            narrowest,
            paths,
            tuple(str(tables[at]) for at, bits in enumerate(after.looped) if bits),
            tuple(str(tables[at]) for at, _ in after.valleys),
            cycles(after),
        )

    def _pairs(self, after: Forwarding) -> tuple[int, int, tuple[tuple[str, str], ...]]:
        gone = after.routes.failed
        alive = 0
        for table in self.made.tables:
            alive |= 0 if table.box.name in gone else table.origin
        pairs = lost = 0
        some: list[tuple[str, str]] = []
        for at, wanted in enumerate(self.roles.wants):
            table = self.made.tables[at]
            if not wanted or table.box.name in gone:
                continue
            worked = wanted & self.forwarding.delivered[at] & alive
            missing = worked & ~after.delivered[at]
            pairs += worked.bit_count()
            lost += missing.bit_count()
            if missing and len(some) < _MOST_NAMED:
                first = next(numbers(missing))
                some.append((str(table), str(self.made.prefixes.every[first])))
        return pairs, lost, tuple(some)

    def _narrowest(self, after: Forwarding) -> tuple[float, str, tuple[int, int]]:
        """The group of equal paths that keeps least of what it had, of those that keep any."""
        best = (1.0, "", (0, 0))
        for at in sorted(_moved(self.forwarding, after)):
            for bits, before in self.groups(at):
                for _, left in _groups(self.made, after, at, bits):
                    share = _rate(self.made, at, left) / _rate(self.made, at, before)
                    if left and share < best[0]:
                        best = (share, str(self.made.tables[at]), (len(before), len(left)))
        return best


def single_failures(network: Network | Fabric) -> tuple[Loss, ...]:
    """What each kind of single failure loses: of a box, of a cable; each kind is done once."""
    return Whole(network).single_failures


def whole(network: Network) -> Whole:
    """The whole fabric of a network; all who ask of the same object in turn share one."""
    return _whole(_Same(network))


@dataclass(frozen=True, eq=False)
class _Same:
    """A network, equal to itself alone: comparing facts would cost more than solving them."""

    network: Network

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.network is self.network

    def __hash__(self) -> int:
        return id(self.network)


@lru_cache(maxsize=1)
def _whole(same: _Same) -> Whole:
    return Whole(same.network)


def _moved(before: Forwarding, after: Forwarding) -> set[int]:
    edges = before.routes.fabric.edges
    return {
        edge.target
        for edge, old, new in zip(edges, before.sends, after.sends, strict=True)
        if old != new
    }


def _groups(
    made: Fabric, forwarding: Forwarding, at: int, within: Bits = -1
) -> tuple[tuple[Bits, tuple[int, ...]], ...]:
    """(users' prefixes, the edges that carry them) of a table: prefixes of one group share all."""
    groups: list[tuple[Bits, tuple[int, ...]]] = [(within & forwarding.present[at], ())]
    for e in made.into[at]:
        sent = forwarding.sends[e]
        groups = [*_split(groups, sent, e)]
    return tuple((bits, edges) for bits, edges in groups if edges)


def _split(
    groups: Iterable[tuple[Bits, tuple[int, ...]]], sent: Bits, e: int
) -> Iterator[tuple[Bits, tuple[int, ...]]]:
    for bits, edges in groups:
        if bits & sent:
            yield bits & sent, (*edges, e)
        if bits & ~sent:
            yield bits & ~sent, edges


def _rate(made: Fabric, at: int, edges: tuple[int, ...]) -> float:
    """What so many equal paths carry: Gb/s, or their number where a rate is not known."""
    rates = [made.edges[e].rate_gbps for e in edges]
    used = min(len(edges), made.tables[at].width)
    if edges and not made.tables[at].relaxed:
        by_asn = Counter(made.tables[made.edges[e].source].asn for e in edges)
        used = min(used, *by_asn.values())
    known = [rate for rate in rates if rate is not None]
    each = sum(known) / len(known) if len(known) == len(edges) and edges else 1.0
    return each * used
