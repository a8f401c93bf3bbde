"""Faults drawn by a fabric model that the locator is not told: named exactly, and nobody else.

A site like superpod-10k with four pods of 32 nodes. The whole site, and many more cases, are in
`tests/bench/schedule_faults.py`. Each mutant breaks the locator once, and is noticed.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

import pytest

from inventory import open_site, site_folder
from inventory.plan import Plan
from tests.bench.schedule_faults import Case, Site, run_case, site_of
from tests.generated.sites import make_up_asbuilt
from tests.simulated.faults import Culprit, Drawer
from validation.locating import located, tomography, ways
from validation.locating.seen import Seen
from validation.locating.sure import Sure
from validation.locating.suspect import Kind, Suspect
from validation.pairing.schedule import flows, loads
from validation.pairing.top_up import random_matching

KINDS = ["NIC sends", "NIC receives", "GPU or PCIe", "rail cable", "leaf port", "uplink lossy",
         "switch above", "node", "power", "optic batch"]  # fmt: skip

_DRAWN_BY = "67ca245d632c6daaba410130b5a2d95b63106361c79f0cb165d7fe0fca9ca4b8"


@cache
def plan() -> Plan:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "site"
        copytree(site_folder("superpod-10k"), path)
        text = (path / "fabric.yml").read_text()
        text = text.replace("  pods: 20\n", "  pods: 4\n", 1)
        (path / "fabric.yml").write_text(
            text.replace("nodes_per_pod: 64\n", "nodes_per_pod: 32\n", 1)
        )
        make_up_asbuilt(path)
        # Matchings are drawn by the digest: a new field of the plan would draw other cases.
        return replace(open_site(path), digest=_DRAWN_BY)


@cache
def small() -> Site:
    everything = frozenset(plan().devices)
    rounds = list(loads(plan(), everything))
    for seed in (1, 2):
        pairs = random_matching(plan(), everything, seed)
        number = len(rounds)
        rounds.append(tuple(flow for pair in pairs for flow in flows(plan(), pair, number)))
    return site_of(plan(), rounds)


def case(kind: str, seed: int, count: int = 1) -> Case:
    drawer = Drawer(small().fabric, seed)
    culprits: list[Culprit] = drawer.draw(count, kind) if count else []
    return run_case(small(), culprits, drawer, seed)


def told(one: Case) -> str:
    wanted = [f"{culprit.kind}: {culprit.unit}" for culprit in one.culprits]
    return f"{wanted}: {[(suspect.name, suspect.told) for suspect in one.located.suspects]}"


@pytest.mark.instances(keep=2)
@pytest.mark.parametrize("kind", KINDS)
def test_one_fault_is_named_by_the_smallest_set(kind):
    one = case(kind, 500 + KINDS.index(kind))
    assert one.is_located, told(one)
    assert one.extra <= 12


@pytest.mark.instances(keep=1, of="what is harder to locate")
def test_two_faults_at_once_are_both_named():
    one = case("", 801, 2)
    assert one.is_located, told(one)


@pytest.mark.instances(keep=1)
@pytest.mark.parametrize("seed", [601, 602, 603])
def test_a_healthy_site_blames_nobody_although_flows_are_slow_by_chance(seed):
    assert case("", seed, 0).located.suspects == ()


# -- Mutants -------------------------------------------------------------------------------------


@pytest.mark.instances(keep=1, of="a locator that is broken is noticed")
def test_noticed_when_every_slow_flow_is_a_fault(monkeypatch):
    """A slow flow in many is chance; a locator that takes it for a fault blames healthy NICs."""
    monkeypatch.setattr(ways, "BAD_SHARE", 0.0)
    assert any(case("", seed, 0).located.suspects for seed in (601, 602, 603))


@pytest.mark.instances(keep=1, of="a locator that is broken is noticed")
def test_noticed_when_a_nic_is_blamed_for_an_uplink(monkeypatch):
    """Slow across leaves with several good ones is no fault of a NIC that is good inside."""
    monkeypatch.setattr(ways, "BAD_SHARE", 0.01)
    assert not case("uplink lossy", 505).is_located


@pytest.mark.instances(keep=1, of="a locator that is broken is noticed")
def test_noticed_when_common_causes_are_not_looked_for(monkeypatch):
    monkeypatch.setattr(located, "common", lambda _, links: [one for _, one in links])
    assert not case("node", 507).is_located


@pytest.mark.instances(keep=1, of="a locator that is broken is noticed")
def test_noticed_when_hops_without_streams_count_as_busy(monkeypatch):
    """Then all hops of a group look alike, to who does not see that one is never full."""
    monkeypatch.setattr(located, "narrow", lambda *_: ())
    monkeypatch.setattr(tomography, "_expected", lambda *_: (1.0, 1.0))
    assert not case("uplink lossy", 505).is_located


@pytest.mark.instances(keep=1, of="what is harder to locate")
def test_without_counters_the_set_is_larger_and_says_so(monkeypatch):
    """Nothing tells the uplinks of a leaf apart but counters."""
    from tests.simulated import runner

    class Blind(runner.World):
        def run(self, *args, **settings):
            seen = super().run(*args, **settings)
            return Seen(seen.flows)

    monkeypatch.setattr("tests.bench.schedule_faults.World", Blind)
    monkeypatch.setattr("tests.bench.schedule_faults._topped_up", lambda *_: [])
    one = case("uplink lossy", 505)
    assert not one.false
    for suspect in one.located.suspects:
        assert one.culprits[0].unit in suspect.units
        assert len(suspect.units) > 1
        assert f"1 of {len(suspect.units)} alike" in suspect.told
        assert "counters" in suspect.hint


def test_how_sure_is_a_word_and_a_number():
    assert str(Sure(0)) == "a guess (50.00%)"
    assert str(Sure(10)) == "nearly certain (99.99%)"
    one = Suspect(Kind.NODE, ("device a",), Sure(3), "slow", "look")
    assert one.told == "slow [1 suspect: node; likely (95.26%)]"
