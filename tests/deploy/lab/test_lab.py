"""A lab of booted machines: what is true when it is up, and what a power cycle leaves."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from deploy import lab, show
from deploy.errors import RailbedError
from deploy.lab import supervisor
from deploy.lab.machines import machine
from deploy.lab.paths import LabPaths
from deploy.lab.spec import LabSpec
from tests.labs import lab_name

from .traces import SITE

pytestmark = [
    pytest.mark.lab,
    pytest.mark.instances(keep=6, of="what a lab's machines can", but="key"),
]
NAME = lab_name("tone")


def inside(device: str, script: str) -> str:
    """What a script prints in a machine of the lab; fails where it fails."""
    done = machine.inside(NAME, device, ["/bin/sh", "-euc", script])
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


def poll(device: str, script: str, wanted: str, limit_s: float = 15) -> None:
    """Wait until a script prints what is wanted; fails with what it prints at the end."""
    give_up = time.monotonic() + limit_s
    while (found := inside(device, script)) != wanted and time.monotonic() < give_up:
        time.sleep(0.1)
    assert found == wanted


def boot_id(device: str) -> str:
    return inside(device, "cat /proc/sys/kernel/random/boot_id")


def test_every_machine_is_a_running_system_without_name_or_address(standing: LabSpec) -> None:
    for one in standing.machines:
        assert inside(one.name, "systemctl is-system-running --wait") == "running"
        # Nobody leases the server its name: it is the one that leases.
        named = one.name if one.layer == "oob" else "localhost"
        assert inside(one.name, "hostname") == named
        port = "hm1" if one.layer == "oob" else "eth0"
        assert inside(one.name, f"ip -4 -o address show dev {port}") == ""


def test_ports_and_their_macs_are_those_of_the_wiring_and_the_as_built_list(
    standing: LabSpec,
) -> None:
    found = inside("node-p1-1", "cd /sys/class/net; grep . */address")
    assert "eth0/address:02:52:42:02:00:01" in found
    assert "rail0/address:02:52:42:10:00:01" in found
    assert inside("leaf-p1-r0", "echo /sys/class/net/swp*/").count("swp") == 4


def test_what_apply_is_to_start_does_not_run(standing: LabSpec) -> None:
    assert inside("leaf-p1-r0", "systemctl is-enabled frr || :") == "disabled"
    assert inside("leaf-p1-r0", "ls /etc/frr/frr.conf 2>/dev/null || :") == ""
    assert inside("oob1", "systemctl is-enabled dnsmasq || :") == "disabled"
    assert inside("node-p1-1", "systemctl is-enabled systemd-networkd || :") == "disabled"


def test_the_jump_host_lets_the_key_in_and_shows_the_listed_host_key(
    standing: LabSpec, tmp_path: Path
) -> None:
    state = LabPaths(NAME).state
    access = json.loads((state / "access.json").read_text())
    key = json.loads((state / "hostkeys.json").read_text())["oob1"]
    known = tmp_path / "known_hosts"
    known.write_text(f"{access['address']} {key}\n")
    options = [f"UserKnownHostsFile={known}", "StrictHostKeyChecking=yes", "BatchMode=yes"]
    argv = ["ssh", "-F", "none", "-i", str(state / "id_ed25519")]
    argv += [word for option in options for word in ("-o", option)]
    done = subprocess.run(
        [*argv, f"root@{access['address']}", "cat /sys/class/net/up0/address"],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "02:52:42:00:00:01")
    assert (state / "id_ed25519").stat().st_mode & 0o777 == 0o600


CONNECT = """python3 - <<'END'
import socket
try:
    print(socket.create_connection(("{address}", 22), 3).recv(3).decode())
except ConnectionRefusedError:
    print("refused")
END"""


def test_sshd_answers_on_the_management_port_and_not_on_data_ports(standing: LabSpec) -> None:
    inside("leaf-p1-r0", "ip address add 192.0.2.0/31 dev swp1; ip link set swp1 up")
    inside("node-p1-1", "ip address add 192.0.2.1/31 dev rail0; ip link set rail0 up")
    inside("leaf-p1-r0", "ip address add 198.51.100.0/31 dev eth0; ip link set eth0 up")
    inside("oob1", "ip address add 198.51.100.1/31 dev nm1; ip link set nm1 up")
    poll("oob1", "cat /sys/class/net/nm1/operstate", "up")
    assert inside("oob1", CONNECT.format(address="198.51.100.0")) == "SSH"
    assert inside("leaf-p1-r0", CONNECT.format(address="198.51.100.1")) == "refused"
    assert inside("node-p1-1", CONNECT.format(address="192.0.2.0")) == "refused"
    assert inside("leaf-p1-r0", CONNECT.format(address="192.0.2.1")) == "refused"
    inside("node-p1-1", "ip route add 198.51.100.0/32 via 192.0.2.0")
    assert inside("node-p1-1", CONNECT.format(address="198.51.100.0")) == "refused"
    for device in ("leaf-p1-r0", "node-p1-1", "oob1"):
        lab.restart(NAME, device)


DHCP_SERVER = """
ip address add 10.88.0.1/24 dev nm9
ip link set nm9 up
dnsmasq --port=0 --interface=nm9 --bind-interfaces --dhcp-authoritative --pid-file=/run/d.pid \
    --dhcp-range=10.88.0.0,static,255.255.255.0 --dhcp-host=02:52:42:01:00:05,10.88.0.19,spine1
"""


def test_a_lease_gives_address_and_name_and_gives_them_again_after_a_power_cycle(
    standing: LabSpec,
) -> None:
    inside("oob1", DHCP_SERVER)
    for _ in range(2):
        poll("spine1", "hostname", "spine1")
        assert "10.88.0.19/24" in inside("spine1", "ip -4 -o address show dev eth0")
        assert inside("spine1", "getent hosts spine1 | grep -c spine1") == "1"
        lab.restart(NAME, "spine1")
    lab.restart(NAME, "oob1")  # From here on nobody leases anything.
    lab.restart(NAME, "spine1")
    assert inside("spine1", "hostname") == "localhost"


DISTURB = """
ip link set swp1 mtu 9216 alias someone up
ip address add 192.0.2.1/24 dev swp1
ip route add 203.0.113.0/24 dev swp1
ip rule add from 192.0.2.1 table 99
nft add table inet someone
sysctl -q -w net.ipv4.fib_multipath_hash_policy=0
echo kept > /var/lib/kept
"""


def test_a_restart_leaves_only_what_is_on_the_disk_and_in_the_hardware(standing: LabSpec) -> None:
    before = boot_id("leaf-p2-r1")
    rate = inside("leaf-p2-r1", "tc qdisc show dev swp1 | grep -o 'rate .*'")
    inside("leaf-p2-r1", DISTURB)
    lab.restart(NAME, "leaf-p2-r1")
    assert boot_id("leaf-p2-r1") != before
    assert inside("leaf-p2-r1", "cat /var/lib/kept") == "kept"
    link = json.loads(inside("leaf-p2-r1", "ip -j link show dev swp1"))[0]
    assert (link["mtu"], link.get("ifalias"), "UP" in link["flags"]) == (1500, None, False)
    assert inside("leaf-p2-r1", "ip -o address show dev swp1; nft list ruleset") == ""
    assert "99" not in inside("leaf-p2-r1", "ip rule; ip route show table all")
    assert inside("leaf-p2-r1", "sysctl -n net.ipv4.fib_multipath_hash_policy") == "1"
    assert inside("leaf-p2-r1", "tc qdisc show dev swp1 | grep -o 'rate .*'") == rate


def test_persistent_interfaces_come_back_with_their_mtu(standing: LabSpec) -> None:
    text = "auto swp2\\niface swp2\\n  address 192.0.2.9/24\\n  mtu 9216\\n"
    inside("leaf-p2-r0", f"printf '{text}' >> /etc/network/interfaces")
    lab.restart(NAME, "leaf-p2-r0")
    assert "192.0.2.9/24" in inside("leaf-p2-r0", "ip -4 -o address show dev swp2")
    assert inside("leaf-p2-r0", "cat /sys/class/net/swp2/mtu") == "9216"


def started(device: str) -> int:
    return supervisor.runs(NAME)[device].starts


def wait_until(true: Callable[[], bool], limit_s: float = 20) -> None:
    give_up = time.monotonic() + limit_s
    while not true():
        assert time.monotonic() < give_up
        time.sleep(0.05)


def test_a_reboot_from_inside_comes_back_and_a_power_off_stays_off(standing: LabSpec) -> None:
    before, starts = boot_id("node-p2-2"), started("node-p2-2")
    inside("node-p2-2", "systemctl reboot")
    wait_until(lambda: started("node-p2-2") == starts + 1)
    machine.wait_booted(NAME, ["node-p2-2"], 20)
    assert boot_id("node-p2-2") != before
    inside("node-p2-2", "systemctl poweroff")
    wait_until(lambda: machine.leader(NAME, "node-p2-2") is None)
    assert {m.name: m.state for m in lab.status(NAME).machines}["node-p2-2"] == "off"
    assert lab.up(SITE, NAME, say=lambda _: None) == standing
    assert machine.booted(machine.leader(NAME, "node-p2-2"))


def test_the_jump_host_has_its_access_again_after_a_restart(standing: LabSpec) -> None:
    lab.restart(NAME, "oob1")
    assert standing.access_address in inside("oob1", "ip -4 -o address show dev up0")


def test_status_says_what_runs_and_what_it_costs(standing: LabSpec) -> None:
    found = lab.status(NAME)
    assert (found.state, found.kind, found.address) == ("up", "nspawn", standing.access_address)
    assert [one.name for one in found.machines] == [one.name for one in standing.machines]
    for one in found.machines:
        assert one.state == "running"
        assert 1_000_000 < one.memory_bytes < 200_000_000
        assert 4_096 <= one.disk_bytes < 50_000_000
    assert found.memory_bytes > sum(one.memory_bytes for one in found.machines)
    assert found.images_bytes > 100_000_000
    assert json.loads(json.dumps(found.as_dict()))["machines"][0]["name"] == "leaf-p1-r0"
    out = Console(file=io.StringIO(), width=80)
    with out.capture() as shown:
        show.lab_text(found, out)
    assert all(one.name in shown.get() for one in standing.machines)


def test_a_shell_passes_its_exit_status_on(standing: LabSpec) -> None:
    argv = [f"import sys; from deploy import lab; sys.exit(lab.shell({NAME!r}, 'spine2'))"]
    done = subprocess.run(
        [sys.executable, "-c", *argv],
        input="cat /sys/class/net/eth0/address; exit 7\n",
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (7, "02:52:42:01:00:06")


def test_a_machine_that_is_not_there_is_named(standing: LabSpec) -> None:
    with pytest.raises(RailbedError, match="has no leaf9") as raised:
        lab.restart(NAME, "leaf9")
    assert "spine1" in raised.value.hint
    with pytest.raises(RailbedError, match="is not up"):
        lab.restart("tnone", "spine1")
