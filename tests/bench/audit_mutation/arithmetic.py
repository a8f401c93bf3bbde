"""Wrong sums in what renderer and plan share: does the proof notice the wrong text all the same?

What is wanted comes from the same plan as the text, so a wrong sum in it agrees with itself. Only
`validation.paused` and `validation.routing.valley` sum again by other ways. Each mutant of the
shared modules takes the place of the real functions in this process; two small sites are planned
and rendered anew, and one switch of each role is proved. A mutant that changes no text here says
nothing, and is left out.
"""

from __future__ import annotations

import importlib
import random
import types
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from inventory.plan import Plan
from switch_configs import intent, render
from tests.bench.mutants import Mutant, of_file
from tests.bench.results import result
from tests.switch_configs import sites
from tests.tree import ROOT
from validation.audit.audit import audit
from validation.proof.configuration import proof

from .second_reader import facts
from .site import ROLES

SHARED = ("inventory/lossless/*.py", "switch_configs/qos.py", "switch_configs/policies.py")
_SYSTEMS = ("sonic", "eos")
Texts = dict[tuple[str, str, str], str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one mutant: `equal`, `refused`, `told`, `audited` or `survived`; a word."""

    mutant: Mutant
    how: str
    word: str


def drawn(count: int, seed: int) -> list[Mutant]:
    """So many mutants of the shared modules, each file having its turn."""
    rng = random.Random(seed)
    files = [path for pattern in SHARED for path in sorted(ROOT.glob(pattern))]
    groups = []
    for path in files:
        name = str(path.relative_to(ROOT))
        groups.append(list(of_file(name, path.read_text())))
    found: list[Mutant] = []
    while len(found) < count and any(groups):
        for group in groups:
            if group and len(found) < count:
                found.append(group.pop(rng.randrange(len(group))))
    return found


def outcome(one: Mutant, before: Texts) -> Outcome:
    """Plan, render and prove with the mutant in place of the real functions."""
    text = (ROOT / one.path).read_text()
    with _in_place(one.path, one.apply(text)):
        try:
            plans = [_plan(system) for system in _SYSTEMS]
            after = texts(plans)
        except Exception as error:  # noqa: BLE001 # a mutant may raise anything: it is loud
            return Outcome(one, "refused", f"{type(error).__name__}: {error}"[:120])
        if after == before:
            return Outcome(one, "equal", "")
        try:
            word = next(_wrong(plans), "")
        except Exception as error:  # noqa: BLE001 # as above
            return Outcome(one, "refused", f"{type(error).__name__}: {error}"[:120])
        if not word and _facts(after) == _facts(before):
            return Outcome(one, "equal", "another name")
        if not word and (rule := next(_audited(plans), "")):
            return Outcome(one, "audited", rule)
    return Outcome(one, "told" if word else "survived", word)


def texts(plans: list[Plan]) -> Texts:
    """What is rendered, of one switch of each role."""
    return {
        (system, name, file.path): file.text
        for system, plan in zip(_SYSTEMS, plans, strict=True)
        for name in ROLES if name in plan.switch
        for file in render(plan, name).files
    }  # fmt: skip


def _facts(every: Texts) -> list[object]:
    devices = sorted({(system, name) for system, name, _ in every})
    return [
        facts(
            system, {path: text for (a, b, path), text in every.items() if (a, b) == (system, name)}
        )
        for system, name in devices
    ]


def healthy() -> Texts:
    """The same, of the product as it is."""
    return texts([_plan(system) for system in _SYSTEMS])


def _plan(system: str) -> Plan:
    return sites._open(sites._small, "small", system)  # without its cache


def _wrong(plans: list[Plan]) -> Iterator[str]:
    for plan in plans:
        for name in ROLES:
            if name in plan.switch:
                for word in proof(intent(plan, name), render(plan, name), None).wrong:
                    yield f"{name}: {word}"[:160]


def _audited(plans: list[Plan]) -> Iterator[str]:
    """What the audit says of the whole sites, which no plan is asked for."""
    for plan in plans:
        made = {
            name: {file.path: file.text for file in render(plan, name).files}
            for name in plan.switch
        }
        for one in audit(made).problems:
            yield f"{one.rule} {one.subject}"


@contextmanager
def _in_place(path: str, text: str) -> Iterator[None]:
    """Functions of a module do as this text says, wherever they were imported to."""
    module = importlib.import_module(path.removesuffix(".py").replace("/", ".").removesuffix(
        ".__init__"))  # fmt: skip
    other = types.ModuleType(module.__name__)
    other.__dict__.update(__package__=module.__package__, __file__=module.__file__)
    kept = dict(vars(module))
    codes = []
    try:
        exec(compile(text, path, "exec"), other.__dict__)  # our own text, changed
    except Exception:  # noqa: BLE001 # it does not even load: the module is gone
        other.__dict__.clear()
    for name, value in kept.items():
        if isinstance(value, types.FunctionType) and value.__module__ == module.__name__:
            codes.append((value, value.__code__, value.__defaults__))
            new = other.__dict__.get(name)
            code = getattr(new, "__code__", _gone.__code__)
            if len(code.co_freevars) == len(value.__code__.co_freevars):
                value.__code__, value.__defaults__ = code, getattr(new, "__defaults__", None)
        elif name.isupper() or (name.startswith("_") and name[1:2].isupper()):
            setattr(module, name, other.__dict__.get(name))
    try:
        yield
    finally:
        for function, code, defaults in codes:
            function.__code__, function.__defaults__ = code, defaults
        for name, value in kept.items():
            setattr(module, name, value)


def _gone(*_: object, **__: object) -> None:
    raise ImportError


def main(seed: int, count: int = 220) -> int:
    """All of them; survivors one by one."""
    before = healthy()
    assert not list(_wrong([_plan(system) for system in _SYSTEMS]))
    found = [outcome(one, before) for one in drawn(count, seed)]
    assert healthy() == before, "the product is as it was"
    how = Counter(one.how for one in found)
    for one in found:
        if one.how in {"audited", "survived"}:
            print(f"{one.how}: {one.mutant} {one.word}")
    print(f"seed {seed}; {dict(how)}")
    wrong = sum(how.values()) - how["equal"]
    told = 100 * (how["told"] + how["refused"]) / max(wrong, 1)
    print(result("shared_sums_proof", told, "%", 99, most=False))
    both = 100 * (wrong - how["survived"]) / max(wrong, 1)
    print(result("shared_sums_proof_or_audit", both, "%", 99, most=False))
    return 0
