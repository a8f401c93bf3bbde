"""A stand-in for a switch's EOS command line behind real SSH on loopback: state, timers, refusals.

It imports nothing of ours. There is no shell, no exec channel and no SFTP: only a terminal, as a
login of EOS has (Arista EOS User Manual, "Command-Line Interface": prompts `name>` and `name#`,
`% ` before what is refused, `--More--` until `terminal length 0`; "Administering the Switch":
users and `enable`). Sources of what it says and does:

- "Configure Session" of the manual: a session is a copy of what runs; `rollback clean-config`
  empties it; `commit timer` brings back what ran unless a second `commit` comes; sessions that
  are not committed are lost at a restart; `abort` discards.
- cEOS 4.35.0F as others saw it: the prompt has six letters of the session's name; `copy terminal:
  session-config` reads to Ctrl-D, quotes a refused line after `> `, says `% Invalid input at line
  N` and still completes; `end` inside such a text ends nothing; a timer's session is "committed".
- napalm, "EOS 4.32+ Pending Commit Syntax Change": `commitTimerSessionName` in the JSON while a
  timer runs (4.32 and later).
- Syslog of real switches (CONFIG_SESSION_ABORTED after CONFIG_REPLACE_SUCCESS): aborting a timed
  session restores first. Entering it again, or committing another, is refused while it waits.
- napalm's recorded `show hostname`, `show interfaces` (`physicalAddress`) and running
  configurations, in which keys are stored as type 7, and which `sanitized` shows with `<removed>`.
- goeapi's `show version` (`bootupTimestamp`, `uptime`). What other shows answer is given to it.
- "Configuring EOS" of the manual: `configure` and `end`; a route map's lines below its head.
- Not read anywhere, and made up here: the words of a full flash and of an unknown session.
"""

from __future__ import annotations

import contextlib
import difflib
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Self

import paramiko
from paramiko.common import AUTH_FAILED, AUTH_SUCCESSFUL, OPEN_SUCCEEDED

# First words of EOS's global configuration mode that a data centre switch has.
GLOBAL = frozenset(
    """aaa alias arp banner bfd boot class-map clock daemon default dns dot1x enable errdisable end
    event-handler exit hardware hostname interface ip ipv6 ipv4 l2 lacp link lldp load-interval
    logging mac management mlag monitor mpls no ntp peer-filter platform policy-map power prompt
    priority-flow-control ptp qos queue-monitor radius-server route-map router schedule service
    snmp-server spanning-tree switchport system tacacs-server tcam terminal traffic-policy
    transceiver tunnel username virtual-router vlan vrf""".split()  # noqa: SIM905
)
INVALID = "% Invalid input"
BANNER = re.compile(r"banner (login|motd)")
PAGE = 24


@dataclass
class Faults:
    """What goes wrong; everything is off at first. A command is named by how it begins.

    `drop_on`: the transport is cut when it has done its work. `hang_on`: it never answers.
    `restart_on`: the switch restarts after it. `no_pfc`: no hardware for priority flow control, as
    vEOS says. `flash_full`: nothing more can be written. `echoes_twice`: it falls behind and
    repeats a line behind the prompt (netmiko, arista.py). `loses`: these characters of a text never
    arrive.
    """

    drop_on: str = ""
    hang_on: str = ""
    restart_on: str = ""
    no_pfc: bool = False
    flash_full: bool = False
    echoes_twice: bool = False
    loses: str = ""
    refuse_login: bool = False


@dataclass
class Session:
    state: str
    text: str


@dataclass
class Store:
    startup: str
    running: str = ""
    flash: dict[str, str] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    timed: str = ""
    before: str = ""
    saves_on_commit: bool = False


class FakeEos:
    """A listening switch; `with FakeEos(...) as switch: switch.port`."""

    def __init__(self, startup: str, mac: str, host_key: paramiko.PKey, login: str) -> None:
        self.mac, self.host_key, self.login = mac, host_key, login
        self.password, self.enable = "", ""
        self.privilege = 15
        self.second_s = 1.0  # how long a second of its timers is
        self.booted = time.time()
        # What else it shows, by line, asked anew each time.
        self.shows: Callable[[], Mapping[str, str]] = dict
        self.store, self.faults = Store(startup, startup), Faults()
        self.commands: list[str] = []
        self.logins = 0
        self.lock = threading.RLock()
        self._open: list[paramiko.Transport | socket.socket] = []
        self._timer: threading.Timer | None = None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._thread = threading.Thread(target=self._serve)
        self.over = threading.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._disarm()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        self.drop()

    # -- the box ------------------------------------------------------------------------------

    @property
    def hostname(self) -> str:
        found = re.search(r"(?m)^hostname (\S+)$", self.store.running)
        return found[1] if found else "localhost"

    @property
    def reachable(self) -> bool:
        port = re.search(r"(?ms)^interface Management1$(.*?)^\S", self.store.running + "\n!")
        return bool(port and " ip address " in port[1] and "shutdown" not in port[1])

    def knows(self, user: str) -> bool:
        """A local user, or nobody: no AAA server answers here."""
        return bool(re.search(rf"(?m)^username {re.escape(user)} ", self.store.running))

    def drop(self) -> None:
        while self._open:
            self._open.pop().close()

    def restart(self) -> None:
        """Power off and on: what is in memory goes, and the startup file is loaded."""
        self._disarm()
        with self.lock:
            self.store.running, self.store.timed = self.store.startup, ""
            self.store.sessions.clear()
            self.booted = time.time()
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
                transport.start_server(server=Login(self), event=threading.Event())
            except (paramiko.SSHException, EOFError, OSError):
                transport.close()

    # -- sessions -----------------------------------------------------------------------------

    def commit(self, name: str, timer_s: int | None) -> str:
        store = self.store
        if store.timed and (store.timed != name or timer_s is not None):
            return f"% Cannot commit: session {store.timed} is pending commit timer"
        if store.timed == name:
            self._disarm()
            store.timed = ""
            return ""
        one = store.sessions.get(name)
        if one is None or one.state != "pending":
            return f"% Session {name} cannot be committed"
        store.before, store.running = store.running, stored(one.text)
        one.state = "committed"
        if timer_s is not None:
            store.timed = name
            self._timer = threading.Timer(timer_s * self.second_s, self.go_back)
            self._timer.start()
        if not self.reachable:
            self.drop()
        return ""

    def go_back(self) -> None:
        """What the timer does, and an abort."""
        with self.lock:
            if self.store.timed:
                self.store.running = self.store.before
                self.store.sessions[self.store.timed].state = "aborted"
                self.store.timed = ""

    def abort(self, name: str) -> str:
        if name not in self.store.sessions:
            return f"% Session {name} does not exist"
        if self.store.timed == name:
            self._disarm()
            self.go_back()
        self.store.sessions[name].state = "aborted"
        return ""

    def _disarm(self) -> None:
        if self._timer:
            self._timer.cancel()

    def listed(self) -> str:
        store = self.store
        told: dict[str, object] = {
            "sessions": {
                name: {"state": one.state, "commitUser": "", "description": "", "instances": {}}
                for name, one in store.sessions.items()
            },
            "maxSavedSessions": 1,
            "maxOpenSessions": 5,
            "mergeOnCommit": False,
            "saveToStartupConfigOnCommit": store.saves_on_commit,
        }
        if store.timed:
            told |= {"commitTimerSessionName": store.timed, "commitTimerExpireTime": 1.5}
        return json.dumps(told, indent=4)

    def written(self, path: str, text: str) -> str:
        if self.faults.flash_full:
            return f"% Error copying to {path} (No space left on device)"
        if path == "startup-config":
            self.store.startup = text
        else:
            self.store.flash[path] = text
        return "Copy completed successfully."

    def shown(self, more: str = "") -> str:
        head = f"! Command: show running-config{more}\n! device: {self.hostname} (EOS-4.36.0F)"
        lines = self.store.running.splitlines()
        body = [one for one in lines if not one.startswith("! device:") and one != "end"]
        return "\n".join([head, *body, "end"])

    def version(self) -> str:
        up = time.time() - self.booted
        told = {"modelName": "DCS-7060X6", "bootupTimestamp": self.booted, "uptime": up}
        return json.dumps(told, indent=4)


def stored(text: str) -> str:
    """As the switch keeps it: secrets in its own form, no remarks."""
    text = re.sub(r"\bkey 0 (\S+)", lambda one: f"key 7 {one[1][::-1].encode().hex()}", text)
    return re.sub(r"v3 auth sha \S+ priv aes \S+", "v3 localized f5 auth sha ab priv aes cd", text)


class Terminal:
    """One terminal of one login. `HEADS` are blocks that may be entered, `LINES` what is set."""

    HEADS = re.compile(r"route-map .*")
    LINES = re.compile(r"(no )?(set .*)")
    INWARD = "   "

    def __init__(self, switch: FakeEos, channel: paramiko.Channel) -> None:
        self.switch, self.channel = switch, channel
        self.transport = channel.get_transport()
        self.enabled = switch.privilege == 15
        self.session, self.length = "", PAGE
        self.mode: list[str] | None = None  # the block that a configuring terminal is in

    @property
    def configures(self) -> str:
        return f"(config{'-block' * len(self.mode)})" if self.mode is not None else ""

    @property
    def prompt(self) -> str:
        mode = self.configures or (f"(config-s-{self.session[:6]})" if self.session else "")
        return f"{self.switch.hostname}{mode}{'#' if self.enabled else '>'}"

    def run(self) -> None:
        self._write(f"\r\nLast login: never\r\n{self.prompt}")
        while True:
            line = self._line()
            if line is None or line == "exit":
                with contextlib.suppress(OSError, EOFError):
                    self.channel.close()
                return
            if not self._answer(line):
                return

    def _answer(self, line: str) -> bool:
        switch, faults = self.switch, self.switch.faults
        self._write(f"{line}\r\n{self.prompt}{line}\r\n" if faults.echoes_twice else f"{line}\r\n")
        if line:
            switch.commands.append(line)
        with switch.lock:
            said = self._do(line)
        if is_on(faults.hang_on, line):
            switch.over.wait()
        if is_on(faults.restart_on, line):
            switch.restart()
        if is_on(faults.drop_on, line) or is_on(faults.restart_on, line):
            self.transport.close()
            return False
        if not switch.reachable:
            self.transport.close()
            return False
        self._paged(said)
        self._write(self.prompt)
        return True

    def _paged(self, said: str) -> None:
        for number, one in enumerate(said.splitlines(), 1):
            self._write(f"{one}\r\n")
            if self.length and number % self.length == 0:
                self._write("--More--")
                self.channel.recv(1)

    def _do(self, line: str) -> str:
        switch, store = self.switch, self.switch.store
        words = line.split()
        if not words:
            return ""
        if words[0] == "terminal":
            return self._terminal(words)
        if line == "enable" and not self.enabled:
            return self._enable()
        if line.startswith("show hostname"):
            return json.dumps({"hostname": switch.hostname, "fqdn": switch.hostname})
        if line == "show interfaces Management1 | json":
            port = {"name": "Management1", "physicalAddress": switch.mac}
            return json.dumps({"interfaces": {"Management1": port}})
        if not self.enabled:
            return f"{INVALID} (privileged mode required)"
        if line == "show running-config":
            return switch.shown()
        if line == "show running-config sanitized":
            return re.sub(
                r"(?m)^(.*(?: key 7| sha512| ssh-key| auth sha| priv aes)) \S+.*$",
                r"\1 <removed>",
                switch.shown(" sanitized"),
            )
        if line == "show version | json":
            return switch.version()
        if found := switch.shows().get(line):
            return found
        if self.mode is not None and line != "end":
            return self._configured(line)
        if line == "configure":
            self.mode = []
            return ""
        if line == "show running-config diffs":
            texts = (store.startup.splitlines(), store.running.splitlines())
            names = ("flash:/startup-config", "system:/running-config")
            return "\n".join(difflib.unified_diff(*texts, *names, lineterm=""))
        if line == "show configuration sessions detail | json":
            return switch.listed()
        if match := re.fullmatch(r"show session-config named (\S+) diffs", line):
            candidate = store.sessions[match[1]].text.splitlines()
            names = ("system:/running-config", f"session:/{match[1]}-session-config")
            return "\n".join(
                difflib.unified_diff(store.running.splitlines(), candidate, *names, lineterm="")
            )
        if line == "end":
            was = self.session or self.mode is not None
            self.session, self.mode = "", None
            return "" if was else INVALID
        if line == "write memory":
            return switch.written("startup-config", store.running)
        if match := re.fullmatch(r"copy running-config flash:(\S+)", line):
            return switch.written(match[1], store.running)
        if match := re.fullmatch(r"configure session (\S+)(?: (.*))?", line):
            return self._session(match[1], match[2] or "")
        if self.session and line == "rollback clean-config":
            store.sessions[self.session].text = ""
            return ""
        if self.session and line == "copy terminal: session-config":
            return self._copied()
        return f"{INVALID} (at token 0: '{words[0]}')"

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

    def _terminal(self, words: list[str]) -> str:
        if words[1] == "length":
            self.length = int(words[2])
            return "Pagination disabled." if self.length == 0 else ""
        return f"Width set to {words[2]} columns."

    def _enable(self) -> str:
        if self.switch.enable:
            self._write("Password: ")
            if self._line() != self.switch.enable:
                return "% Bad secret"
        self.enabled = True
        return ""

    def _session(self, name: str, what: str) -> str:
        store = self.switch.store
        if what == "abort":
            return self.switch.abort(name)
        if what == "commit":
            return self.switch.commit(name, None)
        if timer := re.fullmatch(r"commit timer (\d+):(\d\d):(\d\d)", what):
            hours, minutes, seconds = map(int, timer.groups())
            return self.switch.commit(name, hours * 3600 + minutes * 60 + seconds)
        if what:
            return INVALID
        if name in store.sessions and store.sessions[name].state != "pending":
            return f"% Cannot enter session {name} ({store.sessions[name].state})"
        open_ones = [one for one in store.sessions.values() if one.state == "pending"]
        if name not in store.sessions and len(open_ones) == 5:
            return "% Maximum number of pending sessions has been reached"
        store.sessions.setdefault(name, Session("pending", store.running))
        self.session = name
        return ""

    def _copied(self) -> str:
        """Line by line to Ctrl-D, repeated by the terminal; then what was refused."""
        said, number, inside = [], 0, False
        kept = []
        while (line := self._line(echo=True)) is not None:
            number += 1
            line = line.replace(self.switch.faults.loses, "") if self.switch.faults.loses else line
            inside = inside or bool(BANNER.fullmatch(line))
            if not inside and (why := self._refused(line)):
                said += [f"> {line}", f"{why} at line {number}"]
            elif inside or (line != "end" and not line.startswith("! ")):
                kept.append(line)
            inside = inside and line != "EOF"
        store = self.switch.store
        store.sessions[self.session].text += "".join(f"{one}\n" for one in kept)
        return "\n".join([*said, "Copy completed successfully."])

    def _refused(self, line: str) -> str:
        words = line.split()
        if self.switch.faults.no_pfc and line.strip().startswith("priority-flow-control"):
            return (
                "% The hardware does not support priority flow control, or forwarding agent is "
                "still initializing."
            )
        is_known = not words or line.startswith((" ", "!")) or words[0] in GLOBAL
        return "" if is_known else f"{INVALID} (at token 0: '{words[0]}')"

    def _line(self, *, echo: bool = False) -> str | None:
        """One line as it is typed; None for Ctrl-D at its begin, and for a connection that ends."""
        while not (found := re.match(rb"\x04|[^\r\n]*[\r\n]", self._typed)):
            try:
                more = self.channel.recv(65536)
            except (OSError, EOFError):
                more = b""
            if not more:
                return None
            self._typed += more
        self._typed = self._typed[found.end() :]
        if found[0] == b"\x04":
            return None
        line = found[0].rstrip(b"\r\n").decode()
        if echo:
            self._write(f"{line}\r\n")
        return line

    _typed = b""

    def _write(self, text: str) -> None:
        try:
            self.channel.sendall(text.encode())
        except (OSError, EOFError):
            return


def is_on(begin: str, command: str) -> bool:
    """Whether a fault names this command."""
    return bool(begin) and bool(re.match(begin, command))


class Login(paramiko.ServerInterface):
    """Who may log in; a terminal is all there is."""

    def __init__(self, switch: FakeEos) -> None:
        self.switch = switch

    def get_allowed_auths(self, username: str) -> str:
        return "publickey,password"

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        return self._as(username, bool(self.switch.login) and key.get_base64() == self.switch.login)

    def check_auth_password(self, username: str, password: str) -> int:
        return self._as(username, bool(self.switch.password) and password == self.switch.password)

    def _as(self, username: str, proved: bool) -> int:
        if self.switch.faults.refuse_login or not proved or not self.switch.knows(username):
            return AUTH_FAILED
        self.switch.logins += 1
        return AUTH_SUCCESSFUL

    def check_channel_request(self, kind: str, chanid: int) -> int:
        return OPEN_SUCCEEDED

    def check_channel_pty_request(self, *_: object) -> bool:
        return True

    def check_channel_shell_request(self, channel: paramiko.Channel) -> bool:
        threading.Thread(target=Terminal(self.switch, channel).run, daemon=True).start()
        return True
