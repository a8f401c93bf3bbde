"""The kernel's log: what each line means, wherever it was copied from."""

from __future__ import annotations

import re
import subprocess

import pytest

from inventory.reading.fields import Unreadable
from validation.host_state import ask as host_ask
from validation.parse.host.kernel_log import MOST, RULES, WORDS, Event, most_within, whole_log

XID = "NVRM: Xid (PCI:0000:b1:00): 79, pid=1896, name=python, GPU has fallen off the bus."
LIMITED = (
    "mlx5_core 0001:43:00.0: 63.008 Gb/s available PCIe bandwidth, limited by "
    "8.0 GT/s PCIe x8 link at 0001:42:01.0 (capable of 126.016 Gb/s with 8.0 GT/s PCIe x16 link)"
)
DOWN = "mlx5_core 0000:18:00.0 enp24s0np0: Link down"


def log(lines: list[str]) -> str:
    return "\n".join([*lines, f"end of log, {len(lines)} lines"]) + "\n"


def events(text: str) -> tuple[Event, ...]:
    """What is read of a log of which the node sends what holds one of the words."""
    return whole_log(log([line for line in text.splitlines() if re.search(WORDS, line)]))


@pytest.mark.parametrize(
    ("prefix", "seconds"),
    [
        ("[    8.387840] ", 8.38784),
        ("Aug 17 06:18:01 node-1 kernel: ", 1723875481.0),
        ("Aug  7 06:18:01 node-1 kernel: [ 8.38] ", 1723011481.0),
        ("2026-11-21T20:00:00,123456+00:00 ", 1795291200.0),
        ("2026-11-21T20:00:00+0000 node-1 kernel: ", 1795291200.0),
        ("", None),
    ],
)
def test_a_message_is_the_same_whatever_stands_before_it(prefix, seconds):
    (found,) = events(f"{prefix}{XID}\n")
    assert (found.kind, found.at, found.code) == ("xid", "0000:b1:00.0", 79)
    assert found.seconds == seconds
    assert found.says == XID


@pytest.mark.parametrize(
    ("line", "kind", "at"),
    [
        (LIMITED, "pcie limited", "0001:43:00.0"),
        (DOWN, "link down", "enp24s0np0"),
        ("e1000: rail0 NIC Link is Down", "link down", "rail0"),
        ("e1000: rail0: NIC Link is Down", "link down", "rail0"),
        ("systemd-networkd[5398]: ib6: lost carrier", "link down", "ib6"),
        ("systemd-networkd[5398]: ib6: Gained carrier", None, None),
        ("mce: [Hardware Error]: Machine check events logged", None, None),
        (
            "mce: [Hardware Error]: CPU 12: Machine Check: 0 Bank 1: bc800800060c0859",
            "machine check",
            "mce",
        ),
        ("mce: [Hardware Error]: CPU 3: Machine Check: 0 Bank 13: 8c00004000010090", None, None),
        (
            "mce: [Hardware Error]: CPU 0: Machine Check Exception: 5 Bank 6: ee0000000040110a",
            "machine check",
            "mce",
        ),
        ("[Hardware Error]: Corrected error, no action required.", None, None),
        ("[Hardware Error]: Deferred error, no action required.", "machine check", "mce"),
        ("[Hardware Error]: Uncorrected, software containable error.", "machine check", "mce"),
        ("[Hardware Error]: System Fatal error.", "machine check", "mce"),
        (
            "mce: Uncorrected hardware memory error in user-access at 3f2f8c0",
            "machine check",
            "mce",
        ),
        ("mce: CPU supports 32 MCE banks", None, None),
        ("EDAC MC2: 1 CE memory read error on CPU_SrcID#0_MC#2 (QUEUE)", None, None),
        ("EDAC skx MC0: CPU 0: Machine Check Event: 0x0 Bank 13: 0x8c00004000010090", None, None),
        ("EDAC DEVICE0: UE: L2 instance: cpu0", "machine check", "EDAC DEVICE0"),
        ("{1}[Hardware Error]: event severity: corrected", None, None),
        ("{1}[Hardware Error]: event severity: info", None, None),
        ("{7415}[Hardware Error]:  Error 0, type: corrected", None, None),
        (
            "{1}[Hardware Error]: It has been corrected by h/w and requires no further action",
            None,
            None,
        ),
        ("{1}[Hardware Error]: event severity: recoverable", "platform error", "the platform"),
        ("{2}[Hardware Error]: event severity: fatal", "platform error", "the platform"),
        ("{2}[Hardware Error]:  Error 0, type: fatal", "platform error", "the platform"),
        (
            (
                "pcieport 0015:00:00.0: DPC: containment event, status:0x200d, ERR_FATAL received "
                "from 0015:01:00.0"
            ),
            "pcie error",
            "0015:00:00.0",
        ),
        (
            "dpc 0000:00:03.2:pcie008: DPC containment event, status:0x1f01 source:0x0000",
            "pcie error",
            "0000:00:03.2",
        ),
        ("pcieport 0000:00:01.0: DPC: enabled with IRQ 25", None, None),
        ("NVRM: GPU 0000:01:00.0: GPU has fallen off the bus.", "gpu lost", "0000:01:00.0"),
        ("NVRM: fallen off the bus and is not responding to commands.", "gpu lost", "a GPU"),
        (
            (
                "mlx5_core 0000:5c:00.0: Port module event[error]: module 0, Cable error, "
                "High Temperature"
            ),
            "nic fault",
            "0000:5c:00.0",
        ),
        (
            (
                "mlx5_port_module_event:1131:(pid 0): Port module event[error]: module 0, Cable "
                "error, Bad or shorted cable/module"
            ),
            "nic fault",
            "mlx5_core",
        ),
        ("mlx5_core 0000:63:00.1: Port module event: module 1, Cable unplugged", None, None),
        (
            (
                "mlx5_core 0000:12:00.0: mlx5_pcie_event:299:(pid 268269): Detected insufficient "
                "power on the PCIe slot (27W)."
            ),
            "nic fault",
            "0000:12:00.0",
        ),
        (
            ("mlx5_core 0000:12:00.0: PCIe slot advertised sufficient power (75W)."),
            None,
            None,
        ),
        (
            (
                "mlx5_core 0000:d2:00.0: poll_health:174: device's health compromised - reached "
                "miss count."
            ),
            "nic fault",
            "0000:d2:00.0",
        ),
        (
            (
                "mlx5_core 0000:d2:00.0: print_health_info:431:(pid 0): Health issue observed, "
                "firmware internal error, severity(3) ERROR:"
            ),
            "nic fault",
            "0000:d2:00.0",
        ),
        (
            "mlx5_core 0000:d2:00.0: Health issue observed, High temperature, severity(6) INFO:",
            None,
            None,
        ),
        (
            ("mlx5_core 0000:d2:00.0: High temperature on sensors with bit set 0 1"),
            "nic fault",
            "0000:d2:00.0",
        ),
        ("EDAC MC0: 1 UE memory read error on CPU_SrcID#0", "machine check", "EDAC MC0"),
        (
            "pcieport 0000:16:01.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction",
            "pcie error",
            "0000:16:01.0",
        ),
        ("pcieport 0000:16:01.0: AER: Corrected error received: 0000:18:00.0", None, None),
        (
            "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 12028, Non-fatal, Link 32 egress",
            "sxid",
            "0000:c1:00.0",
        ),
        (
            "NETDEV WATCHDOG: enp1s0 (mlx5_core): transmit queue 3 timed out",
            "tx timeout",
            "enp1s0",
        ),
        (
            "enp1s0: NETDEV WATCHDOG: CPU: 3: transmit queue 3 timed out 5400 ms",
            "tx timeout",
            "enp1s0",
        ),
        ("mlx5_core 0000:18:00.0 rail0: TX timeout detected", "tx timeout", "rail0"),
        ("NVRM: Xid (0000:01:00): 31, Ch 0000000b, engmask 00000120", "xid", "0000:01:00.0"),
        ("mlx5_core 0000:18:00.0: Port module event: module 0, Cable plugged", None, None),
        ("NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.95.05", None, None),
    ],
)
def test_what_a_line_tells(line, kind, at):
    found = events(f"[  1.0] {line}")
    if kind is None:
        assert found == ()
    else:
        assert [(one.kind, one.at) for one in found] == [(kind, at)]
        assert re.search(WORDS, line)


def test_the_node_looks_for_the_same_words():
    """One list: the script is a file of its own and cannot import it."""
    script = host_ask.SCRIPT.read_text().replace("\\\n", "")
    assert f'"{WORDS}"' in script
    assert f"| tail -n {MOST})" in script


def test_a_shell_reads_the_words_as_they_are_meant():
    """grep -E finds what the rules judge, and leaves storms of corrected errors where they are."""
    corrected = (
        "pcieport 0000:16:01.0: AER: Corrected error received: 0000:18:00.0",
        "pcieport 0000:16:01.0: PCIe Bus Error: severity=Corrected, type=Physical Layer",
        "{1}[Hardware Error]: event severity: corrected",
        "EDAC MC0: 1 CE memory read error on CPU_SrcID#0",
        "mce: [Hardware Error]: Machine check events logged",
    )
    text = "\n".join([*corrected, XID, DOWN])
    done = subprocess.run(["grep", "-E", WORDS], input=text, capture_output=True, text=True)
    assert done.stdout.splitlines() == [XID, DOWN]


def test_every_rule_says_where_its_words_are_from():
    assert all(
        re.match(r"linux, |drivers of linux|docs\.|NVIDIA/|Fabric", one.source) for one in RULES
    )


@pytest.mark.parametrize(
    "line",
    [
        "[  1.0] NVRM: Xid (PCI:0000:b1:00): nan, pid=1896",
        "[  1.0] NVRM: Xid (PCI:0000:b1:00): , pid=1896",
        "[  1.0] NVRM: Xid (PCI:0000:b1:00): 7 9, pid=1896",
        "[  1.0] NVRM: Xid (PCI:0000:b1",
        "[  1.0] nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 1e309, Fatal, Link 32",
        "[  nan] NVRM: Xid (PCI:0000:b1:00): 79, pid=1896",
        "[  1,5] NVRM: Xid (PCI:0000:b1:00): 79, pid=1896",
        "2026-13-45T20:00:00 kernel: NVRM: Xid (PCI:0000:b1:00): 79, pid=1896",
        "Feb 31 06:18:01 node-1 kernel: NVRM: Xid (PCI:0000:b1:00): 79, pid=1896",
        "[  1.0] mce: [Hardware Error]: CPU 12: Machine Check: 0 Bank 1: nan",
    ],
)
def test_a_complaint_that_cannot_be_read_is_not_passed_over(line):
    with pytest.raises(Unreadable):
        events(line)


def test_a_log_that_may_hold_more_says_so():
    lines = [f"[ 1.0] {DOWN}"] * MOST
    assert [one.kind for one in whole_log(log(lines[:-1]))][:1] == ["link down"]
    found = whole_log(log(lines))
    assert (found[0].kind, len(found)) == ("overflow", MOST + 1)
    with pytest.raises(Unreadable):
        whole_log(log([*lines, lines[0]]))


@pytest.mark.samples
def test_a_nic_in_a_narrow_slot(samples):
    """A real boot: 100G in eight lanes of the third generation."""
    found = events((samples / "dmesg_mlx5_pcie_limited.txt").read_text())
    assert [(one.kind, one.at) for one in found] == [("pcie limited", "0001:43:00.0")]


@pytest.mark.samples
def test_a_flapping_port(samples):
    """A syslog whose port lost its carrier again and again in one morning."""
    found = events((samples / "syslog_link_flap_6.txt").read_text())
    assert {(one.kind, one.at) for one in found} == {("link down", "ib6")}
    assert most_within(list(found), 24) >= 6
    assert most_within(list(found), 0.001) < most_within(list(found), 24)


def test_flaps_count_within_their_hours():
    at = [Event("link down", "rail0", None, hour * 3600.0, "") for hour in (0, 10, 23, 40, 41, 80)]
    assert most_within(at, 24) == 3
    assert most_within(at, 1) == 2
    assert most_within([], 24) == 0


def test_only_a_log_that_came_to_its_end_is_quiet():
    text = f"[ 1.0] {XID}\n[ 2.0] {DOWN}\nend of log, 2 lines\n"
    assert [one.kind for one in whole_log(text)] == ["xid", "link down"]
    assert whole_log("end of log, 0 lines\n") == ()
    for wrong in ("", text[:-10], text.replace(", 2", ", 3"), f"{text}more\n"):
        with pytest.raises(Unreadable, match="not whole"):
            whole_log(wrong)
