"""Networks to learn from: rendered sites, whole or in part, under their own names or others."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from inventory import InventoryError, Plan, open_site
from inventory.load.site import known_profiles
from inventory.starter import Shelf as Wishes
from inventory.starter import Wish, starter_text
from switch_configs import render
from validation.audit.box import Box, box
from validation.audit.learn.guess import Shelf
from validation.audit.learn.learn import ASBUILT_CSV, Learned, Opened, learn
from validation.audit.network import Network, network

NOWHERE = Path("/nowhere")


@cache
def shelf() -> Shelf:
    nodes, switches, _ = known_profiles(NOWHERE)
    return Shelf(nodes, switches)


def opened(files: Mapping[str, str]) -> Opened:
    with TemporaryDirectory() as folder:
        for name, text in files.items():
            Path(folder, name).parent.mkdir(exist_ok=True)
            Path(folder, name).write_text(text)
        try:
            return open_site(Path(folder))
        except InventoryError as error:
            return tuple(error.problems)


@cache
def plan_of(site: str) -> Plan:
    return open_site(site)


@cache
def plan_of_wish(wish: Wish) -> Plan:
    wishes = Wishes(*known_profiles(NOWHERE))
    found = opened({"fabric.yml": starter_text(wish, wishes), "asbuilt.csv": ASBUILT_CSV})
    assert isinstance(found, Plan)
    return found


def boxes(plan: Plan, rename: Callable[[str], str] = lambda text: text) -> tuple[Box, ...]:
    """What is read back of every switch; `rename` changes its texts before."""
    every = (render(plan, name) for name in (*plan.switch, *plan.oob_switch))
    found = (
        box(rename(one.device), {file.path: rename(file.text) for file in one.files})
        for one in every
    )
    return tuple(one for one in found if isinstance(one, Box))


def other_names(plan: Plan, seed: int) -> Callable[[str], str]:
    """A change of texts that gives every device a name that says nothing, in no order."""
    names = [*plan.switch, *plan.oob_switch, *(node.name for node in plan.nodes)]
    new = [f"box{number:04d}" for number in range(len(names))]
    random.Random(seed).shuffle(new)
    known = dict(zip(names, new, strict=True))
    word = re.compile(r"(?<![\w-])[a-z][a-z0-9-]*(?![\w-])")
    return lambda text: word.sub(lambda found: known.get(found[0], found[0]), text)


def learned(found: Network | tuple[Box, ...]) -> Learned:
    seen = found if isinstance(found, Network) else network(found)
    return learn(seen, "learned", shelf(), opened)
