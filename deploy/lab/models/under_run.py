"""Makes Linux, FRR and lldpd do what a running configuration says, and asks them what they do.

A table beside the default one is a routing table of its own, reached by what comes in and goes out
by its ports: Linux may have no VRF device. In that table nothing is forwarded.
"""

from __future__ import annotations

import json
import pwd
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Interface
from pathlib import Path
from typing import Any

from .frr import Routing, frr_text
from .timekeeping import conf
from .under import Run
from .wanted import LOOPBACK, Port, Wanted, port_name

_FRR = Path("/etc/frr/frr.conf")
_LLDPD = Path("/etc/lldpd.d/model.conf")
_TIME, _TIMEKEEPER = Path("/etc/chrony/model.conf"), "modelled-time.service"
_KEYS = Path("/etc/ssh/keys")
TERMINAL = "/usr/lib/modelled/login"
_PEOPLE = 1000  # the first number of a login that is nobody's but a person's (Debian)
_LIMIT_S = 60
_STARTS = 5
_TABLE, _RULE = 100, 100


@dataclass(frozen=True, slots=True)
class System:
    """What a system is to the Linux under it.

    `wanted` and `routing` read a configuration; `told` is what it shows, by line, what runs
    programs, what is wanted of Linux, and the time. `ports` is how names of its data ports begin.
    `logins_get` is what runs for them: the terminal of the system, or a shell of Linux.
    """

    management: str
    description: str
    wanted: Callable[[str], Wanted]
    routing: Callable[[str], Routing] | None = None  # None where FRR has a file of its own
    told: Callable[[str, Run, Wanted, float], str | None] = lambda *_: None
    ports: str = "Ethernet"
    logins_get: str = TERMINAL


class Under:
    """What lies under the command line."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.wanted = system.wanted("")

    def becomes(self, text: str) -> None:
        """Do what this running configuration says."""
        system, asked = self.system, self.system.wanted(text)
        _name(asked.hostname)
        _users(asked.users, system.logins_get)
        _forward(asked)
        links = {str(one["ifname"]): one for one in said("ip", "-j", "address", "show")}
        for device, link in links.items():
            is_own = device in (LOOPBACK, system.management)
            if is_own or port_name(device).startswith(system.ports):
                unsaid = Port(device, is_own or asked.unsaid_is_up, 1500)
                _set_port(link, asked.ports.get(device) or unsaid, asked.forwards[4])
        _tables(asked)
        data = sorted(one for one in links if port_name(one).startswith(system.ports))
        _lldp(asked, system, data)
        _time(conf(asked))
        if system.routing:
            _reload_frr(frr_text(system.routing(text)))
        way = next((one.vrf for one in asked.ports.values() if one.name == system.management), "")
        _do("systemctl", "start" if way in asked.ssh else "stop", "ssh.socket")
        self.wanted = asked

    def told(self, line: str, now: float) -> str | None:
        """What is shown; None for what is not known here."""
        return self.system.told(line, said, self.wanted, now)


def mac(port: str) -> str:
    """The address of a port."""
    return Path(f"/sys/class/net/{port}/address").read_text().strip()


def restart() -> None:
    """Begin it; what runs ends."""
    _do("systemctl", "--no-block", "reboot")


def _do(*argv: str, text: str = "") -> str:
    return _run(argv, text).stdout


def did(*argv: str) -> bool:
    """Whether a program of Linux ends well."""
    return _run(argv).returncode == 0


def _run(argv: tuple[str, ...], text: str = "") -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        argv, input=text, capture_output=True, text=True, timeout=_LIMIT_S, check=False
    )
    if done.returncode:
        said = f"{done.stdout[-800:]} {done.stderr[-800:]}"
        sys.stderr.write(f"{' '.join(argv)}: {said}\n")  # systemd keeps it
    return done


def said(*argv: str) -> Any:
    """What a program says as JSON; what says nothing, as FRR of a BGP that is off, is empty.

    chronyc says rows of fields.
    """
    text = _do(*argv)
    if argv[0] == "chronyc":
        return [line.split(",") for line in text.splitlines()]
    return json.loads(text) if text.lstrip()[:1] in ("{", "[") else {}


def _name(name: str) -> None:
    if socket.gethostname() != name:
        socket.sethostname(name)


def _users(users: dict[str, list[str]], shell: str) -> None:
    """Those of the configuration: with a shell of Linux they have a home, which outlives them."""
    _KEYS.mkdir(exist_ok=True)
    held = {one.pw_name for one in pwd.getpwall() if _is_login(one, shell)}
    for gone in sorted(held - set(users)):
        _do("userdel", gone)
        (_KEYS / gone).unlink(missing_ok=True)
    home = ["--no-create-home", "--home-dir", "/"] if shell == TERMINAL else ["--create-home"]
    for name, keys in sorted(users.items()):
        if name not in {one.pw_name for one in pwd.getpwall()}:
            _do("useradd", *home, "--shell", shell, name)
            _do("usermod", "--password", "*", name)  # no password opens it, a key does
            held.add(name)
        if name in held:
            (_KEYS / name).write_text("".join(f"{key}\n" for key in keys))


def _is_login(one: pwd.struct_passwd, shell: str) -> bool:
    return one.pw_shell == shell and one.pw_uid >= _PEOPLE


def _forward(asked: Wanted) -> None:
    _sysctl("net/ipv4/ip_forward", asked.forwards[4])
    _sysctl("net/ipv6/conf/all/forwarding", asked.forwards[6])


def _sysctl(name: str, on: bool) -> None:
    path = Path("/proc/sys") / name
    if path.read_text().strip() != str(int(on)):
        path.write_text(str(int(on)))


def _set_port(link: dict[str, Any], asked: Port, forwards: bool) -> None:
    device = asked.name
    held = {
        (f"{one['local']}/{one['prefixlen']}", one.get("noprefixroute", False))
        for one in link["addr_info"]
        if one["family"] == "inet" and not one["local"].startswith("127.")
    }
    wants = {(asked.address, bool(asked.vrf))} if asked.address else set()
    for one, _ in sorted(held - wants):
        _do("ip", "address", "del", one, "dev", device)
    if device != LOOPBACK:
        _sysctl(f"net/ipv6/conf/{device}/disable_ipv6", not asked.has_ipv6)
        _sysctl(f"net/ipv4/conf/{device}/forwarding", forwards and asked.forwards)
        if link["mtu"] != asked.mtu_bytes:
            _do("ip", "link", "set", device, "mtu", str(asked.mtu_bytes))
    if ("UP" in link["flags"]) != asked.is_up:
        _do("ip", "link", "set", device, "up" if asked.is_up else "down")
    for one, is_apart in sorted(wants - held):
        apart = ["noprefixroute"] if is_apart else []
        _do("ip", "address", "add", one, "dev", device, *apart)


def _tables(asked: Wanted) -> None:
    """Rules and routes of the tables beside the default one, made anew."""
    lines = [
        f"rule del priority {one['priority']}"
        for one in said("ip", "-j", "rule", "show")
        if _RULE <= one["priority"] < _RULE + _TABLE
    ]
    lines.append("route flush table main proto static")
    for prefix, gateway in sorted(asked.routes.get("", {}).items()):
        lines.append(f"route add {prefix} via {gateway} proto static")
    for number, vrf in enumerate(sorted({one.vrf for one in asked.ports.values() if one.vrf})):
        lines += _table(asked, vrf, _TABLE + number, _RULE + 4 * number)
    _do("ip", "-force", "-batch", "-", text="".join(f"{one}\n" for one in lines))


def _table(asked: Wanted, vrf: str, table: int, rule: int) -> Iterator[str]:
    ports = [one for one in asked.ports.values() if one.vrf == vrf and one.address]
    yield f"route flush table {table}"
    for one in ports:
        at = IPv4Interface(one.address)
        yield f"route add {at.network} dev {one.name} src {at.ip} table {table}"
        yield f"rule add oif {one.name} lookup {table} priority {rule}"
        yield f"rule add from {at.ip} lookup {table} priority {rule + 1}"
        yield f"rule add iif {one.name} unreachable priority {rule + 2}"
    for prefix, gateway in sorted(asked.routes.get(vrf, {}).items()):
        way = f"via {gateway}" if gateway else "blackhole"
        yield f"route add {prefix} {way} table {table}"


def _lldp(asked: Wanted, system: System, data: list[str]) -> None:
    if asked.lldp is None:
        _do("systemctl", "stop", "lldpd")
        return
    timer_s, hold_s = asked.lldp
    lines = [
        f"configure system hostname {asked.hostname}",
        f'configure system description "{system.description}"',
        f"configure lldp tx-interval {timer_s}",
        f"configure lldp tx-hold {-(-hold_s // timer_s)}",
        "configure lldp portidsubtype ifname",
    ]
    renamed = [*(one for one in data if port_name(one) != one), system.management]
    lines += [f"configure ports {one} lldp portidsubtype local {port_name(one)}" for one in renamed]
    text = "".join(f"{one}\n" for one in lines)
    is_new = not _LLDPD.exists() or _LLDPD.read_text() != text
    if is_new:
        _LLDPD.write_text(text)
    if not did(
        "systemctl", "--quiet", "is-active", "lldpd"
    ):  # a start waits for who stops after it
        _do("systemctl", "start", "lldpd")
    if is_new:
        _do("lldpcli", "-c", str(_LLDPD))
    _names({one: port_name(one) for one in (*data, system.management)})


def _names(ports: dict[str, str]) -> None:
    """See that lldpd does: before 1.0.18 it may miss some where a link changes as it starts.

    github.com/lldpd/lldpd/issues/611: news of a change ends its first reading of all ports. What it
    is told of a port that it does not know is lost.
    """
    for _ in range(_STARTS):
        groups = said("lldpcli", "-f", "json0", "show", "interfaces").get("lldp", [])
        found = [one for group in groups for one in group.get("interface", [])]
        if ports.items() <= {(one["name"], one["port"][0]["id"][0]["value"]) for one in found}:
            return
        sys.stderr.write("lldpd does not name all ports: it starts anew\n")
        _do("systemctl", "restart", "lldpd")
        _do("lldpcli", "-c", str(_LLDPD))


def _time(text: str) -> None:
    """A chronyd that is told the same goes on as it was."""
    is_new = not _TIME.exists() or _TIME.read_text() != text
    if is_new:
        _TIME.write_text(text)
    if not text:
        _do("systemctl", "stop", _TIMEKEEPER)
    elif is_new or not did("systemctl", "--quiet", "is-active", _TIMEKEEPER):
        _do("systemctl", "restart", _TIMEKEEPER)


def _reload_frr(text: str) -> None:
    """Sessions whose lines stay as they are stay up."""
    if _FRR.exists() and _FRR.read_text() == text:
        return
    asked = _FRR.with_suffix(".asked")
    asked.write_text(text)
    if did("/usr/lib/frr/frr-reload.py", "--reload", str(asked)):
        asked.replace(_FRR)
