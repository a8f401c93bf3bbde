"""The ssh_config and known_hosts that every tool shares: OpenSSH, paramiko and pyinfra.

Every device is reached by its name or by its management address through the OOB server, as the
login that `logins.py` finds.
The jump is a ProxyJump: OpenSSH hands its own -F on to it, pyinfra opens it in its own
process. (Given a ProxyCommand, pyinfra's paramiko never notices that the command ended, and
spins.) Host keys are always checked (ssh_config(5), StrictHostKeyChecking).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address
from pathlib import PurePath

from inventory.plan import Plan
from inventory.problems import InventoryError, Problem

from .logins import ROOT, users

# A Unix socket's path has 108 bytes with its final zero (unix(7)); ssh appends a hash of
# 40 characters to our folder (`%C`), and while it opens the socket 17 more.
_CONTROL_DIR_BYTES = 108 - 1 - len("/") - 40 - 17
# ssh_config(5) has no way to write these into every keyword that takes a path.
_ODD = re.compile(r"[%\"'\\$`\s~#]")


def ssh_config(
    plan: Plan,
    state_dir: str,
    access: IPv4Address,
    key_path: PurePath | str,
    control_dir: str | None = None,
) -> str:
    """Return the text of `STATE_DIR/ssh/config`.

    `access` is where the OOB server answers from here. `control_dir`, an existing folder
    of mode 700 with a short path, turns connection sharing on. Raises InventoryError for
    paths that ssh_config cannot carry.
    """
    problems = [*_odd_paths(state_dir, str(key_path), control_dir)]
    if problems:
        raise InventoryError(problems)
    who = users(plan)
    blocks = [_host(plan.oob.name, access, "", who[plan.oob.name])]
    for name, address in _addresses(plan).items():
        blocks.append(_host(name, address, plan.oob.name, who[name]))
    return "\n".join([*blocks, _common(state_dir, str(key_path), control_dir)])


def known_hosts(plan: Plan, hostkeys: Mapping[str, str], access: IPv4Address) -> str:
    """Return the text of `STATE_DIR/ssh/known_hosts`: name and address, then the key.

    `hostkeys` is the list of first contact, `ssh-ed25519 AAAA...` by device. Devices it
    lacks get no line, so that strict checking refuses them. Raises InventoryError for
    what is no public key.
    """
    addresses = addresses_of(plan, access)
    problems = [
        Problem("hostkeys.json", 1, 1, name, "a text that is no public key", "`TYPE BASE64`")
        for name, key in hostkeys.items()
        if not re.fullmatch(r"[a-z0-9@.-]+ [A-Za-z0-9+/]+={0,3}( [^\s]+)?", key.strip())
    ]
    if problems:
        raise InventoryError(problems)
    return "".join(
        f"{name},{addresses[name]} {' '.join(hostkeys[name].split()[:2])}\n"
        for name in sorted(addresses)
        if name in hostkeys
    )


def addresses_of(plan: Plan, access: IPv4Address) -> dict[str, IPv4Address]:
    """Where each device answers: the OOB server from here, all others behind it."""
    return {plan.oob.name: access, **_addresses(plan)}


def _addresses(plan: Plan) -> dict[str, IPv4Address]:
    devices = {switch.name: switch.management for switch in plan.switches}
    devices |= {switch.name: switch.management for switch in plan.oob_switches}
    devices |= {node.name: node.management for node in plan.nodes}
    return {name: devices[name].address.ip for name in sorted(devices)}


def _host(name: str, address: IPv4Address, jump: str, user: str) -> str:
    lines = [f"Host {name} {address}", f"  HostName {address}"]
    if user != ROOT:
        lines.append(f"  User {user}")
    if jump:
        lines.append(f"  ProxyJump {jump}")
    return "\n".join([*lines, ""])


def _common(state_dir: str, key_path: str, control_dir: str | None) -> str:
    lines = [
        "Host *",
        f"  User {ROOT}",
        f"  IdentityFile {key_path}",
        "  IdentitiesOnly yes",
        "  IdentityAgent none",
        f"  UserKnownHostsFile {state_dir}/ssh/known_hosts",
        "  GlobalKnownHostsFile /dev/null",
        "  StrictHostKeyChecking yes",
        "  UpdateHostKeys no",
        "  BatchMode yes",
        "  ConnectTimeout 10",
        "  ServerAliveInterval 5",
        "  ServerAliveCountMax 3",
    ]
    if control_dir is not None:
        lines += [
            "  ControlMaster auto",
            f"  ControlPath {control_dir}/%C",
            "  ControlPersist 60",
        ]
    return "\n".join([*lines, ""])


def _odd_paths(state_dir: str, key_path: str, control_dir: str | None) -> Iterator[Problem]:
    for path in (state_dir, key_path, control_dir):
        if path is not None and (_ODD.search(path) or not path.startswith("/")):
            expected = "an absolute path of plain characters"
            hint = "ssh_config cannot carry spaces, quotes, `%`, `$`, `~` or `#` in every path"
            yield Problem(path, 1, 1, "", "a path that ssh cannot use", expected, hint)
    if control_dir is not None and len(control_dir.encode()) > _CONTROL_DIR_BYTES:
        found = f"{len(control_dir.encode())} bytes"
        expected = f"at most {_CONTROL_DIR_BYTES} bytes"
        hint = "a Unix socket's path ends at 108 bytes (unix(7))"
        yield Problem(control_dir, 1, 1, "", found, expected, hint)
