"""Another GPU driver is rehearsed: wave by wave, running after a reboot, and back.

Packages are stand-ins of Ubuntu's names, versions and relations, as the site's lock has them.
"""

from __future__ import annotations

import pytest

from deploy import lab
from deploy.lab.machines import machine
from deploy.rehearsal.rehearse import Asked, rehearse
from tests.labs import lab_name

from .test_makers import NEW, OLD, other_driver
from .test_rehearse import SWITCHES, two_rails

NAME = lab_name("tdrv")
NODE = "node-p1-1"

pytestmark = [
    pytest.mark.lab,
    pytest.mark.full,  # nine minutes: two rollouts, four boots
]


def said(script: str) -> list[str]:
    done = machine.inside(NAME, NODE, ["sh", "-c", script], timeout_s=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().split()


def wave_by_wave(what: str) -> list[str]:
    """Each node's gate holds until it has booted anew, and the next run goes on."""
    first, second = "node-p1-1 boot anew", "node-p1-2 boot anew"
    return [what, first, f"{what}, run 2", second, f"{what}, run 3"]


def test_a_driver_changes_on_every_node_and_runs_after_a_reboot_there_and_back(tmp_path):
    folder = two_rails(tmp_path / "site", SWITCHES["eos"])
    asked = Asked(str(folder), change=str(other_driver(folder, tmp_path / "change")))
    try:
        found = rehearse(asked, print, keep=True, name=NAME)
        assert found.exit_code == 0, [one.outcome for one in found.acts]
        assert [one.title for one in found.acts] == [
            "the twin boots", "the whole rollout, from nothing", "the rollout again",
            *wave_by_wave("the change"), "the change again", *wave_by_wave("the way back"),
        ]  # fmt: skip
        for what in ("the change", "the way back"):
            runs = [one for one in found.acts if one.title in wave_by_wave(what)]
            # No switch is touched, and no node has booted before its gate held for it.
            first, second, third = (one.changed for one in runs if one.waves)
            assert first == ("node-p1-1", "oob1")
            # Stand-in NICs are there a moment after a boot: a role may set them again.
            assert {"node-p1-2"} <= {*second} <= {"node-p1-1", "node-p1-2"}
            assert {*third} <= {"node-p1-2"}
            assert [one.waves[-1].decision for one in runs if one.waves] == ["hold", "hold", "go"]
            assert f"drain and reboot {NODE}" in runs[0].outcome, runs[0].outcome
        held = said("apt-mark showhold")
        assert {f"nvidia-firmware-580-server-{OLD}", "nvidia-fabricmanager-580"} <= {*held}
        assert not [name for name in held if NEW in name]
        versions = said("dpkg-query -W -f '${Version}\\n' 'nvidia-*' 'libnvidia-*' | sort -u")
        assert versions == [f"{OLD}-0ubuntu0.24.04.1"]
        assert said("cat /sys/module/nvidia/version") == [OLD]
        assert said("systemctl is-active nvidia-fabricmanager nvidia-persistenced") == [
            "active", "active",
        ]  # fmt: skip
    finally:
        lab.down(NAME)
