"""Every pattern of the files has words, or a wrong value would end in a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from inventory.schema import PATTERNS, SiteFile
from inventory.schema.asics import AsicProfile
from inventory.schema.node_profile import NodeProfile
from inventory.schema.switch_profile import SwitchProfile


def patterns(kind: Any, seen: set[Any]) -> Iterator[str]:
    """All patterns below a type of the files."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        if kind not in seen:
            seen.add(kind)
            for one in kind.model_fields.values():
                yield from of_field(one, seen)
        return
    pattern = getattr(kind, "pattern", None)
    if isinstance(pattern, str):
        yield pattern
    for one in (*get_args(kind), *getattr(kind, "__metadata__", ())):
        yield from patterns(one, seen)


def of_field(one: FieldInfo, seen: set[Any]) -> Iterator[str]:
    for each in one.metadata:
        pattern = getattr(each, "pattern", None)
        if isinstance(pattern, str):
            yield pattern
    yield from patterns(one.annotation, seen)


def test_every_pattern_is_worded():
    seen: set[Any] = set()
    kinds = (SiteFile, NodeProfile, SwitchProfile, AsicProfile)
    found = {one for kind in kinds for one in patterns(kind, seen)}
    assert len(found) >= 6
    assert found <= set(PATTERNS), found - set(PATTERNS)
