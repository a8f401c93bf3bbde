"""The proofs of a rollout's switches: once for all, and alone where that is no pass."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from deploy.rollout import proofs
from deploy.rollout.proofs import Proofs
from inventory import open_site
from switch_configs import render
from switch_configs.intent import Rendered
from tests.switch_configs.sites import small

PLAN = open_site("lab")
RENDER = partial(render, PLAN)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Which devices the programs were asked about, each time; leaf-p1-r0 is wrong."""
    told: list[list[str]] = []

    def check_all(configurations: list[Rendered]) -> dict[str, tuple[str, ...]]:
        told.append([one.device for one in configurations])
        if any("broken" in file.text for one in configurations for file in one.files):
            raise OSError("no program")
        return {
            one.device: ("frr.conf: no",) if one.device == "leaf-p1-r0" else ()
            for one in configurations
        }

    monkeypatch.setattr(proofs, "check_all", check_all)
    monkeypatch.setattr(proofs, "check_syntax", lambda one: check_all([one])[one.device])
    return told


def test_all_are_asked_at_once_and_a_pass_is_not_asked_again(asked):
    prove = Proofs(RENDER, ["spine1", "spine2"])
    assert prove(render(PLAN, "spine1")) == prove(render(PLAN, "spine2")) == ()
    assert asked == [["spine1", "spine2"]]


def test_what_is_no_pass_is_asked_alone(asked):
    prove = Proofs(RENDER, ["spine1", "leaf-p1-r0"])
    assert prove(render(PLAN, "leaf-p1-r0")) == ("frr.conf: no",)
    assert asked[1:] == [["leaf-p1-r0"]]


def test_another_configuration_is_no_proved_one(asked):
    prove = Proofs(RENDER, ["spine1"])
    one = render(PLAN, "spine1")
    other = replace(one, files=(replace(one.files[0], text="other"), *one.files[1:]))
    assert prove(other) == ()
    assert prove(render(PLAN, "spine2")) == ()
    assert asked == [["spine1"], ["spine1"], ["spine2"]]


def test_programs_that_cannot_be_asked_are_no_pass(asked):
    broken = replace(render(PLAN, "spine1"))
    broken = replace(broken, files=(replace(broken.files[0], text="broken"), *broken.files[1:]))
    with pytest.raises(OSError, match="no program"):
        Proofs(lambda _: broken, ["spine1"])(broken)


def test_what_programs_here_read_in_part_only_is_left_to_its_switch(asked):
    plan = small("sonic")
    prove = Proofs(partial(render, plan), ["leaf-p1-r0"])
    assert prove(render(plan, "leaf-p1-r0")) == ()
    assert asked == [[]]
