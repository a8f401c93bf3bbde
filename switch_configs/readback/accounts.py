"""The local logins of a switch beside those that the plan allows and requires.

They are the switch's own: nothing renders or pushes them, and no password or key of one is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from inventory.plan import AccountRole, Plan, SwitchAccount
from switch_configs.intent import Account, Own


def planned(plan: Plan, device: str) -> tuple[SwitchAccount, ...]:
    """The logins that the plan names for a switch; a pattern may match many switches."""
    return tuple(
        account
        for account in plan.switch_services.accounts
        if any(fnmatchcase(device, pattern) for pattern in account.devices)
    )


def role_of(roles: set[str], words: dict[str, AccountRole]) -> AccountRole | None:
    """The plan's word for the roles that a system shows of a login; None for any but one of them.

    So a second role, and one that a site has made itself, is no role that a plan names.
    """
    return words.get(next(iter(roles))) if len(roles) == 1 else None


def unnamed(
    own: tuple[Own, ...], held: tuple[Account, ...], asked: tuple[SwitchAccount, ...]
) -> tuple[Own, ...]:
    """What is kept, without the lines of logins that the plan names: `otherwise` judges these."""
    names = {account.name for account in asked}
    known = {line for account in held if account.name in names for line in account.lines}
    return tuple(one for one in own if one.text not in known)


def otherwise(held: tuple[Account, ...], asked: tuple[SwitchAccount, ...]) -> tuple[str, ...]:
    """A sentence for each login that is not as the plan has it.

    What the plan says of a login goes before what the maker ships: so an `admin` that a plan has as
    an operator is told.
    """
    found = {account.name: account for account in held}
    return tuple(said for account in asked for said in _of(account, found.get(account.name)))


def _of(asked: SwitchAccount, held: Account | None) -> Iterator[str]:
    if held is None:
        if asked.required:
            yield f"account {asked.name} is not there, and the plan requires it"
        return
    if held.role != asked.role:
        yield f"account {asked.name} is no plain {asked.role}, as the plan has it"
    if held.ssh_keys > asked.ssh_keys:
        yield f"account {asked.name} has {held.ssh_keys} SSH keys, planned {asked.ssh_keys} at most"
