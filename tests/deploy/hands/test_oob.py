"""The OOB server on real machines: leases, names, zones, and its own restart."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from ipaddress import IPv4Address

import pytest

from deploy import lab
from deploy.servers.pyinfra_run import run
from deploy.switches.switch_push import push
from deploy.switches.syntax_run import check_syntax
from inventory.reading.fields import Unreadable
from switch_configs.answers.linux import ntp

from .hands import LAB, PLAN, answers_as, inside, open_hands, until

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("leased")]

MANAGED = {one.name: one.management for one in PLAN.switches}
MANAGED |= {one.name: one.management for one in PLAN.nodes}


def is_itself(name: str) -> bool:
    """Whether the planned device, and no other, answers at its planned address."""
    return answers_as(name, MANAGED[name].port) == (name, MANAGED[name].mac)


def test_every_device_answers_at_its_planned_address_by_its_planned_name():
    """Each switch and node has the lease that its MAC was promised, and is nobody else."""
    for name in MANAGED:
        until(partial(is_itself, name))


def test_every_name_resolves_from_a_device():
    """DNS of the OOB server knows all devices, by short and by full name."""
    for name, management in MANAGED.items():
        for asked in (name, f"{name}.{PLAN.oob.domain}"):
            status, said = inside("spine1", f"getent ahostsv4 {asked}")
            assert status == 0, asked
            if name != "spine1":
                assert said.split()[0] == str(management.address.ip)


def test_a_name_that_nobody_has_is_refused_at_once():
    """No resolver beyond: an unknown name must not make a device wait."""
    status, _ = inside("spine1", "timeout 2 getent hosts no-such-device.example.org")
    assert status == 2


def test_a_stranger_gets_no_lease():
    """A MAC that is in no row of asbuilt.csv is not answered."""
    port, mac = MANAGED["node-p2-2"].port, MANAGED["node-p2-2"].mac
    change = "ip link set {0} down; ip link set {0} address {1}; ip link set {0} up"
    ask = f"timeout 8 dhclient -1 -d -lf /run/other -pf /run/other.pid {port}"
    try:
        inside("node-p2-2", f"systemctl stop mgmt-dhcp; ip -4 addr flush dev {port}")
        inside("node-p2-2", change.format(port, "02:00:5e:00:53:01"))
        status, said = inside("node-p2-2", ask)
        assert "DHCPDISCOVER" in said
        assert "DHCPOFFER" not in said
        assert status != 0
        assert "inet " not in inside("node-p2-2", f"ip -4 addr show dev {port}")[1]
    finally:
        inside("node-p2-2", change.format(port, mac) + "; systemctl start mgmt-dhcp")
    until(partial(is_itself, "node-p2-2"))


def opens(name: str, address: object, tcp_port: int) -> bool:
    """Whether a TCP connection from a machine opens."""
    program = f"import socket; socket.create_connection(('{address}', {tcp_port}), 2)"
    return inside(name, f'python3 -c "{program}"')[0] == 0


def test_zones_and_ports_are_kept_apart():
    """From a switch: DNS of its zone answers; SSH, a neighbour and the other zone do not."""
    here, there = MANAGED["spine1"], MANAGED["node-p1-1"]
    until(lambda: opens("spine1", here.gateway, 53))
    assert not opens("spine1", here.gateway, 22)
    assert not opens("spine1", MANAGED["spine2"].address.ip, 22)
    inside("spine1", f"ip route add {there.address.network} via {here.gateway}")
    try:
        inside(PLAN.oob.name, "sysctl -q net.ipv4.ip_forward=1")
        assert not opens("spine1", there.address.ip, 22)
        assert not opens("spine1", there.gateway, 22)
    finally:
        inside(PLAN.oob.name, "sysctl -q net.ipv4.ip_forward=0")
        inside("spine1", f"ip route del {there.address.network}")


def is_told(name: str, server: IPv4Address) -> bool:
    """Whether a machine's question for the time is answered; without a way there it asks nobody."""
    with suppress(Unreadable):
        return ntp.answer(inside(name, ntp.question(server))[1]) is not None
    return False


def test_every_zone_is_told_the_time_through_the_firewall():
    """A switch and a node ask by NTP and are answered; at an address of another zone nobody is."""
    for name, other in (("spine1", "node-p1-1"), ("node-p1-1", "spine1")):
        server = MANAGED[name].gateway
        until(partial(is_told, name, server))
        told = ntp.answer(inside(name, ntp.question(server))[1])
        assert told is not None
        assert (told.stratum, told.is_synchronised) == (10, True)
        assert not is_told(name, MANAGED[other].gateway)


def test_the_distributions_own_services_stay_off():
    """What the role's packages bring; theirs would set the clock, or take a port."""
    asked = "systemctl is-enabled chrony nginx; systemctl is-active chrony nginx dnsmasq"
    said = inside(PLAN.oob.name, asked)[1].split()
    assert said == ["masked", "masked", "inactive", "inactive", "inactive"]
    unit = "systemctl show -p ExecStart railbed-chrony.service"
    assert " -x -f /etc/chrony/railbed.conf " in inside(PLAN.oob.name, unit)[1]


def test_a_device_gets_no_default_route():
    """What a rail has lost must not find a way through the management port."""
    assert "default" not in inside("node-p1-1", "ip route")[1]


def test_an_unknown_or_changed_host_key_of_the_jump_host_or_a_device_is_refused():
    """pyinfra checks both hops strictly, and names the host that it did not run on."""
    context = open_hands()
    good = context.known_hosts.read_text()
    lines = {line.split(",")[0]: line for line in good.splitlines()}
    other = lines["spine2"].partition(" ")[2]
    try:
        for wrong in (PLAN.oob.name, "node-p1-1"):
            for line in ("", f"{lines[wrong].partition(' ')[0]} {other}"):
                text = "\n".join({**lines, wrong: line}.values()) + "\n"
                context.known_hosts.write_text(text)
                result = run(context, {"node-p1-1": ("roce_nic",)}, dry_run=True)
                assert not result.ok, (wrong, line)
                assert context.known_hosts.read_text() == text
    finally:
        context.known_hosts.write_text(good)
    assert run(context, {"node-p1-1": ("roce_nic",)}, dry_run=True).ok


@pytest.mark.instances(keep=1, of="the OOB server is cut off")
def test_the_server_has_it_all_again_after_a_restart():
    """Bridges, addresses, firewall and leases come back by themselves."""
    lab.restart(LAB, PLAN.oob.name)
    for name in ("spine1", "node-p1-1"):
        until(partial(is_itself, name))
    rules = inside(PLAN.oob.name, "nft list table inet railbed_oob")[1]
    assert rules.count("policy drop") == 2
    assert inside(PLAN.oob.name, "systemctl is-system-running")[1].strip() == "running"


def test_a_port_that_is_not_planned_is_in_no_zone():
    """Growth is planned first: an unknown port of the server carries nothing."""
    inside(PLAN.oob.name, "ip link add nm99 type veth peer name peer99; ip link set nm99 up")
    try:
        assert "br-" not in inside(PLAN.oob.name, "ip -o link show nm99")[1]
    finally:
        inside(PLAN.oob.name, "ip link del nm99")


@pytest.mark.instances(keep=1, of="the OOB server is cut off")
def test_a_lost_jump_host_is_a_result_and_no_traceback():
    """With the way in cut, a push says that nobody answers, and ends."""
    inside(PLAN.oob.name, "nft insert rule inet railbed_oob input tcp dport 22 drop")
    try:
        result = push(open_hands(), "spine1", dry_run=True, prove=check_syntax)
    finally:
        inside(PLAN.oob.name, "systemctl reload railbed-oob-firewall")
    assert not result.ok
    assert result.message.startswith("not reached: ")


@pytest.mark.instances(keep=1, of="the OOB server is cut off")
def test_a_run_that_was_cut_off_is_finished_by_the_next():
    """The files were written and nobody told the services: the next run does."""
    context, server = open_hands(), PLAN.oob.name
    inside(server, "echo older > /var/lib/railbed-oob_server.applied")
    inside(server, "nft delete table inet railbed_oob")
    dry = run(context, {server: ("oob_server",)}, dry_run=True)
    assert dry.ok, dry.transcript
    assert "OOB server | Reload the firewall" in dry.hosts[0].operations
    assert run(context, {server: ("oob_server",)}, dry_run=False).ok
    assert inside(server, "nft list table inet railbed_oob")[1].count("policy drop") == 2
    again = run(context, {server: ("oob_server",)}, dry_run=True)
    assert again.ok
    assert not again.hosts[0].changed
