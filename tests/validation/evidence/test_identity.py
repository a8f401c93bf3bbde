"""Who answers, on systems that have a command line and no shell."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from switch_configs.answers.typed import Typed, encoded
from tests.switch_configs.sites import small
from validation.evidence.gather import Ask, Reply, one_trip

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


class CommandLine:
    """A switch that answers these lines and refuses all others; cut after some answers."""

    def __init__(self, says: Mapping[str, str], answers: int = 99, error: str = "") -> None:
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


def version(booted: float, up_s: float) -> dict[str, str]:
    """`show version | json` of EOS."""
    told = {"bootupTimestamp": booted, "uptime": up_s, "version": "4.36.0F"}
    return {"show version | json": json.dumps(told)}


def uptime(started: str, up_s: int, clock: str) -> dict[str, str]:
    """`show system uptime | json` and `show clock` of NX-OS, whose kernel starts a minute before.

    It warns where it has no time server; a public script for NX-OS takes such lines out.
    """
    (minutes, seconds), told = divmod(up_s + 60, 60), {"sys_st_time": started}
    told |= {"sys_up_days": "0", "kn_up_days": "0", "kn_up_hrs": "0"}
    told |= {"kn_up_mins": f"{minutes}", "kn_up_secs": f"{seconds}"}
    warned = "Warning: No NTP peer/server configured. Time may be out of sync.\n"
    return {"show system uptime | json": json.dumps(told), "show clock": f"{warned}{clock}\n"}


SHOWS = {"show a": "one\n", "show b": "two\n"}
WHO = {
    "eos": {
        "show hostname | json": json.dumps({"hostname": LEAF, "fqdn": LEAF}),
        "show interfaces Management1 | json": _EOS,
        **version(1763800000.25, 500.5),
    },
    "nxos": {
        "show hostname": f"{LEAF}.example.com \n",
        "show interface mgmt0 | json": f"{_NXOS}\n",
        **uptime("Sat Nov 22  08:26:40 2025", 501, "08:35:01.004 UTC Sat Nov 22 2025"),
    },
}
MACS = {"eos": "28:99:3a:28:42:ca", "nxos": "52:54:00:14:d1:03"}
LATER = {
    "eos": version(1763800000.25, 900.5),
    "nxos": uptime("Sat Nov 22 08:26:40 2025", 901, "08:41:41.993 UTC Sat Nov 22 2025"),
}
RESTARTED = {
    "eos": version(1763800500.0, 60.0),
    "nxos": uptime("Sat Nov 22 08:35:00 2025", 60, "08:36:00.100 UTC Sat Nov 22 2025"),
}
ASKS = (Ask("first", "show a\nshow b"), Ask("second", "show c"), Ask("third", "show b"))


def trip(system: str, more: Mapping[str, str], answers: int = 99, error: str = ""):
    """One trip to a leaf of this system that says who it is, but for what it says otherwise."""
    says = {**WHO[system], **SHOWS, **more}
    return one_trip(small(system), CommandLine(says, answers, error), LEAF, ASKS)


@pytest.mark.parametrize("system", WHO)
def test_a_command_line_without_a_shell_is_typed_at(system):
    frames, wrong = trip(system, {})
    assert not wrong
    assert [(one.command, one.exit_status, one.payload) for one in frames] == [
        ("first", 0, b"one\ntwo\n"), ("second", 1, b""), ("third", 0, b"two\n"),
    ]  # fmt: skip
    assert "% Invalid input" in frames[1].errors
    who = frames[0].identity
    assert (who.hostname, who.mac, who.clock_s) == (LEAF, MACS[system], 1763800501)
    assert trip(system, LATER[system])[0][0].identity.boot_id == who.boot_id
    assert trip(system, RESTARTED[system])[0][0].identity.boot_id != who.boot_id


@pytest.mark.parametrize("system", WHO)
def test_a_trip_that_is_cut_keeps_what_is_whole(system):
    known = len(WHO[system])
    for answers in range(known + 4):
        frames, wrong = trip(system, {}, answers, "the session was lost")
        assert len(frames) == max(0, answers - known - 1)
        assert "the session was lost" in wrong


@pytest.mark.parametrize(("system", "gone"), [(one, line) for one in WHO for line in WHO[one]])
def test_who_does_not_say_who_it_is_proves_nothing(system, gone):
    says = {line: text for line, text in WHO[system].items() if line != gone} | SHOWS
    frames, wrong = one_trip(small(system), CommandLine(says), LEAF, ASKS)
    assert not frames
    assert "did not identify itself: % Invalid input" in wrong
    frames, wrong = trip(system, {gone: "{}"})
    assert not frames
    assert "did not identify itself: the switch does not say" in wrong


def test_a_nexus_whose_clock_was_set_after_its_start_is_known_by_its_clock():
    """With a start of no time, two boots may tell the same one."""
    start = "Sat Jan  1 00:01:10 2000"
    boots = [
        trip("nxos", uptime(start, up_s, f"{clock} UTC Sat Nov 22 2025"))[0][0].identity.boot_id
        for up_s, clock in ((501, "08:35:01.004"), (901, "08:41:41.004"), (60, "08:45:00.004"))
    ]
    assert boots[0] == boots[1] != boots[2]


@pytest.mark.parametrize("zone", ["CET", "PST", "utc+1"])
def test_a_nexus_in_a_zone_of_its_own_is_asked_to_leave_it(zone):
    told = uptime("Sat Nov 22 08:26:40 2025", 501, f"08:35:01.004 {zone} Sat Nov 22 2025")
    frames, wrong = trip("nxos", told)
    assert not frames
    assert "zone of its own" in wrong


def test_the_burned_in_address_comes_first():
    other = _NXOS.replace('"eth_bia_addr": "5254.0014.d103", ', "")
    (one, *_), _ = trip("nxos", {"show interface mgmt0 | json": other})
    assert one.identity.mac == "52:54:00:14:d1:00"
