"""Faults of cables and ports: off, swapped, lossy, small, slow."""

from __future__ import annotations

from collections.abc import Iterator

from inventory.plan import PortRef

from .fault import Lab, fault

SLOW = "tbf rate 20mbit burst 128kb latency 20ms"
# A cable that loses: an nft drop below everything else at one port. It is the lab's trick, and
# `filters` would see it.
LOSSY = (
    "nft add table netdev dirty && nft add chain netdev dirty {port} "
    "'{{ type filter hook ingress device {port} priority -500; }}' && "
    "nft add rule netdev dirty {port} numgen random mod 100 '<' {percent} drop"
)
CLEAN = "nft delete table netdev dirty"


@fault(20, "port leaf-p1-r0:swp5")
def link_off_at_a_leaf(lab: Lab) -> Iterator[None]:
    """An uplink is switched off on its leaf."""
    lab.run("leaf-p1-r0", "ip link set swp5 down")
    yield
    lab.run("leaf-p1-r0", "ip link set swp5 up")


@fault(20, "port spine2:swp4")
def link_off_at_a_spine(lab: Lab) -> Iterator[None]:
    """The same from the other end."""
    lab.run("spine2", "ip link set swp4 down")
    yield
    lab.run("spine2", "ip link set swp4 up")


@fault(20, "port node-p2-1:rail1", also=("role roce_nic on node-p2-1",))
def link_off_at_a_node(lab: Lab) -> Iterator[None]:
    """A rail NIC is switched off: its routes go with it."""
    lab.run("node-p2-1", "ip link set rail1 down")
    yield
    lab.run("node-p2-1", "ip link set rail1 up && railbed-network apply")


def swap(lab: Lab, one: PortRef, other: PortRef) -> None:
    """Exchange what is plugged into two ports; names, MACs and rates stay with the ports."""
    macs = {
        end: lab.run(end.device, f"cat /sys/class/net/{end.port}/address").strip()
        for end in (one, other)
    }
    lab.ip(one.device, f"link set {one.port} down", f"link set {one.port} name moving1")
    lab.ip(other.device, f"link set {other.port} down", f"link set {other.port} name moving2")
    lab.ip(one.device, f"link set moving1 netns {lab.netns(other.device)}")
    lab.ip(other.device, f"link set moving2 netns {lab.netns(one.device)}")
    for end, moved in ((one, "moving2"), (other, "moving1")):
        lab.ip(end.device, f"link set {moved} name {end.port} address {macs[end]}")
        lab.as_wired(end.device, end.port)


def again(lab: Lab, *devices: str) -> None:
    """Let devices configure ports that were plugged anew."""
    for device in devices:
        is_node = device.startswith("node")
        lab.run(device, "railbed-network apply" if is_node else "ifreload -a 2>&1; ip -br link")


UPLINKS = PortRef("spine1", "swp1"), PortRef("spine2", "swp1")


@fault(
    20,
    "swapped cables leaf-p1-r0:swp5 -- spine1:swp1 and leaf-p1-r0:swp6 -- spine2:swp1",
    settles=True,
)
def uplinks_swapped(lab: Lab) -> Iterator[None]:
    """Two uplinks of a leaf end at each other's spine."""
    swap(lab, *UPLINKS)
    again(lab, "spine1", "spine2")
    yield
    swap(lab, *UPLINKS)
    again(lab, "spine1", "spine2")


NICS = PortRef("node-p1-1", "rail0"), PortRef("node-p1-1", "rail1")


@fault(
    20,
    "swapped cables leaf-p1-r0:swp1 -- node-p1-1:rail0 and leaf-p1-r1:swp1 -- node-p1-1:rail1",
    settles=True,
)
def nics_of_a_node_swapped(lab: Lab) -> Iterator[None]:
    """The cables of a node's two rails are exchanged at the node."""
    swap(lab, *NICS)
    again(lab, "node-p1-1")
    yield
    swap(lab, *NICS)
    again(lab, "node-p1-1")


@fault(40, "port leaf-p2-r0:swp5")
def mtu_small_on_one_hop(lab: Lab) -> Iterator[None]:
    """One end of an uplink has another MTU; BGP goes on."""
    lab.run("leaf-p2-r0", "ip link set swp5 mtu 1500")
    yield
    lab.run("leaf-p2-r0", "ip link set swp5 mtu 9216")


@fault(40, "port spine1:swp4")
def mtu_large_enough_but_not_planned(lab: Lab) -> Iterator[None]:
    """9100: the hosts' packets pass, the plan's do not."""
    lab.run("spine1", "ip link set swp4 mtu 9100")
    yield
    lab.run("spine1", "ip link set swp4 mtu 9216")


@fault(40, "port node-p1-2:rail0")
def mtu_small_on_a_node(lab: Lab) -> Iterator[None]:
    """A node's rail has MTU 1500."""
    lab.run("node-p1-2", "ip link set rail0 mtu 1500")
    yield
    lab.run("node-p1-2", "ip link set rail0 mtu 9000; railbed-network apply")


@fault(42, "cable leaf-p1-r0:swp6 -- spine2:swp1", hidden=("filters",))
def loss_on_one_uplink(lab: Lab) -> Iterator[None]:
    """5 % of what comes in is lost at both ends."""
    ends = (PortRef("leaf-p1-r0", "swp6"), PortRef("spine2", "swp1"))
    for end in ends:
        lab.run(end.device, LOSSY.format(port=end.port, percent=5))
    yield
    for end in ends:
        lab.run(end.device, CLEAN)


@fault(42, "cable leaf-p2-r1:swp5 -- spine1:swp4", hidden=("filters",))
def loss_in_one_direction_only(lab: Lab) -> Iterator[None]:
    """5 % of what a spine gets over one cable is lost; the way back is clean."""
    lab.run("spine1", LOSSY.format(port="swp4", percent=5))
    yield
    lab.run("spine1", CLEAN)


@fault(42, "cable leaf-p2-r0:swp2 -- node-p2-2:rail0")
def loss_at_a_node(lab: Lab) -> Iterator[None]:
    """5 % of what a NIC gets is lost."""
    lab.run("node-p2-2", LOSSY.format(port="rail0", percent=5))
    yield
    lab.run("node-p2-2", CLEAN)


def _slow(lab: Lab, device: str, port: str) -> Iterator[None]:
    lab.tc(device, f"qdisc replace dev {port} root {SLOW}")
    yield
    lab.as_wired(device, port)


@fault(50, "cable leaf-p1-r0:swp2 -- node-p1-2:rail0")
def slow_port_of_a_leaf(lab: Lab) -> Iterator[None]:
    """A leaf's port towards a node sends a tenth of its rate."""
    yield from _slow(lab, "leaf-p1-r0", "swp2")


@fault(50, "cable leaf-p2-r1:swp1 -- node-p2-1:rail1")
def slow_nic(lab: Lab) -> Iterator[None]:
    """A NIC sends a tenth of its rate."""
    yield from _slow(lab, "node-p2-1", "rail1")


@fault(50, "cable leaf-p2-r0:swp5 -- spine1:swp3")
def slow_port_of_a_spine(lab: Lab) -> Iterator[None]:
    """A spine's port towards a leaf sends a tenth: all that comes down it came up another cable."""
    yield from _slow(lab, "spine1", "swp3")


@fault(50, "cable leaf-p1-r1:swp6 -- spine2:swp2")
def slow_uplink(lab: Lab) -> Iterator[None]:
    """A leaf's port towards a spine sends a tenth of its rate: only flows that take it are slow."""
    yield from _slow(lab, "leaf-p1-r1", "swp6")
