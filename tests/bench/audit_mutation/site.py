"""Sites of each system as `render` writes them, and who reports that one text of them changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from unittest.mock import patch

from inventory.plan import Plan
from switch_configs import DialectError, intent, render
from switch_configs.intent import ConfigFile, Rendered
from tests.switch_configs.sites import small
from validation.audit import audit as auditing
from validation.audit import box as boxing
from validation.audit.links import Link
from validation.audit.lost import lost
from validation.audit.network import network
from validation.audit.rule import Problem
from validation.audit.rules import rules
from validation.proof.configuration import proof

from .second_reader import Facts, facts
from .tokens import Mutant, Text

# One switch of each role: those beside it are made by the same templates.
ROLES = ("leaf-p1-r0", "spine-p1-1", "superspine-g1-1", "storage-leaf-b1-1", "storage-spine1",
          "business-leaf-b1-1", "business-spine1")  # fmt: skip


@dataclass(frozen=True, eq=False)
class Site:
    """A site whose switches run one system."""

    system: str
    plan: Plan
    files: Mapping[str, tuple[ConfigFile, ...]]

    @property
    def texts(self) -> dict[str, dict[str, str]]:
        """What `audit` is given: texts by switch and path."""
        return {name: {one.path: one.text for one in made} for name, made in self.files.items()}

    def mutable(self) -> list[Text]:
        """The texts that are changed."""
        return [
            Text(self.plan.site, self.system, name, one.path, one.text)
            for name in ROLES for one in self.files.get(name, ())
        ]  # fmt: skip


@cache
def site(system: str) -> Site:
    """The small site of the tests in one system: three tiers, storage, users, tables."""
    plan = small(system)
    return Site(system, plan, {name: render(plan, name).files for name in plan.switch})


def told_by_audit(of: Site, mutant: Mutant | None) -> frozenset[str]:
    """What an audit of the whole site says, of its texts alone, with one of them changed.

    It is the audit itself; texts that are as they were are read once.
    """
    texts = of.texts
    if mutant:
        texts[mutant.of.device][mutant.of.path] = mutant.text
    with patch.object(auditing, "box", _read):
        found = auditing.audit(texts)
    return frozenset({*map(_said, found.problems), *found.inconclusive})


def told_near(of: Site, mutant: Mutant) -> frozenset[str]:
    """What it says that it does not say of the healthy site: rules run where the change is.

    Of a box by itself only the changed one is asked, of links those that it is at, or that were
    not there before; rules of the whole network see all of it. A test compares it with the whole.
    """
    name = mutant.of.device
    texts = of.texts[name]
    texts[mutant.of.path] = mutant.text
    one = boxing.box(name, texts)
    others = [box for source in of.files if source != name
              if isinstance(box := _read(source, of.texts[source]), boxing.Box)]  # fmt: skip
    if isinstance(one, boxing.NotRead) or one.name in {box.name for box in others}:
        return told_by_audit(of, mutant) - healthy(of.system)
    seen = network([*others, one])
    before = {(str(link.a), str(link.b)) for link in _links(of.system)}
    near = [
        link for link in seen.links
        if one in (link.a.box, link.b.box) or (str(link.a), str(link.b)) not in before
    ]  # fmt: skip
    found: list[Problem] = []
    for rule in rules():
        if auditing._judges(rule, one):  # all boxes are of one system
            found += rule.of_box(one)
            found += (problem for link in near for problem in rule.of_link(link))
            found += rule.of_network(seen)
    unread = Counter((one.name, line.topic) for line in one.facts.unread if not line.by_form)
    words = auditing.Audit(seen, (), tuple(lost(seen)), unread).inconclusive
    return frozenset({*map(_said, found), *words}) - healthy(of.system)


def _said(one: Problem) -> str:
    return f"{one.rule} {one.subject}: {one.found}"


@cache
def _links(system: str) -> tuple[Link, ...]:
    boxes = (_read(source, texts) for source, texts in site(system).texts.items())
    return network(box for box in boxes if isinstance(box, boxing.Box)).links


def _read(source: str, texts: Mapping[str, str]) -> boxing.Box | boxing.NotRead:
    return _box(source, tuple(texts.items()))


@lru_cache(maxsize=256)
def _box(source: str, texts: tuple[tuple[str, str], ...]) -> boxing.Box | boxing.NotRead:
    return boxing.box(source, dict(texts))


@cache
def healthy(system: str) -> frozenset[str]:
    """What the audit says of the site as it is."""
    return told_by_audit(site(system), None)


def told_by_proof(of: Site, mutant: Mutant | None, device: str = "") -> tuple[str, ...]:
    """What the proof against the plan says of the changed text; () where it agrees."""
    name = mutant.of.device if mutant else device
    files = tuple(
        replace(one, text=mutant.text) if mutant and one.path == mutant.of.path else one
        for one in of.files[name]
    )
    try:
        return proof(intent(of.plan, name), Rendered(name, of.system, files), None).wrong
    except (DialectError, ValueError, KeyError, TypeError, RecursionError) as error:
        return (f"it cannot be read: {error}",)


@cache
def _facts(system: str, device: str) -> Facts:
    return facts(system, site(system).texts[device])


def labels(of: Site, mutant: Mutant) -> tuple[tuple[object, ...], ...]:
    """Keys of the facts that a change changes, by the second reader; () where none."""
    before = _facts(of.system, mutant.of.device)
    texts = of.texts[mutant.of.device]
    texts[mutant.of.path] = mutant.text
    after = facts(of.system, texts)
    return tuple(key for key in {**before, **after} if before.get(key) != after.get(key))
