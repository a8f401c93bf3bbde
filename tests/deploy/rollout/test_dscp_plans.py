"""Another DSCP of RoCE on a new site of each system: what is told, written as told, is right."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.imports.new_site import Answers, new_site
from deploy.rollout.ordered import lines
from deploy.rollout.preconditions import refuse_unproved
from inventory import open_site
from inventory.plan import Plan
from tests.generated.sites import make_up_asbuilt
from validation.order.hop import Wrong
from validation.order.order import Begun, judged, order

SYSTEMS = ("cumulus", "eos", "nxos", "sonic")
NEW = {"lossless": {"dscp": 34}}


def of_init(system: str, folder: Path) -> Path:
    """A site as `railbed init` writes it."""
    asked = Answers(
        nodes=4, node_profile="hgx-h100", dialect=system, growth=1.0, storage="none",
        business="none", oob_switches=False,
    )  # fmt: skip
    new_site(folder, asked, None, dry_run=False)
    make_up_asbuilt(folder)
    return folder


def built(folder: Path, *changes: Mapping[str, Any]) -> Plan:
    """The site with these lines in its `fabric.yml`."""
    path = folder / "fabric.yml"
    before = path.read_text()
    site = yaml.safe_load(before)
    for one in changes:
        merge(site, one)
    path.write_text(yaml.safe_dump(site))
    try:
        return open_site(folder)
    finally:
        path.write_text(before)


def merge(site: dict[str, Any], more: Mapping[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, dict):
            merge(site[key], value)
        else:
            site[key] = value


def to_write(told: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The YAML under each plan that was told."""
    text = "\n".join(line.removeprefix("order: ") for line in told)
    for one in re.findall(r"(?m)^plan \d, .*: in fabric.yml\n((?:  .*\n?)+)", text):
        yield yaml.safe_load(one)


def wrong(before: Plan, after: Plan) -> Wrong | None:
    """The first wrong state of a whole apply from one plan to the other."""
    return judged(
        before, after, [(one.name, one.devices) for one in after.waves], Begun()
    ).order.own


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_plans_that_are_told_are_proved_and_right_in_this_order_alone(system, tmp_path):
    folder = of_init(system, tmp_path / "site")
    old, naive = built(folder), built(folder, NEW)
    told = list(lines(order(old, naive)))
    ready, moved, new = (built(folder, one) for one in to_write(told))
    assert new == naive
    assert {one.dialect for one in new.switches} == {system}
    for plan in (ready, moved, new):
        refuse_unproved(plan)
    assert [wrong(*pair) for pair in pairwise((old, ready, moved, new))] == [None, None, None]
    assert [wrong(*pair) for pair in pairwise((new, moved, ready, old))] == [None, None, None]
    for name, pair in {
        "at once": (old, new),
        "hosts before switches take it": (old, moved),
        "switches forget before hosts have moved": (ready, new),
    }.items():
        found = wrong(*pair)
        assert found, name
        assert found.kind == "class", name
        assert {word for _, word in found.state} == {"old", "new"}, name
