"""Texts of a server are known by what they hold, and say the same whatever tool wrote them."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from tests.plugins.needs import samples_folder
from validation.audit.audit import audit
from validation.audit.hosts.facts import GidFacts, NicFacts, RouteFacts, RuleFacts
from validation.audit.hosts.host import Host, host

from . import bundle

ADDRESS, RULE = ("10.16.0.1/31",), RuleFacts(1010, "10.16.0.1", "101")
ROUTE = RouteFacts("101", "10.16.0.0/16", "ens1", "10.16.0.0")
# What makes a bundle of weak texts a server's.
NIC = {"/show_gids": bundle.GIDS}

NETWORKD = """[Match]
Name=ens1

[Link]
MTUBytes=9000

[Network]
Address=10.16.0.1/31

[RoutingPolicyRule]
From=10.16.0.1
Table=101
Priority=1010

[Route]
Destination=10.16.0.0/16
Gateway=10.16.0.0
Table=101
"""
KEYFILE = """[connection]
id=rail0
type=ethernet
interface-name=ens1

[ethernet]
mtu=9000

[ipv4]
method=manual
address1=10.16.0.1/31
route1=10.16.0.0/16,10.16.0.0
route1_options=table=101
routing-rule1=priority 1010 from 10.16.0.1 table 101
"""
IFUPDOWN = """auto ens1
iface ens1 inet static
    address 10.16.0.1
    netmask 255.255.255.254
    mtu 9000
    post-up ip rule add from 10.16.0.1 table 101 priority 1010
    post-up ip route add 10.16.0.0/16 via 10.16.0.0 dev ens1 table 101
"""
TOOLS = {
    "/etc/netplan/50.yaml": bundle.NETPLAN,
    "/etc/systemd/network/10-ens1.network": NETWORKD,
    "/etc/NetworkManager/system-connections/rail0.nmconnection": KEYFILE,
    "/etc/network/interfaces": IFUPDOWN,
}


def read(texts: Mapping[str, str]) -> Host:
    found = host("x", texts)
    assert found
    assert not found.facts.unread
    return found


def nic(texts: Mapping[str, str], name: str = "ens1") -> NicFacts:
    found = read(texts).nic(name)
    assert found
    return found


@pytest.mark.parametrize("path", TOOLS)
@pytest.mark.parametrize("renamed", [False, True])
def test_each_network_tool_says_the_same_whatever_its_file_is_called(path, renamed):
    texts = {**NIC, "/whatever" if renamed else path: TOOLS[path]}
    found = nic(texts)
    assert (found.mtu_bytes, found.addresses) == (9000, ADDRESS)
    facts = read(texts).facts
    assert RULE in (facts.rules or ())
    assert ROUTE in (facts.routes or ())


TABLE = tuple((d, {26: 3, 48: 6}.get(d, 0)) for d in range(64))
SCRIPT = """#!/bin/sh
mlnx_qos -i ens1 --trust dscp
mlnx_qos -i ens1 --dscp2prio set,26,3
mlnx_qos -i ens1 --pfc 0,0,0,1,0,0,0,0
cma_roce_tos -d mlx5_0 -t 106
cma_roce_mode -d mlx5_0 -p 1 -m 2
echo 106 > /sys/class/infiniband/mlx5_0/tc/1/traffic_class
echo 48 > /sys/class/net/ens1/ecn/roce_np/cnp_dscp
echo 1 > /sys/class/net/ens1/ecn/roce_np/enable/3
echo 1 > /sys/class/net/ens1/ecn/roce_rp/enable/3
for one in $ports; do mlnx_qos -i $one --trust pcp; done
"""
UDEV = 'ACTION=="add", KERNEL=="ens1", RUN+="/usr/bin/mlnx_qos -i ens1 --trust=dscp"\n'
MLXCONFIG = """
Device #1:
----------

Device type:    ConnectX7
Device:         mlx5_0

Configurations:                              Next Boot
         CNP_DSCP_P1                                 48
         CNP_802P_PRIO_P1                            6
         ROCE_CC_PRIO_MASK_P1                        8
"""
DCB = """# dcb pfc show dev ens1
prio-pfc 0:off 1:off 2:off 3:on
# dcb app show dev ens1
dscp-prio 26:3 48:6
"""
LLDPCTL = """-------------------------------------------------------------------------------
LLDP neighbors:
-------------------------------------------------------------------------------
Interface:    ens1, via: LLDP, RID: 1, Time: 0 day, 00:01:00
  Chassis:
    ChassisID:    mac 02:00:00:00:00:01
    SysName:      leaf-p1-r0.example.net
  Port:
    PortID:       ifname swp1s0
    TTL:          120
"""
LLDPTOOL = (
    "Chassis ID TLV\n\tMAC: 02:00:00:00:00:01\nPort ID TLV\n\tIfname: swp1s0\n"
    "System Name TLV\n\tleaf-p1-r0.example.net\n"
)
HEARD = ("leaf-p1-r0.example.net", "swp1s0")
LINKS = '[{"ifindex":2,"ifname":"ens1","mtu":9000,"addr_info":[{"family":"inet",'
LINKS += '"local":"10.16.0.1","prefixlen":31}]}]'
SYSFS = "/sys/class/infiniband/mlx5_0"
GID_FILES = f"""{SYSFS}/ports/1/gids/0:0000:0000:0000:0000:0000:0000:0000:0000
{SYSFS}/ports/1/gids/3:0000:0000:0000:0000:0000:ffff:0a10:0001
{SYSFS}/ports/1/gid_attrs/types/3:RoCE v2
{SYSFS}/ports/1/gid_attrs/ndevs/3:ens1
"""
DEVINFO = """hca_id:\tmlx5_0
\ttransport:\t\t\tInfiniBand (0)
\t\tport:\t1
\t\t\tactive_mtu:\t\t1024 (3)
\t\t\tlink_layer:\t\tEthernet
"""
# Path, text, and what it says of ens1.
SAYS: list[tuple[str, str, Mapping[str, object]]] = [
    ("/mlnx_qos-i_ens1", bundle.mlnx_qos(), {}),
    (
        "/q/mlnx_qos_-i_ens1.txt",
        bundle.mlnx_qos(),
        {"trust": "dscp", "pfc_priorities": (3,), "priority_of": TABLE, "rules_dcbx": True},
    ),
    (
        "/etc/rc.local",
        SCRIPT,
        {
            "trust": "dscp",
            "priority_of": ((26, 3),),
            "pfc_priorities": (3,),
            "tos": 106,
            "is_roce_v2": True,
            "traffic_class": 106,
            "cnp_dscp": 48,
            "ecn_priorities": (3,),
        },
    ),
    ("/etc/udev/rules.d/99-roce.rules", UDEV, {"trust": "dscp"}),
    ("/dcb_pfc_show_dev_ens1", "prio-pfc 0:off 1:off 2:off 3:on 4:off\n", {}),
    (
        "/dcb",
        DCB,
        {"pfc_priorities": (3,), "trust": "dscp", "priority_of": ((26, 3), (48, 6))},
    ),
    (
        "/dcb.json",
        '[{"ifname":"ens1","prio_pfc":["off","off","off","on"],"dscp_prio":[[26,3,""]]}]',
        {"pfc_priorities": (3,), "priority_of": ((26, 3),)},
    ),
    ("/mlxconfig", MLXCONFIG, {"cnp_dscp": 48, "cnp_priority": 6, "ecn_priorities": (3,)}),
    ("/cma_roce_tos_-d_mlx5_0", "106\n", {"tos": 106}),
    ("/cma_roce_mode_-d_mlx5_0_-p_1", "IB/RoCE v1\n", {"is_roce_v2": False}),
    (f"{SYSFS}/tc/1/traffic_class", "Global tclass=106\n", {"traffic_class": 106}),
    (f"{SYSFS}/tc/1/traffic_class", "", {"traffic_class": None}),
    ("/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos", "106\n", {"tos": 106}),
    ("/sys/class/net/ens1/ecn/roce_np/cnp_802p_prio", "6\n", {"cnp_priority": 6}),
    ("/a", GID_FILES, {"device": "mlx5_0", "gids": (GidFacts(3, True, "10.16.0.1"),)}),
    ("/a", "mlx5_0 port 1 ==> ens1 (Up)\n" + DEVINFO, {"roce_mtu_bytes": 1024}),
    (
        "/a",
        "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1 \n",
        {"device": "mlx5_0"},
    ),
    ("/lldp", LLDPCTL, {"heard": HEARD}),
    ("/lldptool_-t_-n_-i_ens1", LLDPTOOL, {"heard": HEARD}),
    ("/links", LINKS, {"mtu_bytes": 9000, "addresses": ADDRESS}),
    ("/ip_-o_addr", "2: ens1    inet 10.16.0.1/31 scope global ens1\n", {"addresses": ADDRESS}),
    ("/x", bundle.ADDRESSES, {"mtu_bytes": 9000, "addresses": ADDRESS}),
    ("/x", bundle.ETHTOOL, {"rate_gbps": 400.0, "autoneg": True}),
]


@pytest.mark.parametrize(("path", "text", "says"), SAYS)
def test_a_text_says_of_its_nic(path, text, says):
    known = {"/netdevs": "mlx5_0 port 1 ==> ens1 (Up)\n", path: text}
    found = nic(known)
    assert {name: getattr(found, name) for name in says} == says


def test_a_rule_and_a_table_that_run_are_read_as_text_and_as_json():
    told = read({**NIC, "/r": '[{"priority":1010,"src":"10.16.0.1","table":"101"}]'}).facts
    assert told.rules == (RULE,)
    routes = '[{"dst":"10.16.0.0/16","gateway":"10.16.0.0","dev":"ens1","table":"101","flags":[]}]'
    assert read({**NIC, "/t": routes}).facts.routes == (ROUTE,)
    assert read(bundle.texts()).facts.rules == (RULE, RuleFacts(1020, "10.16.32.1", "102"))


def test_settings_are_found_wherever_they_are_and_the_environment_wins():
    texts = {
        "/etc/nccl.conf": "# c\nNCCL_IB_TC=106\n",
        "/etc/profile.d/nccl.sh": "export NCCL_IB_TC=41  # site\nexport UCX_IB_GID_INDEX=3\n",
        "/etc/systemd/system/x.service.d/env.conf": '[Service]\nEnvironment="NCCL_IB_HCA=mlx5_0"\n',
    }
    found = read(texts)
    assert found.facts.settings == {
        "NCCL_IB_TC": "41",
        "UCX_IB_GID_INDEX": "3",
        "NCCL_IB_HCA": "mlx5_0",
    }
    assert found.place("NCCL_IB_TC") == "x/etc/profile.d/nccl.sh:1"
    assert [one.key for one in found.facts.disputes] == ["NCCL_IB_TC"]


def test_what_runs_wins_over_what_is_written_and_both_are_told():
    found = read({**bundle.texts(), "/etc/sysctl.d/9.conf": "net/ipv4/conf/ens1/rp_filter=1\n"})
    assert found.facts.sysctls["net.ipv4.conf.ens1.rp_filter"] == "2"
    (dispute,) = found.facts.disputes
    assert (dispute.written, dispute.other) == ("1", "2 runs")


def test_a_switchs_texts_are_a_servers_only_by_what_no_switch_has():
    weak = {"/a": bundle.ADDRESSES}
    assert host("x", weak)
    assert host("x", weak, is_switch=True) is None
    assert host("x", {**weak, **NIC}, is_switch=True)
    assert host("x", {"/a": "nothing of a server"}) is None


def test_a_text_that_cannot_be_read_is_told_and_the_others_count():
    cut = bundle.mlnx_qos().replace("\tbuffer      0", "\tbuf 0")
    found = host("x", {**NIC, "/mlnx_qos_-i_ens1": cut})
    assert found
    assert [file for file, _ in found.facts.unread] == ["x/mlnx_qos_-i_ens1"]
    assert found.nic("ens1")


def test_an_output_that_is_no_longer_one_is_told_by_the_command_it_came_after():
    lost = bundle.mlnx_qos().replace("Priority trust state", "Prio")
    for texts in (
        {**NIC, "/mlnx_qos_-i_ens1": lost},
        {**NIC, "/outputs": f"# mlnx_qos -i ens1\n{lost}"},
        {**NIC, "/etc/nccl.conf": "NCCL_IB_TC=106\nNCCL_IB_HCA mlx5_0\n"},
    ):
        found = host("x", texts)
        assert found
        assert len(found.facts.unread) == 1


def test_a_server_of_which_nothing_of_roce_is_said_is_no_pass():
    found = audit({"x": {"/etc/network/interfaces": IFUPDOWN}})
    assert (found.problems, found.exit_code) == ((), 3)
    assert "RoCE" in found.inconclusive[0]


def test_damaged_texts_are_no_traceback():
    draw = random.Random(3)
    whole = bundle.texts()
    for path, text in whole.items():
        for _ in range(25):
            at = draw.randrange(len(text))
            noise = draw.choice(["", "\0", "\u0663", "9" * 50, "{", "[" * 2000, "\n\n"])
            host("x", {**whole, path: text[:at] + noise + text[at + draw.randrange(40) :]})
    for text in ("{" * 5000, "network:\n" + "- [" * 3000, "@" * 100_000, "[Match]\n" * 20_000):
        host("x", {"/a": text, **NIC})


@pytest.mark.samples
def test_a_published_capture_is_read_with_its_port():
    folder = samples_folder()
    assert folder
    name = "mlnx_qos_cx5_prio3_lossless.txt"
    found = nic({name: (folder / name).read_text()}, "mce0")
    assert (found.trust, found.pfc_priorities, found.rules_dcbx) == ("dscp", (3,), False)
    # The driver's own table: DSCP >> 3.
    assert dict(found.priority_of or ())[31] == 3
