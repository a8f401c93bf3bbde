"""The stand-ins of NIC tools: as recorded, and as refusing as the real ones."""

from __future__ import annotations

import json
from typing import Any

import pytest

from switch_configs.answers.linux import ethtool_module

from .stage import NIC, Stage, recorded

pytestmark = pytest.mark.instances(keep=12, of="stand-in tools of NICs")

# The state of the recording mlnx_qos_cx5_prio3_lossless.txt, told to a fresh port.
RECORDED_STATE = (
    *("--trust", "dscp", "--pfc", "0,0,0,1,0,0,0,0", "-p", "0,0,0,3,0,0,6,0"),
    *("-s", "ets,vendor,vendor,ets,vendor,vendor,vendor,vendor", "-t", "50,0,0,50,0,0,0,0"),
)


def qos(stage: Stage, *argv: str) -> str:
    return stage.said("mlnx_qos", "-i", "mce0", *argv)


def dcb(stage: Stage, *argv: str) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(stage.said("dcb", "-j", "-N", *argv))
    return said


@pytest.mark.samples
def test_mlnx_qos_prints_what_was_recorded(stage, samples):
    """The stand-in's print of the recorded state is the recording, whose tabs were expanded."""
    assert qos(stage, *RECORDED_STATE).expandtabs() == recorded(
        samples / "mlnx_qos_cx5_prio3_lossless.txt"
    )


def test_a_fresh_port_trusts_pcp_and_swaps_the_first_classes(stage):
    said = qos(stage)
    assert "Priority trust state: pcp\nReceive buffer" in said
    assert "tc: 0 ratelimit: unlimited, tsa: vendor\n\t priority:  1\ntc: 1 " in said


def test_both_tools_show_one_state(stage):
    qos(stage, *RECORDED_STATE)
    assert dcb(stage, "pfc", "show", "dev", "mce0")["prio_pfc"] == [one == 3 for one in range(8)]
    stage.said("dcb", "app", "replace", "dev", "mce0", "dscp-prio", "26:4", "AF32:5")
    assert "prio:4 dscp:26," in qos(stage)
    assert [28, 5] in dcb(stage, "app", "show", "dev", "mce0", "dscp-prio")["dscp_prio"]
    stage.said("dcb", "pfc", "set", "dev", "mce0", "prio-pfc", "all:off", "5:on")
    assert qos(stage, "-P", "5") == "1\n"
    stage.said("dcb", "dcbx", "set", "dev", "mce0", "host", "ieee")
    assert "DCBX mode: OS controlled" in qos(stage)


def test_buffers_can_be_set_and_must_fit(stage):
    qos(stage, "--pfc", "0,0,0,1,0,0,0,0")
    said = qos(
        stage, "--prio2buffer", "0,0,0,2,0,0,0,0", "--buffer_size", "65536,0,131072,0,0,0,0,0"
    )
    assert "65536,0,131072,0,0,0,0,0,max_buffer_size=262016" in said
    assert "Buffers commands error" in stage.refused(
        "mlnx_qos", "-i", "mce0", "--buffer_size", "262016,0,131072,0,0,0,0,0"
    )
    stage.refused("mlnx_qos", "-i", "mce0", "--prio2buffer", "0,0,0,5,0,0,0,0")
    stage.refused("dcb", "buffer", "set", "dev", "mce0", "buffer-size", "0:300K")
    assert dcb(stage, "buffer", "show", "dev", "mce0")["prio_buffer"] == [0, 0, 0, 2, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("--trust", "dscp", "--dscp2prio", "set,26,3"), "cannot be used at the same time"),
        (("--pfc", "0,0,0,1,0,0,0"), "pfc list must have 8 items"),
        (("--pfc", "0,0,0,2,0,0,0,0"), "Bad value for PFC"),
        (("-F", "x,x,x,1"), "pfc list must have 8 items"),
        (("--trust", "port"), "Invalid trust state"),
        (("--dscp2prio", "set,64,3"), ""),
        (("--dscp2prio", "26"), "Invalid dscp2prio"),
        (("--dscp2prio", "del,26,3"), "dscp2prio command failed"),
        (("-s", ",".join(["ets"] * 8), "-t", "10,10,10,10,10,10,10,10"), "Netlink error"),
        (("-s", "ets,ets,strict,strict,strict,strict,strict,strict", "-t", "50,40,10,0,0,0,0,0"),
         "must be 0"),
        (("-p", "0,1,2"), "prio_tc list must have 8 items"),
        (("-d", "cpu"), "Invalid dcbx"),
        (("more",), "Bad arguments"),
    ],
)  # fmt: skip
def test_mlnx_qos_refuses(stage, argv, words):
    before = qos(stage)
    assert words in stage.refused("mlnx_qos", "-i", "mce0", *argv)
    assert qos(stage) == before


def test_mlnx_qos_has_set_the_first_part_when_it_refuses_a_later_one(stage):
    stage.refused(
        "mlnx_qos", "-i", "mce0", "--pfc", "0,0,0,1,0,0,0,0", "--trust", "dscp",
        "--dscp2prio", "set,26,3",
    )  # fmt: skip
    assert qos(stage, "-P", "3") == "1\n"


def test_deleting_the_last_dscp_or_flushing_falls_back_to_pcp(stage):
    qos(stage, "--dscp2prio", "set,26,3")
    assert "trust state: dscp" in qos(stage)
    assert "trust state: pcp" in qos(stage, "--dscp2prio", "del,26,3")
    qos(stage, "--trust", "dscp")
    assert "trust state: pcp" in qos(stage, "--dscp2prio", "flush")


def test_a_running_lldpad_is_named(stage):
    stage.put("proc/77/comm", "lldpad\n")
    assert qos(stage).startswith("****** WARNING: lldpad service is running")


def test_an_interface_without_dcb_is_not_supported(stage):
    said = stage.refused("mlnx_qos", "-i", "eth9")
    assert said.endswith("ETS features are not supported on your system\n")
    assert "No such device" in stage.refused("dcb", "pfc", "show", "dev", "eth9")


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("apptrust", "show", "dev", "mce0"), 'Object "apptrust" is unknown'),
        (("ets", "set", "dev", "mce0", "tc-tsa", "all:ets", "tc-bw", "0:10"), "sum to 10%"),
        (("ets", "set", "dev", "mce0", "tc-tsa", "9:ets"), "expected to be 0..7"),
        (("ets", "set", "dev", "mce0", "tc-tsa", "0:wrr"), "must be one of"),
        (("pfc", "set", "dev", "mce0", "prio-pfc", "3:yes"), 'not "yes"'),
        (("pfc", "set", "dev", "mce0", "priority", "3"), 'What is "priority"?'),
        (("app", "del", "dev", "mce0", "dscp-prio", "26:3"), "No such file"),
        (("app", "add", "dev", "mce0", "dscp-prio", "64:3"), "0..63"),
        (("dcbx", "set", "dev", "mce0", "lld-managed"), "not permitted"),
    ],
)
def test_dcb_refuses(stage, argv, words):
    assert words in stage.refused("dcb", *argv)


def test_dcb_prints_text_as_iproute2_does(stage):
    qos(stage, "--dscp2prio", "set,26,3", "--dscp2prio", "set,48,6", "--pfc", "0,0,0,1,0,0,0,0")
    assert stage.said("dcb", "app", "show", "dev", "mce0") == "dscp-prio AF31:3 CS6:6 \n"
    assert stage.said("dcb", "-N", "app", "show", "dev", "mce0") == "dscp-prio 26:3 48:6 \n"
    assert stage.said("dcb", "pfc", "show", "dev", "mce0") == (
        "pfc-cap 8 macsec-bypass off delay 7 \n"
        "prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off \n"
    )


def test_a_ports_state_ends_with_its_interface_its_boot_and_its_driver(stage):
    fresh = qos(stage)

    def set_and(forget: object) -> str:
        assert qos(stage, *RECORDED_STATE) != fresh
        assert callable(forget)
        forget()
        return qos(stage)

    assert set_and(lambda: stage.interface("mce0", 8)) == fresh
    assert set_and(lambda: stage.boot("boot-2")) == fresh
    assert set_and(lambda: stage.said("openibd", "restart")) == fresh
    assert set_and(lambda: stage.said("mlxfwreset", "-d", "mlx5_0", "-y", "reset")) == fresh


def test_openibd_under_the_uplink_is_noticed(tmp_path):
    stage = Stage(tmp_path, uplink="mce0")
    stage.said("openibd", "restart")
    assert (stage.root / "run/standin/uplink-cut").read_text() == "mce0\n"


def test_pause_and_rings(stage):
    assert "RX:\t\ton" in stage.said("ethtool", "-a", "mce0")
    stage.said("ethtool", "-A", "mce0", "autoneg", "off", "rx", "off", "tx", "off")
    assert stage.said("ethtool", "-a", "mce0").count("\toff") == 3
    assert "Invalid argument" in stage.refused("ethtool", "-A", "mce0", "autoneg", "on")
    stage.said("ethtool", "-G", "mce0", "rx", "8192", "tx", "8192")
    current = stage.said("ethtool", "-g", "mce0").partition("Current hardware settings:")[2]
    assert "RX:\t\t8192" in current
    assert "exceeds maximum" in stage.refused("ethtool", "-G", "mce0", "rx", "8193")


def rows(said: str) -> dict[str, list[str]]:
    """Setting -> its columns, of a query of mlxconfig."""
    lines = said.partition("Configurations:")[2].splitlines()[1:]
    return {words[0]: words[1:] for line in lines if (words := line.lstrip("* ").split())}


def test_mlxconfig_stages_until_a_boot(stage):
    query = ("mlxconfig", "-d", "1a:00.0", "-e", "q", "CNP_DSCP_P1", "LINK_TYPE_P1")
    assert rows(stage.said(*query))["LINK_TYPE_P1"] == ["ETH(2)"] * 3
    stage.said("mlxconfig", "-d", "0000:1a:00.0", "-y", "set", "CNP_DSCP_P1=46")
    said = stage.said(*query)
    assert rows(said)["CNP_DSCP_P1"] == ["48", "48", "46"]
    assert "*       CNP_DSCP_P1" in said
    stage.boot("boot-2")
    assert rows(stage.said(*query))["CNP_DSCP_P1"] == ["48", "46", "46"]


def test_mlxconfig_hides_and_refuses(stage):
    device = ("mlxconfig", "-d", "mlx5_0")
    assert "Unknown Parameter NOPE" in stage.refused(*device, "-e", "q", "NOPE")
    assert "Unknown Parameter" in stage.refused(*device, "-y", "set", "MAX_ACC_OUT_READ=44")
    assert "Failed to parse" in stage.refused(*device, "-y", "set", "CNP_DSCP_P1=64")
    assert "Aborted" in stage.refused(*device, "set", "CNP_DSCP_P1=46")
    assert "Failed to open" in stage.refused("mlxconfig", "-d", "ff:00.0", "q")
    stage.said(*device, "-y", "set", "ADVANCED_PCI_SETTINGS=1", "MAX_ACC_OUT_READ=44")
    assert rows(stage.said(*device, "q", "MAX_ACC_OUT_READ")) == {"MAX_ACC_OUT_READ": ["44"]}


def test_firmware_is_burnt_for_its_own_board_only(stage):
    image = stage.put("image", "FW 28.43.2402 PSID MT_0000000838\n")
    other = stage.put("other", "FW 28.43.2402 PSID MT_0000000001\n")
    assert "PSID mismatch" in stage.refused("flint", "-d", "mlx5_0", "-i", str(other), "-y", "b")
    stage.said("flint", "-d", "mlx5_0", "-i", str(image), "-y", "b")
    assert "FW Version(Running):   28.43.2026" in stage.said("flint", "-d", "mlx5_0", "q")
    stage.said("mlxfwreset", "-d", "mlx5_0", "-y", "reset")
    assert "28.43.2402 (MT_0000000838)" in stage.said("ethtool", "-i", "mce0")


def test_registers_are_lost_with_the_driver(stage):
    register = ("mlxreg", "-d", "mlx5_0", "--reg_name", "ROCE_ACCL")
    stage.said(*register, "--set", "adaptive_routing_forced_en=0x1", "--yes")
    line = "adaptive_routing_forced_en              | 0x0000000"
    assert f"{line}1" in stage.said(*register, "--get")
    stage.said("openibd", "restart")
    assert f"{line}0" in stage.said(*register, "--get")
    assert "Can't find field" in stage.refused(*register, "--set", "nope=1", "--yes")


def test_a_nic_without_out_of_order_has_no_such_field(tmp_path):
    stage = Stage(tmp_path, nics=[{**NIC, "out_of_order": False}])
    register = ("mlxreg", "-d", "mlx5_0", "--reg_name", "ROCE_ACCL")
    assert "adaptive_routing" not in stage.said(*register, "--get")
    stage.refused(*register, "--set", "adaptive_routing_forced_en=0x1", "--yes")


def test_rdma_cm_is_configfs(stage):
    assert "rdma_cm is not loaded" in stage.refused("cma_roce_tos", "-d", "mlx5_0")
    folder = "sys/kernel/config/rdma_cm/mlx5_0/ports/1"
    stage.put(f"{folder}/default_roce_tos", "0\n")
    stage.put(f"{folder}/default_roce_mode", "IB/RoCE v1\n")
    assert stage.said("cma_roce_tos", "-d", "mlx5_0", "-p", "1", "-t", "106") == "106\n"
    assert stage.said("cma_roce_tos", "-d", "mlx5_0") == "106\n"
    assert stage.said("cma_roce_mode", "-d", "mlx5_0", "-p", "1", "-m", "2") == "RoCE v2\n"
    assert "port 2 does not exist" in stage.refused("cma_roce_tos", "-d", "mlx5_0", "-p", "2")


def test_show_gids_leaves_out_the_empty(stage):
    base = "sys/class/infiniband/mlx5_0/ports/1"
    listed = ("fe80:0000:0000:0000:0000:0000:0000:0001", "0000:0000:0000:0000:0000:ffff:0a10:0001",
              "0000:0000:0000:0000:0000:0000:0000:0000")  # fmt: skip
    for index, gid in enumerate(listed):
        stage.put(f"{base}/gids/{index}", f"{gid}\n")
        stage.put(f"{base}/gid_attrs/types/{index}", "RoCE v2\n")
        stage.put(f"{base}/gid_attrs/ndevs/{index}", "mce0\n")
    lines = stage.said("show_gids").splitlines()
    assert lines[-1] == "n_gids_found=2"
    assert lines[3].split() == ["mlx5_0", "1", "1", listed[1], "10.16.0.1", "v2", "mce0"]


@pytest.mark.samples
def test_ibv_devinfo_prints_what_was_recorded(tmp_path, samples):
    """The whole print of two ports without cable is the recording."""
    nic = {"fw": "28.44.1036", "psid": "MT_0000000834", "image_guid": "9c63:c003:00d5:edf6"}
    stage = Stage(tmp_path, nics=[
        {**NIC, **nic, "guid": "9c63:c003:00d5:edf6"},
        {**NIC, **nic, "guid": "9c63:c003:00d5:edf7", "bdf": "0000:1a:00.1", "netdev": "mce1",
         "rdma": "mlx5_1"},
    ])  # fmt: skip
    said = stage.said("ibv_devinfo")
    assert said.strip() == recorded(samples / "ibv_devinfo_cx7_port_down.txt").strip()


def test_jumbo_frames_give_the_largest_rdma_mtu(stage):
    stage.put("sys/class/net/mce0/mtu", "9000\n")
    stage.put("sys/class/net/mce0/operstate", "up\n")
    said = stage.said("ibv_devinfo", "-d", "mlx5_0")
    assert "active_mtu:             4096 (5)" in said
    assert "PORT_ACTIVE (4)" in said
    assert "wasn't found" in stage.refused("ibv_devinfo", "-d", "mlx5_9")
    assert json.loads(stage.said("rdma", "-j", "link", "show"))[0]["netdev"] == "mce0"
    assert stage.said("rdma", "link").startswith("link mlx5_0/1 state ACTIVE ")


@pytest.mark.samples
def test_ofed_info_ends_with_a_colon(stage, samples):
    """The stand-in's print of the recorded release is the recording."""
    stage.put("usr/share/standin/ofed-release", "MLNX_OFED_LINUX-24.07-0.6.1.0\n")
    assert stage.said("ofed_info", "-s") == recorded(samples / "ofed_info_s.txt")


def test_read_request_and_acs(tmp_path):
    stage = Stage(tmp_path, bridges=[{"bdf": "0000:17:01.0"}])
    bridge, nic = ("-s", "17:01.0"), ("-s", "0000:1a:00.0")
    assert "ACSCtl:\tSrcValid+" in stage.said("lspci", "-vvv", *bridge)
    stage.said("setpci", "-v", *bridge, "ECAP_ACS+0x6.w=0000")
    assert "ACSCtl:\tSrcValid- TransBlk- ReqRedir-" in stage.said("lspci", "-vvv", *bridge)
    assert "000d not found" in stage.refused("setpci", *nic, "ECAP_ACS+0x6.w")
    before = stage.said("setpci", *nic, "CAP_EXP+08.w")
    stage.said("setpci", *nic, "CAP_EXP+08.w=5000:F000")
    assert "MaxReadReq 4096 bytes" in stage.said("lspci", "-vv", *nic)
    assert stage.said("setpci", *nic, "CAP_EXP+08.w") == f"5{before[1:]}"
    stage.boot("boot-2")
    assert stage.said("setpci", *nic, "CAP_EXP+08.w") == before


@pytest.mark.parametrize("carrier", ["1", "0"])
def test_a_module_hears_light_while_there_is_a_carrier(stage, carrier):
    """And is read as ethtool's own output is."""
    stage.put("sys/class/net/mce0/carrier", f"{carrier}\n")
    text = stage.said("ethtool", "-m", "mce0") + f"{ethtool_module.END}\n"
    found = ethtool_module.module(text)
    assert found.rx.low is not None
    assert [light > found.rx.low for light in found.rx_dbm] == [carrier == "1"] * 4
    assert (found.rx.low, found.copper) == (-6.0, False)
