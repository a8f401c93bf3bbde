"""A node with RoCE NICs on a tree of files, with the stand-in device tools and a kernel.

The kernel's files are plain ones, so what is written goes through `kernel`, which answers as the
drivers do. Every call of a tool, and every write, is in a log.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from deploy.lab import hardware
from roles.pyinfra_role import text_of

from . import owned

TOOLS = ("dcb", "ethtool", "mlnx_qos", "mlxreg", "setpci")
PORTS = {"rail0": ("0000:18:00.0", "mlx5_0"), "rail1": ("0000:40:00.0", "mlx5_3")}
CLASSES = "/sys/class/infiniband/{}/tc/1/traffic_class"

# What writing to a file does: tc/PORT/traffic_class of NVIDIA's driver answers in words of its
# own; writing a CNP priority makes its mode 0 (drivers/infiniband/hw/mlx5/cong.c of Linux).
KERNEL = """#!/bin/sh
echo "write $*" >>{log}
case $1 in
*/traffic_class) printf 'Global tclass=%s\\n' "$2" >"$1" ;;
*/np_cnp_prio) echo "$2" >"$1"; echo 0 >"$1_mode" ;;
*) echo "$2" >"$1" ;;
esac
"""
# configfs makes what is in a folder (drivers/infiniband/core/cma_configfs.c of Linux).
MKDIR = """#!/bin/sh
echo "mkdir $*" >>{log}
case $1 in
*/rdma_cm/*)
    /bin/mkdir -p "$1/ports/1"
    echo 'IB/RoCE v1' >"$1/ports/1/default_roce_mode"
    echo 0 >"$1/ports/1/default_roce_tos"
    ;;
*) exec /bin/mkdir "$@" ;;
esac
"""


class RoceNode:
    """A node whose program, configuration and devices are below `root`."""

    def __init__(
        self,
        root: Path,
        tools: tuple[str, ...] = TOOLS,
        ports: tuple[str, ...] = ("rail0",),
        **more: Any,
    ) -> None:
        self.root, self.log, self.ports = root, root / "log", ports
        (root / "run").mkdir(parents=True)
        self.values = self.wishes() | {f"roce_nic_{name}": value for name, value in more.items()}
        self.program = self.write("/program", self.text("railbed-roce-nic"))
        self.write("/usr/local/lib/railbed/nic/nvidia.sh", self.text("vendor.sh.j2"))
        self.configure()
        for tool in tools:
            self.tool(tool, f'echo "{tool} $*" >>{self.log}\nexec {hardware.TOOLS / tool} "$@"\n')
        self.tool("kernel", KERNEL.format(log=self.log))
        self.tool("mkdir", MKDIR.format(log=self.log))
        # Never the machine's own.
        self.tool("modprobe", f'echo "modprobe $*" >>{self.log}\nexit 1\n')
        (root / "sys/kernel/config/rdma_cm").mkdir(parents=True)
        self.hardware()

    def wishes(self) -> dict[str, Any]:
        """The role's variables of a GPU node with everything, cut to a NIC or two."""
        values = owned.variables("roce_nic", "gpu")
        own = ["cable 30", "out_of_order on"]
        cut = [
            {"port": port, "pci": PORTS[port][0], "rdma_device": PORTS[port][1], "wishes": own}
            for port in self.ports
        ]
        return values | {"roce_nic_devices": cut}

    def text(self, template: str) -> str:
        text = text_of("roce_nic", template, self.values)
        for place in ("/sys/", "/proc/", "/run/", "/etc/", "/usr/local/lib/"):
            text = text.replace(place, f"{self.root}{place}")
        return text.replace('put() { echo "$2" >"$1"; }', 'put() { kernel "$@"; }')

    def configure(self) -> None:
        self.write("/etc/default/railbed-roce-nic", self.text("roce-nic.j2"))

    def tool(self, name: str, text: str) -> None:
        place = self.write(
            f"/tools/{name}", text if text.startswith("#!") else f"#!/bin/sh\n{text}"
        )
        place.chmod(0o755)

    def hardware(self, *quirks: str, **more: Any) -> None:
        nics = [
            {"netdev": port, "bdf": PORTS[port][0], "rdma": PORTS[port][1], **more}
            for port in self.ports
        ]
        self.write("/etc/standin/hardware.json", json.dumps({"nics": nics, "quirks": quirks}))
        for number, port in enumerate(self.ports):
            self.plug(port, number + 2)

    def plug(self, port: str, index: int) -> None:
        """Make an interface and its RDMA device appear, with fresh state."""
        pci, rdma = PORTS[port]
        device = f"/sys/bus/pci/devices/{pci}"
        self.write(f"{device}/net/{port}/ifindex", f"{index}\n")
        self.write(f"{device}/infiniband/{rdma}/ports/1/link_layer", "Ethernet\n")
        self.write(f"{device}/infiniband/{rdma}/tc/1/traffic_class", "")
        self.link(f"{device}/net/{port}/device", f"{self.root}{device}")
        self.link(f"/sys/class/net/{port}", f"{self.root}{device}/net/{port}")
        self.link(f"/sys/class/infiniband/{rdma}", f"{self.root}{device}/infiniband/{rdma}")
        debug = f"/sys/kernel/debug/mlx5/{pci}/cc_params"
        self.write(f"{debug}/np_cnp_dscp", "0\n")
        self.write(f"{debug}/np_cnp_prio", "0\n")
        self.write(f"{debug}/np_cnp_prio_mode", "1\n")

    def with_nvidias_driver(self) -> None:
        """NVIDIA's own driver has switches for each priority (sysfs), instead of cc_params."""
        for port in self.ports:
            pci = PORTS[port][0]
            (self.root / f"sys/kernel/debug/mlx5/{pci}/cc_params").rename(self.root / f"gone{pci}")
            for point in ("roce_np", "roce_rp"):
                self.write(f"/sys/class/net/{port}/ecn/{point}/enable/3", "0\n")
            self.write(f"/sys/class/net/{port}/ecn/roce_np/cnp_dscp", "0\n")
            self.write(f"/sys/class/net/{port}/ecn/roce_np/cnp_802p_prio", "0\n")

    def link(self, path: str, to: str) -> None:
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.symlink_to(to)

    def write(self, path: str, text: str) -> Path:
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place

    def read(self, path: str) -> str:
        return (self.root / path.lstrip("/")).read_text().strip()

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.command("sh", str(self.program), *arguments)

    def command(self, *argv: str) -> subprocess.CompletedProcess[str]:
        path = f"{self.root}/tools:/usr/sbin:/usr/bin:/sbin:/bin"
        env = os.environ | {"PATH": path, "STANDIN_ROOT": str(self.root)}
        return subprocess.run(argv, env=env, capture_output=True, text=True, timeout=600)

    def by_hand(self, *argv: str) -> None:
        """What somebody changes; it is no part of the log."""
        done = self.command(str(hardware.TOOLS / argv[0]), *argv[1:])
        assert done.returncode == 0, done.stdout + done.stderr

    def changes(self) -> list[str]:
        """What was set since the last look: tools told to change something, and writes."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.write_text("")
        return [line for line in lines if is_a_change(line)]


def is_a_change(line: str) -> bool:
    tool, *words = line.split()
    if tool in ("write", "mkdir"):
        return True
    if tool == "mlnx_qos":
        return words[:1] == ["-i"] and len(words) > 2
    if tool == "modprobe":
        return True
    asks = {"dcb": "show", "mlxreg": "--get"}
    if tool in asks:
        return asks[tool] not in words
    if tool == "setpci":
        return "=" in words[-1]
    assert tool == "ethtool"
    return words[0] not in ("-a", "-g")
