"""How railbed gets into a twin: models let the lab's key in; no secret of the site goes there."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from copy import deepcopy
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from deploy.files import write_atomically
from inventory.oob.logins import users
from inventory.plan import Plan
from inventory.switches.abilities import cannot

from .twin import Exceptional

_KEY = "ssh_key"
_OF_LABS = "file:id_ed25519"
_MADE_UP = "file:made-up-"
# By these a switch would be logged in to, where models know the key alone.
_OF_LOGINS = ("switch_enable", "switch_password")


def credentials(fabric: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Exceptional, ...]]:
    """A `fabric.yml` whose credentials are the twin's own: the lab's key, and made up words."""
    made = deepcopy(dict(fabric))
    found: list[Exceptional] = []
    own: dict[str, str] = {}
    for name, said in sorted(made["credentials"].items()):
        if name in _OF_LOGINS:
            found.append(Exceptional(f"credentials.{name}", said, "none", "models let a key in"))
            continue
        own[name] = _OF_LABS if name == _KEY else f"{_MADE_UP}{name}"
        if own[name] != said:
            why = "no secret of the site goes to a twin"
            found.append(Exceptional(f"credentials.{name}", said, own[name], why))
    made["credentials"] = own
    return made, tuple(found)


def put_secrets(plan: Plan, state: Path) -> None:
    """Make up the words of a twin's credentials, in its state folder, for railbed alone.

    Those that are there stay: a change begins with the words that devices have.
    """
    for _, reference in plan.credentials:
        path = state / reference.removeprefix("file:")
        if reference.startswith(_MADE_UP) and not path.exists():
            write_atomically(path, f"{secrets.token_hex(16)}\n", mode=0o600)


def accounts(
    fabric: Mapping[str, Any], plan: Plan
) -> tuple[dict[str, Any], tuple[Exceptional, ...]]:
    """A `fabric.yml` in which each switch may hold the key that railbed has on it."""
    made, found = deepcopy(dict(fabric)), list[Exceptional]()
    services = made.get("switch_services") or {}
    held: list[dict[str, Any]] = services.get("accounts") or []
    who, missing = users(plan), dict[str, list[str]]()
    why = "railbed logs in to models by a key"
    for name, switch in sorted(plan.switch.items()):
        if cannot("local accounts", switch.dialect):
            continue
        mine = [one for one in held if one["name"] == who[name] and _is_of(one, name)]
        if not mine:
            missing.setdefault(who[name], []).append(name)
        elif mine[0].get("ssh_keys", 0) < 1:
            mine[0]["ssh_keys"] = 1
            where = f"switch_services.accounts.{who[name]}.ssh_keys"
            found.append(Exceptional(where, "0", "1", why))
    for user, names in sorted(missing.items()):
        # Without a word on devices it is on all: a list holds so many names and no more.
        some = {} if {*names} == {*plan.switch} else {"devices": names}
        held.append({"name": user, "role": "admin", "ssh_keys": 1, **some})
        where = f"switch_services.accounts.{user}"
        found.append(Exceptional(where, "not said", "one SSH key", why))
    if held:
        made["switch_services"] = {**services, "accounts": held}
    return made, tuple(found)


def _is_of(account: Mapping[str, Any], device: str) -> bool:
    return any(fnmatchcase(device, one) for one in account.get("devices", ["*"]))
