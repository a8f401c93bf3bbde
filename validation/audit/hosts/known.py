"""Which rule is judged of a server by its files, and which only by what runs there.

Of what neither says no rule says anything: it is listed here, and called good nowhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from validation.audit.rule import Rule
from validation.audit.rules import rules

from .facts import HostFacts
from .host import Host

How = Literal["files", "run time"]
# Facts of NICs that no file of a server sets: only the running one tells them.
RUN_TIME = frozenset({"nic.gids", "nic.rate_gbps", "nic.fec", "nic.autoneg", "nic.roce_mtu_bytes"})
_OF_HOSTS = ("nic.", "host.")


@dataclass(frozen=True, slots=True)
class NotJudged:
    """A rule that says nothing of some servers: the facts that they do not say."""

    rule: str
    how: How
    facts: tuple[str, ...]
    hosts: tuple[str, ...]


def how(rule: Rule) -> How | None:
    """How a rule on servers is known of one; None for a rule on switches."""
    mine = {fact for fact in rule.needs if fact.startswith(_OF_HOSTS)}
    if not mine:
        return None
    return "run time" if mine & RUN_TIME else "files"


def table() -> Iterator[tuple[str, How]]:
    """Each rule on servers with how it is known."""
    for rule in rules():
        if found := how(rule):
            yield rule.id, found


def not_judged(hosts: Iterable[Host]) -> Iterator[NotJudged]:
    """What no rule could say of which servers, by rule."""
    every = tuple(hosts)
    for rule in rules():
        known = how(rule)
        silent: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for host in every if known else ():
            if missing := tuple(sorted(one for one in rule.needs if _is_silent(host.facts, one))):
                silent[missing].append(host.name)
        for facts, names in silent.items():
            yield NotJudged(rule.id, known or "files", facts, tuple(names))


def _is_silent(facts: HostFacts, fact: str) -> bool:
    """Whether no NIC with RoCE, or the server itself, says a fact."""
    part, _, name = fact.partition(".")
    if part == "nic":
        return all(getattr(nic, name) is None for nic in facts.roce_nics)
    if part == "host":
        known = name in facts.settings or any(key.endswith(f".{name}") for key in facts.sysctls)
        return not known and getattr(facts, name, None) is None
    return False
