"""Who answers, on systems that have no shell, or one without the management port by its name."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest

from inventory.plan import Plan
from switch_configs.answers.typed import Typed, encoded
from tests.switch_configs.sites import small
from validation.evidence.gather import Ask, Reply, one_trip
from validation.evidence.identity import line

LEAF = "leaf-p1-r0"
# As EOS (indented) and NX-OS (in one line) print them.
_EOS = """{
    "interfaces": {
        "Management1": {
            "name": "Management1",
            "physicalAddress": "28:99:3a:28:42:00",
            "burnedInAddress": "28:99:3a:28:42:ca",
            "mtu": 1500
        }
    }
}"""
_NXOS = (
    '{"TABLE_interface": {"ROW_interface": {"interface": "mgmt0", "state": "up", '
    '"eth_hw_addr": "5254.0014.d100", "eth_bia_addr": "5254.0014.d103", "eth_mtu": "1500"}}}'
)


def told(folder: Path, text: str) -> list[str]:
    """What a device says whose command line answers this, and only this, question."""
    (folder / "text").write_text(f"{text}\n")
    body = f'#!/bin/sh\n[ "$2" = "show interface mgmt0 | json" ] && cat {folder}/text\n'
    (folder / "vsh").write_text(body)
    (folder / "vsh").chmod(0o755)
    path = f"/usr/bin:/bin:{folder}"
    shell = ["sh", "-c", line("mgmt0", "nxos")]
    return subprocess.run(
        shell, env={"PATH": path}, capture_output=True, text=True, timeout=30
    ).stdout.splitlines()


def test_the_command_line_tells_the_burned_in_address(tmp_path):
    hostname, found, boot, clock = told(tmp_path, _NXOS)
    assert (found, bool(hostname), len(boot)) == ("52:54:00:14:d1:03", True, 36)
    assert abs(int(clock) - time.time()) < 60
    assert len(told(tmp_path, _NXOS[: _NXOS.index("d103")])) == 3


def test_others_are_known_by_their_kernel():
    assert line("eth0", "sonic") == line("eth0")
    assert "cat /sys/class/net/eth0/address" in line("eth0")


class CommandLine:
    """An EOS switch that answers these lines and refuses all others; cut after some answers."""

    def __init__(self, says: dict[str, str], answers: int = 99, error: str = "") -> None:
        self.says, self.answers, self.error = says, answers, error

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        assert device == LEAF
        assert timeout_s
        refused = Typed(1, "", "% Invalid input")
        every = [
            Typed(0, self.says[one], "") if one in self.says else refused
            for one in script.splitlines()
        ]
        told = b"".join(map(encoded, every[: self.answers]))
        return Reply(told, None if self.error else 0, self.error)


VERSION = {"bootupTimestamp": 1763800000.25, "uptime": 500.5, "version": "4.36.0F"}
SAYS = {
    "show hostname | json": json.dumps({"hostname": LEAF, "fqdn": LEAF}),
    "show interfaces Management1 | json": _EOS,
    "show version | json": json.dumps(VERSION),
    "show a": "one\n",
    "show b": "two\n",
}
ASKS = (Ask("first", "show a\nshow b"), Ask("second", "show c"), Ask("third", "show b"))


@pytest.fixture(scope="module")
def plan() -> Plan:
    return small("eos")


def test_a_command_line_without_a_shell_is_typed_at(plan):
    frames, wrong = one_trip(plan, CommandLine(SAYS), LEAF, ASKS)
    assert not wrong
    assert [(one.command, one.exit_status, one.payload) for one in frames] == [
        ("first", 0, b"one\ntwo\n"), ("second", 1, b""), ("third", 0, b"two\n"),
    ]  # fmt: skip
    assert "% Invalid input" in frames[1].errors
    who = frames[0].identity
    assert (who.hostname, who.mac, who.clock_s) == (LEAF, "28:99:3a:28:42:ca", 1763800501)
    later = dict(SAYS, **{"show version | json": json.dumps(VERSION | {"uptime": 900.5})})
    assert one_trip(plan, CommandLine(later), LEAF, ASKS)[0][0].identity.boot_id == who.boot_id
    again = {"bootupTimestamp": 1763800500.0, "uptime": 60.0}
    restarted = dict(SAYS, **{"show version | json": json.dumps(again)})
    assert one_trip(plan, CommandLine(restarted), LEAF, ASKS)[0][0].identity.boot_id != who.boot_id


@pytest.mark.parametrize(("answers", "whole"), [(0, 0), (2, 0), (3, 0), (4, 0), (5, 1), (6, 2)])
def test_a_trip_that_is_cut_keeps_what_is_whole(plan, answers, whole):
    frames, wrong = one_trip(plan, CommandLine(SAYS, answers, "the session was lost"), LEAF, ASKS)
    assert len(frames) == whole
    assert "the session was lost" in wrong


@pytest.mark.parametrize("gone", list(SAYS)[:3])
def test_who_does_not_say_who_it_is_proves_nothing(plan, gone):
    says = {line: text for line, text in SAYS.items() if line != gone}
    frames, wrong = one_trip(plan, CommandLine(says), LEAF, ASKS)
    assert not frames
    assert "did not identify itself: % Invalid input" in wrong
    frames, wrong = one_trip(plan, CommandLine({**SAYS, gone: "{}"}), LEAF, ASKS)
    assert not frames
    assert "did not identify itself: the switch does not say" in wrong
