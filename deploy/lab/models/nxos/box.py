"""What an NX-OS switch holds: what runs, what a restart loads, files, checkpoints, a commit timer.

It imports nothing of ours, and what it says has a source:

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
- `show system uptime` as microsoft/arc-switch has it, `show clock` as ntc-templates. A drain:
  Unicast Routing guide, "BGP Graceful Shutdown" and "Configuring Route Policy Manager".
- Genie's and others' recorded `show checkpoint summary`; netmiko's `cisco_nxos` (`dir`: "Usage for"
  or "No such file or directory"; `show file FILE md5sum`; a file system's path for SCP); napalm's
  recorded `show interface mgmt0` (`eth_hw_addr`, `eth_bia_addr`); batfish's running
  configurations, in which keys are stored as type 7 and those of SNMP users are localized; "Copy
  complete." recorded above. SCP where `feature scp-server` stands in what runs (Ansible's
  nxos_file_copy and napalm's guide for NX-OS: it must be set).

Not read anywhere, and made up here: that `best-effort` and `commit-timeout` may stand in one line;
what `configure replace commit` says, with and without a timer; whether a rollback or another
replace is taken while a timer runs (`waits_for_timer`) and the words of their refusal; the words of
a refused pre-check, of a full flash to SCP, of an ended timer, of `no checkpoint`; what SCP says
where it is not served; how `rollback` says that it is done ("Rollback completed successfully"), and
that it ends with "Rollback Patch is Empty" (words of that recording) where nothing differs.
"""

from __future__ import annotations

import contextlib
import json
import re
import time
from dataclasses import dataclass, field
from typing import Literal

from ..blocks import Reader, told_apart
from ..box import Box, Channel, Faults, Store
from . import scp
from .text import INVALID, WORDS, features, needs

Place = Literal["startup", "checkpoints", "bootflash"]
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
_MOST_CHECKPOINTS = 10
_SCP = re.compile(r"scp (?:-\w+ )*-t (\S+)")
_VERSION = re.compile(r"(?m)^version (\S+)")


@dataclass
class NxosFaults(Faults):
    """And: `takes_no` is how lines begin that it does not take, and leaves out.

    `waits_for_timer`: no rollback while a commit timer runs. `forgets`: a restart takes
    checkpoints. `cuts`: SCP ends after so many bytes. `loses`: these characters of a file never
    arrive.
    """

    takes_no: str = ""
    waits_for_timer: bool = False
    forgets: bool = False
    cuts: int = 0


@dataclass
class NxosStore(Store):
    """And files of bootflash by their paths, checkpoints, and whether a commit timer runs."""

    flash: dict[str, bytes] = field(default_factory=dict)
    checkpoints: dict[str, str] = field(default_factory=dict)
    is_timed: bool = False


class NxosBox(Box):
    """A switch behind its command line."""

    nameless = "switch"
    store: NxosStore
    faults: NxosFaults

    def __init__(self, startup: str, mac: str) -> None:
        super().__init__(startup, mac)
        self.store, self.faults = NxosStore(startup, startup), NxosFaults()

    def forgets(self) -> None:
        """The timer, and where it is so the checkpoints."""
        self.store.is_timed = False
        if self.faults.forgets:
            self.store.checkpoints.clear()

    def keeps(self, place: Place, name: str, content: bytes | None) -> None:
        """What a restart finds; None for what is not there any more."""

    # -- what it says of itself ---------------------------------------------------------------

    def management(self) -> str:
        """`show interface mgmt0 | json`."""
        burnt = ".".join(re.findall("....", re.sub(r"[.:]", "", self.mac)))
        row = {"interface": "mgmt0", "state": "up", "eth_hw_addr": "0200.5e00.0001"}
        row |= {"eth_bia_addr": burnt, "eth_mtu": "1500"}
        return json.dumps({"TABLE_interface": {"ROW_interface": row}})

    def time_of(self, line: str) -> str:
        """`show clock`, and since when it runs, as JSON."""
        if line == "show clock":
            now = time.strftime("%H:%M:%S.000 UTC %a %b %d %Y", time.gmtime())
            return f"{now}\nTime source is NTP"
        up_s = int(time.time() - self.booted)
        told = {"sys_st_time": time.strftime("%a %b %d %H:%M:%S %Y", time.gmtime(self.booted))}
        parts = {"days": up_s // 86400, "hrs": up_s // 3600 % 24, "mins": up_s // 60 % 60}
        for kind in ("sys", "kn"):
            told |= {
                f"{kind}_up_{unit}": str(n) for unit, n in (parts | {"secs": up_s % 60}).items()
            }
        return json.dumps(told)

    def summary(self) -> str:
        """`show checkpoint summary`."""
        told = ["User Checkpoint Summary", "-" * 80]
        for number, (name, text) in enumerate(self.store.checkpoints.items(), 1):
            told += [
                f"{number}) {name}:", "Created by admin", "Created at Wed, 12:56:56 31 May 2017",
                f"Size is {len(text):,} bytes", "Description: None", "",
            ]  # fmt: skip
        return "\n".join([*told, "System Checkpoint Summary", "-" * 80])

    # -- files --------------------------------------------------------------------------------

    def takes(self, command: str) -> bool:
        """SCP towards the switch, where that feature is on; nothing else."""
        return bool(_SCP.fullmatch(command)) and "scp-server" in features(self.store.running)

    def attend(self, command: str, channel: Channel) -> None:
        """Take a file, as far as who sends it listens."""
        path = _SCP.sub(r"\1", command).strip("'\"")
        came, is_whole = scp.taken(channel, path, self.faults.flash_full, self.faults.cuts)
        if came is not None:
            self.file(path, came.replace(self.faults.loses.encode(), b"") if is_whole else came)
        if is_whole:
            with contextlib.suppress(OSError, EOFError):
                channel.sendall(b"\0")

    def file(self, path: str, content: bytes | None) -> None:
        """From now on this lies on its bootflash, or nothing does."""
        if content is None:
            self.store.flash.pop(path, None)
        else:
            self.store.flash[path] = content
        self.keeps("bootflash", path.rpartition("/")[2], content)

    def folder(self, path: str) -> str:
        """`dir` of a file."""
        if path not in self.store.flash:
            return "No such file or directory"
        size, name = len(self.store.flash[path]), path.rpartition("/")[2]
        return f"   {size}    Nov 26 02:00:00 2026  {name}\n\nUsage for bootflash://sup-local\n"

    def save(self) -> str:
        """`copy running-config startup-config`."""
        if self.faults.flash_full:
            return "ERROR: No space left on device"
        self.store.startup = self.store.running
        self.keeps("startup", "startup-config", self.store.startup.encode())
        return "[########################################] 100%\nCopy complete."

    # -- configurations -----------------------------------------------------------------------

    def replace(self, path: str, what: str) -> str:
        """`configure replace FILE ...`."""
        store = self.store
        if path not in store.flash:
            return f"ERROR: {path}: No such file or directory"
        if store.is_timed:
            return "ERROR: commit timer is running"
        given = store.flash[path].decode()
        if _VERSION.findall(given) != _VERSION.findall(store.running):
            return "Pre-check for User config FAILED\nERROR: version mismatch"
        wanted, refused = self.read(given)
        if what == "verify-only":
            return self.patch(wanted, refused)
        timer = re.fullmatch(r"(best-effort )?commit-timeout (\d+)", what)
        if not timer or not 30 <= int(timer[2]) <= 3600:
            return INVALID
        taken = "".join(f"{one}\n" for at, one in enumerate(wanted) if at not in refused)
        if not timer[1] and stored(taken) != "".join(f"{one}\n" for one in wanted):
            return BEGUN + BACK
        store.before, store.is_timed = store.running, True
        self.runs(stored(taken))
        self._arm(int(timer[2]))
        if not self.reachable:
            self.drop()
        return BEGUN + DONE

    def read(self, text: str) -> tuple[list[str], set[int]]:
        """The lines of a file without remarks, and by number those that are not taken."""
        told = told_apart(text, WORDS)
        lines = [one for one, is_banner in told if is_banner or not one.startswith("!")]
        reader, on, refused, gone = Reader(WORDS), features(text), set[int](), -1
        for at, line in enumerate(lines):
            depth = len(line) - len(line.lstrip())
            if gone >= 0 and depth > gone and not reader.is_banner:
                refused.add(at)  # below one that is not taken
                continue
            is_banner = reader.is_banner
            why = reader.refusal(line)
            is_off = not is_banner and not depth and needs(line) not in {"", *on}
            is_gone = bool(why) or is_off or self.takes_not(line)
            gone = depth if is_gone else -1
            refused |= {at} if is_gone else set()
        return lines, refused

    def takes_not(self, line: str) -> bool:
        """Whether it leaves this line out on demand."""
        begin = self.faults.takes_no
        return bool(begin) and line.strip().startswith(begin)

    def patch(self, wanted: list[str], refused: set[int]) -> str:
        """`configure replace FILE verify-only`."""
        runs = self.store.running.splitlines()
        said = []
        for at, one in enumerate(wanted):
            if one not in runs:
                said.append(f"`{one}`")
                said += [f"Syntax error while parsing '{one}'"] if at in refused else []
        rule = "=" * 56
        last = "Patch validation completed successful"
        return "\n".join([rule, "`config t `", *said, rule, last])

    def commit_replace(self) -> str:
        """`configure replace commit`."""
        if not self.store.is_timed:
            return "ERROR: no commit timer is running"
        self._disarm()
        self.store.is_timed = False
        return ""

    def go_back(self) -> None:
        """What the timer does."""
        with self.lock:
            if self.store.is_timed:
                self.store.is_timed = False
                self.runs(self.store.before)

    def rollback(self, name: str) -> str:
        """`rollback running-config checkpoint NAME atomic`."""
        if name not in self.store.checkpoints:
            return f"ERROR: checkpoint {name} does not exist"
        if self.store.is_timed and self.faults.waits_for_timer:
            return "A commit timer is running"
        if self.store.running == self.store.checkpoints[name]:
            return "Collecting Running-Config\nGenerating Rollback Patch\nRollback Patch is Empty"
        self.runs(self.store.checkpoints[name])
        return "Executing Rollback Patch\nRollback completed successfully."

    def checkpoint(self, name: str) -> str:
        """`checkpoint NAME`."""
        if name in self.store.checkpoints or len(self.store.checkpoints) == _MOST_CHECKPOINTS:
            return "ERROR: checkpoint exists, or there are ten"
        self.store.checkpoints[name] = self.store.running
        self.keeps("checkpoints", name, self.store.running.encode())
        return "..Done"

    def forget(self, name: str) -> str:
        """`no checkpoint NAME`."""
        if self.store.checkpoints.pop(name, None) is None:
            return "ERROR: no such checkpoint"
        self.keeps("checkpoints", name, None)
        return ""


def without(text: str, feature: str) -> str:
    """A configuration once this feature is off: its lines go with it."""
    kept, is_gone = [], False
    for line, is_banner in told_apart(text, WORDS):
        if is_banner or not line.startswith(" "):
            is_gone = not is_banner and needs(line) == feature
        kept += [] if is_gone else [line]
    return "".join(f"{one}\n" for one in kept)


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
