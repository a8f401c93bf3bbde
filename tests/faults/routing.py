"""Faults of routing: sessions, policies, paths, and what the kernel makes of them."""

from __future__ import annotations

from collections.abc import Iterator

from .fault import Lab, fault

RELOAD = "/usr/lib/frr/frr-reload.py --reload /etc/frr/frr.conf >/dev/null 2>&1"


def typed(lab: Lab, device: str, *lines: str) -> Iterator[None]:
    """Type lines into FRR; afterwards it runs its file again."""
    words = " ".join(f"-c '{line}'" for line in ("conf t", *lines))
    lab.run(device, f"vtysh {words}")
    yield
    lab.run(device, RELOAD)


LEAF = "router bgp 4200000100"
UNICAST = "address-family ipv4 unicast"


@fault(20, "BGP over leaf-p1-r0:swp5 -- spine1:swp1", "device leaf-p1-r0")
def session_shut(lab: Lab) -> Iterator[None]:
    """Somebody shut one session on a leaf."""
    yield from typed(lab, "leaf-p1-r0", LEAF, "neighbor swp5 shutdown")


@fault(20, "BGP over leaf-p1-r0:swp6 -- spine2:swp1", "device leaf-p1-r0", settles=True)
def session_with_a_password_at_one_end(lab: Lab) -> Iterator[None]:
    """TCP MD5 at one end only: the session never comes up again."""
    lines = (LEAF, "neighbor swp6 password elsewhere", "end", "clear bgp swp6")
    yield from typed(lab, "leaf-p1-r0", *lines)


@fault(20, "device spine1", settles=True)
def wrong_asn_on_a_spine(lab: Lab) -> Iterator[None]:
    """A spine speaks for another AS."""
    lab.run(
        "spine1",
        "sed 's/^router bgp .*/router bgp 4200009999/' /etc/frr/frr.conf >/tmp/other.conf && "
        "vtysh -c 'conf t' -c 'no router bgp 4200000000' && vtysh -f /tmp/other.conf >/dev/null",
    )
    yield
    lab.run("spine1", "systemctl restart frr; rm -f /tmp/other.conf")


@fault(20, "device leaf-p2-r0", settles=True)
def own_prefix_filtered(lab: Lab) -> Iterator[None]:
    """A leaf no longer announces its nodes' prefix."""
    text = lab.run("leaf-p2-r0", "grep -m1 'ip prefix-list own seq 5' /etc/frr/frr.conf")
    deny = f"ip prefix-list own seq 5 deny {text.split()[-1]}"
    yield from typed(lab, "leaf-p2-r0", "no ip prefix-list own seq 5", deny)


@fault(20, "device leaf-p1-r1", settles=True)
def one_path_only(lab: Lab) -> Iterator[None]:
    """A leaf uses one of its two paths."""
    leaf = _router(lab, "leaf-p1-r1")
    yield from typed(lab, "leaf-p1-r1", leaf, UNICAST, "maximum-paths 1")


def _router(lab: Lab, device: str) -> str:
    return lab.run(device, "grep -m1 '^router bgp' /etc/frr/frr.conf").strip()


@fault(20, "device leaf-p2-r1", settles=True)
def frr_stopped(lab: Lab) -> Iterator[None]:
    """A leaf routes no more."""
    lab.run("leaf-p2-r1", "systemctl stop frr")
    yield
    lab.run("leaf-p2-r1", "systemctl start frr")


FROZEN = "kill -{0} $(cat /run/frr/watchfrr.pid) $(cat /run/frr/bgpd.pid)"


@fault(20, "device spine2", settles=True)
def bgpd_frozen(lab: Lab) -> Iterator[None]:
    """A spine's bgpd hangs, and so does who should restart it."""
    lab.run("spine2", FROZEN.format("STOP"))
    yield
    # By now systemd's own watchdog may have ended them.
    lab.run("spine2", f"{FROZEN.format('CONT')} 2>/dev/null; systemctl restart frr")


REMOTE = "10.255.0.3"  # the loopback of another leaf of the rail, reached over both spines


@fault(20, "kernel routes of leaf-p1-r0")
def stale_ecmp(lab: Lab) -> Iterator[None]:
    """The kernel has one path to a prefix for which FRR has two."""
    was = " ".join(lab.run("leaf-p1-r0", f"ip -4 route show {REMOTE}").split())
    first = was.partition("nexthop ")[2].partition(" weight")[0]
    lab.run("leaf-p1-r0", f"ip route replace {REMOTE} proto bgp metric 20 {first} onlink")
    yield
    lab.run("leaf-p1-r0", f"ip route replace {was}")


@fault(20, "kernel routes of leaf-p1-r0")
def route_shadowed_in_a_kernel(lab: Lab) -> Iterator[None]:
    """A route that somebody typed in comes before FRR's. (A lost one zebra puts back itself.)"""
    lab.run("leaf-p1-r0", f"ip route add blackhole {REMOTE} metric 1")
    yield
    lab.run("leaf-p1-r0", f"ip route del blackhole {REMOTE} metric 1")


@fault(20, "device spine1", "kernel routes of spine1")
def route_leaked_into_a_kernel(lab: Lab) -> Iterator[None]:
    """Somebody typed a route of the pools into a spine's kernel."""
    lab.run("spine1", "ip route add 10.16.200.0/24 dev swp1")
    yield
    lab.run("spine1", "ip route del 10.16.200.0/24 dev swp1")


@fault(20, "device leaf-p2-r0", settles=True)
def route_leaked_by_bgp(lab: Lab) -> Iterator[None]:
    """A leaf announces a prefix of the pools that is not its own."""
    lines = (
        "ip route 10.16.224.0/19 blackhole",
        "ip prefix-list own seq 99 permit 10.16.224.0/19",
        _router(lab, "leaf-p2-r0"),
        UNICAST,
        "network 10.16.224.0/19",
    )
    yield from typed(lab, "leaf-p2-r0", *lines)


@fault(25, "device leaf-p1-r0", settles=True)
def bfd_off(lab: Lab) -> Iterator[None]:
    """A session runs without BFD: a silent link would be noticed in seconds."""
    yield from typed(lab, "leaf-p1-r0", LEAF, "no neighbor swp5 bfd")


@fault(25, "device spine2", settles=True)
def bfd_slow(lab: Lab) -> Iterator[None]:
    """A spine's BFD counts to ten. frr-reload 8.4 does not find the way back to a default."""
    words = "vtysh -c 'conf t' -c bfd -c 'profile fabric' -c 'detect-multiplier {0}'"
    lab.run("spine2", words.format(10))
    yield
    lab.run("spine2", words.format(3))
