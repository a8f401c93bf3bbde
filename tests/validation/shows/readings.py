"""One switch of two uplinks and a host port, for reading what it prints alone."""

from __future__ import annotations

from .state import Device, Network, Port, Route, Session

FAR = Network("10.16.32.0/19")


def small_switch() -> Device:
    """A leaf: an unnumbered uplink, a numbered one, and one of a table of users."""
    here = Device("leaf1", 4200000100, "10.255.0.1", ("mgmt0", "172.16.0.11/20"))
    here.ports = {
        "Ethernet1/1": Port(9214, "10.16.0.0/31", heard=[("node1", "rail0")]),
        "Ethernet1/2": Port(9214, heard=[("spine1", "Ethernet1/1")]),
        "Ethernet1/3": Port(9214, "10.1.0.1/31", heard=[("spine2", "Ethernet1/1")]),
        "Ethernet1/4": Port(1500, admin_up=False, signal=False),
        "Ethernet1/5": Port(9214, signal=False),
    }
    here.sessions = [
        Session("Ethernet1/2", 4200000000),
        Session("Ethernet1/3", 4200000000, "10.1.0.0"),
        Session("Ethernet1/2.301", 4200000000, vrf="users", state="Active"),
    ]
    here.routes = {
        Network("10.16.0.0/31"): Route("direct", ["Ethernet1/1"]),
        Network("10.1.0.0/31"): Route("direct", ["Ethernet1/3"]),
        Network("10.255.0.1/32"): Route("direct", ["Loopback0"]),
        Network("10.16.0.0/19"): Route("static", []),
        FAR: Route("bgp", ["Ethernet1/2", "Ethernet1/3"]),
    }
    return here
