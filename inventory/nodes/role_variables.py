"""What a site says of the roles' variables, resolved for each host: node over group over site.

A mapping is laid over the less specific one, and over the role's default, name by name; all else
takes the place of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from inventory.engines.choice import groups_at
from inventory.load.files import yaml_mapping
from inventory.model import Fabric
from inventory.plan import RoleVariable
from inventory.problems import InventoryError, Problem
from inventory.schema import RoleValues

from .roles import EVERY_NODE, OOB_SERVER, WISHES, asked_of

Values = Mapping[str, object]
SERVER_GROUPS = ("kind_oob_server", "plane_oob")
_ROLES = Path(__file__).resolve().parents[2] / "roles"


@dataclass(frozen=True, slots=True)
class Host:
    """A node or the OOB server: what `groups` and `nodes` may name it by, and its roles."""

    name: str
    groups: tuple[str, ...]
    roles: frozenset[str]


def hosts(fabric: Fabric) -> Iterator[Host]:
    """Every host that has roles: the OOB server, then the nodes in position order."""
    yield Host(fabric.intent.oob.server, SERVER_GROUPS, frozenset(OOB_SERVER))
    population = fabric.population
    roles = {name: asked_of(one) for name, one in fabric.node_profiles.items()}
    for name, at in population.nodes.items():
        profile = population.profile_of(at)
        yield Host(name, (*groups_at(fabric, at), profile), frozenset(roles[profile]))


def role_of(variable: str) -> str:
    """The role that a variable belongs to, by its prefix."""
    known = (*OOB_SERVER, *EVERY_NODE, *WISHES)
    return next(role for role in known if variable.startswith(f"{role}_"))


def given(values: RoleValues) -> dict[str, object]:
    """The variables that were written, by name."""
    return {name: getattr(values, name) for name in sorted(values.model_fields_set)}


@dataclass
class Resolved:
    """The variables of each host of a fabric; hosts that are told the same share them."""

    fabric: Fabric
    _known: dict[tuple[object, ...], tuple[RoleVariable, ...]] = field(default_factory=dict)

    def by_host(self) -> dict[str, tuple[RoleVariable, ...]]:
        """The variables of each host that is told any, sorted by name."""
        said = self.fabric.intent.role_variables
        if not (said.site.model_fields_set or said.groups or said.nodes):
            return {}
        return {host.name: mine for host in hosts(self.fabric) if (mine := self._of(host))}

    def _of(self, host: Host) -> tuple[RoleVariable, ...]:
        said = self.fabric.intent.role_variables
        mine = tuple(name for name in sorted(said.groups) if name in host.groups)
        own = host.name if host.name in said.nodes else ""
        key = (mine, own, host.roles)
        if key not in self._known:
            levels = [said.site, *(said.groups[name] for name in mine)]
            levels += [said.nodes[own]] if own else []
            self._known[key] = _resolved([given(values) for values in levels], host.roles)
        return self._known[key]


def _resolved(levels: list[dict[str, object]], roles: frozenset[str]) -> tuple[RoleVariable, ...]:
    """From the least specific level to the most specific one."""
    found: dict[str, object] = {}
    for level in levels:
        for name, value in level.items():
            if isinstance(value, Mapping):
                below = found.get(name, default_of(role_of(name), name))
                found[name] = {**_mapping(below), **value}
            else:
                found[name] = value
    return tuple(_variable(name, found[name]) for name in sorted(found) if role_of(name) in roles)


def _mapping(value: object) -> Values:
    return value if isinstance(value, Mapping) else {}


def _variable(name: str, value: object) -> RoleVariable:
    if isinstance(value, Mapping):
        pairs = tuple((key, str(value[key])) for key in sorted(value))
        return RoleVariable(name, None, pairs)
    if isinstance(value, list):
        return RoleVariable(name, tuple(map(str, value)))
    return RoleVariable(name, value if isinstance(value, int) else str(value))


def default_of(role: str, variable: str) -> object:
    """What a role's `defaults/main.yml` says of a variable; InventoryError where it is broken."""
    return _defaults(role).get(variable)


@cache
def _defaults(role: str) -> Values:
    """Read once: it is part of the program."""
    problems: list[Problem] = []
    marked = yaml_mapping(_ROLES / role / "defaults" / "main.yml", problems)
    if marked is None or problems:
        raise InventoryError(problems)
    return _mapping(marked.value)
