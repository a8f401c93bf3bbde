"""Bytes of ports by dialect: what is whole and fresh is told, and nothing else."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inventory.reading.fields import Unreadable
from switch_configs.answers.carried import Carried
from switch_configs.answers.typed import Typed, script, told, waited_s
from tests.validation import carried_says
from tests.validation.carried_says import BOOTED_AT, SAYS
from validation.counters import ask, read

PORTS = {"Ethernet1/1": (5_000_000_000, 7_000_000_000), "Ethernet2/1": (6_000, 8_000)}
UPTIME_S = 81234.41
# Clocks that are documents: their seconds, and how many lines they have.
DOCUMENTS = {"eos": ("81234.41\n", 5), "nxos": ('"54"', 1)}


@pytest.mark.parametrize("dialect", sorted(SAYS))
def test_every_dialect_tells_both_ways_and_its_own_clock(dialect):
    uptime_s = int(UPTIME_S) if dialect == "nxos" else UPTIME_S
    assert read.carried(dialect, SAYS[dialect](PORTS, UPTIME_S)) == Carried(uptime_s, PORTS)
    assert read.is_read(dialect)
    own = {"eos": "show version | json", "nxos": "show system uptime | json"}
    assert own.get(dialect, "cat /proc/uptime") in (ask.carried(dialect, list(PORTS)) or "")


@pytest.mark.parametrize("dialect", sorted(SAYS))
@pytest.mark.parametrize(
    ("whole", "broken"),
    [
        ("railbed-section clock 0 1", "railbed-section clock 1 1"),
        ("railbed-section clock 0 1", "railbed-section watch 0 1"),
        (".41 ", " "),
        ("5000000000", "-5"),
        ("7000000000", "many"),
    ],
)
def test_what_is_not_whole_is_not_read(dialect, whole, broken):
    if dialect in DOCUMENTS:
        seconds, lines = DOCUMENTS[dialect]
        whole = {".41 ": seconds}.get(whole, whole.replace("clock 0 1", f"until 0 {lines}"))
        broken = {" ": '"now"\n'}.get(broken, broken.replace("clock 1 1", f"until 1 {lines}"))
        broken = broken.replace("watch 0 1", f"watch 0 {lines}")
    text = SAYS[dialect](PORTS, UPTIME_S)
    assert whole in text
    with pytest.raises(Unreadable):
        read.carried(dialect, text.replace(whole, broken))


@pytest.mark.parametrize("dialect", ["cumulus", "eos", "linux_frr", "sonic"])
def test_a_port_that_is_told_twice_is_not_believed(dialect):
    text = SAYS[dialect](PORTS, UPTIME_S).replace("Ethernet2/1", "Ethernet1/1")
    with pytest.raises(Unreadable):
        read.carried(dialect, text)


def test_nxos_rows_of_one_port_twice_are_not_believed():
    text = SAYS["nxos"](PORTS, UPTIME_S).replace("Ethernet2/1", "Ethernet1/1")
    with pytest.raises(Unreadable):
        read.carried("nxos", text)


@pytest.mark.parametrize("dialect", ["cumulus", "sonic"])
@pytest.mark.parametrize(
    ("every_ms", "waited_s"), [(1000, 1.9), (30000, 3.0), (0, 5.0), (1000, -2)]
)
def test_polled_counters_are_read_after_two_polls_or_not_at_all(dialect, every_ms, waited_s):
    """What is shown before may lack what went just before the round, and so count it twice."""
    assert read.carried(dialect, carried_says.polled(PORTS, UPTIME_S, 1000, 2.0)).ports == PORTS
    with pytest.raises(Unreadable):
        read.carried(dialect, carried_says.polled(PORTS, UPTIME_S, every_ms, waited_s))


def test_polled_counters_do_not_pass_without_a_word_on_their_polls():
    with pytest.raises(Unreadable):
        read.carried("sonic", carried_says.linux(PORTS, UPTIME_S))


@pytest.mark.parametrize("counted_s", [-6.5, -3600.0, 0.5])
def test_eos_counters_from_before_the_reading_are_refused(counted_s):
    """Nor from after it: then a clock was set, and nothing is known."""
    assert read.carried("eos", carried_says.eos(PORTS, UPTIME_S, -5.5)).ports == PORTS
    with pytest.raises(Unreadable):
        read.carried("eos", carried_says.eos(PORTS, UPTIME_S, counted_s))


@pytest.mark.parametrize("changes", [0, 1])
def test_nxos_counters_that_were_not_seen_to_change_twice_are_not_told(changes):
    assert read.carried("nxos", carried_says.nxos(PORTS, UPTIME_S, 2)).ports == PORTS
    assert not read.carried("nxos", carried_says.nxos(PORTS, UPTIME_S, changes)).ports


def shell(tmp_path: Path, dialect: str, tools: dict[str, str]) -> str:
    """What the dialect's text prints where these tools are the switch's."""
    for name, body in tools.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    text = ask.carried(dialect, ["Ethernet2/1", "Ethernet1/1"])
    assert text is not None
    path = f"{tmp_path}:/usr/bin:/bin"
    done = subprocess.run(["sh", "-c", text], env={"PATH": path}, capture_output=True, text=True)
    return done.stdout


def test_sonic_is_asked_in_two_scripts_of_its_database(tmp_path):
    """The first says how often it is filled; then the wait is as long as it has to be."""
    told = """case $1 in
CONFIG_DB) echo 100;;
COUNTERS_DB) shift 4; for port; do echo "$port 5 7"; done;;
esac"""
    found = read.carried("sonic", shell(tmp_path, "sonic", {"sonic-db-cli": told}))
    assert found.ports == {"Ethernet1/1": (5, 7), "Ethernet2/1": (5, 7)}


def test_a_sonic_that_polls_no_ports_proves_nothing(tmp_path):
    told = shell(tmp_path, "sonic", {"sonic-db-cli": "echo ports are not polled"})
    with pytest.raises(Unreadable, match="ports are not polled"):
        read.carried("sonic", told)


def typed(system: str, says: Callable[[str, float], str], refused: str = "") -> Iterator[Typed]:
    """What a trip brings whose lines are answered so; the switch's clock goes on while we wait."""
    text = ask.carried(system, ["Ethernet2/1", "Ethernet1/1"])
    assert text is not None
    answers, now_s = [], 100.0
    for line in script([text]).splitlines():
        now_s += waited_s(line)
        said = "" if waited_s(line) else says(line, now_s)
        answers.append(Typed(1, "", "% Invalid") if line == refused else Typed(0, said, ""))
    assert not list(told([text], answers[:-1])), "a trip that is cut is none"
    return told([text], answers)


def eos_says(line: str, now_s: float) -> str:
    if line == "show version | json":
        return carried_says.version(now_s)
    port = line.split()[2]
    assert line == f"show interfaces {port} | json"
    return carried_says.interface(port, (5, 7), BOOTED_AT + now_s)


def nxos_says(line: str, now_s: float) -> str:
    """It counts on all the time."""
    if line == "show system uptime | json":
        return carried_says.kernel_uptime(now_s)
    assert line == "show interface counters | json"
    return carried_says.interface_counters({"Ethernet1/1": (round(now_s), 2 * round(now_s))})


def test_eos_is_asked_for_each_port_in_one_session():
    (one,) = typed("eos", eos_says)
    found = read.carried("eos", one.out)
    assert (found.uptime_s, found.ports) == (105.0, {"Ethernet1/1": (5, 7), "Ethernet2/1": (5, 7)})


def test_nxos_is_read_several_times():
    (one,) = typed("nxos", nxos_says)
    found = read.carried("nxos", one.out)
    assert (found.uptime_s, found.ports) == (112, {"Ethernet1/1": (112, 224)})


@pytest.mark.parametrize(
    ("system", "says", "line"),
    [
        ("eos", eos_says, "show interfaces Ethernet1/1 | json"),
        ("nxos", nxos_says, "show system uptime | json"),
    ],
)
def test_a_line_that_is_refused_proves_nothing(system, says, line):
    (one,) = typed(system, says, line)
    with pytest.raises(Unreadable, match="% Invalid"):
        read.carried(system, one.out)
