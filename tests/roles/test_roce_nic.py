"""The program that tells NICs what the plan says, with stand-in tools and a kernel of files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from deploy.lab.hardware import TOOLS

from .roce_node import PORTS, RoceNode

pytestmark = pytest.mark.instances(
    keep=18, of="what a NIC may meet", but="of_the_plan|set_by_hand|a_second_run"
)

WITHOUT_MLNX = ("dcb", "ethtool", "mlxreg", "setpci")
DEBUG = "/sys/kernel/debug/mlx5/0000:18:00.0/cc_params"
CM = "/sys/kernel/config/rdma_cm/mlx5_0/ports/1"
CLASS = "/sys/class/infiniband/mlx5_0/tc/1/traffic_class"


def state(node: RoceNode) -> dict[str, Any]:
    """What the stand-in NIC has: its own words, not those of our program."""
    [file] = (node.root / "run/standin/nic").glob("*.json")
    return dict(json.loads(file.read_text()))


def applied(tool: str, folder: Path) -> RoceNode:
    """A node on which everything was applied once, by one of the tools."""
    tools = {"mlnx_qos": ("dcb", "ethtool", "mlnx_qos", "mlxreg", "setpci"), "dcb": WITHOUT_MLNX}
    node = RoceNode(folder, tools[tool])
    done = node.run("apply")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"qos_tool auto is {tool}" in done.stdout
    return node


@pytest.fixture(scope="module", params=["mlnx_qos", "dcb"])
def set_up(request, tmp_path_factory) -> RoceNode:
    """For tests that change nothing."""
    return applied(request.param, tmp_path_factory.mktemp(request.param))


@pytest.fixture(params=["mlnx_qos", "dcb"])
def own(request, tmp_path) -> RoceNode:
    """For a test that changes it."""
    return applied(request.param, tmp_path)


def test_a_nic_has_the_classes_of_the_plan(set_up):
    """Read from the stand-in's state: DSCP 26 is lossless, 48 is CNPs, all else best effort."""
    found = state(set_up)
    assert dict(found["apps"]) == {dscp: {26: 3, 48: 6}.get(dscp, 0) for dscp in range(64)}
    assert found["dcbx"] == "os"
    assert found["pfc"] == [0, 0, 0, 1, 0, 0, 0, 0]
    assert found["prio_tc"] == [0, 0, 0, 3, 0, 0, 6, 0]
    assert [found["tsa"][tc] for tc in (0, 3, 6)] == ["ets", "ets", "strict"]
    assert found["tc_bw"] == [50, 0, 0, 50, 0, 0, 0, 0]
    assert found["prio2buffer"] == [0, 0, 0, 1, 0, 0, 0, 0]
    assert found["cable_len"] == 30


def test_a_nic_has_what_is_beside_the_classes(set_up):
    found = state(set_up)
    assert (found["pause"]["rx"], found["pause"]["tx"]) == (False, False)
    assert found["rings"] == {"rx": 8192, "tx": 8192}
    assert found["registers"]["ROCE_ACCL"]["adaptive_routing_forced_en"] == 1
    [pci] = (set_up.root / "run/standin").glob("pci@*")
    assert json.loads(pci.read_text())["0000:18:00.0"]["control"] == 0x5930
    assert [set_up.read(f"{DEBUG}/np_cnp_{name}") for name in ("dscp", "prio", "prio_mode")] == [
        "48", "6", "0"
    ]  # fmt: skip
    assert set_up.read(f"{CM}/default_roce_mode") == "RoCE v2"
    assert set_up.read(f"{CM}/default_roce_tos") == "106"
    assert set_up.read(CLASS) == "Global tclass=106"


def test_a_second_run_sets_nothing(set_up):
    set_up.changes()
    done = set_up.run("apply")
    assert (done.returncode, done.stderr) == (0, "")
    assert set_up.changes() == []
    assert set_up.run("check").returncode == 0


def by_hand(node: RoceNode) -> dict[str, str]:
    """Set everything otherwise; what a check must say of it, by setting."""
    node.by_hand("mlnx_qos", "-i", "rail0", "-d", "fw", "--pfc", "0,0,1,1,0,0,0,0")
    node.by_hand("mlnx_qos", "-i", "rail0", "--dscp2prio", "set,27,3", "--cable_len", "7")
    node.by_hand("mlnx_qos", "-i", "rail0", "--prio2buffer", "0,0,0,0,0,0,0,0")
    node.by_hand("mlnx_qos", "-i", "rail0", "-s", ",".join(["ets"] * 8), "-t", "40,0,0,40,0,0,20,0")
    node.by_hand("ethtool", "-A", "rail0", "rx", "on")
    node.by_hand("ethtool", "-G", "rail0", "tx", "1024")
    node.by_hand("setpci", "-s", "0000:18:00.0", "CAP_EXP+8.w=2000:f000")
    node.by_hand("mlxreg", "-d", "0000:18:00.0", "--reg_name", "ROCE_ACCL", "--yes",
                 "--set", "adaptive_routing_forced_en=0x0")  # fmt: skip
    node.write(f"{DEBUG}/np_cnp_dscp", "4\n")
    node.write(f"{DEBUG}/np_cnp_prio_mode", "1\n")
    node.write(f"{CM}/default_roce_mode", "IB/RoCE v1\n")
    node.write(f"{CM}/default_roce_tos", "0\n")
    node.write(CLASS, "Global tclass=160\n")
    return {
        "mlx5_0/1: cm_mode": "IB/RoCE v1",
        "mlx5_0/1: tos": "0",
        "mlx5_0/1: tclass": "160",
        "rail0: dcbx": "firmware",
        "rail0: pause": "RX: on",
        "rail0: map": ",".join({26: "3", 27: "3", 48: "6"}.get(one, "0") for one in range(64)),
        "rail0: ets": "0/ets/40,0/ets/40,0/ets/40,3/ets/40,0/ets/40,0/ets/40,6/ets/20,0/ets/40",
        "rail0: pfc": "0,0,1,1,0,0,0,0",
        "rail0: buffer": "0,0,0,0,0,0,0,0",
        "rail0: cnp_dscp": "4",
        "rail0: cnp_priority": "6, and mode 1",
        "rail0: rings": "rx 8192 tx 1024",
        "rail0: read_request": "512",
        "rail0: cable": "7",
        "rail0: out_of_order": "off",
    }


def said(stderr: str) -> dict[str, str]:
    """What was found, by device and setting."""
    lines = [line.removeprefix("railbed-roce-nic: ") for line in stderr.splitlines()]
    parts = [line.partition(": found ") for line in lines]
    return {where: rest.partition(", expected ")[0] for where, _, rest in parts}


def test_whatever_is_set_by_hand_is_found_and_mended(own):
    """All at once: each is said, none keeps the others from being mended."""
    wrong = by_hand(own)
    own.changes()
    done = own.run("check")
    assert done.returncode == 1
    assert said(done.stderr) == wrong
    assert own.changes() == []
    assert own.run("apply").returncode == 0
    assert own.changes()
    assert own.run("check").returncode == 0
    assert state(own)["pfc"] == [0, 0, 0, 1, 0, 0, 0, 0]


@pytest.mark.instances(keep=1, of="a NIC that is made anew")
def test_an_interface_that_is_made_anew_is_set_again(own):
    """As after a driver reload: the name is the same, the state is the driver's own."""
    own.plug("rail0", 77)
    found = said(own.run("check", "rail0").stderr)
    assert {"rail0: trust", "rail0: pfc", "rail0: pause"} <= found.keys()
    assert own.run("apply", "rail0").returncode == 0
    assert own.run("check", "rail0").returncode == 0


def made_anew(node: RoceNode, times: int) -> None:
    """The interface goes and comes again, right after its rings were set: so often."""
    index = node.root / "sys/class/net/rail0/ifindex"
    node.tool(
        "ethtool",
        f'echo "ethtool $*" >>{node.log}\n{TOOLS / "ethtool"} "$@" || exit\n'
        f"count=$(cat {node.root}/count 2>/dev/null || echo 0)\n"
        f'[ "$1" = -G ] && [ "$count" -lt {times} ] || exit 0\n'
        f"echo $((count + 1)) >{node.root}/count; echo $((count + 90)) >{index}\n",
    )


@pytest.mark.instances(keep=1, of="a NIC that is made anew")
def test_a_nic_that_is_made_anew_while_it_is_set_is_set_again(tmp_path):
    """udev's start for the new one is merged into the run that is under way."""
    node = RoceNode(tmp_path)
    made_anew(node, 2)
    done = node.run("apply", "rail0")
    assert (done.returncode, node.read("count")) == (0, "2"), done.stderr
    assert node.run("check", "rail0").returncode == 0
    assert done.stdout.count("a device was made anew meanwhile") == 2


@pytest.mark.instances(keep=1, of="a NIC that is made anew")
def test_a_nic_that_never_stays_is_a_failure(tmp_path):
    node = RoceNode(tmp_path)
    only(node, "rings 8192")
    made_anew(node, 99)
    done = node.run("apply")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith("made anew 5 times, while it was set")


def test_show_is_a_line_for_each_setting(set_up):
    set_up.run("apply")
    rows = [line.split("\t") for line in set_up.run("show").stdout.splitlines()]
    assert {len(row) for row in rows} == {5}
    assert ["rail0", "pfc", "0,0,0,1,0,0,0,0", "0,0,0,1,0,0,0,0", "ok"] in rows
    assert ["rail0", "ecn", "3", "left to the firmware: ROCE_CC_PRIO_MASK", "left"] in rows
    assert {row[4] for row in rows} == {"ok", "left"}


# -- one setting that cannot be ----------------------------------------------------------------


@pytest.fixture
def node(tmp_path) -> RoceNode:
    return RoceNode(tmp_path)


def only(node: RoceNode, *wishes: str, classes: tuple[str, ...] = ()) -> None:
    """Ask for these alone: what a test does not look at costs time."""
    node.values |= {"roce_nic_class_wishes": list(classes), "roce_nic_device_wishes": []}
    node.values["roce_nic_devices"][0]["wishes"] = list(wishes)
    node.configure()


def test_nvidias_own_driver_has_switches_for_each_priority(node):
    node.with_nvidias_driver()
    only(node, classes=("ecn 3", "cnp_dscp 48", "cnp_priority 6"))
    assert said(node.run("check", "rail0").stderr) == {
        "rail0: ecn": "np 0 rp 0", "rail0: cnp_dscp": "0", "rail0: cnp_priority": "0",
    }  # fmt: skip
    assert node.run("apply").returncode == 0
    ecn = "/sys/class/net/rail0/ecn"
    assert [node.read(f"{ecn}/{one}/enable/3") for one in ("roce_np", "roce_rp")] == ["1", "1"]
    assert node.read(f"{ecn}/roce_np/cnp_dscp") == "48"


def test_without_either_way_to_set_congestion_control_it_says_so(node):
    shutil.rmtree(node.root / "sys/kernel/debug/mlx5")
    only(node, classes=("cnp_dscp 48",))
    done = node.run("apply")
    assert done.returncode == 1
    assert "rail0: cnp_dscp: found neither" in done.stderr


def test_an_interface_that_comes_before_its_rdma_device_waits_for_that_ones_event(node):
    """Asked for this NIC alone, as udev does; at boot, and in a check, all must be there."""
    shutil.rmtree(node.root / "sys/bus/pci/devices/0000:18:00.0/infiniband")
    shutil.rmtree(node.root / "sys/kernel/debug/mlx5")
    only(node, classes=("cnp_dscp 48",))
    assert node.run("apply", "rail0").returncode == 0
    done = node.run("apply")
    assert done.returncode == 1
    assert "rail0: found no RDMA device, expected mlx5_0" in done.stderr


def test_rings_beyond_what_the_nic_has_are_a_failure(node):
    only(node, "rings 16384")
    done = node.run("apply")
    assert done.returncode == 1
    assert "rings: found 1024, expected 16384 (netlink error" in done.stderr


def test_an_mlnx_qos_that_turns_pfc_off_with_the_cables_length_leaves_it_on(node):
    """As before 83b87d9 of mlnx-tools: whatever differed, both are right in the end."""
    node.hardware("mlnx_qos-2023")
    only(node, "cable 30", classes=("dcbx os", "pfc 0,0,0,1,0,0,0,0"))
    for _ in range(2):
        done = node.run("apply")
        assert (done.returncode, done.stderr) == (0, "")
        assert (state(node)["cable_len"], state(node)["pfc"]) == (30, [0, 0, 0, 1, 0, 0, 0, 0])
        node.by_hand("mlnx_qos", "-i", "rail0", "--cable_len", "7")


def test_a_setting_that_a_later_one_undoes_is_an_error(node):
    """Each was right when it was read; what holds in the end counts, and is said once."""
    node.hardware("mlnx_qos-2023")
    only(node, classes=("pfc 0,0,0,1,0,0,0,0", "cable 30", "colour blue"))
    done = node.run("apply")
    assert done.returncode == 1
    colour, pfc = done.stderr.splitlines()
    assert colour.endswith("rail0: colour: nvidia knows no such setting, wanted blue")
    assert "rail0: pfc: found 0,0,0,0,0,0,0,0, expected 0,0,0,1,0,0,0,0" in pfc
    assert pfc.endswith("(it was so, until a later setting changed it)")


@pytest.mark.parametrize(
    ("lockdown", "is_said"),
    [("none [integrity] confidentiality", True), ("[none] integrity confidentiality", False)],
)
def test_a_kernel_in_lockdown_is_named_where_it_refuses(node, lockdown, is_said):
    """As setpci and debugfs answer with Secure Boot; rings are another matter."""
    node.write("/sys/kernel/security/lockdown", f"{lockdown}\n")
    node.tool("setpci", 'case $* in *=*) echo "Operation not permitted" >&2; exit 1 ;; esac\n'
                        "echo 2930\n")  # fmt: skip
    only(node, "read_request 4096", "rings 16384")
    request, rings = sorted(node.run("apply", "rail0").stderr.splitlines())
    assert "read_request: found 512, expected 4096 (Operation not permitted)" in request
    assert ("the kernel is in lockdown" in request) is is_said
    assert "lockdown" not in rings


def test_firmware_that_takes_no_packets_out_of_order_is_a_failure(node):
    node.hardware(out_of_order=False)
    only(node, "out_of_order on")
    done = node.run("apply")
    assert done.returncode == 1
    assert "out_of_order: found firmware without adaptive_routing_forced_en" in done.stderr


def test_a_port_at_another_pci_address_is_an_error_and_is_left_alone(node):
    node.values["roce_nic_devices"][0]["pci"] = "0000:19:00.0"
    node.configure()
    done = node.run("apply")
    assert done.returncode == 1
    assert "rail0: found at PCI address 0000:18:00.0, expected 0000:19:00.0" in done.stderr
    assert not [one for one in node.changes() if "rail0" in one]


def test_a_nic_is_known_by_its_pci_address_whatever_its_name(node):
    """The number of its RDMA device is not stable either."""
    only(node, "rings 8192")
    node.values["roce_nic_devices"][0] |= {"port": "enp24s0np0", "rdma_device": "mlx5_9"}
    node.configure()
    assert node.run("apply").returncode == 0
    assert state(node)["rings"] == {"rx": 8192, "tx": 8192}


def test_a_nic_that_is_not_there_is_an_error_but_not_to_an_event_of_another(node):
    shutil.rmtree(node.root / "sys/bus/pci/devices/0000:18:00.0")
    done = node.run("apply")
    assert done.returncode == 1
    assert "rail0: found no interface at PCI address 0000:18:00.0, expected one" in done.stderr
    assert node.run("apply", "rail1").returncode == 0


def test_another_dcbx_agent_is_refused_and_nothing_is_half_done(node):
    node.write("/proc/4711/comm", "lldpad\n")
    done = node.run("apply", "rail0")
    assert done.returncode == 1
    assert "rail0: found lldpad running, expected no other DCBX agent" in done.stderr
    assert node.changes() == []


def test_a_tool_that_is_not_there_is_said_for_each_setting(tmp_path):
    node = RoceNode(tmp_path, tools=("dcb",), qos_tool="mlnx_qos")
    only(node, classes=("trust dscp", "pfc 0,0,0,1,0,0,0,0"))
    done = node.run("apply", "rail0")
    assert done.returncode == 1
    assert done.stderr.count("mlnx_qos: not found") == 2


def test_an_unknown_setting_is_an_error(node):
    only(node, "colour blue")
    done = node.run("check", "rail0")
    assert done.returncode == 1
    assert "rail0: colour: nvidia knows no such setting, wanted blue" in done.stderr


# -- the preflight -----------------------------------------------------------------------------


def preflight(node: RoceNode) -> list[str]:
    for name in ("netplan", "networkctl"):
        node.tool(name, "exit 0\n")
    script = node.text("preflight.sh.j2")
    return node.command("sh", "-c", script).stderr.splitlines()


def test_a_node_as_planned_is_not_refused(node):
    assert preflight(node) == []
    assert not [one for one in node.changes() if "--set" in one]


def test_all_that_speaks_against_a_node_is_said_at_once(node):
    node.hardware(out_of_order=False)
    node.write("/proc/4711/comm", "lldpad\n")
    node.link("/sys/bus/pci/devices/0000:18:00.0/net/rail0/device", f"{node.root}/sys/0000:19:00.0")
    node.write("/sys/0000:19:00.0/vendor", "0x15b3\n")
    places, order, agent = preflight(node)
    assert places.startswith("found rail0 at PCI address 0000:19:00.0, expected 0000:18:00.0;")
    assert order.startswith("found rail0 (0000:18:00.0), whose firmware cannot take packets out of")
    assert agent.startswith("found lldpad running, expected no other DCBX agent;")


def test_firmware_whose_field_cannot_be_selected_is_refused(node):
    node.tool(
        "mlxreg",
        """cat <<'EOT'
Sending access register...
Field Name                                     | Data
============================================================
adaptive_routing_forced_en_field_select        | 0x00000000
adaptive_routing_forced_en                     | 0x00000000
EOT
""",
    )
    assert [one.partition(",")[0] for one in preflight(node)] == ["found rail0 (0000:18:00.0)"]
    only(node, "out_of_order on")
    assert "does not let adaptive_routing_forced_en be set" in node.run("check", "rail0").stderr


def test_what_is_not_there_yet_is_no_reason_to_refuse(tmp_path):
    node = RoceNode(tmp_path, tools=("dcb",), ports=())
    node.values = RoceNode(tmp_path / "other").values
    assert preflight(node) == []


# -- a fabric without classes ------------------------------------------------------------------


def test_without_classes_only_marks_are_set_and_a_nic_needs_no_classes(tmp_path):
    """The lab's veth, and soft-RoCE over it: no DCB, and no tool for it."""
    node = RoceNode(tmp_path, tools=(), class_wishes=["no_pfc all"], device_wishes=[])
    node.tool("dcb", 'echo "RTNETLINK answers: Operation not supported" >&2; exit 2')
    node.values["roce_nic_devices"] = [
        {"port": "rail0", "pci": "", "rdma_device": "", "wishes": []}
    ]
    node.configure()
    assert node.run("apply").returncode == 0
    assert {one.split()[0] for one in node.changes()} == {"mkdir", "write"}
    assert node.run("check").returncode == 0
    rows = [line.split("\t") for line in node.run("show").stdout.splitlines()]
    assert ["rail0", "no_pfc", "all", "no PFC here: RTNETLINK answers: Operation not supported",
            "left"] in rows  # fmt: skip


def test_without_classes_pfc_that_another_plan_left_is_turned_off(node):
    """No switch of such a fabric pauses, or asks to: a NIC that does would stall for nothing."""
    node.by_hand("mlnx_qos", "-i", "rail0", "--trust", "dscp", "--pfc", "0,0,0,1,0,0,0,0")
    only(node, classes=("no_pfc all",))
    assert said(node.run("check").stderr)["rail0: no_pfc"] == "0,0,0,1,0,0,0,0"
    assert node.run("apply").returncode == 0
    assert state(node)["pfc"] == [0] * 8
    assert len(state(node)["apps"]) == 64


# -- RDMA devices of any kind ------------------------------------------------------------------


def bare(root: Path, *devices: str, layer: str = "Ethernet") -> RoceNode:
    """A node with RDMA devices that no NIC of the plan is behind."""
    node = RoceNode(root, ports=())
    for device in devices:
        node.write(f"/sys/class/infiniband/{device}/ports/1/link_layer", f"{layer}\n")
    return node


def test_a_node_without_rdma_is_no_fault(tmp_path):
    done = bare(tmp_path).run("apply")
    assert (done.returncode, done.stderr) == (0, "")


def test_every_rdma_device_gets_mode_and_tos(tmp_path):
    node = bare(tmp_path, "bnxt_re0", "rxe0")
    assert node.run("apply").returncode == 0
    for device in ("bnxt_re0", "rxe0"):
        folder = CM.replace("mlx5_0", device)
        assert node.read(f"{folder}/default_roce_mode") == "RoCE v2"
        assert node.read(f"{folder}/default_roce_tos") == "106"


def test_udev_has_one_device_set_and_no_other(tmp_path):
    node = bare(tmp_path, "mlx5_0", "mlx5_1")
    assert node.run("apply", "mlx5_1").returncode == 0
    assert {Path(one.split()[1]).name for one in node.changes() if "mkdir" in one} == {"mlx5_1"}
    assert node.run("apply", "eth7").returncode == 0
    assert node.run("check", "eth7").returncode == 1


def test_a_device_that_is_made_upon_an_interface_is_its_own(node):
    """Soft-RoCE names its interface in `parent`; its event sets the NIC too."""
    (node.root / "sys/class/infiniband/mlx5_0").unlink()
    shutil.rmtree(node.root / "sys/bus/pci/devices/0000:18:00.0/infiniband")
    node.write("/sys/class/infiniband/rxe0/ports/1/link_layer", "Ethernet\n")
    node.write("/sys/class/infiniband/rxe0/parent", "rail0\n")
    only(node, "rings 8192")
    assert node.run("apply", "rxe0").returncode == 0
    assert state(node)["rings"]["rx"] == 8192


def test_an_infiniband_port_is_not_touched(tmp_path):
    node = bare(tmp_path, "mlx5_0", layer="InfiniBand")
    assert node.run("apply").returncode == 0
    assert node.changes() == []


def test_without_the_connection_manager_it_says_so(tmp_path):
    node = bare(tmp_path, "mlx5_0")
    (node.root / "sys/kernel/config/rdma_cm").rmdir()
    done = node.run("apply")
    assert done.returncode == 1
    assert "is rdma_cm loaded?" in done.stderr
    assert node.changes() == ["modprobe -q rdma_cm"]
    assert node.run("check").returncode == 1
    assert node.changes() == []


def test_a_connection_manager_that_is_late_is_loaded(tmp_path):
    """At boot systemd loads it, and udev does not wait for that."""
    node = bare(tmp_path, "mlx5_0")
    (node.root / "sys/kernel/config/rdma_cm").rmdir()
    node.tool("modprobe", f"/bin/mkdir -p {node.root}/sys/kernel/config/rdma_cm\n")
    assert node.run("apply", "mlx5_0").returncode == 0
    assert node.read(f"{CM}/default_roce_tos") == "106"


@pytest.mark.parametrize(
    ("there", "found"),
    [
        ("", "unset"),
        ("Global tclass=160\n", "160"),
        ("Global tclass=106\ntclass=160,dst_ip=10.1.0.0/16\n",
         "106, rule tclass=160,dst_ip=10.1.0.0/16"),
        # The driver sends the DSCP alone: 104 is 26 too.
        ("Global tclass=104\ntclass=106,dst_ip=10.1.0.0/16\n", None),
    ],
)  # fmt: skip
def test_a_class_of_all_queue_pairs_is_read_as_the_driver_writes_it(tmp_path, there, found):
    node = bare(tmp_path, "mlx5_0")
    node.run("apply")
    node.write(CLASS, there)
    assert said(node.run("check").stderr).get("mlx5_0/1: tclass") == found


# -- makers, and recordings --------------------------------------------------------------------

OTHER = """
get_trust() { value "/sys/class/net/$port/other/trust"; }
set_trust() { put "/sys/class/net/$port/other/trust" "$1"; }
"""


def test_another_makers_nics_are_one_file(node):
    """It says what it knows; the rest of the program is the same."""
    node.values["roce_nic_vendor"] = "other"
    place = node.write("/usr/local/lib/railbed/nic/other.sh", OTHER)
    place.write_text(OTHER.replace("/sys/", f"{node.root}/sys/"))
    node.write("/sys/class/net/rail0/other/trust", "pcp\n")
    only(node, "rings 8192", classes=("trust dscp", "pfc 0,0,0,1,0,0,0,0"))
    done = node.run("apply")
    assert node.read("/sys/class/net/rail0/other/trust") == "dscp"
    assert state(node)["rings"]["rx"] == 8192
    assert done.stderr.count("\n") == 1
    assert "rail0: pfc: other knows no such setting" in done.stderr


@pytest.mark.samples
def test_a_recording_of_mlnx_qos_is_read(node, samples):
    """A ConnectX-5 whose firmware maps DSCP >> 3, with PFC on 3 and cable length 7."""
    sample = samples / "mlnx_qos_cx5_prio3_lossless.txt"
    node.tool("mlnx_qos", f'grep -v "^#" {sample}')
    done = node.run("show", "rail0")
    rows = {line.split("\t")[1]: line.split("\t")[2:] for line in done.stdout.splitlines()}
    found = {name: row[1] for name, row in rows.items()}
    assert found["dcbx"] == "firmware"
    assert found["trust"] == "dscp"
    assert found["map"] == ",".join(str(dscp >> 3) for dscp in range(64))
    assert found["pfc"] == "0,0,0,1,0,0,0,0"
    assert found["buffer"] == "0,0,0,1,0,0,0,0"
    assert found["cable"] == "7"
    best = "0/ets/50"
    assert found["ets"] == ",".join([best, best, best, "3/ets/50", best, best, "6/vendor/0", best])
    assert {name for name, row in rows.items() if row[2] == "ok"} >= {"trust", "pfc", "buffer"}


def test_the_two_nics_of_a_node_are_told_their_own(tmp_path):
    node = RoceNode(tmp_path, ports=tuple(PORTS))
    node.values |= {"roce_nic_class_wishes": [], "roce_nic_device_wishes": []}
    for one, metres in zip(node.values["roce_nic_devices"], (3, 30), strict=True):
        one["wishes"] = [f"cable {metres}"]
    node.configure()
    assert node.run("apply").returncode == 0
    lines = [one for one in node.changes() if "cable_len" in one]
    assert lines == ["mlnx_qos -i rail0 --cable_len 3", "mlnx_qos -i rail1 --cable_len 30"]
