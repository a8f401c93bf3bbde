"""How each system says a fact, and how a person mends it there: data of its own folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from inventory.own_yaml import own_yaml
from inventory.switches.systems import folders

SPOKEN = "spoken.yml"


@dataclass(frozen=True, slots=True)
class Whole:
    """How a whole text of a system is known, as expressions of lines: for `deploy/audits/whole.py`.

    `once` has what it says once, `named` the line with its name, `alone` heads that no line stands
    below, and `shows` the names of the forms that it has: `line-end`, `end`, `one-each`, `exits`,
    `json`. `printed_by` is the command that prints it, besides those of all systems, and `not_read`
    has by name the first words of other languages of the system.
    """

    once: tuple[str, ...] = ()
    named: str = ""
    alone: str = ""
    shows: tuple[str, ...] = ("line-end",)
    printed_by: str = ""
    not_read: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Spoken:
    """The words of one system.

    `places` has for a fact, named as in `Dialect.unsaid`, the words that stand in its line or
    above it; the first list that is there counts. `fixes` has for a rule of the audit what to type.
    `drains_by_itself`: routes with GRACEFUL_SHUTDOWN (RFC 8326) are used last without a policy.
    `undefined_policy_passes`: a policy that is named and not defined lets everything pass.
    `mtu_bytes` is the MTU of ports of a routed switch of which the text says none, where the
    readback does not say it itself.
    """

    places: Mapping[str, tuple[str, ...]]
    fixes: Mapping[str, str]
    drains_by_itself: bool = False
    undefined_policy_passes: bool = False
    mtu_bytes: int | None = None
    whole: Whole = field(default_factory=Whole)

    def of(self, fact: str) -> tuple[str, ...]:
        """Words for a fact; of one that the system's file does not name, its own without units."""
        name = fact.rpartition(".")[2]
        for unit in ("_bytes", "_gbps", "_percent", "_ms", "_s", "_m"):
            name = name.removesuffix(unit)
        return self.places.get(fact, (name.replace("_", " "),))


@cache
def spoken(system: str) -> Spoken:
    """The words of a system; none where its folder has no such file."""
    folder = folders().get(system)
    path = folder / SPOKEN if folder else None
    said = own_yaml(path) if path and path.is_file() else {}
    places = {fact: tuple(words) for fact, words in said.get("places", {}).items()}
    lists = ((name, tuple(one) if isinstance(one, list) else one) for name, one in
             said.get("whole", {}).items())  # fmt: skip
    whole = Whole(**dict(lists))
    return Spoken(places, said.get("fixes", {}), **said.get("behaves", {}), whole=whole)
