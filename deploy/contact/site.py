"""One site at its first contact: its devices, how they are called, and whom railbed is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address
from pathlib import Path

from deploy.errors import RailbedError
from deploy.session import Selection, require_up
from deploy.transport import credentials
from deploy.transport.ssh_files import access, first_contact
from inventory.nodes.hostvars import groups
from inventory.oob.logins import server_logins, users
from inventory.oob.ssh_config import addresses_of, known_hosts, ssh_config
from inventory.plan import Plan, ServerLogin
from inventory.problems import close_to
from switch_configs import cli

from .contact_run import Way
from .keys import HostKey, key_in


@dataclass(frozen=True)
class Site:
    """What the first contact reads of a site; it may lack its list of host keys."""

    plan: Plan
    state: Path
    access: IPv4Address
    key_file: Path
    known: dict[str, str]

    @cached_property
    def addresses(self) -> dict[str, str]:
        """Where each device answers: the OOB server from here, all others behind it."""
        found = addresses_of(self.plan, self.access)
        return {name: str(found[name]) for name in sorted(found)}

    @cached_property
    def users(self) -> dict[str, str]:
        """Who railbed is on each device."""
        return users(self.plan)

    @cached_property
    def by_name(self) -> dict[str, str]:
        """From each name and address, as texts may have it, to its device."""
        return {name: device for device in self.plan.devices for name in self.names(device)}

    @cached_property
    def logins(self) -> dict[str, ServerLogin]:
        """What the site says of logins of servers."""
        return server_logins(self.plan)

    def names(self, device: str) -> tuple[str, ...]:
        """What a device is called: by itself, in the site's domain, by its address."""
        return device, f"{device}.{self.plan.oob.domain}", self.addresses[device]

    def kind(self, device: str) -> str:
        """Its class: the OOB server, a node, or a switch of a system."""
        if device == self.plan.oob.name:
            return "OOB server"
        switch = self.plan.any_switch.get(device)
        return f"{switch.dialect} switch" if switch else "node"

    def has_shell(self, device: str) -> bool:
        """Whether a login gets a shell; else it is at its system's own command line."""
        switch = self.plan.any_switch.get(device)
        return switch is None or cli(switch.dialect) is None

    def known_key(self, device: str) -> HostKey | None:
        """Its key on the list; RailbedError for a text that is none."""
        if device not in self.known:
            return None
        if key := key_in(self.known[device]):
            return key
        raise RailbedError(f"hostkeys.json: {device}: a text that is no public key")

    def password_name(self, device: str) -> str:
        """The credential that is its login's password; "" where the site names none."""
        if device in self.plan.any_switch:
            return "switch_password" if "switch_password" in dict(self.plan.credentials) else ""
        login = self.logins.get(device)
        return login.password if login else ""

    def password(self, device: str) -> Way | None:
        """The way in by that password, or None; RailbedError where it cannot be read."""
        name = self.password_name(device)
        return Way(password=credentials.read(self.plan, self.state, name)) if name else None

    def files(self, folder: Path, keys: dict[str, HostKey]) -> tuple[Path, Path]:
        """Write the ssh_config and known_hosts of these keys below a folder."""
        ssh = folder / "ssh"
        ssh.mkdir(mode=0o700, exist_ok=True)
        config, hosts = ssh / "config", ssh / "known_hosts"
        config.write_text(ssh_config(self.plan, str(folder), self.access, self.key_file))
        listed = {name: str(key) for name, key in keys.items()}
        hosts.write_text(known_hosts(self.plan, listed, self.access))
        return config, hosts


def open_at_first(selection: Selection, plan: Plan) -> Site:
    """The selected site, whose plan this is; RailbedError, which says how its key is made."""
    require_up(selection)
    state = selection.state_dir.absolute()
    try:
        key_file = credentials.key_file(plan, state)
    except RailbedError as error:
        raise RailbedError(error.message, hint=f"{error.hint}; {make_key(plan, state)}") from None
    return Site(plan, state, access(plan, state), key_file, first_contact(state))


def make_key(plan: Plan, state: Path) -> str:
    """The command that makes the site's key where the site says that it lies."""
    _, _, path = dict(plan.credentials).get("ssh_key", "file:id_ed25519").partition(":")
    return (
        f"`mkdir -p -m 700 {state} && ssh-keygen -t ed25519 -N '' -C {plan.site} -f {state / path}`"
    )


def chosen(plan: Plan, named: Sequence[str]) -> tuple[str, ...]:
    """These devices and members of groups, the OOB server first; all where none is named.

    RailbedError for a name that is none.
    """
    members, found = groups(plan), set[str]()
    for name in named:
        mine = {name} & {*plan.devices} or {*members.get(name, ())}
        if not mine:
            hint = close_to(name, {*plan.devices, *members})
            raise RailbedError(f"{name}: {plan.site} has no such device or group", hint=hint)
        found |= mine
    return tuple(sorted(found or plan.devices, key=lambda one: (one != plan.oob.name, one)))
