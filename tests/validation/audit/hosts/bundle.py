"""A server of another hand, as its files and saved outputs would lie in a folder: all is right.

Two rails of it are cabled to the leaves of the site pod-256, in the place of node-p1-01.
"""

from __future__ import annotations

from collections.abc import Mapping

NAME = "gpu-a"


def mlnx_qos() -> str:
    """`mlnx_qos -i` of a NIC that pauses priority 3 (python/mlnx_qos of Mellanox/mlnx-tools)."""
    rest = "".join(f"{one:02}," for one in range(64) if one not in (26, 48))
    rows = [f"\tprio:0 dscp:{part}" for part in _parts(rest)]
    return "\n".join(
        [
            "DCBX mode: OS controlled",
            "Priority trust state: dscp",
            "dscp2prio mapping:",
            *rows,
            "\tprio:3 dscp:26,",
            "\tprio:6 dscp:48,",
            "Receive buffer size (bytes): 130944,130944,0,0,0,0,0,0,total_size=262016",
            "Cable len: 30",
            "PFC configuration:",
            "\tpriority    0   1   2   3   4   5   6   7",
            "\tenabled     0   0   0   1   0   0   0   0   ",
            "\tbuffer      0   0   0   1   0   0   0   0   ",
            "tc: 0 ratelimit: unlimited, tsa: ets, bw: 50%",
            *(f"\t priority:  {one}" for one in (0, 1, 2, 4, 5, 7)),
            "tc: 3 ratelimit: unlimited, tsa: ets, bw: 50%",
            "\t priority:  3",
            "tc: 6 ratelimit: unlimited, tsa: strict",
            "\t priority:  6",
            "",
        ]
    )


def _parts(listed: str) -> list[str]:
    words = listed.split(",")[:-1]
    return ["".join(f"{one}," for one in words[at : at + 8]) for at in range(0, len(words), 8)]


NETPLAN = """network:
  version: 2
  ethernets:
    ens1:
      mtu: 9000
      addresses: [10.16.0.1/31]
      routing-policy:
        - from: 10.16.0.1
          table: 101
          priority: 1010
      routes:
        - to: 10.16.0.0/16
          via: 10.16.0.0
          table: 101
    ens2:
      mtu: 9000
      addresses:
        - 10.16.32.1/31
      routing-policy:
        - {from: 10.16.32.1, table: 102, priority: 1020}
      routes:
        - {to: 10.16.0.0/16, via: 10.16.32.0, table: 102}
"""

GIDS = """DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV
---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---
mlx5_0\t1\t0\tfe80:0000:0000:0000:5aa2:e1ff:fe11:2201\t\t\tv1\tens1
mlx5_0\t1\t1\tfe80:0000:0000:0000:5aa2:e1ff:fe11:2201\t\t\tv2\tens1
mlx5_0\t1\t2\t0000:0000:0000:0000:0000:ffff:0a10:0001\t10.16.0.1  \tv1\tens1
mlx5_0\t1\t3\t0000:0000:0000:0000:0000:ffff:0a10:0001\t10.16.0.1  \tv2\tens1
mlx5_1\t1\t0\tfe80:0000:0000:0000:5aa2:e1ff:fe11:2202\t\t\tv1\tens2
mlx5_1\t1\t1\tfe80:0000:0000:0000:5aa2:e1ff:fe11:2202\t\t\tv2\tens2
mlx5_1\t1\t2\t0000:0000:0000:0000:0000:ffff:0a10:2001\t10.16.32.1  \tv1\tens2
mlx5_1\t1\t3\t0000:0000:0000:0000:0000:ffff:0a10:2001\t10.16.32.1  \tv2\tens2
n_gids_found=8
"""

OUTPUTS = """root@gpu-a:~# cma_roce_tos -d mlx5_0
106
root@gpu-a:~# cma_roce_tos -d mlx5_1
106
root@gpu-a:~# cma_roce_mode -d mlx5_0 -p 1
RoCE v2
root@gpu-a:~# ip rule
0:\tfrom all lookup local
1010:\tfrom 10.16.0.1 lookup 101
1020:\tfrom 10.16.32.1 lookup 102
32766:\tfrom all lookup main
32767:\tfrom all lookup default
root@gpu-a:~# ip route show table all
10.16.0.0/16 via 10.16.0.0 dev ens1 table 101 proto static
10.16.0.0/16 via 10.16.32.0 dev ens2 table 102 proto static
default via 192.0.2.1 dev eno1 proto dhcp
broadcast 10.16.0.0 dev ens1 table local proto kernel scope link src 10.16.0.1
root@gpu-a:~# ethtool -a ens1
Pause parameters for ens1:
Autonegotiate:\toff
RX:\t\toff
TX:\t\toff
root@gpu-a:~# ethtool --show-fec ens1
FEC parameters for ens1:
Supported/Configured FEC encodings: Auto Off RS BaseR
Active FEC encoding: RS
root@gpu-a:~# cat /sys/class/infiniband/mlx5_0/tc/1/traffic_class
Global tclass=106
root@gpu-a:~# grep . /sys/class/net/ens1/ecn/roce_np/cnp_dscp
/sys/class/net/ens1/ecn/roce_np/cnp_dscp:48
/sys/class/net/ens1/ecn/roce_np/cnp_802p_prio:6
/sys/class/net/ens1/ecn/roce_np/enable/3:1
/sys/class/net/ens1/ecn/roce_rp/enable/3:1
root@gpu-a:~# grep . /sys/class/net/ens2/ecn/roce_np/enable/3
/sys/class/net/ens2/ecn/roce_np/enable/3:1
/sys/class/net/ens2/ecn/roce_rp/enable/3:1
"""

ETHTOOL = """Settings for ens1:
\tSupported ports: [ Backplane ]
\tSpeed: 400000Mb/s
\tDuplex: Full
\tAuto-negotiation: on
\tLink detected: yes
"""

SYSCTL = """net.ipv4.conf.all.rp_filter = 0
net.ipv4.conf.ens1.arp_announce = 2
net.ipv4.conf.ens1.arp_ignore = 1
net.ipv4.conf.ens1.rp_filter = 2
net.ipv4.conf.ens2.arp_announce = 2
net.ipv4.conf.ens2.arp_ignore = 1
net.ipv4.conf.ens2.rp_filter = 2
"""

NCCL = """NCCL_IB_HCA==mlx5_0,mlx5_1
NCCL_IB_TC=106
NCCL_IB_GID_INDEX=3
NCCL_IB_ADDR_RANGE=10.16.0.0/16
NCCL_SOCKET_IFNAME==ens1
"""

ADDRESSES = """2: ens1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP qlen 1000
    link/ether 58:a2:e1:11:22:01 brd ff:ff:ff:ff:ff:ff
    inet 10.16.0.1/31 scope global ens1
       valid_lft forever preferred_lft forever
3: ens2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP qlen 1000
    link/ether 58:a2:e1:11:22:02 brd ff:ff:ff:ff:ff:ff
    inet 10.16.32.1/31 scope global ens2
       valid_lft forever preferred_lft forever
"""


def texts() -> Mapping[str, str]:
    """The server's texts by path."""
    return {
        "/etc/hostname": f"{NAME}\n",
        "/etc/netplan/50-rails.yaml": NETPLAN,
        "/etc/nccl.conf": NCCL,
        "/etc/ucx/ucx.conf": "UCX_IB_TRAFFIC_CLASS=106\n",
        "/outputs.txt": OUTPUTS,
        "/mlnx_qos_-i_ens1": mlnx_qos(),
        "/mlnx_qos_-i_ens2": mlnx_qos(),
        "/show_gids": GIDS,
        "/sos_commands/networking/ethtool_ens1": ETHTOOL,
        "/sos_commands/networking/ip_-d_address": ADDRESSES,
        "/sos_commands/kernel/sysctl_-a": SYSCTL,
    }
