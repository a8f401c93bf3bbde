"""Mutations of a site that keep it YAML: what a slip of a person, or of a script, makes of it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

Path = tuple[str | int, ...]
_ODD: tuple[object, ...] = (
    None, True, 0, -1, 1, 2, 3, 1024, 4096, 4_294_967_294, 2**63, 0.5, 1e9, "", "any", "storage",
    "lacp", "l3", "numbered", "two-tier", "rail-optimized-three-tier", "10.0.0.0/8", "0.0.0.0/0",
    "10.1.2.3", [], {}, [[]], "\u0430", "node-p1-1", "spine1",
)  # fmt: skip


def mutated(value: Any, chance: random.Random) -> str:
    """The text of a site after one to three mutations."""
    out = json.loads(json.dumps(value))
    for _ in range(chance.choice((1, 1, 2, 3))):
        chance.choice(_MUTATIONS)(out, chance)
    text = json.dumps(out)
    if chance.random() < 0.1 and isinstance(out, dict) and out:
        key = chance.choice(sorted(out))
        text = f"{text[:-1]}, {json.dumps(key)}: {json.dumps(out[key])}}}"
    return text


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every place below a value."""
    pairs: Any = value.items() if isinstance(value, dict) else ()
    pairs = enumerate(value) if isinstance(value, list) else pairs
    for key, one in pairs:
        yield (*path, key)
        yield from places(one, (*path, key))


def _at(value: Any, path: Path) -> Any:
    for part in path:
        value = value[part]
    return value


def _set(value: Any, path: Path, new: object) -> None:
    _at(value, path[:-1])[path[-1]] = new


def _any(value: Any, chance: random.Random) -> Path | None:
    known = list(places(value))
    return chance.choice(known) if known else None


def _delete(value: Any, chance: random.Random) -> None:
    if path := _any(value, chance):
        del _at(value, path[:-1])[path[-1]]


def _swap(value: Any, chance: random.Random) -> None:
    one, other = _any(value, chance), _any(value, chance)
    if one and other and one[: len(other)] != other and other[: len(one)] != one:
        first, second = _at(value, one), _at(value, other)
        _set(value, one, second)
        _set(value, other, first)


def _copy(value: Any, chance: random.Random) -> None:
    """Any value of the file in the place of another: most often of its own kind."""
    one = _any(value, chance)
    if one is None:
        return
    kind = type(_at(value, one))
    alike = [path for path in places(value) if isinstance(_at(value, path), kind)]
    _set(value, one, deepcopy(_at(value, chance.choice(alike))))


def _odd(value: Any, chance: random.Random) -> None:
    if path := _any(value, chance):
        _set(value, path, deepcopy(chance.choice(_ODD)))


def _number(value: Any, chance: random.Random) -> None:
    numbers = [path for path in places(value) if type(_at(value, path)) in (int, float)]
    if numbers:
        path = chance.choice(numbers)
        _set(value, path, _at(value, path) * chance.choice((0, 2, 8, 1000)) + chance.randint(-2, 2))


def _another(value: Any, chance: random.Random) -> None:
    """One more of a list, or a section once more under a new key."""
    path = _any(value, chance)
    held = _at(value, path[:-1]) if path else None
    if path and isinstance(held, list):
        held.insert(chance.randint(0, len(held)), deepcopy(held[int(path[-1])]))
    elif path and isinstance(held, dict):
        held[chance.choice(("later", "storage", "absent", "p1", "vlan"))] = deepcopy(held[path[-1]])


_MUTATIONS: tuple[Callable[[Any, random.Random], None], ...] = (
    _delete, _swap, _copy, _copy, _odd, _number, _number, _another,
)  # fmt: skip
