"""Faults that need many senders at once: queues that rank somebody last, and too shallow ones.

What a flow alone shows is well: its rate, its marks, its packets. A queue is a class of HTB under
the lab's rate (tc-htb(8)): one class borrows all of it while nobody else wants it, and is left with
its own 2 Mb/s once others do. Ranking by source stands for a class that is given by port of entry.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .fault import Lab, fault

RATE = "200mbit"
BURSTS = "burst 1mb cburst 1mb"  # as deep as the lab's: a timer that is late loses no rate
FAR = "10.16.32.0/19"  # the NICs of pod 2, as rails of the lab lie


def ranked(lab: Lab, leaf: str, ports: Sequence[str], source: str) -> None:
    """At these ports of a leaf, what comes from `source` is sent when nothing else waits."""
    for port in ports:
        to, under = f"dev {port}", f"dev {port} parent 1:1 classid"
        lab.tc(leaf, f"qdisc replace {to} root handle 1: htb default 10")
        lab.tc(leaf, f"class add {to} parent 1: classid 1:1 htb rate {RATE} {BURSTS}")
        lab.tc(leaf, f"class add {under} 1:10 htb rate 198mbit ceil {RATE} {BURSTS} prio 0")
        lab.tc(leaf, f"class add {under} 1:20 htb rate 2mbit ceil {RATE} cburst 1mb prio 7")
        for queue in ("10", "20"):
            lab.tc(leaf, f"qdisc add {to} parent 1:{queue} bfifo limit 500kb")
        which = f"u32 match ip src {source} flowid 1:20"
        lab.tc(leaf, f"filter add {to} parent 1: protocol ip prio 1 {which}")


@fault(60, "port leaf-p1-r0:swp1")
def far_senders_last_at_a_port(lab: Lab) -> Iterator[None]:
    """The queue towards one node sends what comes from other leaves last."""
    ranked(lab, "leaf-p1-r0", ["swp1"], FAR)
    yield
    lab.as_wired("leaf-p1-r0", "swp1")


@fault(60, "device leaf-p2-r1")
def uplinks_last_on_a_leaf(lab: Lab) -> Iterator[None]:
    """A leaf ranks all that comes over its uplinks behind what its own nodes send."""
    ranked(lab, "leaf-p2-r1", ["swp1", "swp2"], "10.16.128.0/19")
    yield
    lab.as_wired("leaf-p2-r1", "swp1", "swp2")
