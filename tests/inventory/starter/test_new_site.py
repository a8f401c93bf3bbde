"""New sites: whatever the flags ask either opens, or is refused with what would do."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from inventory import InventoryError, open_site
from inventory.load.site import known_profiles, read
from inventory.rules.check import check
from inventory.starter import (
    ASBUILT_CSV,
    CannotBuildError,
    Shelf,
    Wish,
    draft,
    nodes_for,
    starter_text,
    usual_planes,
)

SHELF = Shelf(*known_profiles(Path("/nonexistent")))
NODES = sorted(name for name, one in SHELF.nodes.items() if one.rails and one.gpus)
SWITCHES = sorted(
    name
    for name, one in SHELF.switches.items()
    if one.ports.rate_gbps >= 400 and one.ports.count >= 32
)
LARGE = [name for name in SWITCHES if SHELF.switches[name].ports.count == 64]
PLANES = [("none", "none"), ("roce", "own"), ("tcp", "storage")]
# No headroom is published for its ports of 800 Gb/s.
WITHOUT_800 = "arista-7060x6-64pe-eos"
# Its model takes NICs of one rate only.
AT_400_ONLY = "arista-7060x6-64pe-sonic"


def wish(nodes: int, node: str = "hgx-h100", switch: str = "sn5600-cumulus", **more) -> Wish:
    return Wish("new-site", nodes, node, switch, **more)


def problems_of(folder: Path, text: str) -> list[str]:
    """Everything that load and check say of a text."""
    (folder / "fabric.yml").write_text(text, encoding="utf-8")
    (folder / "asbuilt.csv").write_text(ASBUILT_CSV, encoding="utf-8")
    fabric, problems = read(folder)
    if fabric is not None:
        problems += check(fabric)
        assert len(fabric.population.nodes) >= 1
    return [str(one) for one in problems]


PAIRS = [
    (node, switch)
    for node in NODES
    for switch in LARGE
    if node != "hgx-b300" or switch != WITHOUT_800
    if switch != AT_400_ONLY or SHELF.nodes[node].rails[0].rate_gbps == 400
]


def planes_for(node: str, switch: str) -> tuple[str, str]:
    """The planes of its NICs; on ports of one rate, the compute plane alone."""
    return ("none", "none") if switch == AT_400_ONLY else usual_planes(SHELF.nodes[node])


@pytest.mark.instances(keep=5)
@pytest.mark.parametrize(("node", "switch"), PAIRS)
def test_small_sites_open(tmp_path, node, switch):
    storage, business = planes_for(node, switch)
    for nodes in (8, 33):
        asked = wish(nodes, node, switch, storage=storage, business=business, growth=1.5)
        assert not problems_of(tmp_path, starter_text(asked, SHELF)), nodes


@pytest.mark.instances(keep=2)
@pytest.mark.parametrize(("node", "switch"), PAIRS)
def test_up_to_102400_gpus_each_opens(tmp_path, node, switch):
    storage, business = planes_for(node, switch)
    asked = wish(1000, node, switch, storage=storage, business=business, growth=1.5)
    assert not problems_of(tmp_path, starter_text(asked, SHELF))
    if node != "hgx-b300":
        largest = wish(12_800, node, switch, growth=1.0)
        assert not problems_of(tmp_path, starter_text(largest, SHELF))


def any_wish(dice: random.Random) -> Wish:
    storage, business = dice.choice([*PLANES, ("none", "own"), ("roce", "none")])
    return wish(
        int(2 ** dice.uniform(0, 11)),
        dice.choice(NODES),
        dice.choice(SWITCHES),
        kind=dice.choice(
            [None, None, "two-tier", "rail-optimized-two-tier", "rail-optimized-three-tier"]
        ),
        storage=storage,
        business=business,
        oob_switches=dice.choice([True, False]),
        growth=dice.choice([1.0, 1.3, 2.0, 5.0]),
    )


@pytest.mark.parametrize("seed", range(5))
def test_any_flags_open_or_are_refused_with_what_would_do(tmp_path, seed):
    dice, opened = random.Random(seed), 0
    said: list[tuple[str, str, str]] = []
    for _ in range(25):
        asked = any_wish(dice)
        try:
            text = starter_text(asked, SHELF)
        except CannotBuildError as error:
            said.append((error.flag, error.found, error.expected))
            continue
        assert not problems_of(tmp_path, text), asked
        fabric, _ = read(tmp_path)
        assert fabric is not None
        built = [at for at in fabric.population.nodes.values() if at.pod]
        assert len(built) == asked.nodes, asked
        assert fabric.population.max_pods * fabric.population.max_nodes_per_pod >= asked.max_nodes
        opened += 1
    assert opened >= 10
    assert all(flag.startswith("--") and found and expected for flag, found, expected in said)


def test_a_whole_plan_comes_of_it(tmp_path):
    text = starter_text(wish(32, storage="roce", business="storage"), SHELF)
    assert not problems_of(tmp_path, text)
    plan = open_site(tmp_path)
    assert sum(len(one.rails) for one in plan.nodes) == 256
    assert all(one.ratio <= one.limit for one in plan.capacities if one.limit)
    assert {one.plane for one in plan.capacities if one.tier == "leaf"} == {"compute", "storage"}


def test_the_same_wish_is_the_same_text():
    assert starter_text(wish(100), SHELF) == starter_text(wish(100), SHELF)


def test_it_grows_to_the_maxima_without_new_ports(tmp_path):
    """What the text promises: every pod that the maxima allow can be built."""
    asked = wish(64, storage="roce", business="own", growth=4.0)
    made = draft(asked, SHELF)
    text = starter_text(asked, SHELF)
    text = text.replace(f"  pods: {made.compute.pods}\n", f"  pods: {made.compute.max_pods}\n", 1)
    per_pod = f"  nodes_per_pod: {made.compute.nodes_per_pod}\n"
    text = text.replace(per_pod, f"  nodes_per_pod: {made.compute.max_nodes_per_pod}\n", 1)
    assert not problems_of(tmp_path, text)


def test_two_tiers_while_the_ports_reach_then_three():
    assert draft(wish(512, growth=1.0), SHELF).compute.kind == "rail-optimized-two-tier"
    large = draft(wish(2000, growth=1.0), SHELF).compute
    assert large.kind == "rail-optimized-three-tier"
    assert large.superspines > 1


def test_what_does_not_divide_is_absent(tmp_path):
    made = draft(wish(101, growth=1.0), SHELF).compute
    assert made.pods * made.nodes_per_pod - made.absent == 101
    assert not problems_of(tmp_path, starter_text(wish(101, growth=1.0), SHELF))


def test_a_laboratory_needs_no_racks(tmp_path):
    text = starter_text(wish(4, "lab-node", "lab-switch"), SHELF)
    assert not problems_of(tmp_path, text)
    assert "racks:" not in text
    assert "mode: marking-only" in text


REFUSED = [
    (wish(10_000_000), "--nodes", "at most"),
    (wish(32, "storage-cpu"), "--node-profile", "hgx-h100"),
    (wish(32, "gb200-nvl72"), "--node-profile", "hgx-h100"),
    (wish(32, switch="sn5601-cumulus"), "--switch-profile", "sn5600-cumulus"),
    (wish(32, "hgx-b300", WITHOUT_800), "--switch-profile", "800"),
    (wish(32, "dgx-a100", AT_400_ONLY), "--switch-profile", "NICs of 200"),
    (wish(32, "hgx-h100", AT_400_ONLY, storage="roce"), "--switch-profile", "NICs of 200"),
    (wish(32, business="storage"), "--business", "--storage"),
    (wish(4, "lab-node", "lab-switch", storage="tcp"), "--storage", "none"),
    (wish(4, "lab-node", "lab-switch", oob_switches=True), "--oob-switches", "power_w"),
]


@pytest.mark.parametrize(("asked", "flag", "word"), REFUSED)
def test_what_cannot_be_built_is_refused_with_what_would_do(asked, flag, word):
    with pytest.raises(CannotBuildError) as caught:
        starter_text(asked, SHELF)
    assert caught.value.flag == flag
    assert word in caught.value.expected


def test_what_the_refusal_says_would_do_does(tmp_path):
    with pytest.raises(CannotBuildError) as caught:
        starter_text(wish(2000, switch="sn4700-cumulus", growth=1.0), SHELF)
    most = int(caught.value.expected.split()[2].replace(",", ""))
    fits = starter_text(wish(most, switch="sn4700-cumulus", growth=1.0), SHELF)
    assert not problems_of(tmp_path, fits)
    with pytest.raises(CannotBuildError):
        starter_text(wish(most + 1, switch="sn4700-cumulus", growth=1.0), SHELF)


def test_nodes_of_another_os_have_no_servers_beside_them(tmp_path):
    """All servers of a site get their packages from one lock."""
    other = SHELF.nodes["hgx-h100"].model_copy(update={"os": "ubuntu-22.04"})
    shelf = Shelf({**SHELF.nodes, "golden": other}, SHELF.switches, SHELF.asics)
    text = starter_text(wish(32, "golden", storage="roce", business="own"), shelf)
    assert "servers:" not in text
    (tmp_path / "profiles").mkdir()
    own = "golden: " + json.dumps(other.model_dump(mode="json", exclude_none=True))
    (tmp_path / "profiles" / "nodes.yml").write_text(own + "\n", encoding="utf-8")
    assert not problems_of(tmp_path, text)


def test_gpus_are_whole_nodes():
    assert nodes_for(256, SHELF.nodes["hgx-h100"]) == 32
    with pytest.raises(CannotBuildError, match="whole nodes"):
        nodes_for(100, SHELF.nodes["hgx-h100"])


def test_a_dialect_names_its_largest_switch():
    assert SHELF.of_dialect("sonic") == "sn5600-sonic"
    assert SHELF.of_dialect("eos") == WITHOUT_800
    with pytest.raises(CannotBuildError, match="cumulus"):
        SHELF.of_dialect("ios")


def test_broken_profiles_of_the_folder_are_problems(tmp_path):
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "nodes.yml").write_text("own: {rails: 3}\n", encoding="utf-8")
    with pytest.raises(InventoryError, match="rails"):
        known_profiles(tmp_path)
