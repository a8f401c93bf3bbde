"""FRR itself, run for one small site: a namespace for each switch, veth cables, real daemons.

Needs root and Debian's packages `frr` and `iputils-ping`. All is under one folder and one prefix of
names, and is gone when the block ends: processes are ended by their own ids.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DAEMONS = Path("/usr/lib/frr")
_KERNEL = (
    "net.ipv4.ip_forward=1",
    "net.ipv6.conf.all.forwarding=1",
    "net.ipv6.conf.default.accept_dad=0",  # two ends of a veth pair have no twin to wait for
)


@dataclass(frozen=True)
class Cable:
    """Two ends, each (switch, port)."""

    a: tuple[str, str]
    b: tuple[str, str]


@dataclass(frozen=True)
class Machine:
    """What one switch runs: its frr.conf, and the addresses of its ports."""

    conf: str
    addresses: Mapping[str, Sequence[str]]


@dataclass
class Running:
    """A site that runs."""

    prefix: str
    folder: Path
    machines: Mapping[str, Machine]
    daemons: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def sessions(self) -> set[tuple[str, str]]:
        """(switch, neighbour) of each session that is up."""
        up = set()
        for name in self.machines:
            said = _asked(self.folder / name / "bgpd.vty", "show bgp ipv4 unicast summary json")
            peers = json.loads(said or "{}").get("peers", {})
            up |= {(name, key) for key, one in peers.items() if one["state"] == "Established"}
        return up

    def routes(self, name: str) -> dict[str, frozenset[str]]:
        """The kernel's routes of BGP: ports by prefix."""
        found = {}
        for one in self._ip(name, "-j", "-4", "route", "show", "proto", "bgp"):
            hops = one.get("nexthops", [one])
            dst = "0.0.0.0/0" if one["dst"] == "default" else one["dst"]
            prefix = dst if "/" in dst else f"{dst}/32"
            found[prefix] = frozenset(hop["dev"] for hop in hops)
        return found

    def set_cable(self, cable: Cable, state: str) -> None:
        """Both ends `up` or `down`."""
        for name, port in (cable.a, cable.b):
            _run("ip", "-n", self.space(name), "link", "set", port, state)

    def pings(self, pairs: Sequence[tuple[str, str, str]]) -> list[bool]:
        """Whether each (switch, from, to) has an answer."""
        line = ["ping", "-q", "-n", "-c", "1", "-W", "1", "-I"]
        asked = [
            subprocess.Popen(
                ["ip", "netns", "exec", self.space(name), *line, source, target],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            for name, source, target in pairs
        ]
        return [one.wait() == 0 for one in asked]

    def space(self, name: str) -> str:
        """The namespace of a switch."""
        return f"{self.prefix}-{name}"

    def _ip(self, name: str, *words: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(_run("ip", "-n", self.space(name), *words) or "[]")
        return found

    def _vtysh(self, name: str, *words: str) -> None:
        place = str(self.folder / name)
        _run("vtysh", "--vty_socket", place, "--config_dir", place, *words)

    def start(self, cables: Sequence[Cable]) -> None:
        """Namespaces, cables, daemons, and what frr.conf says."""
        for name in self.machines:
            _run("ip", "netns", "add", self.space(name))
            for one in _KERNEL:
                _run("ip", "netns", "exec", self.space(name), "sysctl", "-qw", one)
        for cable in cables:
            (a, a_port), (b, b_port) = cable.a, cable.b
            ends = f"{a_port} netns {self.space(a)} type veth peer name {b_port} netns"
            _run("ip", "link", "add", *ends.split(), self.space(b))
        for name, machine in self.machines.items():
            self._addresses(name, machine)
            self._daemons(name, machine)
        for name in self.machines:
            self._vtysh(name, "-b")
            # Neighbours on ports without addresses meet sooner: only the wait is shorter.
            quick = ["configure terminal"]
            for port in (port for cable in cables for at, port in (cable.a, cable.b) if at == name):
                quick += [f"interface {port}", "ipv6 nd ra-interval 1"]
            self._vtysh(name, *(word for line in quick for word in ("-c", line)))

    def _addresses(self, name: str, machine: Machine) -> None:
        space = self.space(name)
        ports = {one["ifname"] for one in self._ip(name, "-j", "link", "show")}
        for port in ports:
            _run("ip", "-n", space, "link", "set", port, "up")
        for port, some in machine.addresses.items():
            if port in ports:
                for one in some:
                    _run("ip", "-n", space, "addr", "add", one, "dev", port)

    def _daemons(self, name: str, machine: Machine) -> None:
        place = self.folder / name
        place.mkdir()
        (place / "frr.conf").write_text(machine.conf, encoding="utf-8")
        (place / "vtysh.conf").write_text("service integrated-vtysh-config\n", encoding="utf-8")
        shutil.chown(place, "frr", "frr")
        for daemon in ("zebra", "staticd", "bgpd"):
            words = f"-f /dev/null --vty_socket {place} -i {place}/{daemon}.pid"
            words += f" -z {place}/zserv.api --log file:{place}/{daemon}.log"
            self.daemons.append(
                subprocess.Popen(
                    ["ip", "netns", "exec", self.space(name), DAEMONS / daemon, *words.split()],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            )
            _wait_for(place / f"{daemon}.vty")

    def stop(self) -> None:
        """End each daemon that was started, then take the namespaces away."""
        for one in self.daemons:
            one.terminate()
        for one in self.daemons:
            try:
                one.wait(5)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()
        for name in self.machines:
            subprocess.run(["ip", "netns", "del", self.space(name)], check=False)


@contextmanager
def running(
    prefix: str, machines: Mapping[str, Machine], cables: Sequence[Cable]
) -> Iterator[Running]:
    """The site while the block runs."""
    with tempfile.TemporaryDirectory(prefix=prefix, dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        one = Running(prefix, Path(folder), machines)
        try:
            one.start(cables)
            yield one
        finally:
            one.stop()


def _run(*words: object) -> str:
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False)
    if done.returncode and words[0] == "ip":
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def _asked(place: Path, line: str) -> str:
    """What a daemon answers: as vtysh asks it, without its start (lib/vty.c, `vtysh_read`)."""
    with socket.socket(socket.AF_UNIX) as line_to:
        line_to.settimeout(10)
        line_to.connect(str(place))
        said = b""
        for one in ("enable", line):
            line_to.sendall(one.encode() + b"\0")
            said = b""
            while said[-4:-1] != b"\0\0\0":
                said += line_to.recv(1 << 16)
        return said[:-4].decode()


def _wait_for(path: Path, most_s: float = 10) -> None:
    end = time.monotonic() + most_s
    while not path.exists():
        if time.monotonic() > end:
            raise RuntimeError(f"{path} did not come")
        time.sleep(0.02)
