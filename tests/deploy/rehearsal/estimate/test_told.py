"""How an estimate looks: the whole first, kinds of waves in one line, and who says each figure."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from deploy.lab.modelled import SYSTEMS
from deploy.rehearsal.estimate.arithmetic import Estimate, Later, Part, Range, Wave
from deploy.rehearsal.estimate.told import estimate_json, estimate_text, stands_on
from inventory.load.durations import DURATIONS
from inventory.load.site import PROFILES
from inventory.switches.abilities import abilities
from tests.shipped import loaded

RESTART = "restart hgx-h100, 2 devices, 5 min to 15 min each"
WIDTH = ", at most 2 at once"
TABLE = loaded(PROFILES / DURATIONS)


def waves(*names: str, devices: int = 4, at_once: int = 2) -> list[Wave]:
    work = Range(60, 300)
    return [Wave(name, "switches", devices, at_once, work, Range(6, 8)) for name in names]


MADE = Estimate(
    title="the change",
    around=Range(20, 30),
    waves=(
        *waves("spines-canary", "spines-rest.1", devices=1, at_once=1),
        *waves("leaves-canary", "leaves-r0", "leaves-r1.1", "leaves-r1.2"),
        *waves("storage-leaves-s1"),
    ),
    loads=Range(30, 40),
    parts=(
        Part("gates", Range(6, 8), "twin"),
        Part("apply eos", Range(2, 60), "assumed"),
        Part("link up", Range(9, 90), "reported", "an issue"),
        Part("push to nxos", None, "nobody knows"),
    ),
    later=(Later("restart hgx-h100", 2, Part("reboot gpu node", Range(300, 900), "reported"), 6),),
    notes=("switches go one at a time",),
)


def lines(*estimates: Estimate) -> list[str]:
    said = StringIO()
    out = Console(file=said, width=300)
    for one in estimates:
        estimate_text(one, out)
    stands_on(estimates, out)
    return [line.rstrip() for line in said.getvalue().splitlines()]


def test_it_reads_as_people_plan():
    assert lines(MADE, MADE) == [
        *2 * [
            "the real site, the change: 9 min to 37 min for 22 devices in 7 waves",
            "  20 s to 30 s       around the waves",
            "  2 min to 10 min    spines, 2 waves of 1 device, 70 s to 5 min each",
            f"  4 min to 21 min    leaves, 4 waves of 4 devices{WIDTH}, 70 s to 5 min each",
            f"  70 s to 5 min      storage-leaves-s1: 4 devices{WIDTH}",
            "  30 s to 40 s       loads of the last gate",
            f"  not in it, and people do it: {RESTART}, between waves: 6 gates wait for it",
            "  not in it, nobody knows how long: push to nxos",
        ],
        "these times stand on:",
        "  switches go one at a time",
        "  the twin measured, with the load of this machine in it: gates 6 s to 8 s",
        "  reported: link up 9 s to 90 s (an issue)",
        "  reported: reboot gpu node 5 min to 15 min",
        "  assumed, nobody was found who says it: apply eos 2 s to 60 s",
    ]  # fmt: skip


def test_nothing_to_change_is_said_so():
    assert lines(Estimate("the change", Range(0, 0), (), Range(0, 0), ())) == [
        "the real site, the change: nothing would change"
    ]


def test_machines_get_every_wave_and_every_figure():
    found = estimate_json(MADE)
    assert [one["wave"] for one in found["waves"]] == [one.name for one in MADE.waves]
    assert found["seconds"] == [20 + 7 * 66 + 30, 30 + 7 * 308 + 40]
    assert found["nobody_knows"] == ["push to nxos"]
    assert {one["what"]: one["seconds"] for one in found["stands_on"]}["push to nxos"] is None
    assert found["later"][0]["seconds_each"] == [300, 900]


@pytest.mark.parametrize("name", sorted(TABLE))
def test_who_says_a_figure_is_said_or_it_is_assumed(name):
    row = TABLE[name]
    assert row["sure"] == "assumed" or row["source"]


def test_every_system_that_is_pushed_to_has_its_rows():
    """But Linux, of which the twin's machines are no models."""
    pushed = {one for one, found in abilities().items() if found.pushed} - {"linux_frr"}
    assert pushed == {*SYSTEMS}
    assert {f"{act}_{one}" for one in pushed for act in ("apply", "reboot")} <= {*TABLE}
