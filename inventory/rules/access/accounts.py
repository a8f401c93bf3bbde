"""Rules for the local logins of switches that a site plans, and for the site's own way in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase

from inventory.model import Fabric
from inventory.oob import plane as oob
from inventory.problems import Problem
from inventory.switches.abilities import cannot
from inventory.topology.racks import layout

_FEATURE = "local accounts"


def accounts_have_a_switch(fabric: Fabric) -> Iterator[Problem]:
    """A login of no switch is a slip: somebody believes that it is compared, or used."""
    said = fabric.intent.switch_services
    entries: dict[str, list[list[str]]] = {
        "accounts": [one.devices for one in said.accounts],
        "logins": [one.devices for one in said.logins],
    }
    names = _profiles(fabric) if any(entries.values()) else {}
    for key, every in entries.items():
        for at, devices in enumerate(every):
            for number, pattern in enumerate(devices):
                if not any(fnmatchcase(name, pattern) for name in names):
                    path = ("switch_services", key, at, "devices", number)
                    yield fabric.problem(path, f"`{pattern}`", "a switch of the site, or a pattern")


def logins_have_a_server(fabric: Fabric) -> Iterator[Problem]:
    """A login of no server is a slip: railbed would go on as root, and nobody would know why."""
    said = fabric.intent.logins
    names = (fabric.intent.oob.server, *fabric.population.nodes) if said else ()
    for at, login in enumerate(said):
        for number, pattern in enumerate(login.devices):
            if not any(fnmatchcase(name, pattern) for name in names):
                path = ("logins", at, "devices", number)
                expected = "the OOB server or a node of the site, or a pattern"
                hint = "of switches: switch_services.logins"
                yield fabric.problem(path, f"`{pattern}`", expected, hint)


def accounts_are_one_each(fabric: Fabric) -> Iterator[Problem]:
    """Two entries of one login on one switch would allow whatever either does."""
    accounts = fabric.intent.switch_services.accounts
    switches = _switches(fabric)
    for at, one in enumerate(accounts):
        same = [other for other in accounts[:at] if other.name == one.name]
        both = {name for other in same for name in switches(other.devices)}
        if shared := sorted(both & switches(one.devices)):
            path = ("switch_services", "accounts", at, "name")
            expected = f"one entry of it for each switch ({shared[0]} has two)"
            yield fabric.problem(path, f"`{one.name}`", expected)


def accounts_can_be_seen(fabric: Fabric) -> Iterator[Problem]:
    """What nobody reads of a switch cannot be compared, and would be believed to be."""
    switches, known = _switches(fabric), _profiles(fabric)
    for at, one in enumerate(fabric.intent.switch_services.accounts):
        profiles = sorted({name for each in switches(one.devices) for name in known[each]})
        refused: dict[str, str] = {}
        for name in profiles:
            refused.setdefault(fabric.switch_profiles[name].dialect, name)
        for dialect, name in sorted(refused.items()):
            if no := cannot(_FEATURE, dialect):
                release = fabric.switch_profiles[name].release
                expected = f"no {_FEATURE} on {dialect} {release} ({name})"
                path = ("switch_services", "accounts", at)
                yield fabric.problem(path, f"`{one.name}`", expected, f"{no.why}; {no.instead}")


def _names(fabric: Fabric) -> tuple[str, ...]:
    return tuple(_profiles(fabric))


def _profiles(fabric: Fabric) -> dict[str, tuple[str, ...]]:
    """By switch the profile it has; of an OOB switch those that one may have."""
    said = fabric.intent.oob.switches
    own = () if said is None else (said.access_profile, said.aggregation_profile, said.core_profile)
    every = tuple(one for one in own if one)
    found = dict.fromkeys(oob.netmgmt_indexes(fabric, layout(fabric)) if said else (), every)
    return found | {name: (one,) for name, one in fabric.profile_of_switch.items()}


def _switches(fabric: Fabric) -> Callable[[list[str]], set[str]]:
    names = _names(fabric) if fabric.intent.switch_services.accounts else ()

    def matching(patterns: list[str]) -> set[str]:
        return {name for name in names if any(fnmatchcase(name, one) for one in patterns)}

    return matching


ACCOUNT_RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (
    accounts_have_a_switch,
    logins_have_a_server,
    accounts_are_one_each,
    accounts_can_be_seen,
)
