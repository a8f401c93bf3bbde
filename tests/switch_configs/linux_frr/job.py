"""Runs on the machine of `vm.py`, as its only program: a switch of each sort between hosts.

Everything is put in force by Debian's own programs, as a push does it; then packets are sent,
and what came of them is printed as one line of JSON. Uses nothing but Python's own library.
"""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time
import typing

Said = dict[str, typing.Any]

JOB = pathlib.Path("/job")
ROOT = "/proc/1/ns/net"
IP_RECVTOS = 13
SO_RCVBUFFORCE = 33
MODULES = "bridge vrf 8021q bonding sch_ets sch_red sch_tbf sch_ingress cls_flower act_skbedit veth"
NFT = "nf_tables nft_meta_bridge nf_conntrack_bridge nft_chain_filter"
# A wire slower than what this machine can send, below the queues, as a real wire is.
WIRE = "tbf rate 8mbit burst 3000 limit 4000000"


def sh(command: str, check: bool = True) -> str:
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True)
    if check and done.returncode:
        raise SystemExit(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout + ("" if check else done.stderr)


def ip(space: str, *lines: str) -> None:
    """Lines of ip-batch in a namespace, one after the other."""
    text = "\n".join(lines) + "\n"
    done = subprocess.run(
        ["ip", "-n", space, "-batch", "-"], input=text, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"{space}: {text}{done.stderr}")


def inside(space: str, command: str, check: bool = True) -> str:
    return sh(f"ip netns exec {space} {command}", check)


def ok(space: str, command: str) -> bool:
    words = ["ip", "netns", "exec", space, *command.split()]
    return subprocess.run(words, capture_output=True).returncode == 0


def wait_for(space: str, command: str) -> bool:
    """Whether a command comes to succeed: links, bonds and neighbours take their time."""
    give_up = time.monotonic() + 120
    while not (good := ok(space, command)) and time.monotonic() < give_up:
        time.sleep(0.2)
    return good


def switch(device: str) -> tuple[str, Said]:
    """A switch with its ports, each wired to a port of the same name in DEVICE-hosts."""
    hosts = f"{device}-hosts"
    files = JOB / device
    sh(f"ip netns add {device}; ip netns add {hosts}")
    said = (files / "etc/network/interfaces").read_text()
    for port in re.findall(r"^auto (swp[0-9s]+)$", said, re.MULTILINE):
        sh(
            f"ip link add {port} netns {device} mtu 9216 type veth "
            f"peer name {port} netns {hosts} mtu 9216"
        )
        sh(f"ip -n {hosts} link set {port} up")
    pathlib.Path("/etc/network/interfaces").write_text(said)
    for one in ("ip_forward", "conf/all/forwarding"):
        inside(device, f"sh -c 'echo 1 > /proc/sys/net/ipv4/{one}'", check=False)
    sysctl = inside(device, f"sysctl -p {files}/etc/sysctl.d/90-railbed.conf")
    found: Said = {
        "sysctl": sysctl.count("="),
        "nft": inside(device, f"nft -f {files}/etc/nftables.conf", check=False),
        "reload": inside(device, "ifreload -a", check=False),
    }
    found["query"] = inside(device, "ifquery -a -c", check=False)
    found["again"] = inside(device, "ifreload -a", check=False)
    return hosts, found


def counters(space: str, port: str) -> Said:
    """Packets that each band has sent, and what RED marked, by the kernel's own count."""
    classes = inside(space, f"tc -s class show dev {port}")
    queues = inside(space, f"tc -s qdisc show dev {port}")
    bands = re.findall(r"class ets (1:\d+) .*\n Sent \d+ bytes (\d+) pkt", classes)
    red = re.search(r"qdisc red .*\n.*dropped (\d+).*\n.*\n +marked (\d+) early (\d+)", queues)
    dropped, marked, early = map(int, red.groups()) if red else (None, None, None)
    return {
        "bands": {band: int(count) for band, count in bands},
        "marked": marked, "early": early, "dropped": dropped,
    }  # fmt: skip


def enter(path: str) -> None:
    """This program, in another network namespace from here on."""
    with pathlib.Path(path).open() as space:
        if ctypes.CDLL(None, use_errno=True).setns(space.fileno(), 0):
            raise SystemExit(f"setns {path}")


def send(
    space: str, target: str, tos: int, packets: int, size: int = 1200, seconds: float = 0.0
) -> int:
    """Datagrams with this TOS from a namespace; as many as asked, or for this long."""
    enter(f"/run/netns/{space}")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)
        out.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8_000_000)
        sent, end = 0, time.monotonic() + seconds
        while sent < packets or time.monotonic() < end:
            out.sendto(b"x" * size, (target, 4791))
            sent += 1
    enter(ROOT)
    return sent


def listen(space: str, address: str) -> socket.socket:
    enter(f"/run/netns/{space}")
    taken = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    taken.setsockopt(socket.IPPROTO_IP, IP_RECVTOS, 1)
    taken.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64_000_000)
    taken.bind((address, 4791))
    taken.settimeout(1.5)
    enter(ROOT)
    return taken


def heard(taken: socket.socket) -> dict[int, int]:
    """How many datagrams came, by TOS."""
    found: dict[int, int] = {}
    try:
        while True:
            _, more, _, _ = taken.recvmsg(9000, 256)
            tos = next((data[0] for _, kind, data in more if kind == socket.IP_TOS), -1)
            found[tos] = found.get(tos, 0) + 1
    except TimeoutError:
        return found


class Stream:
    """Datagrams of these DSCPs, one after the other, from a namespace, until it is stopped."""

    def __init__(self, space: str, target: str, dscps: list[int]) -> None:
        self.told, say = os.pipe()
        self.process = os.fork()
        if self.process == 0:
            signal.signal(signal.SIGTERM, lambda *_: None)
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
            enter(f"/run/netns/{space}")
            sent = dict.fromkeys(dscps, 0)
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
                while not signal.sigpending():
                    for dscp in dscps:
                        out.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, dscp << 2)
                        out.sendto(b"x" * 100, (target, 4791))
                        sent[dscp] += 1
                    time.sleep(0.001)
            os.write(say, json.dumps(sent).encode())
            os._exit(0)

    def stop(self) -> dict[str, int]:
        """How many were sent, by DSCP."""
        os.kill(self.process, signal.SIGTERM)
        os.waitpid(self.process, 0)
        said: dict[str, int] = json.loads(os.read(self.told, 1000))
        return said


def another_dscp(words: Said, device: str, source: str, target: str, port: str) -> Said:
    """A push of another DSCP under traffic: first both are taken, then the new one alone."""
    stub = pathlib.Path("/usr/local/sbin/systemctl")
    stub.parent.mkdir(parents=True, exist_ok=True)
    stub.write_text(SYSTEMCTL)
    stub.chmod(0o755)
    lies = pathlib.Path("/etc/railbed/queues.tc")
    lies.parent.mkdir(parents=True, exist_ok=True)
    lies.write_bytes(pathlib.Path("/job/as-rendered").read_bytes())
    taken, found = listen(f"host-{port}", target), []
    for step, dscp in (("expand", words["dscp"]), ("contract", words["new_dscp"])):
        before = counters(device, port)["bands"]
        stream = Stream(source, target, [dscp, words["cnp_dscp"], 0])
        time.sleep(1)
        said = carry_out(device, words[step])
        time.sleep(1)
        sent = stream.stop()
        came, after = heard(taken), counters(device, port)["bands"]
        found.append({
            "said": said, "sent": sent, "heard": {tos >> 2: n for tos, n in came.items()},
            "bands": {band: after[band] - before[band] for band in before},
            "filters": inside(device, f"tc filter show dev {port} ingress").count("handle 0x1"),
        })  # fmt: skip
    return {"steps": found}


def leaf() -> Said:
    """A leaf between two hosts: classes, marks and the cap, by what leaves towards the second."""
    words = json.loads((JOB / "leaf.json").read_text())
    device, (one, two) = words["device"], words["hosts"]
    hosts, said = switch(device)
    batch = (JOB / device / "etc/railbed/queues.tc").read_text()
    (JOB / "as-rendered").write_text(batch)
    said["tc"] = inside(device, "tc -batch /job/as-rendered", check=False)
    for host in (one, two):
        space = f"host-{host['port']}"
        sh(f"ip netns add {space}; ip -n {hosts} link set {host['port']} netns {space}")
        sh(
            f"ip -n {space} link set {host['port']} up; "
            f"ip -n {space} addr add {host['address']} dev {host['port']}; "
            f"ip -n {space} route add default via {host['gateway']}"
        )
    source, target = f"host-{one['port']}", two["address"].split("/")[0]
    port = two["port"]
    said["ping"] = wait_for(source, f"ping -c 1 -W 1 {target}")
    said["jumbo"] = ok(source, f"ping -c 1 -W 1 -M do -s 8972 {target}")
    taken = listen(f"host-{port}", target)
    before = counters(device, port)
    for dscp in range(64):
        send(source, target, dscp << 2, 3, size=200)
    said["each_dscp"] = {"before": before, "after": counters(device, port), "heard": heard(taken)}
    # From here on the wire is slow, so that queues stand.
    inside(device, f"tc qdisc del dev {port} root")
    inside(device, f"tc qdisc add dev {port} root handle 8000: {WIRE}")
    slow = batch.replace(f"dev {port} root handle 1:", f"dev {port} parent 8000:1 handle 1:")
    lines = [line for line in slow.splitlines() if f"dev {port} parent" in line]
    (JOB / "slow").write_text("\n".join(lines) + "\n")
    said["slow"] = inside(device, "tc -batch /job/slow", check=False)
    for name, tos in (("ect", words["tos"] | 2), ("not_ect", words["tos"])):
        before = counters(device, port)
        sent = send(source, target, tos, 250)
        came = heard(taken)  # To the last one: then the queues are empty.
        said[name] = {
            "sent": sent, "before": before, "after": counters(device, port), "heard": came
        }  # fmt: skip
    inside(device, f"tc qdisc del dev {port} root")
    inside(device, "tc -batch /job/as-rendered")
    start = time.monotonic()
    sent = send(source, target, words["cnp_tos"], 0, size=1000, seconds=2.0)
    said["cnp"] = {
        "sent": sent,
        "heard": sum(heard(taken).values()),
        "seconds": time.monotonic() - start - 1.5,
        "after": counters(device, port),
    }
    taken.close()
    said["another"] = another_dscp(words, device, source, target, port)
    return said


def users(words: Said, hosts: str) -> None:
    """A user on a bond with two VLANs, and what lies behind the uplink."""
    up, tag, members = words["uplink"], words["tag"], words["members"]
    sh("ip netns add user; ip netns add far")
    ip(hosts, *(f"link set {port} netns user" for port in members), f"link set {up} netns far")
    ip(
        "user",
        "link add bond0 type bond mode 802.3ad miimon 100 lacp_rate fast",
        *(f"link set {port} down" for port in members),
        *(f"link set {port} master bond0" for port in members),
        "link set bond0 up",
        "addr add 10.96.0.9/22 dev bond0",
        "route add default via 10.96.0.1",
        "link add link bond0 name bond0.301 type vlan id 301",
        "link set bond0.301 up",
        "addr add 10.96.16.9/22 dev bond0.301",
    )
    ip(
        "far",
        f"link set {up} up",
        "link set lo up",
        f"link add link {up} name up.{tag} type vlan id {tag}",
        f"link set up.{tag} up",
        f"addr add 10.250.0.1/31 dev up.{tag}",
        f"addr add 10.251.0.1/31 dev {up}",
        *(f"addr add {one}/32 dev lo" for one in (words["denied"], "10.200.0.1", "10.99.0.1")),
        "route add 10.96.0.0/16 via 10.250.0.0",
    )


def business() -> Said:
    """A leaf of users: a bond, two VLANs in tables of their own, an access list, an uplink."""
    words = json.loads((JOB / "business.json").read_text())
    device, up, tag = words["device"], words["uplink"], words["tag"]
    hosts, said = switch(device)
    users(words, hosts)
    ip(
        device,
        f"addr add 10.250.0.0/31 dev {up}.{tag}",
        f"addr add 10.251.0.0/31 dev {up}",
        f"route add vrf users {words['denied']}/32 via 10.250.0.1",
        "route add vrf users 10.200.0.1/32 via 10.250.0.1",
        "route add 10.99.0.1/32 via 10.251.0.1",
    )
    wait_for("user", "ping -c 1 -W 1 10.200.0.1")
    wait_for("user", "ping -I bond0.301 -c 1 -W 1 10.96.16.1")
    said["bond"] = sh(f"ip netns exec {device} cat /proc/net/bonding/bond1")
    said["vlans"] = inside(device, "bridge vlan show")
    said["gateway"] = ok("user", "ping -c 1 -W 1 10.96.0.1")
    said["own"] = ok("user", "ping -c 1 -W 1 10.96.0.2")
    said["permitted"] = ok("user", "ping -c 1 -W 1 10.200.0.1")
    said["denied"] = ok("user", f"ping -c 1 -W 1 {words['denied']}")
    said["switch_reaches_default"] = ok(device, "ping -c 1 -W 1 10.99.0.1")
    said["user_reaches_default"] = ok("user", "ping -c 1 -W 1 10.99.0.1")
    said["user_reaches_loopback"] = ok("user", f"ping -c 1 -W 1 {words['loopback']}")
    said["other_gateway"] = ok("user", "ping -I bond0.301 -c 1 -W 1 10.96.16.1")
    said["from_other_table"] = ok("user", "ping -I bond0.301 -c 1 -W 1 10.200.0.1")
    said["jumbo"] = ok("user", "ping -c 1 -W 1 -M do -s 1472 10.200.0.1")
    taken = listen("far", "10.200.0.1")
    send("user", "10.200.0.1", 26 << 2, 5)
    said["dscp"] = heard(taken)
    return said


def oob() -> Said:
    """A switch of the OOB plane: two devices of a zone, one of another, and the trunk."""
    words = json.loads((JOB / "oob.json").read_text())
    device = words["device"]
    hosts, said = switch(device)
    for number, port in enumerate(words["same_zone"], start=1):
        sh(
            f"ip netns add dev{number}; ip -n {hosts} link set {port} netns dev{number}; "
            f"ip -n dev{number} link set {port} up; "
            f"ip -n dev{number} addr add 172.16.15.{number}/20 dev {port}"
        )
    trunk, tag = words["trunk"], words["tag"]
    sh(
        f"ip -n {hosts} link add link {trunk} name zone type vlan id {tag}; "
        f"ip -n {hosts} link set zone up; ip -n {hosts} addr add 172.16.15.9/20 dev zone; "
        f"ip -n {hosts} link add link {trunk} name other type vlan id {words['other_tag']}; "
        f"ip -n {hosts} link set other up; ip -n {hosts} addr add 172.16.15.77/32 dev other"
    )
    wait_for("dev1", "ping -c 1 -W 1 172.16.15.9")
    said["links"] = inside(device, "bridge -d link show")
    said["vlans"] = inside(device, "bridge vlan show")
    said["device_to_trunk"] = ok("dev1", "ping -c 1 -W 1 172.16.15.9")
    said["other_device_to_trunk"] = ok("dev2", "ping -c 1 -W 1 172.16.15.9")
    said["device_to_device"] = ok("dev1", "ping -c 1 -W 1 172.16.15.2")
    said["trunk_to_switch"] = ok(hosts, f"ping -I zone -c 1 -W 1 {words['address']}")
    said["untagged_on_trunk"] = ok(hosts, f"ping -I {trunk} -c 1 -W 1 {words['address']}")
    said["other_zone_to_device"] = ok(hosts, "ping -I other -c 1 -W 1 172.16.15.1")
    return said


# There is no systemd here: it says yes, and that no unit runs.
SYSTEMCTL = """#!/bin/sh
echo "$*" >> /run/systemctl
case "$*" in *is-active*|*is-enabled*) exit 3 ;; esac
"""


def carry_out(space: str, steps: list[Said]) -> str:
    """The steps of a push; "" or what the first that failed says."""
    for step in steps:
        if step["path"]:
            path = pathlib.Path(step["path"])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step["text"])
            path.chmod(int(step["mode"], 8))
        if step["command"]:
            words = ["ip", "netns", "exec", space, *step["command"].split()]
            done = subprocess.run(words, capture_output=True, text=True)
            if done.returncode:
                return f"{step['name']}: {done.stdout}{done.stderr}"
    return ""


def held(words: Said) -> Said:
    """What is in force on the first port, and which files lie in their place."""
    port = words["port"]
    return {
        "bands": inside("push", f"tc qdisc show dev {port}").count("qdisc ets 1:"),
        "filters": inside("push", f"tc filter show dev {port} ingress", check=False).count(
            "flower"
        ),
        "mtu": f"mtu {words['mtu']} " in inside("push", f"ip link show {port}"),
        "files": sorted(path for path in words["paths"] if pathlib.Path(path).exists()),
        "pending": pathlib.Path("/var/lib/railbed/pending").exists(),
    }


def push() -> Said:
    """A change that nobody confirms, one that is confirmed, and one that takes classes away."""
    words = json.loads((JOB / "push.json").read_text())
    stub = pathlib.Path("/usr/local/sbin/systemctl")
    stub.parent.mkdir(parents=True, exist_ok=True)
    stub.write_text(SYSTEMCTL)
    stub.chmod(0o755)
    for path in words["paths"]:
        pathlib.Path(path).unlink(missing_ok=True)
    pathlib.Path("/etc/network/interfaces").write_text("auto lo\niface lo inet loopback\n")
    sh("ip netns add push; ip netns add push-hosts")
    for port in words["ports"]:
        sh(f"ip link add {port} netns push type veth peer name {port} netns push-hosts")
    found: Said = {"before": held(words)}
    found["unconfirmed"] = carry_out("push", words["unconfirmed"])
    found["applied"] = held(words)
    back = "ip netns exec push /var/lib/railbed/switch-push go-back now"
    found["back"] = sh(back, check=False)
    found["after_back"] = held(words)
    found["whole"] = carry_out("push", words["whole"])
    found["confirmed"] = held(words)
    found["less"] = carry_out("push", words["less"])
    found["taken_away"] = held(words)
    return found


def main() -> None:
    sh(f"modprobe -a {MODULES}")
    sh(f"modprobe -a {NFT}", check=False)
    found: Said = {"kernel": sh("uname -r").strip()}
    for name, scene in (("leaf", leaf), ("business", business), ("oob", oob), ("push", push)):
        try:
            found[name] = scene()
        except BaseException as error:  # noqa: BLE001 # what went wrong is the result
            found[name] = {"error": repr(error)}
    print("RESULT " + json.dumps(found), flush=True)


main()
