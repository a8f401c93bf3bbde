"""What labs are excused from is listed in one place, and hides nothing that a gate asks."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from inventory import open_site
from inventory.load.site import SITES
from tests.shipped import loaded
from tests.tree import ROOT
from validation.expect import expectations

LABS = sorted(path.parent.name for path in SITES.glob("*/wiring.csv"))
SHARED = {name: loaded(ROOT / f"inventory/profiles/{name}.yml") for name in ("nodes", "switches")}
# What decides how much of a role, or of a switch, a site really gets.
OF_SITE = ("lossless.mode", "oob.time", "role_variables")
OF_NODE, OF_SWITCH = ("tuning",), ("lossless",)
QUIET = 44
# Whose names and values are a site's own; that there are any is the exception.
OPEN = ("tuning.sysctls",)


def profiles(site: str, kind: str) -> dict[str, Any]:
    own = SITES / site / f"profiles/{kind}.yml"
    every = SHARED[kind] | (loaded(own) if own.is_file() else {})
    text = (SITES / site / "fabric.yml").read_text()
    used = set(re.findall(r"_profile: (\S+)", text))
    return {name: one for name, one in every.items() if name in used}


def said(values: dict[str, Any], path: str) -> Iterator[str]:
    """Each value below a path of keys, as `path: value`."""
    found: Any = values
    for key in path.split("."):
        found = found.get(key) if isinstance(found, dict) else None
    if isinstance(found, dict) and path not in OPEN:
        for key in found:
            yield from said(values, f"{path}.{key}")
    elif found is not None:
        yield path if path in OPEN else f"{path}: {found}"


def exceptions(site: str) -> set[str]:
    fabric = loaded(SITES / site / "fabric.yml")
    asked: list[tuple[dict[str, Any], tuple[str, ...]]] = [(fabric, OF_SITE)]
    asked += [(one, OF_NODE) for one in profiles(site, "nodes").values()]
    asked += [(one, OF_SWITCH) for one in profiles(site, "switches").values()]
    return {one for values, paths in asked for path in paths for one in said(values, path)}


def listed() -> set[str]:
    text = (ROOT / "deploy/lab/README.md").read_text()
    _, _, rest = text.partition("**What a container cannot.**")
    rows = [line.split("|")[1] for line in rest.partition("\n\nAnd")[0].splitlines() if "|" in line]
    return {one for row in rows for one in re.findall(r"`([^`]+)`", row)}


def test_there_are_labs_of_all_systems():
    assert len(LABS) == 6


@pytest.mark.parametrize("site", LABS)
def test_a_lab_has_no_exception_that_is_not_listed(site):
    assert exceptions(site) <= listed()


def test_nothing_is_listed_that_no_lab_has():
    assert {one for site in LABS for one in exceptions(site)} == listed()


@pytest.mark.parametrize("site", LABS)
def test_an_exception_takes_nothing_away_that_a_gate_asks(site, tmp_path):
    """The same site without them asks the same of the same devices (the class aside)."""
    real = tmp_path / site
    shutil.copytree(SITES / site, real)
    fabric = loaded(SITES / site / "fabric.yml")
    fabric["oob"].pop("time")
    names = profiles(site, "nodes")
    assert all(one.pop("tuning") for one in names.values())
    # A profile of the site's own may not be called like one that everybody has.
    text = re.sub(r"(node_profile\": \")", r"\1real-", json.dumps(fabric))
    (real / "fabric.yml").write_text(text)
    (real / "profiles").mkdir(exist_ok=True)
    mine = {f"real-{name}": one for name, one in names.items()}
    (real / "profiles/nodes.yml").write_text(json.dumps(mine))
    assert asked(open_site(real)) == asked(open_site(site))


def asked(plan: Any) -> set[str]:
    everything = frozenset(plan.devices)
    assert plan.oob.name in everything
    return {one.id for one in expectations(plan, everything, QUIET)}
