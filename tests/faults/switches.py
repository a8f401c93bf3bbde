"""Faults of switches: filters, kernel, files, daemons, and switches that do not answer."""

from __future__ import annotations

from collections.abc import Iterator

from validation.verdict import Verdict

from .fault import BREAK_A_UNIT, Lab, fault


@fault(25, "device spine1")
def dscp_rewritten_by_a_spine(lab: Lab) -> Iterator[None]:
    """What comes in over one port leaves the lossless class."""
    rule = "inet railbed forward iifname swp1 ip dscp set cs0"
    lab.run("spine1", f"nft insert rule {rule}")
    yield
    lab.run("spine1", "nft -f /etc/nftables.conf")


@fault(40, "cable leaf-p1-r0:swp1 -- node-p1-1:rail0", hidden=("filters",))
def dscp_not_trusted_at_a_port(lab: Lab) -> Iterator[None]:
    """A leaf's port to a node rewrites what comes in; its filters do not show it."""
    rule = "inet railbed forward iifname swp1 ip dscp set cs0"
    lab.run("leaf-p1-r0", f"nft insert rule {rule}")
    yield
    lab.run("leaf-p1-r0", "nft -f /etc/nftables.conf")


@fault(25, "device leaf-p2-r1")
def hash_without_ports(lab: Lab) -> Iterator[None]:
    """A leaf hashes by addresses alone: all RoCE between two hosts takes one path."""
    lab.run("leaf-p2-r1", "sysctl -qw net.ipv4.fib_multipath_hash_policy=0")
    yield
    lab.run("leaf-p2-r1", "sysctl -qw net.ipv4.fib_multipath_hash_policy=1")


@fault(25, "device leaf-p1-r1")
def file_of_a_switch_changed(lab: Lab) -> Iterator[None]:
    """A startup file was edited, and nothing loaded it yet."""
    path = "/etc/network/interfaces"
    lab.run("leaf-p1-r1", f"cp -p {path} /root/kept && sed -i 's/mtu 9216/mtu 1500/' {path}")
    yield
    lab.run("leaf-p1-r1", f"mv /root/kept {path}")


@fault(25, "device spine2")
def typed_in_and_not_saved(lab: Lab) -> Iterator[None]:
    """FRR runs a line that no file has."""
    line = "ip prefix-list STRAY seq 5 permit 192.0.2.0/24"
    lab.run("spine2", f"vtysh -c 'conf t' -c '{line}'")
    yield
    lab.run("spine2", f"vtysh -c 'conf t' -c 'no {line}'")


@fault(25, "device leaf-p2-r0")
def unit_failed_on_a_switch(lab: Lab) -> Iterator[None]:
    """A unit of a switch has failed."""
    lab.run("leaf-p2-r0", BREAK_A_UNIT)
    yield
    lab.run("leaf-p2-r0", "systemctl reset-failed broken")


@fault(20, "device spine1", settles=True)
def lldpd_dead(lab: Lab) -> Iterator[None]:
    """A spine says nothing by LLDP; all its links are up."""
    lab.run("spine1", "systemctl stop lldpd")
    yield
    lab.run("spine1", "systemctl start lldpd")


NO_SSH = "systemctl stop ssh.socket ssh.service; pkill -9 -x sshd || true"


@fault(10, "device leaf-p1-r1", verdict=Verdict.INCONCLUSIVE)
def sshd_dead_on_a_switch(lab: Lab) -> Iterator[None]:
    """A leaf forwards, and nobody can log in."""
    lab.run("leaf-p1-r1", NO_SSH)
    yield
    lab.run("leaf-p1-r1", "systemctl start ssh.socket")


@fault(10, "device spine2", verdict=Verdict.INCONCLUSIVE)
def switch_without_its_management_address(lab: Lab) -> Iterator[None]:
    """A spine has lost its lease."""
    was = lab.run("spine2", "ip -4 -o addr show eth0 | awk '{print $4}'").strip()
    lab.run("spine2", f"systemctl stop mgmt-dhcp; ip addr del {was} dev eth0")
    yield
    lab.run("spine2", "systemctl start mgmt-dhcp")
