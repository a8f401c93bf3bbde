"""The grammar that somebody else wrote from NVIDIA's pages takes what we render; nothing raises."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import yaml

from switch_configs import dialect, intent
from switch_configs.cumulus import as_commands
from switch_configs.cumulus.words import RELEASES
from switch_configs.grammar import problems
from switch_configs.intent import OobIntent, SwitchIntent
from tests.switch_configs.cumulus.test_cumulus import STARTUP, text
from tests.switch_configs.intents import roles
from tests.switch_configs.sites import small

TONGUE = dialect("cumulus")
ODD: tuple[Any, ...] = (
    "x",
    {},
    ["a"],
    {"x": {}},
    {"²": "3"},
    {"9" * 30: {"a": "b"}},
    "",
    None,
    "9" * 25,
)
KEYS = ("²", "default", "x", "1,2", "swp1-3", "")


def made(name: str, release: str) -> SwitchIntent | OobIntent:
    found = intent(small("cumulus"), name)
    services = found.services
    if int(release.split(".")[1]) < 13:
        services = replace(services, gnmi_port=None)
    return replace(found, services=services, switch=replace(found.switch, release=release))  # type: ignore[arg-type]


@pytest.mark.parametrize("release", RELEASES)
def test_every_role_in_every_release_is_taken(release):
    for name in roles("cumulus"):
        said = text(TONGUE.render(made(name, release)), STARTUP)
        assert not problems("cumulus", said, release), name
        assert not problems("cumulus", as_commands(said), release), name


def test_no_tree_makes_the_readback_raise():
    rendered = TONGUE.render(made("storage-leaf-b1-1", "5.14.0"))
    start = yaml.load(text(rendered), Loader=yaml.BaseLoader)  # noqa: S506 # texts only
    places = list(nodes(start[1]["set"]))
    chance = random.Random(5)  # the same trees each time
    for _ in range(60):
        tree = copy.deepcopy(start)
        for path in chance.sample(places, 3):
            spoil(tree[1]["set"], path, chance)
        file = replace(rendered.files[-1], text=yaml.safe_dump(tree))
        TONGUE.readback(replace(rendered, files=(file,)))


def nodes(tree: object, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield (*above, key)
            yield from nodes(value, (*above, key))


def spoil(tree: Any, path: tuple[str, ...], chance: random.Random) -> None:
    """Puts something odd where a value was, or beside it."""
    for key in path[:-1]:
        tree = tree.get(key) if isinstance(tree, dict) else None
    if isinstance(tree, dict):
        key = chance.choice(KEYS) if chance.random() < 0.3 else path[-1]
        tree[key] = chance.choice(ODD)
