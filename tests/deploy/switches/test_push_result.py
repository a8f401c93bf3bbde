"""What a push says of what it saw: whether a device holds what it did, and how bad a change is."""

from __future__ import annotations

import pytest

from deploy.switches.push_result import as_steps_say, holds
from switch_configs.diff import FileDiff
from switch_configs.intent import ConfigFile, Impact, Rendered, Step

CONF = ConfigFile("/etc/a", "one\n", "root", "root", "0644", "runtime")
OTHER = ConfigFile("/etc/b", "two\n", "root", "root", "0644", "runtime")
MARK = ConfigFile("(not saved)", "what runs is not saved\n", "", "", "", "none")
CHANGED = ConfigFile("/etc/a", "three\n", "root", "root", "0644", "runtime")
LAID = ConfigFile("/etc/a", "one\n", "root", "root", "0600", "runtime")


def runs(*files: ConfigFile) -> Rendered:
    return Rendered("leaf1", "eos", files)


@pytest.mark.parametrize(
    ("state", "old", "is_held"),
    [
        (runs(CONF), runs(CONF), True),
        (runs(CONF), runs(CONF, MARK), True),  # saved meanwhile: the mark goes
        (runs(CONF, MARK), runs(CONF, MARK), True),
        (runs(CONF, MARK), runs(CONF), False),  # it was saved, and is not any more
        (runs(CHANGED), runs(CONF), False),
        (runs(LAID), runs(CONF), False),
        (runs(CONF, OTHER), runs(CONF), False),
        (runs(CONF), runs(CONF, OTHER), False),  # no mark: a file that is gone
    ],
)
def test_a_device_holds_what_it_did_though_it_was_saved_meanwhile(state, old, is_held):
    assert holds(state, old, runs(CHANGED)) is is_held


def test_a_mark_that_the_new_configuration_has_too_must_be_there():
    assert not holds(runs(CONF), runs(CONF, MARK), runs(CHANGED, MARK))


def step(impact: Impact) -> Step:
    return Step("a step", "apply", "does it", None, "", "", impact, 10)


A, B, GONE = (FileDiff(path, "reload", "a diff") for path in ("/etc/a", "/etc/b", MARK.path))


@pytest.mark.parametrize(
    ("found", "steps", "impacts"),
    [
        ((A,), ("none", "link flap", "runtime"), ("link flap",)),
        ((A,), (), ("none",)),
        ((A, B), ("link flap",), ("reload", "reload")),  # of which of both nobody knows
        ((A, GONE), ("runtime",), ("runtime", "reload")),  # a mark is no file that changes
        ((GONE,), ("runtime",), ("reload",)),
        ((), ("runtime",), ()),
    ],
)
def test_one_file_that_differs_has_the_impact_of_its_very_change(found, steps, impacts):
    told = as_steps_say(found, runs(CONF, MARK), map(step, steps))
    assert tuple(one.impact for one in told) == impacts
    assert [(one.path, one.text) for one in told] == [(one.path, one.text) for one in found]
