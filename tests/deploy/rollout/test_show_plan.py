"""What people see of a plan: a screen for any size, each device in full, JSON whole."""

from __future__ import annotations

import io
from dataclasses import asdict

import pytest
from rich.console import Console

from deploy import show
from deploy.errors import RailbedError
from deploy.show import Look
from deploy.show.words import first_of, many, named_span
from inventory import open_site

SITES = ("lab", "pod-256", "superpod-10k")
A_SCREEN = 60


@pytest.fixture(scope="module")
def plans():
    return {name: open_site(name) for name in SITES}


def said(call, *arguments, **more) -> str:
    """What a function prints on a terminal of 100 columns."""
    text = io.StringIO()
    call(*arguments, Console(file=text, width=100, highlight=False), **more)
    return text.getvalue()


@pytest.mark.parametrize("name", SITES)
def test_check_fits_a_screen_and_names_every_plane(plans, name):
    text = said(show.check_text, plans[name])
    assert text.startswith(f"{name}: no problems. plan ")
    assert len(text.splitlines()) <= 25
    for plane in {one.plane for one in plans[name].switches}:
        assert plane in text


def test_check_says_racks_boundary_and_what_is_not_deployable(plans):
    text = said(show.check_text, plans["pod-256"])
    assert "41.2 kW of 44.0 kW" in text
    assert "flows allowed, all else denied" in text
    assert (
        f"{len(plans['pod-256'].undeployable)} devices are planned but not deployable yet" in text
    )
    assert "and 88 more" in text


def test_check_all_names_each_assumption_and_device(plans):
    plan = plans["pod-256"]
    text = said(show.check_text, plan, everything=True)
    assert all(name in text for name in plan.undeployable)
    assert all(one.name in text for one in plan.assumptions if not one.measured)


def test_check_json_has_everything(plans):
    told = show.check_json(plans["pod-256"])
    assert len(told["assumptions"]) == len(plans["pod-256"].assumptions)
    assert told["undeployable"] == list(plans["pod-256"].undeployable)
    assert told["capacities"][0]["ratio"] == 1.0


@pytest.mark.parametrize("name", SITES)
@pytest.mark.parametrize("plane", [None, "compute", "storage", "business", "oob"])
def test_a_plan_of_any_size_fits_a_screen_or_two(plans, name, plane):
    text = said(show.plan_text, plans[name], Look(plane=plane))
    assert len(text.splitlines()) <= 2 * A_SCREEN
    assert max(map(len, text.splitlines()), default=0) <= 100


def test_small_plans_are_not_folded(plans):
    text = said(show.plan_text, plans["lab"], Look())
    assert "folded;" not in text
    assert all(name in text for name in plans["lab"].devices)


def test_all_folds_nothing(plans):
    plan = plans["pod-256"]
    text = said(show.plan_text, plan, Look(everything=True))
    assert "folded;" not in text
    assert all(one.port in text for node in plan.nodes for one in node.rails)


def test_a_folded_plan_says_how_to_see_more(plans):
    text = said(show.plan_text, plans["superpod-10k"], Look())
    assert "--device node-p01-01, --plane storage, --domain pod:1, --all, --json" in text
    assert "no waves: no device has its as-built row" in text


KINDS = [
    ("leaf-p1-r0", "node-p1-01:enp24s0np0"),
    ("storage-leaf-b1-1", "10.32.0.0/21"),
    ("business-leaf-b1-1", "300 users in users: 10.96.0.0/21"),
    ("spine1", "sonic 202405"),
    ("node-p1-01", "leaf-p1-r7:swp1s0"),
    ("store-01", "storage-leaf-b5-1"),
    ("oob-p1-1", "node-p1-01:bmc"),
    ("oob-aggregation1", "OOB aggregation"),
    ("rack-p1-1", "41.2 kW of 44.0 kW"),
    ("pdu-p1-1-a", "the others carry the rack"),
    ("oob1", "192.0.2.10 on up0"),
    ("edge1", "edge router, AS 64500"),
    ("fw1", "firewall of a pair"),
    ("portal", "load balancer of https"),
]


@pytest.mark.parametrize(("name", "words"), KINDS)
def test_each_kind_of_device_is_shown(plans, name, words):
    text = said(show.plan_text, plans["pod-256"], Look(device=name))
    assert text.startswith(f"{name}\n")
    assert words in text.replace("\n", " ")
    assert isinstance(show.plan_json(plans["pod-256"], Look(device=name)), dict)


def test_every_device_of_the_lab_is_shown(plans):
    for name in plans["lab"].devices:
        assert said(show.plan_text, plans["lab"], Look(device=name)).startswith(name)


def test_a_mistyped_device_or_domain_is_a_short_sentence(plans):
    with pytest.raises(RailbedError) as caught:
        show.plan_json(plans["superpod-10k"], Look(device="leaf-p1-r0"))
    assert len(str(caught.value)) < 200
    with pytest.raises(RailbedError, match="did you mean 'rack:rack-p"):
        said(show.plan_text, plans["superpod-10k"], Look(domain="rack:rack-p1-1"))
    with pytest.raises(RailbedError, match="kinds: gpu, leaf, node"):
        said(show.plan_text, plans["superpod-10k"], Look(domain="sun"))


def test_only_one_thing_is_asked():
    with pytest.raises(RailbedError, match="expected one of them"):
        Look(device="spine1", domain="pod:1")


def test_a_domain_lists_its_members(plans):
    text = said(show.plan_text, plans["pod-256"], Look(domain="leaf:leaf-p1-r0"))
    assert "1 device and 32 NIC ports of others" in text
    assert "node-p1-32:enp24s0np0" in text
    assert "nothing goes with it" in said(
        show.plan_text, plans["pod-256"], Look(domain="pdu:pdu-p1-1-a")
    )
    told = show.plan_json(plans["pod-256"], Look(domain="spine:spine1"))
    assert told == {"domain": "spine:spine1", "members": ["spine1"]}


def test_json_of_a_plan_is_the_plan(plans):
    assert show.plan_json(plans["lab"], Look()) == asdict(plans["lab"])
    storage = show.plan_json(plans["pod-256"], Look(plane="storage"))
    assert {one["plane"] for one in storage["cables"]} == {"storage"}
    assert len(storage["switches"]) == 8


def test_words():
    assert named_span(["node-p1-01", "node-p1-02", "node-p1-32"]) == "node-p1-01 .. 32"
    assert named_span(["spine1", "spine8"]) == "spine1 .. spine8"
    assert named_span(["spine1"]) == "spine1"
    assert first_of(["a", "b", "c", "d"]) == "a, b, c and 1 more"
    assert many(1, "device") == "1 device"
    assert many(1860, "device") == "1,860 devices"
