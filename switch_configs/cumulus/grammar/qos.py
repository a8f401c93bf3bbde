"""NVUE paths of quality of service: RoCE, PFC, ECN, queues, shaping, pools, watchdog."""

from __future__ import annotations

from .tree import Group

REFERENCE = "content/nvue-reference/Set-and-Unset-Commands/QoS.md"
ROCE = (
    "content/cumulus-linux-514/Layer-1-and-Switch-Ports/Quality-of-Service/"
    "RDMA-over-Converged-Ethernet-RoCE.md"
)
GUIDE = "content/cumulus-linux-516/Layer-1-and-Switch-Ports/Quality-of-Service/_index.md"
SINCE_56 = "content/cumulus-linux-56/Whats-New/_index.md"
BUFFERS = "qos advance-buffer-config default-global"
ALPHA = (
    "(alpha_0|alpha_1_128|alpha_1_64|alpha_1_32|alpha_1_16|alpha_1_8|alpha_1_4|alpha_1_2"
    "|alpha_1|alpha_2|alpha_4|alpha_8|alpha_16|alpha_32|alpha_64|alpha_infinity)"
)

GROUPS = (
    Group(
        ROCE,
        """
        qos roce {}
        qos roce {enable}
        qos roce mode (lossless|lossy)
        qos roce mode (lossless-single-ipool)                                     @5.12-
        qos roce mode (lossy-multi-tc)                                            @5.14-
        """,
    ),
    Group(
        REFERENCE,
        """
        qos pfc <name> {}
        qos pfc <name> switch-priority <priorities> {}
        qos pfc <name> (tx|rx) (enable|disable)
        qos pfc <name> cable-length 1-100000
        qos pfc <name> (port-buffer|xoff-threshold|xon-threshold) <bytes>
        qos traffic-pool <name> memory-percent 1-100
        qos traffic-pool <name> switch-priority <priorities> {}
        qos mapping <name> trust (l2|l3|port|both)
        qos mapping <name> port-default-sp 0-7
        qos mapping <name> dscp <dscps> switch-priority 0-7
        qos mapping <name> pcp <priorities> switch-priority 0-7
        qos remark <name> rewrite (l2|l3|both)
        qos remark <name> switch-priority <priorities> dscp 0-63
        qos remark <name> switch-priority <priorities> pcp 0-7
        qos congestion-control <name> traffic-class <priorities> (min-threshold|max-threshold) <bytes>
        qos congestion-control <name> traffic-class <priorities> probability 0-100
        qos congestion-control <name> traffic-class <priorities> (ecn|red) (enable|disable)
        qos egress-scheduler <name> traffic-class <priorities> mode (dwrr|strict)
        qos egress-scheduler <name> traffic-class <priorities> bw-percent 0-100
        qos egress-shaper <name> port-max-rate 0-2147483647
        qos egress-shaper <name> traffic-class <priorities> (min-rate|max-rate) 0-2147483647
        qos egress-shaper <name> mode (pps|kbps)                                  @5.16-
        """,  # noqa: E501 - one line a path
    ),
    # Only the profile default-global exists for these two.
    Group(
        GUIDE,
        """
        qos egress-queue-mapping default-global switch-priority <priorities> traffic-class 0-7
        """,
    ),
    Group(
        REFERENCE,
        f"""
        memory-percent 1-100
        mode (static|dynamic)
        reserved <bytes>
        shared-bytes <bytes>
        shared-alpha {ALPHA}
        infinite (true|false)
        """,
        under=(
            f"{BUFFERS} (ingress-service-pool|egress-service-pool) <priorities> @5.11-",
            f"{BUFFERS} (ingress-pool|egress-pool) <priorities> @-5.10",
        ),
    ),
    Group(
        SINCE_56,
        """
        qos pfc-watchdog polling-interval 100-5000
        qos pfc-watchdog robustness 1-1000
        """,
    ),
    Group(
        REFERENCE,
        """
        interface <interface> qos (pfc|mapping|remark) profile <name>
        interface <interface> qos (congestion-control|egress-scheduler|egress-shaper) profile <name>
        """,
    ),
    # Only on a switch port, never on a bond.
    Group(
        GUIDE,
        """
        interface <swp> qos pfc-watchdog {}
        interface <swp> qos pfc-watchdog state (enable|disable)
        """,
    ),
)
