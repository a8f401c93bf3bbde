"""ibv_devinfo and show_gids: what they printed, and what is altered."""

from __future__ import annotations

from ipaddress import IPv4Address

import pytest

from validation.parse import ibv_devinfo
from validation.parse.fields import Unreadable
from validation.parse.ibv_devinfo import RdmaPort
from validation.parse.show_gids import entry_of, show_gids

from .recorded import EVIDENCE

RXE = (EVIDENCE / "ibv_devinfo/rxe.txt").read_text()
GIDS = (EVIDENCE / "show_gids/one_port_without_ipv4.txt").read_text()
ADDRESS = IPv4Address("10.16.0.1")


@pytest.mark.parametrize("name", ["rxe", "rxe_verbose"])
def test_a_device_of_soft_roce(name):
    (found,) = ibv_devinfo.devices((EVIDENCE / f"ibv_devinfo/{name}.txt").read_text())
    assert (found.name, found.firmware) == ("rxe-rail0", "0.0.0")
    assert found.ports == (RdmaPort(1, "ACTIVE", 4096, 4096, "Ethernet"),)


@pytest.mark.samples
def test_devices_of_hardware(samples):
    """Two ports without a cable; one whose Ethernet MTU leaves 1024 bytes, before ibstat's text."""
    down = ibv_devinfo.devices((samples / "ibv_devinfo_cx7_port_down.txt").read_text())
    assert [(one.name, one.firmware) for one in down] == [
        ("mlx5_0", "28.44.1036"),
        ("mlx5_1", "28.44.1036"),
    ]
    assert {port.state for one in down for port in one.ports} == {"DOWN"}
    text = (samples / "ibv_devinfo_cx5_active_and_ibstat.txt").read_text()
    (active,) = ibv_devinfo.devices(text)
    assert active.ports == (RdmaPort(1, "ACTIVE", 4096, 1024, "Ethernet"),)
    with pytest.raises(Unreadable, match="nothing of mlx5_7"):
        ibv_devinfo.device(text, "mlx5_7")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("hca_id", "hca", "no device but"),
        ("phys_port_cnt:\t\t\t1", "phys_port_cnt:\t\t\t2", "has 2 ports, 1 are told"),
        ("PORT_ACTIVE (4)", "PORT_ACTIVE", "no known state"),
        ("4096 (5)", "4096 (3)", "is no MTU"),
        ("4096 (5)", "9000 (5)", "is no MTU"),
        ("Ethernet", "Ether", "link layer 'Ether'"),
        ("\tfw_ver:\t\t\t\t0.0.0\n", "", "no 'fw_ver'"),
    ],
)
def test_a_faulty_device_is_no_result(old, new, why):
    assert old in RXE
    with pytest.raises(Unreadable, match=why):
        ibv_devinfo.devices(RXE.replace(old, new))


def test_a_device_told_twice_is_no_result():
    with pytest.raises(Unreadable, match="twice"):
        ibv_devinfo.devices(RXE + RXE)
    with pytest.raises(Unreadable, match="No IB devices found"):
        ibv_devinfo.devices("No IB devices found\n")


def test_gids_and_the_one_that_is_missing():
    """A port that came up before its address has no IPv4 entry: it is seen as missing."""
    found = show_gids(GIDS)
    assert len(found) == 6
    one = entry_of(found, "mlx5_0", ADDRESS)
    assert one is not None
    assert (one.index, one.ndev, one.ipv4) == (3, "ens1f0np0", "10.16.0.1")
    assert entry_of(found, "mlx5_1", IPv4Address("10.16.1.1")) is None


def test_a_copy_without_tabs_is_the_same():
    assert show_gids(GIDS.expandtabs()) == show_gids(GIDS)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("n_gids_found=6", "n_gids_found=7", "6 entries and counted 7"),
        ("n_gids_found=6\n", "", "did not come to its count"),
        ("DEV\tPORT", "PORT", "no table"),
        ("10.16.0.1  \tv2", "10.16.0.9  \tv2", "is not the GID of 10.16.0.9"),
        ("\t1\t3\t", "\t1\t2\t", "5 entries and counted 6"),
        ("v2\tens1f1np1", "v7\tens1f1np1", "no line of show_gids"),
    ],
)
def test_a_faulty_table_is_no_result(old, new, why):
    assert old in GIDS
    with pytest.raises(Unreadable, match=why):
        show_gids(GIDS.replace(old, new))
