"""The simulated routes beside FRR itself: random small sites, some with faults, run for real.

Each site is rendered by the linux_frr dialect, damaged in its text, read back as any foreign text
is, and simulated; FRR runs the same text in namespaces. Compared are sessions, the kernel's equal
paths of every switch to every prefix, and answers to real packets: whole, and with each cable gone.

    python -m tests.bench.routes_vs_frr [sites] [first seed] [sites at once]
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from inventory import open_site
from inventory.plan import Plan
from switch_configs import render
from tests.bench.frr_faults import Texts, damaged
from tests.bench.frr_namespaces import Cable, Machine, Running, running
from tests.bench.results import result
from tests.generated.sites import Size, generated_site
from validation.audit.box import Box, box
from validation.audit.network import Network, network
from validation.fabric.fabric import Fabric, fabric
from validation.fabric.failures import Whole
from validation.fabric.forward import Forwarding
from validation.fabric.roles import Roles
from validation.fabric.routes import Routes
from validation.fabric.solve import solve

_SETTLED_S = 25.0
_FRR, _PORTS = "/etc/frr/frr.conf", "/etc/network/interfaces"


@dataclass
class Count:
    """How many comparisons were equal, and what was not."""

    equal: int = 0
    all: int = 0
    told: list[str] = field(default_factory=list)

    def add(self, equal: bool, words: str) -> None:
        self.all += 1
        self.equal += equal
        if not equal:
            self.told.append(words)


@dataclass
class Counts:
    """Of one site or of all."""

    sessions: Count = field(default_factory=Count)
    paths: Count = field(default_factory=Count)
    packets: Count = field(default_factory=Count)
    states: int = 0

    def take(self, other: Counts) -> None:
        for mine, more in (
            (self.sessions, other.sessions),
            (self.paths, other.paths),
            (self.packets, other.packets),
        ):
            mine.equal, mine.all = mine.equal + more.equal, mine.all + more.all
            mine.told += more.told
        self.states += other.states


def size(draw: random.Random) -> Size:
    """2 to 4 leaves, 2 or 3 spines, or a small one of three tiers."""
    three = draw.random() < 0.3
    pods, rails = (
        (2, draw.choice((1, 2))) if three else draw.choice(((1, 2), (2, 1), (2, 2), (3, 1)))
    )
    return Size(
        pods=pods,
        rails=rails,
        spines=draw.choice((1, 2)) if three else draw.choice((2, 3)),
        superspines=draw.choice((1, 2)) if three else 0,
        nodes_per_pod=1,
        uplinks=1 if three else draw.choice((1, 1, 2)),
        numbered=draw.random() < 0.4,
    )


def one_site(seed: int) -> tuple[str, Counts]:
    """Simulate one site and run it."""
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        plan = open_site(generated_site(Path(folder) / "site", size(draw)))
        texts = {
            name: {file.path: file.text for file in render(plan, name).files}
            for name in plan.switch
        }
    faults = damaged(draw, plan, texts)
    read = [box(name, files) for name, files in texts.items()]
    boxes = [one for one in read if isinstance(one, Box)]
    assert len(boxes) == len(read), read
    net = network(boxes)
    machines = {one.name: _machine(one, texts) for one in boxes}
    cables = _cables(plan)
    made, counts = fabric(net), Counts()
    with running(f"rvf{seed}", machines, cables) as real:
        for gone in (None, *cables, None):
            if gone is not None:
                real.set_cable(gone, "down")
            failed = () if gone is None else (":".join(gone.a),)
            _compare(f"site {seed} {faults} without {failed}", real, solve(made, failed), counts)
            if gone is not None:
                real.set_cable(gone, "up")
    return f"{len(boxes)} switches, {len(cables)} cables, {', '.join(faults) or 'whole'}", counts


def _machine(one: Box, texts: Texts) -> Machine:
    ports = {port.name: port.addresses for port in one.facts.ports if port.addresses}
    return Machine(texts[one.name][_FRR], ports)


def _cables(plan: Plan) -> list[Cable]:
    found = {
        tuple(sorted(((name, port.name), (port.peer.device, port.peer.port))))
        for name in plan.switch
        for port in plan.fabric_ports[name]
    }
    return [Cable(*ends) for ends in sorted(found)]


def _compare(where: str, real: Running, routes: Routes, counts: Counts) -> None:
    """Wait until FRR shows what is simulated, twice in a row; then count, whatever it shows."""
    sessions, wanted = _sessions(routes), _wanted(routes)
    end, quiet = time.monotonic() + _SETTLED_S, 0
    while time.monotonic() < end and quiet < 2:
        time.sleep(0.35)
        shown = {name: real.routes(name) for name in real.machines}
        same = all(
            _fits(want, shown[name].get(prefix, frozenset()))
            for (name, prefix), want in wanted.items()
        )
        quiet = quiet + 1 if same and real.sessions() == sessions else 0
    counts.states += 1
    up = real.sessions()
    for box_ in routes.fabric.network.boxes:
        for session in box_.facts.sessions:
            key = box_.name, session.key
            counts.sessions.add((key in up) == (key in sessions), f"{where}: {key} {key in up}")
    for (name, prefix), want in wanted.items():
        has = real.routes(name).get(prefix, frozenset())
        simulated = [(sorted(ports), width) for ports, width in want]
        told = f"{where}: {name} {prefix} has {sorted(has)}, simulated {simulated}"
        counts.paths.add(_fits(want, has), told)
    _packets(where, real, routes, counts)


def _sessions(routes: Routes) -> set[tuple[str, str]]:
    """(switch, neighbour) of sessions that are up with these parts gone."""
    found = set()
    for one in routes.fabric.sessions.up:
        if routes.failed.isdisjoint((one.a.cable, one.b.cable)):
            found |= {(side.box.name, side.session.key) for side in (one.a, one.b)}
    return found


_Choices = tuple[tuple[frozenset[str], int], ...]


def _wanted(routes: Routes) -> dict[tuple[str, str], _Choices]:
    """Groups of equal paths, and how many of one are used, of every switch to every prefix."""
    return {
        (table.box.name, str(prefix)): routes.choices(table.box.name, str(prefix))
        for table in routes.fabric.tables
        for number, prefix in enumerate(routes.fabric.prefixes.every)
        if not table.origin >> number & 1
    }


def _fits(want: _Choices, has: frozenset[str]) -> bool:
    return any(has <= ports and len(has) == width for ports, width in want) or not (want or has)


def _packets(where: str, real: Running, routes: Routes, counts: Counts) -> None:
    """Packets between the loopbacks of all leaves: there and back."""
    forwarding = Forwarding(routes, Roles(routes.fabric))
    asked, expected = [], []
    leaves = [one for one in routes.fabric.network.boxes if one.name.startswith("leaf")]
    for here in leaves:
        for there in leaves:
            if here is not there:
                ends = str(here.facts.router_id), str(there.facts.router_id)
                surely = _reaches(forwarding, here.name, ends[1])
                back = _reaches(forwarding, there.name, ends[0])
                asked.append((here.name, *ends))
                expected.append(surely and back)
    for pair, want, has in zip(asked, expected, real.pings(asked), strict=True):
        counts.packets.add(want == has, f"{where}: {pair} answered {has}")


def _reaches(forwarding: Forwarding, name: str, loopback: str) -> bool:
    made = forwarding.routes.fabric
    number = next(
        (n for n, one in enumerate(made.prefixes.every) if str(one) == f"{loopback}/32"), None
    )
    at = made.number.get((name, ""))
    return number is not None and at is not None and bool(forwarding.delivered[at] >> number & 1)


def superpod() -> None:
    """How long the largest site takes, and its single failures."""
    net = _read("superpod-10k")
    begin = time.process_time()
    made: Fabric = fabric(net)
    solve(made)
    solved = time.process_time() - begin
    print(result("superpod_10k_solved", solved, "s_cpu", 30))
    begin = time.process_time()
    seen = Whole(made)
    losses = seen.single_failures
    spent = time.process_time() - begin
    parts = sum(len(one.alike) for one in losses)
    print(result("superpod_10k_parts_unlike_their_kind", _unlike(seen), "parts", 0))
    print(
        f"{len(net.boxes)} switches, {len(net.links)} cables: {parts} parts in {len(losses)} kinds"
    )
    print(result("superpod_10k_single_failures", spent, "s_cpu", 120))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(result("superpod_10k_memory_with_plan", peak, "MiB", 4096))


def _unlike(seen: Whole, each: int = 3) -> int:
    """Of some random parts of each kind: those that take away something else than their kind."""
    draw, unlike = random.Random(1), 0
    for kind in seen.single_failures:
        for name in draw.sample(kind.alike, min(each, len(kind.alike))):
            one = seen.loss(name, {name})
            same = ("pairs", "lost", "capacity_share", "paths", "looped", "valleys", "cycles")
            unlike += any(getattr(one, word) != getattr(kind, word) for word in same)
    return unlike


def _read(site: str) -> Network:
    plan = open_site(site)
    read: Mapping[str, object] = {
        name: box(name, {file.path: file.text for file in render(plan, name).files})
        for name in plan.switch
    }
    return network(one for one in read.values() if isinstance(one, Box))


def main(sites: int = 50, first: int = 1, at_once: int = 3) -> None:
    """Print how every site compares, then the figures."""
    every, begin = Counts(), time.monotonic()
    with ThreadPoolExecutor(at_once) as pool:
        for seed, (told, counts) in enumerate(
            pool.map(one_site, range(first, first + sites)), first
        ):
            every.take(counts)
            worst = [
                count.all - count.equal for count in (counts.sessions, counts.paths, counts.packets)
            ]
            print(f"seed {seed}: {told}; {counts.states} states, not equal {worst}", flush=True)
    print("\n".join((*every.sessions.told, *every.paths.told, *every.packets.told)))
    print(f"seeds {first} to {first + sites - 1}, {time.monotonic() - begin:.0f} s")
    print(result("routes_vs_frr_states", every.states, "count", sites, most=False))
    for name, count in (
        ("sessions", every.sessions),
        ("equal_paths", every.paths),
        ("packets", every.packets),
    ):
        share = 100 * count.equal / max(count.all, 1)
        print(f"{name}: {count.equal} of {count.all}")
        print(result(f"routes_vs_frr_{name}", share, "percent", 100, most=False))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
    superpod()
