"""A machine with a kernel of its own, in qemu without KVM: boot, reboot, commands over SSH.

It has two NUMA nodes, a management port that gets its lease from qemu, rail ports at fixed
PCI addresses, and a disk that stays. By `boot="grub"` it boots as GRUB's menu on its disk
says; by `boot="file"` qemu gives the kernel the arguments that the disk names at that moment,
as a program does that builds boot entries (netboot, images).
"""

from __future__ import annotations

import json
import shlex
import socket
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from deploy.lab.command import last_words, run

from .image import VmImage

MEMORY_MIB = 1280
# 25 s of a processor; beside a load of 20 on two cores more than 300 s passed.
BOOT_LIMIT_S = 1200.0
ARGUMENTS = "root=/dev/vda ro console=ttyS0 quiet panic=1"
# What a role leaves for the program that builds this machine's boot entry.
STAGED = "/etc/kernel/cmdline.d/90-railbed.conf"
# Slots of PCI bus 0: the ports are at 0000:00:10.0, 0000:00:11.0, ...
_FIRST_SLOT = 0x10
# What a machine dies of when these tests do (prctl(2), PR_SET_PDEATHSIG).
_DIES_WITH_US = ("setpriv", "--pdeathsig", "KILL")


@dataclass(frozen=True)
class Port:
    """A port of the machine; `wire` is what it is plugged into, a netdev of qemu(1) without id."""

    mac: str
    wire: str


@dataclass(frozen=True)
class Form:
    """What a machine is; qemu leases it its management `address`, and is `server` itself."""

    name: str
    address: str
    server: str
    prefix: str
    management_mac: str
    ports: tuple[Port, ...] = ()
    boot: str = "grub"
    memory_mib: int = MEMORY_MIB


@dataclass(frozen=True)
class Said:
    """How a command ended on the machine."""

    status: int
    out: str
    err: str


class Machine:
    """One machine; its files lie in `folder`, and go with it."""

    def __init__(self, image: VmImage, form: Form, folder: Path) -> None:
        self.image, self.form, self.folder = image, form, folder
        self.ssh_port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, exist_ok=True)
        run(["cp", "--sparse=always", str(image.disk), str(self.disk)])
        self._write_ssh_files()

    @property
    def disk(self) -> Path:
        return self.folder / "disk"

    @property
    def ssh_config(self) -> Path:
        """For ssh -F; so named that the folder can be a site's state folder."""
        return self.folder / "ssh" / "config"

    @property
    def console(self) -> Path:
        return self.folder / "console"

    def __enter__(self) -> Machine:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()

    def start(self) -> float:
        """Boot; returns after how many seconds it let us in. AssertionError if it does not."""
        self.launch()
        return self.wait_login()

    def launch(self) -> None:
        """Switch it on."""
        with (self.folder / "qemu").open("ab") as said:
            self._process = subprocess.Popen(
                [*_DIES_WITH_US, *self._command()],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
            )

    def wait_login(self, before: str = "") -> float:
        """Until it lets us in, in another boot than the one named; how many seconds that took."""
        start = time.monotonic()
        while time.monotonic() < start + BOOT_LIMIT_S:
            said = self._try("cat /proc/sys/kernel/random/boot_id")
            if said not in ("", before):
                return time.monotonic() - start
            assert self._process
            assert self._process.poll() is None, self._last_words()
            time.sleep(0.5)
        raise AssertionError(f"no login after {BOOT_LIMIT_S} s: {self._last_words()}")

    def cut(self) -> None:
        """Take its power."""
        if self._process:
            self._process.kill()
            self._process.wait()
        self._hang_up()

    def reboot(self) -> float:
        """As an administrator does it; returns after how many seconds it let us in again."""
        before = self.boot_id()
        self.run("systemctl reboot", check=False)
        self._hang_up()
        if self.form.boot == "file":
            assert self._process
            self._process.wait(BOOT_LIMIT_S)
            return self.start()
        return self.wait_login(before)

    def run(self, script: str, check: bool = True, limit_s: float = 120) -> Said:
        """Run a shell script as root; AssertionError where it fails and must not."""
        done = subprocess.run(
            ["ssh", "-F", str(self.ssh_config), "-T", self.form.name, "sh", "-s"],
            input=script, capture_output=True, text=True, timeout=limit_s,
        )  # fmt: skip
        assert not (check and done.returncode), f"{script}: {done.stdout}{done.stderr}"
        return Said(done.returncode, done.stdout, done.stderr)

    def out(self, script: str) -> str:
        """What a script that must not fail prints, without the newline at the end."""
        return self.run(script).out.rstrip("\n")

    def boot_id(self) -> str:
        """Another one at each boot (random(4))."""
        return self.out("cat /proc/sys/kernel/random/boot_id")

    def wait(self, script: str, limit_s: float = 60) -> str:
        """Ask until a script ends with 0; what it printed then."""
        give_up = time.monotonic() + limit_s
        while (said := self.run(script, check=False)).status:
            assert time.monotonic() < give_up, f"not within {limit_s} s: {script}: {said}"
            time.sleep(0.5)
        return said.out

    def ask_qemu(self, command: str, **arguments: object) -> Any:
        """One command of qemu's machine protocol (QMP): plug and unplug, cables, power."""
        with socket.socket(socket.AF_UNIX) as to, to.makefile("rw") as lines:
            to.connect(str(self.folder / "qmp"))
            lines.readline()
            self._one(lines, execute="qmp_capabilities")
            said = self._one(lines, execute=command, arguments=arguments)
        assert "return" in said, said
        return said["return"]

    def _one(self, lines: TextIO, **command: object) -> dict[str, Any]:
        lines.write(json.dumps(command) + "\n")
        lines.flush()
        for line in lines:
            if "event" not in (said := json.loads(line)):
                return dict(said)
        raise AssertionError("qemu has hung up")

    def unplug(self, number: int) -> None:
        """Take a port's NIC out of its slot, and wait until the machine has let it go."""
        self.ask_qemu("device_del", id=f"nic{number}")
        self.wait(f"! [ -e /sys/bus/pci/devices/{pci(number)} ]")

    def plug(self, number: int) -> None:
        """Put it back."""
        self.ask_qemu("device_add", **self._nic(number))

    def memory_mib(self) -> int:
        """What it takes of the host's memory now."""
        assert self._process
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) // 1024

    def staged(self) -> str:
        """The arguments on its disk that the next boot entry is made with (debugfs(8))."""
        text = run(["debugfs", "-R", f"cat {STAGED}", str(self.disk)])
        return " ".join(line for line in text.splitlines() if not line.startswith("#"))

    def _try(self, script: str) -> str:
        argv = ["ssh", "-F", str(self.ssh_config), "-o", "ConnectTimeout=3", self.form.name, script]
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else ""

    def _hang_up(self) -> None:
        argv = ["ssh", "-F", str(self.ssh_config), "-O", "exit", self.form.name]
        subprocess.run(argv, capture_output=True, check=False)

    def _last_words(self) -> str:
        said = [one.read_text(errors="replace") for one in (self.folder / "qemu", self.console)]
        return last_words("\n".join(said), 20)

    def _command(self) -> list[str]:
        half = self.form.memory_mib // 2
        return [
            *("qemu-system-x86_64", "-accel", "tcg,tb-size=256", "-cpu", "qemu64,+pdpe1gb"),
            *("-m", str(self.form.memory_mib), "-smp", "2", "-nodefaults", "-display", "none"),
            *(
                "-serial",
                f"file:{self.console}",
                "-qmp",
                f"unix:{self.folder}/qmp,server=on,wait=off",
            ),
            *("-object", f"memory-backend-ram,id=memory0,size={half}M"),
            *("-object", f"memory-backend-ram,id=memory1,size={half}M"),
            *("-numa", "node,nodeid=0,cpus=0,memdev=memory0"),
            *("-numa", "node,nodeid=1,cpus=1,memdev=memory1"),
            *("-drive", f"file={self.disk},format=raw,if=virtio,cache=unsafe"),
            *("-device", "virtio-rng-pci", *self._network(), *self._boot()),
        ]

    def _network(self) -> list[str]:
        """The first is the way in; qemu leases it its address, and is its server."""
        form = self.form
        lease = (
            f"net={form.prefix},host={form.server},dhcpstart={form.address},hostname={form.name}"
        )
        way_in = f"hostfwd=tcp:127.0.0.1:{self.ssh_port}-:22"
        argv = ["-netdev", f"user,id=net,ipv6=off,{lease},hostname={form.name},{way_in}"]
        mac = f"mac={form.management_mac}"
        argv += ["-device", f"virtio-net-pci,netdev=net,{mac},romfile=,addr=0x8"]
        for number, port in enumerate(form.ports):
            argv += ["-netdev", port.wire.replace(",", f",id=wire{number},", 1)]
            argv += ["-device", json.dumps(self._nic(number))]
        return argv

    def _nic(self, number: int) -> dict[str, object]:
        return {
            # Not virtio: its port is no PCI function's own, and has no rings or pauses to set.
            "driver": "e1000",
            "id": f"nic{number}",
            "netdev": f"wire{number}",
            "mac": self.form.ports[number].mac,
            "addr": hex(_FIRST_SLOT + number),
            "romfile": "",
        }

    def _boot(self) -> Sequence[str]:
        if self.form.boot == "grub":
            return ("-drive", f"file={self.image.grub},format=raw,if=ide,readonly=off,snapshot=on")
        parts = ("-kernel", str(self.image.kernel), "-initrd", str(self.image.initrd))
        return ("-no-reboot", *parts, "-append", f"{ARGUMENTS} {self.staged()}".strip())

    def _write_ssh_files(self) -> None:
        folder = self.ssh_config.parent
        folder.mkdir()
        known = folder / "known_hosts"
        known.write_text(f"[127.0.0.1]:{self.ssh_port} {self.image.host_key}\n")
        lines = [
            f"Host {self.form.name}",
            "HostName 127.0.0.1",
            f"Port {self.ssh_port}",
            "User root",
            f"IdentityFile {shlex.quote(str(self.image.key))}",
            "IdentitiesOnly yes",
            f"UserKnownHostsFile {shlex.quote(str(known))}",
            "GlobalKnownHostsFile /dev/null",
            "StrictHostKeyChecking yes",
            # A guest of a busy machine is silent for longer than a real one ever is.
            "ServerAliveInterval 5",
            "ServerAliveCountMax 24",
            "LogLevel ERROR",
            "ControlMaster auto",
            f"ControlPath {self.folder}/c",
            "ControlPersist 300",
        ]
        self.ssh_config.write_text("\n    ".join(lines) + "\n")


def pci(number: int) -> str:
    """The address of a port's NIC."""
    return f"0000:00:{_FIRST_SLOT + number:02x}.0"


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
