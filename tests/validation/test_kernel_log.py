"""The kernel's log: what each line means, wherever it was copied from."""

from __future__ import annotations

import re

import pytest

from validation import host_ask
from validation.parse.fields import Unreadable
from validation.parse.kernel_log import WORDS, Event, events, most_within, whole_log

XID = "NVRM: Xid (PCI:0000:b1:00): 79, pid=1896, name=python, GPU has fallen off the bus."
LIMITED = (
    "mlx5_core 0001:43:00.0: 63.008 Gb/s available PCIe bandwidth, limited by "
    "8.0 GT/s PCIe x8 link at 0001:42:01.0 (capable of 126.016 Gb/s with 8.0 GT/s PCIe x16 link)"
)
DOWN = "mlx5_core 0000:18:00.0 enp24s0np0: Link down"


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
        ("mce: [Hardware Error]: Machine check events logged", "machine check", "mce"),
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
