"""On a kernel with VLANs: systemd-networkd takes the role's files; prints what then is there.

The ports have addresses and routes of somebody else's before it starts, and again after it ends.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

NETWORK = Path("/etc/systemd/network")
LIMIT_S = 600


def run(line: str) -> str:
    return subprocess.run(["sh", "-c", line], stdout=subprocess.PIPE, text=True, check=False).stdout


def shown() -> dict[str, Any]:
    """Addresses, routes, and by device its VLAN, the port below and the bridge above it."""
    links = {one["ifname"]: one for one in json.loads(run("ip -j -d link"))}
    return {
        "addresses": sorted(
            f"{one['ifname']} {each['local']}/{each['prefixlen']}"
            for one in json.loads(run("ip -j -4 address"))
            for each in one["addr_info"]
        ),
        "routes": run("ip -4 route show default").split("\n")[0].split(),
        "vlans": sorted(
            [name, one["link"], one["linkinfo"]["info_data"]["id"], one.get("master", "")]
            for name, one in links.items()
            if one.get("linkinfo", {}).get("info_kind") == "vlan"
        ),
    }


def tried(case: dict[str, Any]) -> dict[str, Any]:
    """One server: its port as it was, then systemd-networkd with these files."""
    port = case["port"]
    for path in [*NETWORK.glob("*"), *Path("/run/systemd/network").glob("*")]:
        run(f"rm -rf {path}")
    for path, text in case["files"].items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)
    run(f"ip link add {port} type veth peer name far; ip link set far up; ip link set {port} up")
    run(f"ip address add 192.0.2.10/24 dev {port}; ip route add default via 192.0.2.1 dev {port}")
    before = shown()
    with subprocess.Popen(["/usr/lib/systemd/systemd-networkd"], stderr=sys.stdout) as daemon:
        end = time.monotonic() + LIMIT_S
        while len([1 for one in shown()["vlans"] if one[3]]) < case["vlans"]:
            if time.monotonic() > end:
                break
            time.sleep(0.5)
        # It has then configured the port below, too: VLANs are made as that is done.
        after = shown()
        daemon.terminate()
    left = shown()
    names = [
        name for name in (one.name for one in Path("/sys/class/net").iterdir()) if name != "lo"
    ]
    run("; ".join(f"ip link del {name} 2>/dev/null" for name in names))
    return {"before": before, "after": after, "left": left}


# Without udev, which a read-only /sys says (systemd.network(5) waits for it else).
run("mount -o remount,ro /sys; mkdir -p /run/systemd/netif/links /run/systemd/netif/leases")
run("mkdir -p /run/systemd/netif/lldp; chown -R systemd-network /run/systemd/netif")
run("modprobe -a 8021q bridge veth")
for name, case in json.loads(Path("/job/cases.json").read_text()).items():
    print(f"case: {json.dumps({name: tried(case)})}", flush=True)
