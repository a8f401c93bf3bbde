"""Every shipped site, mutated as people and scripts do: it opens soundly, or says what is wrong."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inventory import InventoryError, open_site
from inventory.load.site import SITES
from inventory.load.yaml_positions import parse
from tests.inventory import invariants
from tests.inventory.mutations import mutated
from tests.inventory.random_sites import Site, sites, write
from tests.plugins.tiers import examples

QUICK = settings(deadline=None, suppress_health_check=list(HealthCheck))
SHIPPED = sorted(path.parent.name for path in SITES.glob("*/fabric.yml"))
# Of a site that takes seconds to derive, a few mutations only.
EXAMPLES = {"lab": 120, "pod-256": 60}
FEW = 5
# What pydantic and Python say is for us, not for those who write sites.
OURS = ("function-", "Input should", "type=", "Traceback", "object at 0x")


def opens_soundly_or_says(site: Path) -> bool:
    """Whether the site opens; then the plan must hold, and come out the same again."""
    try:
        plan = open_site(site)
    except InventoryError as error:
        for problem in error.problems:
            assert problem.line >= 1
            assert problem.column >= 1
            assert len(str(problem).splitlines()) == 1
            assert not any(one in str(problem) for one in OURS)
        return False
    invariants.hold(plan)
    assert open_site(site).digest == plan.digest
    return True


@cache
def files(name: str) -> tuple[object, bytes]:
    folder = SITES / name
    text = (folder / "fabric.yml").read_text()
    return parse(text, name).value, (folder / "asbuilt.csv").read_bytes()


def mutate(name: str, folder: Path, chance: random.Random) -> Path:
    folder.mkdir(exist_ok=True)
    value, built = files(name)
    (folder / "fabric.yml").write_text(mutated(value, chance))
    (folder / "asbuilt.csv").write_bytes(built)
    return folder


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_sites_hold(name):
    invariants.hold(open_site(name))


@pytest.mark.parametrize("name", SHIPPED)
def test_mutated_shipped_sites(name, tmp_path):
    answers = [
        opens_soundly_or_says(mutate(name, tmp_path, random.Random(seed)))
        for seed in range(EXAMPLES.get(name, FEW))
    ]
    assert len(answers) < FEW + 1 or set(answers) == {True, False}


@settings(QUICK, max_examples=examples(20, full=100))
@given(
    site=sites(),
    seed=st.integers(0, 2**32),
    name=st.sampled_from(["fabric", "fabric", "nodes", "switches"]),
)
def test_mutated_random_sites(tmp_path_factory, site: Site, seed: int, name: str):
    folder = write(site, tmp_path_factory.getbasetemp() / "mutated-random")
    files = {
        "fabric": (folder / "fabric.yml", site.fabric),
        "nodes": (folder / "profiles" / "nodes.yml", site.nodes),
        "switches": (folder / "profiles" / "switches.yml", site.switches),
    }
    path, value = files[name]
    path.write_text(mutated(value, random.Random(seed)))
    opens_soundly_or_says(folder)
