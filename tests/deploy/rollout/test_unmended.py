"""Every kind of drift has a row: `apply` mends it, or refuses it before it changes anything."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from deploy.rollout import look, runbook
from deploy.rollout.runbook import preview
from deploy.rollout.survey import Survey
from deploy.rollout.unmended import MENDED, OWN, ROWS, left_on_server, left_on_switch
from tests.deploy.commands.test_told_truly import context  # noqa: F401 - a fixture
from tests.deploy.rollout.test_refused_early import NOBODY, roll  # noqa: F401 - a fixture
from tests.deploy.servers.test_drift import NODE, PLAN, Change, as_planned, put
from tests.validation.planned import Say, Servers
from validation.manifest.device import manifests
from validation.manifest.differences import Drift, DriftKind, Unknown
from validation.manifest.drift import _JUDGES, Compared
from validation.manifest.node_state import FILES, KERNEL, PACKAGES, SSHD, STRAYS, UNITS

MINE = manifests(PLAN).of(NODE)
OPTION = MINE.options[0]
SSH_FILE = next(one for one in MINE.files if one.path.startswith("/etc/ssh/"))
UNIT = next(one for one in MINE.units if one.enabled)
PACKAGE, FOLDER = MINE.packages[0], MINE.folders[0]
ANY_FILE = next(one for one in MINE.files if one.role != OPTION.role)
SYSCTL = MINE.sysctls[0]


def of_unit(state: str) -> Change:
    """Its own lines in what systemctl says, in another state."""

    def change(said: Say) -> None:
        head, found, tail = said[UNITS].partition(f"Names={UNIT.name}\n")
        assert found
        said[UNITS] = head + found + tail.replace("UnitFileState=enabled", state, 1)

    return change


OTHER_OPTION = put(SSHD, f"{OPTION.name} {OPTION.value}", f"{OPTION.name} otherwise")
OTHER_FILE = put(FILES, SSH_FILE.sha256, "0" * 64)
STRAY = put(STRAYS, "\0\0", "/etc/sysctl.d/zz.conf\0\0")
MASKED = of_unit("UnitFileState=masked")


def both(*some: Change) -> Change:
    def change(said: Say) -> None:
        for one in some:
            one(said)

    return change


# What is mended, by kind; each is another thing than those that stay.
MENDS: dict[DriftKind, Change] = {
    "file": put(FILES, ANY_FILE.sha256, "0" * 64),
    "folder": put(FILES, f"40 {FOLDER.path}|directory", f"40 {FOLDER.path}|regular file"),
    "package": put(PACKAGES, f"{PACKAGE.name}\t{PACKAGE.version}", f"{PACKAGE.name}\t0"),
    "sysctl": put(KERNEL, f":{SYSCTL.value}", ":12345"),
    "unit": of_unit("UnitFileState=disabled"),
    # Our own file is another: it may well be what sshd goes by.
    "sshd option": both(OTHER_OPTION, OTHER_FILE),
}
STAYS: dict[DriftKind, Change] = {"stray": STRAY, "sshd option": OTHER_OPTION, "unit": MASKED}


def looked(context, change: Change) -> Survey:  # noqa: F811
    """The survey of a site in which one node differs so, read by the real probe's readers."""

    def said(device: str) -> Say:
        told = as_planned(device)
        if device == NODE:
            change(told)
        return told

    found = look.look(context, Servers(PLAN, said), [NODE])
    assert [one.device for one in found.differences] == [NODE]
    planned = frozenset(PLAN.devices) - {NODE}
    # Another node differs in what a role mends: the run has something to change.
    work = {**found.roles, "node-p2-1": ("os_base",)}
    return Survey(PLAN.digest, planned, found.differences, (), work, {}, found.strays)


def test_every_kind_of_drift_has_a_row_and_says_who_mends_it():
    kinds = set(get_args(DriftKind))
    assert set(ROWS) == {*kinds, OWN}
    # A port is only ever not known.
    assert kinds == {kind for _, some in _JUDGES.values() for kind in some} - {"port"}
    assert {kind for kind, row in ROWS.items() if row is not MENDED} == {*STAYS, OWN}
    for kind, row in ROWS.items():
        assert (row is MENDED) == (not row.said) == (not row.remedy), kind


@pytest.mark.parametrize("kind", [one for one in get_args(DriftKind) if ROWS[one] is MENDED])
def test_what_is_mended_is_mended_by_its_role(kind):
    assert Drift(NODE, "os_base", kind, "x", "a", "b").is_mended_by_role


@pytest.mark.instances(keep=1)
@pytest.mark.parametrize("only", ["", "nodes"])
@pytest.mark.parametrize("kind", sorted(STAYS))
def test_what_no_run_mends_is_refused_before_the_first_change(roll, context, kind, only):  # noqa: F811
    found = looked(context, STAYS[kind])
    assert [one.kind for one in found.strays[NODE]] == [kind]
    ended = roll(found, only)
    assert (ended.exit_code, ended.changed, ended.waves) == (1, (), ())
    assert ended.outcome.startswith(f"nothing was changed: {ROWS[kind].said} {NODE}: ")
    assert ROWS[kind].remedy in ended.outcome


def test_what_a_switch_keeps_as_its_own_is_refused_too(roll, context):  # noqa: F811
    found = looked(context, MENDS["sysctl"])
    own = replace(found, strays={"leaf-p1-r0": left_on_switch(["1 of users that nobody planned"])})
    ended = roll(own)
    assert ended.exit_code == 1
    assert f"{ROWS[OWN].said} leaf-p1-r0: 1 of users" in ended.outcome


@pytest.mark.parametrize("kind", sorted(MENDS))
def test_what_a_run_mends_is_not_refused(roll, context, kind):  # noqa: F811
    found = looked(context, MENDS[kind])
    assert not found.strays
    with pytest.raises(AssertionError, match="a device was changed"):
        roll(found)


def test_all_of_it_is_said_at_once_each_with_its_remedy(roll, context, monkeypatch):  # noqa: F811
    found = looked(context, both(*STAYS.values()))
    everything = {
        **found.strays,
        "leaf-p1-r0": left_on_switch(["2 of banners that nobody planned"]),
    }
    monkeypatch.setattr(runbook, "pending", lambda _: "")
    outcome = roll(replace(found, strays=everything)).outcome
    for kind in (*STAYS, OWN):
        assert outcome.count(ROWS[kind].said) == outcome.count(ROWS[kind].remedy) == 1
    said = preview(context, NOBODY, "")
    assert said.exit_code == 1
    assert outcome.removeprefix("nothing was changed: ") in said.outcome


def test_a_unit_masked_in_the_place_of_our_own_file_is_mended():
    """The role's file takes the link's place."""
    unit = Drift(NODE, "os_base", "unit", "x.service", "enabled", "masked")
    link = Drift(
        NODE, "os_base", "file", "/etc/systemd/system/x.service", "a regular file", "a link"
    )
    report = drift_of(unit)
    assert [one.kind for one in left_on_server(report)] == ["unit"]
    assert left_on_server(replace(report, drifts=(link, unit))) == ()


def test_where_our_files_are_not_known_nobody_says_that_others_speak():
    option = Drift(NODE, "os_base", "sshd option", "usedns", "no", "yes")
    known = drift_of(option)
    assert [one.kind for one in left_on_server(known)] == ["sshd option"]
    unread = replace(known, unknowns=(Unknown(NODE, "os_base", "file", "", "cut"),))
    assert left_on_server(unread) == ()


def drift_of(*drifts: Drift) -> Compared:
    return Compared(drifts, ())
