"""Faults that only many nodes together show: damaged data, slow for MPI alone, unable to run.

iperf3 looks at no byte that it moved, and talks over ports of its own; collectives check their
results, and their connections are any.
"""

from __future__ import annotations

from collections.abc import Iterator

from validation.verdict import Verdict

from .congestion import BURSTS, RATE
from .fault import Lab, fault

# One byte of one packet in a hundred, of large ones alone: what they say of themselves stays right.
# The kernel of a node trusts what comes over a cable of the lab, and checks no sum (veth(4)).
DAMAGE = (
    "nft 'add table ip bits; add chain ip bits out { type filter hook postrouting priority 0; }; "
    'add rule ip bits out oifname "rail*" meta l4proto tcp meta length > 8000 '
    "numgen random mod 100 0 @th,1600,8 set 0x5a'"
)


@fault(70, "device node-p2-1")
def data_damaged_by_a_node(lab: Lab) -> Iterator[None]:
    """A node flips bits in what it sends, at full rate; nobody counts an error."""
    lab.run("node-p2-1", DAMAGE)
    yield
    lab.run("node-p2-1", "nft delete table ip bits")


@fault(70, "device node-p1-2")
def other_ports_slow_on_a_node(lab: Lab) -> Iterator[None]:
    """A node shapes TCP of the ports that Open MPI takes (1024 and up) to a tenth."""
    for port in ("rail0", "rail1"):
        to = f"dev {port}"
        lab.tc("node-p1-2", f"qdisc replace {to} root handle 1: htb default 10")
        lab.tc("node-p1-2", f"class add {to} parent 1: classid 1:10 htb rate {RATE} {BURSTS}")
        lab.tc("node-p1-2", f"class add {to} parent 1: classid 1:20 htb rate 20mbit {BURSTS}")
        for queue in ("10", "20"):
            lab.tc("node-p1-2", f"qdisc add {to} parent 1:{queue} bfifo limit 500kb")
        for end in ("sport", "dport"):
            match = f"match ip protocol 6 0xff match ip {end} 1024 0xfc00"
            lab.tc("node-p1-2", f"filter add {to} parent 1: protocol ip u32 {match} flowid 1:20")
    yield
    lab.as_wired("node-p1-2", "rail0", "rail1")


@fault(70, "device node-p2-2", verdict=Verdict.INCONCLUSIVE)
def no_mpi_daemon_on_a_node(lab: Lab) -> Iterator[None]:
    """Open MPI cannot start on a node: no collective with it has a result."""
    lab.run("node-p2-2", "mv /usr/bin/orted /usr/bin/orted.away")
    yield
    lab.run("node-p2-2", "mv /usr/bin/orted.away /usr/bin/orted")
