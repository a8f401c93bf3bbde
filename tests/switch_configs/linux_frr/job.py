"""Runs on the machine of `vm.py`, as its only program: a switch of each sort between hosts.

Everything is put in force by Debian's own programs, as a push does it; then packets are sent,
and what came of them is printed as one line of JSON. Uses nothing but Python's own library.
"""

import json
import pathlib
import re
import socket
import subprocess
import time

JOB = pathlib.Path("/job")
IP_RECVTOS = 13
MODULES = "bridge vrf 8021q bonding sch_ets sch_red sch_tbf sch_ingress cls_flower act_skbedit veth"
NFT = "nf_tables nft_meta_bridge nf_conntrack_bridge nft_chain_filter"
# A wire slower than what this machine can send, below the queues, as a real wire is.
WIRE = "tbf rate 8mbit burst 3000 limit 4000000"


def sh(command, check=True):
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    if check and done.returncode:
        raise SystemExit(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout + ("" if check else done.stderr)


def inside(space, command, check=True):
    return sh(f"ip netns exec {space} {command}", check)


def ok(space, command):
    return subprocess.run(
        f"ip netns exec {space} {command}", shell=True, capture_output=True
    ).returncode == 0


def switch(device):
    """A switch with its ports, each wired to a port of the same name in DEVICE-hosts."""
    hosts = f"{device}-hosts"
    files = JOB / device
    sh(f"ip netns add {device}; ip netns add {hosts}")
    said = (files / "etc/network/interfaces").read_text()
    for port in re.findall(r"^auto (swp[0-9s]+)$", said, re.M):
        sh(f"ip link add {port} netns {device} mtu 9216 type veth "
           f"peer name {port} netns {hosts} mtu 9216")
        sh(f"ip -n {hosts} link set {port} up")
    pathlib.Path("/etc/network/interfaces").write_text(said)
    for one in ("ip_forward", "conf/all/forwarding"):
        inside(device, f"sh -c 'echo 1 > /proc/sys/net/ipv4/{one}'", check=False)
    sysctl = inside(device, f"sysctl -p {files}/etc/sysctl.d/90-railbed.conf")
    said = {
        "sysctl": sysctl.count("="),
        "nft": inside(device, f"nft -f {files}/etc/nftables.conf", check=False),
        "reload": inside(device, "ifreload -a", check=False),
    }
    said["query"] = inside(device, "ifquery -a -c", check=False)
    said["again"] = inside(device, "ifreload -a", check=False)
    return hosts, said


def counters(space, port):
    """Packets that each band has sent, and what RED marked, by the kernel's own count."""
    shown = json.loads(inside(space, f"tc -s -j qdisc show dev {port}"))
    classes = json.loads(inside(space, f"tc -s -j class show dev {port}"))
    bands = {
        one["handle"]: one["stats"]["packets"]
        for one in classes
        if one["class"] == "ets"
    }
    red = next((one for one in shown if one["kind"] == "red"), {})
    tbf = [one["drops"] for one in shown if one["kind"] == "tbf" and one["handle"] == "11:"]
    return {
        "bands": bands, "marked": red.get("marked"), "early": red.get("early"),
        "dropped": red.get("drops"), "capped": tbf[:1],
    }  # fmt: skip


def enter(space):
    handle = open(f"/run/netns/{space}")
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(handle.fileno(), 0):
        raise SystemExit(f"setns {space}")


def send(space, source, target, tos, packets, size=1200, device=None, seconds=0.0):
    """Datagrams with this TOS from a namespace; as many as asked, or for this long."""
    enter(space)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)
        out.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8_000_000)
        if device:
            out.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device.encode())
        if source:
            out.bind((source, 0))
        sent, end = 0, time.monotonic() + seconds
        while sent < packets or time.monotonic() < end:
            out.sendto(b"x" * size, (target, 4791))
            sent += 1
    enter_root()
    return sent


def enter_root():
    handle = open("/proc/1/ns/net")
    import ctypes

    ctypes.CDLL(None).setns(handle.fileno(), 0)


def listen(space, address, device=None):
    enter(space)
    taken = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    taken.setsockopt(socket.IPPROTO_IP, IP_RECVTOS, 1)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUFFORCE, 64_000_000)
    if device:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device.encode())
    taken.bind((address, 4791))
    taken.settimeout(1.5)
    enter_root()
    return taken


def heard(taken):
    """How many datagrams came, by TOS."""
    found = {}
    try:
        while True:
            _, more, _, _ = taken.recvmsg(9000, 256)
            tos = next((data[0] for _, kind, data in more if kind == socket.IP_TOS), None)
            found[tos] = found.get(tos, 0) + 1
    except TimeoutError:
        return found


def leaf():
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
        sh(f"ip -n {space} link set {host['port']} up; "
           f"ip -n {space} addr add {host['address']} dev {host['port']}; "
           f"ip -n {space} route add default via {host['gateway']}")
    time.sleep(2)
    source, target = f"host-{one['port']}", two["address"].split("/")[0]
    port = two["port"]
    said["ping"] = ok(source, f"ping -c 2 -W 2 {target}")
    said["jumbo"] = ok(source, f"ping -c 2 -W 2 -M do -s 8972 {target}")
    taken = listen(f"host-{port}", target)
    before = counters(device, port)
    for dscp in range(64):
        send(source, "", target, dscp << 2, 3, size=200)
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
        sent = send(source, "", target, tos, 250)
        time.sleep(1)
        said[name] = {
            "sent": sent, "before": before, "after": counters(device, port), "heard": heard(taken)
        }  # fmt: skip
    start = time.monotonic()
    sent = send(source, "", target, words["cnp_tos"], 0, size=100, seconds=2.0)
    came = sum(heard(taken).values())
    said["cnp"] = {"sent": sent, "heard": came, "seconds": time.monotonic() - start - 1.5,
                   "after": counters(device, port)}
    return said


def business():
    """A leaf of users: a bond, two VLANs in tables of their own, an access list, an uplink."""
    words = json.loads((JOB / "business.json").read_text())
    device = words["device"]
    hosts, said = switch(device)
    sh("ip netns add user; ip netns add far")
    for port in words["members"]:
        sh(f"ip -n {hosts} link set {port} netns user")
    sh("ip -n user link add bond0 type bond mode 802.3ad miimon 100 lacp_rate fast")
    for port in words["members"]:
        sh(f"ip -n user link set {port} down; ip -n user link set {port} master bond0")
    sh("ip -n user link set bond0 up; ip -n user addr add 10.96.0.9/22 dev bond0; "
       "ip -n user route add default via 10.96.0.1")
    # The second VLAN of the bond is that of another table.
    sh("ip -n user link add link bond0 name bond0.301 type vlan id 301; "
       "ip -n user link set bond0.301 up; ip -n user addr add 10.96.16.9/22 dev bond0.301")
    up, tag = words["uplink"], words["tag"]
    sh(f"ip -n {hosts} link set {up} netns far; ip -n far link set {up} up; ip -n far link set lo up")
    sh(f"ip -n far link add link {up} name up.{tag} type vlan id {tag}; ip -n far link set up.{tag} up; "
       f"ip -n far addr add 10.250.0.1/31 dev up.{tag}; ip -n far addr add 10.251.0.1/31 dev {up}; "
       f"ip -n far addr add {words['denied']}/32 dev lo; ip -n far addr add 10.200.0.1/32 dev lo; "
       f"ip -n far addr add 10.99.0.1/32 dev lo; ip -n far route add 10.96.0.0/16 via 10.250.0.0")
    sh(f"ip -n {device} addr add 10.250.0.0/31 dev {up}.{tag}; "
       f"ip -n {device} addr add 10.251.0.0/31 dev {up}; "
       f"ip -n {device} route add vrf users {words['denied']}/32 via 10.250.0.1; "
       f"ip -n {device} route add vrf users 10.200.0.1/32 via 10.250.0.1; "
       f"ip -n {device} route add 10.99.0.1/32 via 10.251.0.1")
    time.sleep(5)
    said["bond"] = sh(f"ip netns exec {device} cat /proc/net/bonding/bond1")
    said["vlans"] = inside(device, "bridge vlan show")
    said["gateway"] = ok("user", "ping -c 2 -W 2 10.96.0.1")
    said["own"] = ok("user", "ping -c 2 -W 2 10.96.0.2")
    said["permitted"] = ok("user", "ping -c 2 -W 2 10.200.0.1")
    said["denied"] = ok("user", f"ping -c 2 -W 2 {words['denied']}")
    said["switch_reaches_default"] = ok(device, "ping -c 2 -W 2 10.99.0.1")
    said["user_reaches_default"] = ok("user", "ping -c 2 -W 2 10.99.0.1")
    said["user_reaches_loopback"] = ok("user", f"ping -c 2 -W 2 {words['loopback']}")
    said["other_gateway"] = ok("user", "ping -I bond0.301 -c 2 -W 2 10.96.16.1")
    said["from_other_table"] = ok("user", "ping -I bond0.301 -c 2 -W 2 10.200.0.1")
    said["jumbo"] = ok("user", "ping -c 2 -W 2 -M do -s 1472 10.200.0.1")
    taken = listen("far", "10.200.0.1")
    send("user", "10.96.0.9", "10.200.0.1", 26 << 2, 5)
    said["dscp"] = heard(taken)
    return said


def oob():
    """A switch of the OOB plane: two devices of a zone, one of another, and the trunk."""
    words = json.loads((JOB / "oob.json").read_text())
    device = words["device"]
    hosts, said = switch(device)
    for number, port in enumerate(words["same_zone"], start=1):
        sh(f"ip netns add dev{number}; ip -n {hosts} link set {port} netns dev{number}; "
           f"ip -n dev{number} link set {port} up; "
           f"ip -n dev{number} addr add 172.16.15.{number}/20 dev {port}")
    trunk, tag = words["trunk"], words["tag"]
    sh(f"ip -n {hosts} link add link {trunk} name up type vlan id {tag}; "
       f"ip -n {hosts} link set up up; ip -n {hosts} addr add 172.16.15.9/20 dev up; "
       f"ip -n {hosts} link add link {trunk} name other type vlan id {words['other_tag']}; "
       f"ip -n {hosts} link set other up; ip -n {hosts} addr add 172.16.15.77/32 dev other")
    time.sleep(3)
    said["links"] = inside(device, "bridge -d link show")
    said["vlans"] = inside(device, "bridge vlan show")
    said["device_to_trunk"] = ok("dev1", "ping -c 2 -W 2 172.16.15.9")
    said["other_device_to_trunk"] = ok("dev2", "ping -c 2 -W 2 172.16.15.9")
    said["device_to_device"] = ok("dev1", "ping -c 2 -W 2 172.16.15.2")
    said["trunk_to_switch"] = ok(hosts, f"ping -I up -c 2 -W 2 {words['address']}")
    said["untagged_on_trunk"] = ok(hosts, f"ping -I {trunk} -c 2 -W 2 {words['address']}")
    said["other_zone_to_device"] = ok(hosts, "ping -I other -c 2 -W 2 172.16.15.1")
    return said


def main():
    sh(f"modprobe -a {MODULES}")
    sh(f"modprobe -a {NFT}", check=False)
    found = {"kernel": sh("uname -r").strip()}
    for name, scene in (("leaf", leaf), ("business", business), ("oob", oob)):
        try:
            found[name] = scene()
        except BaseException as error:  # noqa: BLE001 # what went wrong is the result
            found[name] = {"error": repr(error)}
    print("RESULT " + json.dumps(found), flush=True)


main()
