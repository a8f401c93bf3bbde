"""A plan whose lossless class does not fit to itself is not proved by it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inventory.plan import Lossless
from switch_configs import intent
from switch_configs.intent import SwitchIntent
from tests.switch_configs.sites import small
from validation.paused.asked import unlike_itself

ROCE, CNP, REST = "roce", "cnp", "best-effort"


def asked(name: str = "leaf-p1-r0") -> SwitchIntent:
    found = intent(small("sonic"), name)
    assert isinstance(found, SwitchIntent)
    return found


def classed(name: str, **changes: object) -> Lossless:
    said = asked().lossless
    return replace(said, classes=tuple(
        replace(one, **changes) if one.name == name else one  # type: ignore[arg-type]
        for one in said.classes
    ))  # fmt: skip


WRONG = {
    "mode full without PFC watchdog": replace(asked().lossless, watchdog=None),
    "mode full without headroom": replace(asked().lossless, headroom=None),
    "mode full without classes": replace(asked().lossless, classes=()),
    "mode ecn with PFC watchdog": replace(asked().lossless, mode="ecn"),
    "class cnp has priority group 1, and must have 0": classed(CNP, priority_group=1),
    "class best-effort has queue 1, and must have 0": classed(REST, queue=1),
    "class roce has lossless False, and must have True": classed(ROCE, lossless=False),
    "class cnp has strict False, and must have True": classed(CNP, strict=False),
    "class roce has priority 4, and must have 3": classed(ROCE, priority=4),
}


@pytest.mark.parametrize("said", WRONG)
def test_what_contradicts_itself_is_said(said: str) -> None:
    assert said in [*unlike_itself(replace(asked(), lossless=WRONG[said]))]


def test_a_plan_as_it_is_contradicts_nothing() -> None:
    assert [*unlike_itself(asked())] == []


def test_a_switch_of_gpus_without_buffers_is_said() -> None:
    bare = replace(asked(), switch=replace(asked().switch, buffers=None))
    assert [*unlike_itself(bare)] == [
        "a switch of GPUs has no buffers for the class, and the mode is full"
    ]
    users = asked("business-leaf-b1-1")
    assert users.switch.buffers is None
    assert [*unlike_itself(users)] == []
