"""A stand-in for a switch's NX-OS command line behind real SSH on loopback: state, timers.

It imports nothing of ours. There is no shell and no SFTP: a terminal, as a login of NX-OS has, and
SCP where `feature scp-server` stands in what runs (Ansible's nxos_file_copy and napalm's guide for
NX-OS: it must be set). What it says and does is from:

- A recorded `configure replace` of a Nexus 9000v, 9.3(1): the words of its phases, "Configure
  replace completed successfully.", "Patch validation completed successful" below lines that it
  called a "Syntax error", and the log.
- Nexus 9000 System Management guides, "Performing Configuration Replace" (10.1 to 10.4): no merge;
  what ran is restored where the file and what runs then differ, and where a commit timer expires;
  `best-effort` (9.3(1)) goes on despite errors and restores nothing. 30 to 3600 s (Nexus 7000 guide
  of the same).
- A thread of napalm-ansible (Nexus 3000): "Verification failed, Rolling back to previous
  configuration" for a file that reads back otherwise.
- "Configuring Rollback" (Nexus 3548 guide, 7.x): ten checkpoints, no name twice, gone with `write
  erase`; others say (firewall.cx) with a reload too, so `forgets` does that.
- System Management guide, SNMP, "CLI and SNMP User Synchronization": of an SNMP user it makes a
  login too; batfish's configurations show `password 5 !` for one that nobody gave a password.
- `show system uptime` as microsoft/arc-switch has it, `show clock` as ntc-templates. What other
  shows answer is given to it. A drain: Unicast Routing guide, "BGP Graceful Shutdown" and
  "Configuring Route Policy Manager".
- Genie's and others' recorded `show checkpoint summary`; netmiko's `cisco_nxos` (`dir`: "Usage for"
  or "No such file or directory"; `show file FILE md5sum`; a file system's path for SCP); napalm's
  recorded `show interface mgmt0` (`eth_hw_addr`, `eth_bia_addr`); batfish's running
  configurations, in which keys are stored as type 7 and those of SNMP users are localized; "Copy
  complete." recorded above.

Not read anywhere, and made up here: that `best-effort` and `commit-timeout` may stand in one line;
what `configure replace commit` says, with and without a timer; whether a rollback or another
replace is taken while a timer runs (`waits_for_timer`) and the words of their refusal; the words of
a refused pre-check, of a full flash to SCP, of an ended timer, of `no checkpoint`; what SCP says
where it is not served; how `rollback` says that it is done ("Rollback completed successfully"), and
that it ends with "Rollback Patch is Empty" (words of that recording) where nothing differs.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import socket
import threading
import time
from dataclasses import dataclass, field

import paramiko

from tests.deploy.fake_eos import FakeEos, Faults, Login, Terminal

# First words of NX-OS's global configuration mode that a data centre switch has.
GLOBAL = frozenset(
    """aaa banner bfd boot class-map copp feature grpc hardware hostname icam interface ip ipv6 line
    lldp logging no ntp password policy-map priority-flow-control rmon route-map router snmp-server
    ssh system tacacs-server username vdc version vlan vrf""".split()  # noqa: SIM905
)
# A banner is what comes last in what a test sends.
BANNER = re.compile(r"(?ms)^banner motd #.*")
INVALID = "                    ^\n% Invalid command at '^' marker."
BEGUN = """\
Version match between user file and running configuration.
Pre-check for User config PASSED
ADVISORY: Config Replace operation started...
Modifying running configuration from another VSH terminal in parallel
is not recommended, as this may lead to Config Replace failure.

Collecting Running-Config
Generating Rollback Patch
Executing Rollback Patch
Generating Running-config for verification
Generating Rollback Patch
"""
DONE = (
    "\nConfigure replace completed successfully. Please run 'show config-replace log exec' to see "
    "if there is any configuration that requires reload to take effect."
)
BACK = "Verification failed, Rolling back to previous configuration"


@dataclass
class NxFaults(Faults):
    """As of EOS, and: `takes_no` is how lines begin that it does not take, and leaves out.

    `waits_for_timer`: no rollback while a commit timer runs. `forgets`: a restart takes
    checkpoints.
    `cuts`: SCP ends after so many bytes. `loses`: these characters of a file never arrive.
    """

    takes_no: str = ""
    waits_for_timer: bool = False
    forgets: bool = False
    cuts: int = 0


@dataclass
class NxStore:
    startup: str
    running: str
    flash: dict[str, bytes] = field(default_factory=dict)
    checkpoints: dict[str, str] = field(default_factory=dict)
    is_timed: bool = False
    before: str = ""


class FakeNxos(FakeEos):
    """A listening switch; `with FakeNxos(...) as switch: switch.port`."""

    store: NxStore  # type: ignore[assignment]
    faults: NxFaults

    def __init__(self, startup: str, mac: str, host_key: paramiko.PKey, login: str) -> None:
        super().__init__(startup, mac, host_key, login)
        self.store, self.faults = NxStore(startup, startup), NxFaults()

    @property
    def hostname(self) -> str:
        found = re.search(r"(?m)^hostname (\S+)$", self.store.running)
        return found[1] if found else "switch"

    @property
    def reachable(self) -> bool:
        port = re.search(r"(?ms)^interface mgmt0$(.*?)^\S", self.store.running + "\n!")
        return bool(port and "  ip address " in port[1])

    @property
    def serves_scp(self) -> bool:
        return "\nfeature scp-server\n" in self.store.running

    def restart(self) -> None:
        """Power off and on: what is in memory goes, and the startup file is loaded."""
        self._disarm()
        with self.lock:
            self.store.running, self.store.is_timed = self.store.startup, False
            self.booted = time.time()
            if self.faults.forgets:
                self.store.checkpoints.clear()
        self.drop()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            if not self.reachable:
                connection.close()
                continue
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            transport = paramiko.Transport(connection)
            self._open.append(transport)
            transport.add_server_key(self.host_key)
            try:
                transport.start_server(server=NxLogin(self), event=threading.Event())
            except (paramiko.SSHException, EOFError, OSError):
                transport.close()

    # -- what it says of itself ----------------------------------------------------------------

    def management(self) -> str:
        burnt = ".".join(re.findall("....", re.sub(r"[.:]", "", self.mac)))
        row = {"interface": "mgmt0", "state": "up", "eth_hw_addr": "0200.5e00.0001"}
        row |= {"eth_bia_addr": burnt, "eth_mtu": "1500"}
        return json.dumps({"TABLE_interface": {"ROW_interface": row}})

    def time_of(self, line: str) -> str:
        if line == "show clock":
            now = time.strftime("%H:%M:%S.000 UTC %a %b %d %Y", time.gmtime())
            return f"{now}\nTime source is NTP"
        minutes, seconds = divmod(int(time.time() - self.booted), 60)
        told = {"sys_st_time": time.strftime("%a %b %d %H:%M:%S %Y", time.gmtime(self.booted))}
        parts = {"days": 0, "hrs": 0, "mins": minutes, "secs": seconds}
        for kind in ("sys", "kn"):
            told |= {f"{kind}_up_{unit}": str(part) for unit, part in parts.items()}
        return json.dumps(told)

    # -- configurations -----------------------------------------------------------------------

    def replace(self, path: str, what: str) -> str:
        store = self.store
        if path not in store.flash:
            return f"ERROR: {path}: No such file or directory"
        if store.is_timed:
            return "ERROR: commit timer is running"
        given = store.flash[path].decode()
        if "\nversion 10.5(3)" not in f"\n{given}":
            return "Pre-check for User config FAILED\nERROR: version mismatch"
        head, banner = BANNER.sub("", given), "".join(BANNER.findall(given))
        lines = [one for one in head.splitlines() if not one.startswith("!")]
        wanted = "".join(f"{one}\n" for one in lines) + banner
        taken = "".join(f"{one}\n" for one in lines if self.takes(one)) + banner
        if what == "verify-only":
            return self.patch(wanted)
        timer = re.fullmatch(r"(best-effort )?commit-timeout (\d+)", what)
        if not timer or not 30 <= int(timer[2]) <= 3600:
            return INVALID
        runs = stored(taken)
        if not timer[1] and runs != wanted:
            return BEGUN + BACK
        store.before, store.running, store.is_timed = store.running, runs, True
        self._timer = threading.Timer(int(timer[2]) * self.second_s, self.go_back)
        self._timer.start()
        if not self.reachable:
            self.drop()
        return BEGUN + DONE

    def patch(self, wanted: str) -> str:
        runs = self.store.running.splitlines()
        said = []
        for one in BANNER.sub("", wanted).splitlines():
            if one not in runs:
                said.append(f"`{one}`")
                said += [] if self.takes(one) else [f"Syntax error while parsing '{one}'"]
        rule = "=" * 56
        last = "Patch validation completed successful"
        return "\n".join([rule, "`config t `", *said, rule, last])

    def takes(self, line: str) -> bool:
        if self.faults.takes_no and line.strip().startswith(self.faults.takes_no):
            return False
        return line[:1] in ("", " ") or line.split(maxsplit=1)[0] in GLOBAL

    def commit_replace(self) -> str:
        if not self.store.is_timed:
            return "ERROR: no commit timer is running"
        self._disarm()
        self.store.is_timed = False
        return ""

    def go_back(self) -> None:
        """What the timer does."""
        with self.lock:
            if self.store.is_timed:
                self.store.running, self.store.is_timed = self.store.before, False

    def rollback(self, name: str) -> str:
        if name not in self.store.checkpoints:
            return f"ERROR: checkpoint {name} does not exist"
        if self.store.is_timed and self.faults.waits_for_timer:
            return "A commit timer is running"
        if self.store.running == self.store.checkpoints[name]:
            return "Collecting Running-Config\nGenerating Rollback Patch\nRollback Patch is Empty"
        self.store.running = self.store.checkpoints[name]
        return "Executing Rollback Patch\nRollback completed successfully."

    def checkpoint(self, name: str) -> str:
        if name in self.store.checkpoints or len(self.store.checkpoints) == 10:
            return "ERROR: checkpoint exists, or there are ten"
        self.store.checkpoints[name] = self.store.running
        return "..Done"

    def summary(self) -> str:
        told = ["User Checkpoint Summary", "-" * 80]
        for number, (name, text) in enumerate(self.store.checkpoints.items(), 1):
            told += [
                f"{number}) {name}:", "Created by admin", "Created at Wed, 12:56:56 31 May 2017",
                f"Size is {len(text):,} bytes", "Description: None", "",
            ]  # fmt: skip
        return "\n".join([*told, "System Checkpoint Summary", "-" * 80])

    def folder(self, path: str) -> str:
        if path not in self.store.flash:
            return "No such file or directory"
        size, name = len(self.store.flash[path]), path.rpartition("/")[2]
        return f"   {size}    Nov 26 02:00:00 2026  {name}\n\nUsage for bootflash://sup-local\n"


def stored(text: str) -> str:
    """As the switch keeps it: secrets in its own form."""
    text = re.sub(r" key 0 (\S+)", lambda one: f' key 7 "{one[1][::-1].swapcase()}"', text)
    keys = r"\1 0xab12 \2 0xcd34 localizedV2key"
    text = re.sub(r"(?m)( auth sha) (?!0x)\S+ (priv aes-128) \S+$", keys, text)
    for name, role in re.findall(r"(?m)^snmp-server user (\S+) (\S+) ", text):
        if f"\nusername {name} " not in text:
            login = f"username {name} password 5 !  role {role}\n"
            text = text.replace("line vty\n", f"{login}line vty\n", 1)
    return text


class NxTerminal(Terminal):
    """One terminal of one login."""

    HEADS = re.compile(r"(route-map|router bgp) .*")
    LINES = re.compile(r"(no )?(set .*|graceful-shutdown activate)")
    INWARD = "  "
    switch: FakeNxos

    @property
    def prompt(self) -> str:
        return f"\r{self.switch.hostname}{self.configures}{'#' if self.enabled else '>'} "

    def _do(self, line: str) -> str:
        switch, store = self.switch, self.switch.store
        words = line.split()
        if not words:
            return ""
        if words[0] == "terminal":
            self.length = int(words[2]) if words[1] == "length" else self.length
            return ""
        if words[0] == "echo":
            return line.removeprefix("echo ")
        if line == "show hostname":
            return f"{switch.hostname} "
        if line == "show interface mgmt0 | json":
            return switch.management()
        if line in ("show system uptime | json", "show clock"):
            return switch.time_of(line)
        if line == "show checkpoint summary":
            return switch.summary()
        if not self.enabled:
            return "% Permission denied for the role"
        if found := switch.shows().get(line):
            return found
        if line == "configure terminal":
            self.mode = []
            return "Enter configuration commands, one per line. End with CNTL/Z."
        if line == "end" and self.mode is not None:
            self.mode = None
            return ""
        if self.mode is not None:
            return self._configured(line)
        if line == "show running-config":
            return f"\n!Command: show running-config\n!Time: Thu Nov 26 2026\n\n{store.running}"
        if line == "show startup-config":
            return f"\n!Command: show startup-config\n!Time: Thu Nov 26 2026\n\n{store.startup}"
        if line == "copy running-config startup-config":
            if switch.faults.flash_full:
                return "ERROR: No space left on device"
            store.startup = store.running
            return "[########################################] 100%\nCopy complete."
        if line == "configure replace commit":
            return switch.commit_replace()
        if match := re.fullmatch(r"configure replace (\S+) (.*)", line):
            return switch.replace(match[1], match[2])
        if match := re.fullmatch(r"checkpoint (\S+)", line):
            return switch.checkpoint(match[1])
        if match := re.fullmatch(r"no checkpoint (\S+)", line):
            return "" if store.checkpoints.pop(match[1], None) else "ERROR: no such checkpoint"
        if match := re.fullmatch(r"rollback running-config checkpoint (\S+) atomic", line):
            return switch.rollback(match[1])
        if match := re.fullmatch(r"dir (\S+)", line):
            return switch.folder(match[1])
        if match := re.fullmatch(r"delete (\S+) no-prompt", line):
            return "" if store.flash.pop(match[1], None) else "No such file or directory"
        if match := re.fullmatch(r"show file (\S+) md5sum", line):
            content = store.flash.get(match[1])
            if content is None:
                return "No such file or directory"
            return hashlib.md5(content, usedforsecurity=False).hexdigest()
        return INVALID

    def _configured(self, line: str) -> str:
        """A line at once, as far as a drain goes."""
        assert self.mode is not None
        lines = self.switch.store.running.splitlines()
        if self.HEADS.fullmatch(line):
            self.mode = [line]
            return "" if line in lines else f"{INVALID} (nobody here makes such a block)"
        if not self.mode or not (match := self.LINES.fullmatch(line)):
            return INVALID
        at = lines.index(self.mode[0]) + 1
        ends = (at + i for i, one in enumerate(lines[at:]) if not one.startswith(" "))
        block = next(ends, len(lines))
        kept = [one for one in lines[at:block] if one.strip() != match[2]]
        kept += [] if match[1] else [f"{self.INWARD}{match[2]}"]
        self.switch.store.running = "\n".join([*lines[:at], *kept, *lines[block:], ""])
        return ""


class NxLogin(Login):
    """Who may log in; a terminal, and SCP towards the switch."""

    switch: FakeNxos

    def check_channel_shell_request(self, channel: paramiko.Channel) -> bool:
        threading.Thread(target=NxTerminal(self.switch, channel).run, daemon=True).start()
        return True

    def check_channel_exec_request(self, channel: paramiko.Channel, command: bytes) -> bool:
        match = re.fullmatch(r"scp (?:-\w+ )*-t (\S+)", command.decode())
        if not match or not self.switch.serves_scp:
            return False
        threading.Thread(target=self._sink, args=(channel, match[1]), daemon=True).start()
        return True

    def _sink(self, channel: paramiko.Channel, path: str) -> None:
        """One file (the protocol of OpenSSH's `scp -t`), as far as who sends it listens."""
        with contextlib.suppress(OSError, EOFError), contextlib.closing(channel):
            channel.sendall(b"\0")
            heard = b""
            while b"\n" not in heard:
                if not (more := channel.recv(4096)):
                    return
                heard += more
            head, _, content = heard.partition(b"\n")
            if self.switch.faults.flash_full:
                channel.sendall(f"\1scp: {path}: No space left on device\n".encode())
                return
            channel.sendall(b"\0")
            size = int(head.split()[1])
            while len(content) <= size and (more := channel.recv(65536)):
                content += more
            content = content[:size]
            if self.switch.faults.cuts:
                self.switch.store.flash[path] = content[: self.switch.faults.cuts]
                channel.get_transport().close()
                return
            self.switch.store.flash[path] = content.replace(self.switch.faults.loses.encode(), b"")
            channel.sendall(b"\0")
