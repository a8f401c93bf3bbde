"""Who railbed is on each device: what ssh_config, Ansible, pyinfra and `railbed enroll` go by."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TypeVar

from inventory.plan import Plan, ServerLogin, SwitchLogin
from inventory.switches.abilities import of

ROOT = "root"
_Login = TypeVar("_Login", ServerLogin, SwitchLogin)


def users(plan: Plan) -> dict[str, str]:
    """The login of each device: what the site says, else what its system ships, else root.

    One that is not root's runs everything through `sudo -n`.
    """
    found = dict.fromkeys((plan.oob.name, *plan.node), ROOT)
    found |= {name: login.user for name, login in server_logins(plan).items()}
    for name, switch in plan.any_switch.items():
        shipped = of(switch.dialect).login
        said = _first(plan.switch_services.logins, name)
        found[name] = said.user if said else shipped.user if shipped else ROOT
    return {name: found[name] for name in sorted(found)}


def server_logins(plan: Plan) -> dict[str, ServerLogin]:
    """The OOB server and the nodes that the site names a login for, each with its own."""
    named = {name: _first(plan.logins, name) for name in (plan.oob.name, *plan.node)}
    return {name: login for name, login in named.items() if login}


def become(plan: Plan) -> dict[str, str]:
    """The servers on which an engine has to become root, each with the login that it begins as."""
    return {name: one.user for name, one in server_logins(plan).items() if one.user != ROOT}


def _first(said: tuple[_Login, ...], name: str) -> _Login | None:
    """Of entries that name a device the first one counts."""
    named = (one for one in said if any(fnmatchcase(name, each) for each in one.devices))
    return next(named, None)
