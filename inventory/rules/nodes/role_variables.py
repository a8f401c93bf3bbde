"""Rules for variables of roles: each value reaches a host, and no two contradict each other.

What no role has, what the plan computes and what is of another type is refused by the schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from inventory.load.yaml_positions import Path
from inventory.model import Fabric
from inventory.nodes.role_variables import Host, given, hosts, role_of
from inventory.problems import Problem, close_to
from inventory.schema import RoleValues

_AT = "role_variables"
_SYSCTLS = "os_base_sysctls"
_OF_ONE_PORT = "net.ipv4.conf."
_OF_ALL_PORTS = (f"{_OF_ONE_PORT}all.", f"{_OF_ONE_PORT}default.")


@dataclass(frozen=True, slots=True)
class _Level:
    """One place that sets values, and what it sets."""

    path: Path
    values: RoleValues

    def means(self, host: Host) -> bool:
        match self.path[1:]:
            case ("groups", group):
                return group in host.groups
            case ("nodes", name):
                return name == host.name
        return True


def role_variables_are_meant(fabric: Fabric) -> Iterator[Problem]:
    """A value that reaches no host would be believed, and change nothing."""
    said = fabric.intent.role_variables
    if not (said.site.model_fields_set or said.groups or said.nodes):
        return
    known = list(hosts(fabric))
    yield from _names_are_known(fabric, known)
    yield from _values_reach_a_host(fabric, known)
    yield from _groups_agree(fabric, known)
    yield from _parameters_have_one_owner(fabric)


def _levels(fabric: Fabric) -> Iterator[_Level]:
    said = fabric.intent.role_variables
    yield _Level((_AT, "site"), said.site)
    for group, values in said.groups.items():
        yield _Level((_AT, "groups", group), values)
    for name, values in said.nodes.items():
        yield _Level((_AT, "nodes", name), values)


def _names_are_known(fabric: Fabric, known: list[Host]) -> Iterator[Problem]:
    """A group without hosts, or a node that is not built, is a slip."""
    said = fabric.intent.role_variables
    groups = {group for host in known for group in host.groups}
    for group in sorted(set(said.groups) - groups):
        hint = close_to(group, groups) or "groups: " + ", ".join(sorted(groups)[:12])
        expected = "a group that has hosts, or a profile of nodes"
        yield fabric.marked.key_problem((_AT, "groups", group), f"`{group}`", expected, hint)
    names = {host.name for host in known}
    for name in sorted(set(said.nodes) - names):
        expected = "a node of this site, or its OOB server"
        hint = close_to(name, names)
        yield fabric.marked.key_problem((_AT, "nodes", name), f"`{name}`", expected, hint)


def _values_reach_a_host(fabric: Fabric, known: list[Host]) -> Iterator[Problem]:
    """Only a host with the role reads its variables."""
    for level in _levels(fabric):
        roles = [host.roles for host in known if level.means(host)]
        for name in given(level.values):
            role = role_of(name)
            if roles and not any(role in one for one in roles):
                held = ", ".join(sorted(frozenset[str]().union(*roles)))
                found = f"`{name}`, and no host here has the role {role}"
                expected, hint = "a variable of a role that is there", f"roles: {held}"
                yield fabric.marked.key_problem((*level.path, name), found, expected, hint)


def _groups_agree(fabric: Fabric, known: list[Host]) -> Iterator[Problem]:
    """None of a node's groups is more specific than another: two values would be chance."""
    groups = fabric.intent.role_variables.groups
    told: set[Path] = set()
    for host in known:
        first: dict[Path, tuple[str, object]] = {}
        for group in (one for one in groups if one in host.groups):
            for at, value in _leaves(groups[group], host.roles):
                path = (_AT, "groups", group, *at)
                other, held = first.setdefault(at, (group, value))
                if held != value and path not in told:
                    told.add(path)
                    found = f"another value than that of `{other}`, for {host.name}"
                    hint = f"both are groups of it; its own value goes under {_AT}.nodes"
                    yield fabric.problem(path, found, "one value for each host", hint)


def _leaves(values: RoleValues, roles: frozenset[str]) -> Iterator[tuple[Path, object]]:
    """Each variable that is written, and of a mapping each name, with its value."""
    for name, value in given(values).items():
        if role_of(name) not in roles:
            continue
        if isinstance(value, dict):
            yield from (((name, key), one) for key, one in value.items())
        else:
            yield (name,), value


def _parameters_have_one_owner(fabric: Fabric) -> Iterator[Problem]:
    """Of two roles that set one kernel parameter, the last to run would win, and drift for ever."""
    owners: dict[str, str] = {}
    for name, profile in fabric.node_profiles.items():
        if profile.tuning.numa_balancing is not None:
            owners["kernel.numa_balancing"] = f"tuning.numa_balancing of profile {name}"
        owners |= dict.fromkeys(profile.tuning.sysctls, f"tuning.sysctls of profile {name}")
    for level in _levels(fabric):
        said = given(level.values).get(_SYSCTLS)
        for name in said if isinstance(said, dict) else ():
            owner = owners.get(name, "")
            if name.startswith(_OF_ONE_PORT) and not name.startswith(_OF_ALL_PORTS):
                owner = "the role roce_nic"
            if owner:
                path, found = (*level.path, _SYSCTLS, name), f"`{name}`, which {owner} sets"
                expected = "a parameter of no other owner"
                yield fabric.marked.key_problem(path, found, expected)


ROLE_VARIABLE_RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (role_variables_are_meant,)
