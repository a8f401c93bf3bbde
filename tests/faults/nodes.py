"""Faults of nodes and of the OOB server: what roles own, the kernel, and who answers."""

from __future__ import annotations

from collections.abc import Iterator

from validation.verdict import Verdict

from .fault import BREAK_A_UNIT, Lab, fault
from .switches import NO_SSH

ROCE = "role roce_nic on {}"
BASE = "role os_base on {}"


@fault(30, ROCE.format("node-p1-1"))
def wrong_route_on_a_node(lab: Lab) -> Iterator[None]:
    """Rail 0's own table sends everything out by rail 1."""
    lab.run("node-p1-1", "ip route replace 10.16.0.0/16 via 10.16.128.0 dev rail1 table 100")
    yield
    lab.run("node-p1-1", "ip route flush table 100; railbed-network apply")


@fault(30, ROCE.format("node-p2-1"))
def wrong_rule_on_a_node(lab: Lab) -> Iterator[None]:
    """A rule comes before those of the rails."""
    lab.run("node-p2-1", "ip rule add priority 900 from all lookup main")
    yield
    lab.run("node-p2-1", "ip rule del priority 900")


@fault(30, ROCE.format("node-p1-2"))
def rule_lost_on_a_node(lab: Lab) -> Iterator[None]:
    """The rule of one rail is gone: its traffic leaves by another."""
    lab.run("node-p1-2", "ip rule del priority 1010")
    yield
    lab.run("node-p1-2", "railbed-network apply")


@fault(30, ROCE.format("node-p2-2"))
def file_of_a_role_changed(lab: Lab) -> Iterator[None]:
    """A file of a role was edited by hand."""
    path = "/etc/sysctl.d/60-railbed-roce-nic.conf"
    lab.run("node-p2-2", f"cp -p {path} /root/kept && echo '# by hand' >>{path}")
    yield
    lab.run("node-p2-2", f"mv /root/kept {path}")


@fault(30, ROCE.format("node-p2-1"))
def sysctl_of_a_node_changed(lab: Lab) -> Iterator[None]:
    """A rail answers ARP for the other one's address."""
    lab.run("node-p2-1", "sysctl -qw net.ipv4.conf.rail0.arp_ignore=0")
    yield
    lab.run("node-p2-1", "sysctl -qw net.ipv4.conf.rail0.arp_ignore=1")


@fault(30, "role ofed on node-p1-1")
def hold_removed(lab: Lab) -> Iterator[None]:
    """The next upgrade would change the RDMA stack."""
    lab.run("node-p1-1", "apt-mark unhold perftest")
    yield
    lab.run("node-p1-1", "apt-mark hold perftest")


@fault(30, "role ofed on node-p1-2")
def wrong_version(lab: Lab) -> Iterator[None]:
    """Another version of a package is installed, as dpkg says."""
    version = "dpkg-query -W -f '${Version}' perftest"
    lab.run(
        "node-p1-2",
        f"v=$({version}); mkdir -p /root/p/DEBIAN && printf '%s\\n' 'Package: perftest' "
        "'Version: 99' 'Architecture: amd64' 'Maintainer: nobody' 'Description: other' "
        ">/root/p/DEBIAN/control && cp -p /var/lib/dpkg/status /root/status && "
        "dpkg-deb -b /root/p /root/p.deb >/dev/null && "
        'tar -C / -czf /root/p.tgz $(dpkg -L perftest | while read f; do [ -f "$f" ] && '
        'echo "${f#/}"; done) && cp -p /var/lib/dpkg/info/perftest.* /root/p/ && '
        'echo "$v" >/root/v && dpkg --force-hold -i /root/p.deb >/dev/null',
    )
    yield
    lab.run(
        "node-p1-2",
        "tar -C / -xzf /root/p.tgz && cp -p /root/status /var/lib/dpkg/status && "
        "cp -p /root/p/perftest.* /var/lib/dpkg/info/ && "
        "rm -rf /root/p /root/p.deb /root/p.tgz /root/status /root/v",
    )


@fault(30, "device node-p1-1")
def unit_failed_on_a_node(lab: Lab) -> Iterator[None]:
    """A unit that no role owns has failed."""
    lab.run("node-p1-1", BREAK_A_UNIT)
    yield
    lab.run("node-p1-1", "systemctl reset-failed broken")


@fault(30, BASE.format("node-p2-2"))
def memlock_lowered(lab: Lab) -> Iterator[None]:
    """Logins may lock 64 KiB."""
    path = "/etc/security/limits.d/90-railbed.conf"
    lab.run(
        "node-p2-2",
        f"cp -p {path} /root/kept && printf '* - memlock 64\\nroot - memlock 64\\n' >{path}",
    )
    yield
    lab.run("node-p2-2", f"mv /root/kept {path}")


@fault(30, BASE.format("node-p1-1"))
def clock_keeper_stopped(lab: Lab) -> Iterator[None]:
    """Nobody keeps a node's clock."""
    lab.run("node-p1-1", "systemctl stop chrony")
    yield
    lab.run("node-p1-1", "systemctl start chrony")


@fault(40, "cable leaf-p1-r0:swp2 -- node-p1-2:rail0")
def wrong_dscp_on_a_node(lab: Lab) -> Iterator[None]:
    """What one NIC sends is not marked; the NIC, its cable and its leaf port look alike."""
    lab.run(
        "node-p1-2",
        "nft 'add table ip dscp; add chain ip dscp out { type filter hook postrouting priority 0; }"
        "; add rule ip dscp out oifname rail0 ip dscp set cs0'",
    )
    yield
    lab.run("node-p1-2", "nft delete table ip dscp")


@fault(40, "cable leaf-p2-r1:swp2 -- node-p2-2:rail1")
def firewall_on_a_node(lab: Lab) -> Iterator[None]:
    """A node drops UDP that comes in over one rail; pings pass."""
    lab.run(
        "node-p2-2",
        "nft 'add table ip fw; add chain ip fw in { type filter hook input priority 0; }; "
        "add rule ip fw in iifname rail1 meta l4proto udp drop'",
    )
    yield
    lab.run("node-p2-2", "nft delete table ip fw")


@fault(10, "device node-p2-2", verdict=Verdict.INCONCLUSIVE)
def sshd_dead_on_a_node(lab: Lab) -> Iterator[None]:
    """Nobody can log in to a node."""
    lab.run("node-p2-2", NO_SSH)
    yield
    lab.run("node-p2-2", "systemctl start ssh.socket")


@fault(10, "device node-p1-2", verdict=Verdict.INCONCLUSIVE)
def sshd_frozen_on_a_node(lab: Lab) -> Iterator[None]:
    """A node takes connections and never says a word."""
    freeze = "systemctl stop ssh.socket; pkill -x sshd; python3 -c '{0}' & "
    freeze += "until ss -Htln sport = :22 | grep -q .; do sleep 0.1; done"
    listen = (
        'import socket,time; s=socket.socket(); s.setsockopt(1,2,1); s.bind(("0.0.0.0",22)); '
        "s.listen(50); time.sleep(600)"
    )
    lab.run("node-p1-2", f"({freeze.format(listen)}) >/dev/null 2>&1 </dev/null")
    yield
    lab.run("node-p1-2", "pkill -f 'listen[(]50' || true; systemctl start ssh.socket")


@fault(10, "device node-p1-1", verdict=Verdict.INCONCLUSIVE)
def wrong_hostname(lab: Lab) -> Iterator[None]:
    """A node calls itself otherwise: its answers are not believed."""
    lab.run("node-p1-1", "hostname somebody")
    yield
    lab.run("node-p1-1", "hostname node-p1-1")


@fault(10, "device node-p2-1", verdict=Verdict.INCONCLUSIVE)
def another_answers_for_a_node(lab: Lab) -> Iterator[None]:
    """A neighbour has taken a node's management address."""
    address = lab.run("node-p2-1", "ip -4 -o addr show eth0 | awk '{print $4}'").strip()
    lab.run("node-p2-1", f"systemctl stop mgmt-dhcp; ip addr del {address} dev eth0")
    lab.run("node-p2-2", f"ip addr add {address} dev eth0")
    lab.run("oob1", "ip neigh flush all")
    yield
    lab.run("node-p2-2", f"ip addr del {address} dev eth0")
    lab.run("oob1", "ip neigh flush all")
    lab.run("node-p2-1", "systemctl start mgmt-dhcp")


@fault(10, "device node-p1-2", verdict=Verdict.INCONCLUSIVE)
def disk_full_on_a_node(lab: Lab) -> Iterator[None]:
    """Nothing can be written where a trip keeps its answers."""
    lab.run(
        "node-p1-2",
        "mount -t tmpfs -o size=64k none /tmp && head -c 200000 /dev/zero >/tmp/full || true",
    )
    yield
    lab.run("node-p1-2", "umount /tmp")


@fault(30, "role oob_server on oob1")
def leases_stopped(lab: Lab) -> Iterator[None]:
    """The OOB server gives no more leases and names."""
    lab.run("oob1", "systemctl stop railbed-dnsmasq")
    yield
    lab.run("oob1", "systemctl start railbed-dnsmasq")
