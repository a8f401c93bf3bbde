"""What a server says that is as its manifest wants it, written out by hand, and a transport.

The shapes are those of GNU stat and sha256sum, dpkg-query and systemctl show (systemd 252).
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable

from inventory.plan import Plan
from validation.evidence.gather import Reply, management_port
from validation.manifest import node_state
from validation.manifest.owned import Manifest

Say = dict[str, str]


def says(manifest: Manifest) -> Say:
    """The payload of each frame of the state probe."""
    files = [
        line
        for one in manifest.files
        for line in (
            f"stat {int(one.mode, 8):o} {one.owner} {one.group} 7 {one.path}|regular file",
            f"{one.sha256}  {one.path}",
        )
    ]
    files += [
        f"stat {int(one.mode, 8):o} {one.owner} {one.group} 40 {one.path}|directory"
        for one in manifest.folders
    ]
    packages = [
        f"package\t{one.name}\t{one.version}\t{'hold' if one.hold else 'install'}\tinstalled"
        for one in manifest.packages
    ]
    units = [
        f"Names={one.name}\nLoadState=loaded\n"
        f"ActiveState={'active' if one.active else 'inactive'}\n"
        f"UnitFileState={'masked' if one.masked else 'enabled' if one.enabled else 'disabled'}\n"
        "NeedDaemonReload=no\n"
        f"FragmentPath=/lib/systemd/system/{one.name}\nDropInPaths=\n"
        for one in manifest.units
    ]
    values = {one.name: one.value for one in manifest.sysctls}
    kernel = [
        f"{path}:{values[name]}" for path, name in node_state.parameter_paths(manifest).items()
    ]
    words = " ".join(one.words for one in manifest.arguments)
    kernel += [f"cmdline quiet {words}", f"asked {words}"]
    kernel += [f"staged {one.staged}|{one.words}" for one in manifest.arguments]
    networks = [line for one in manifest.files for line in _network(one.path)]
    return {
        node_state.FILES: "\n".join(files) + "\n",
        node_state.NETWORKS: "\n".join([*networks, f"end {len(networks)}"]) + "\n",
        node_state.SSHD: "".join(f"{one.name} {one.value}\n" for one in manifest.options),
        node_state.STRAYS: "\0\0",
        node_state.PACKAGES: "\n".join(packages) + "\n",
        node_state.UNITS: "\n".join(units),
        node_state.KERNEL: "\n".join(kernel) + "\n",
    }


def _network(path: str) -> list[str]:
    port = path.rpartition("railbed-")[2].removesuffix(".network")
    return [f"network {path}", f"Name {port}"] if path.endswith(".network") else []


class Servers:
    """A transport to servers that say `said(device)`; `silent` ones do not answer."""

    def __init__(
        self, plan: Plan, said: Callable[[str], Say], silent: tuple[str, ...] = ()
    ) -> None:
        self.plan, self.said, self.silent = plan, said, silent
        self.trips: list[str] = []
        self.hostname: dict[str, str] = {}

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        self.trips.append(device)
        if device in self.silent:
            return Reply(b"", 255, "ssh: no route to host")
        nonce = re.search(r"begin-([0-9a-f]+)", script)
        assert nonce
        mac = self.plan.management_mac[device]
        assert f"/sys/class/net/{management_port(self.plan, device)}/address" in script
        who = f"{self.hostname.get(device, device)}\n{mac}\n11111111-2222\n{int(time.time())}\n"
        out = "".join(
            _part(number, one) for number, one in enumerate([who, *self._answers(device)])
        )
        text = f"begin-{nonce[1]}\n{out}end-{nonce[1]}\n"
        return Reply(text.encode(), 0, "")

    def _answers(self, device: str) -> list[str]:
        said = self.said(device)
        return [said[line] for line in node_state.LINES if line in said]


def _part(number: int, out: str) -> str:
    data = out.encode()
    return f"{number} 0 {len(data)} {hashlib.sha256(data).hexdigest()} 0\n{out}\n"
