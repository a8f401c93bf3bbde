"""Damaged configurations are never called good: python -m tests.bench.audit_damage [TRIES] [SEED]

Of five systems, a leaf, a spine and what else their small site has are rendered; one text of one
of them is damaged, the switch is put into a folder or an archive, and all are audited together.
A *clean bill* is exit 0 where the damage changed what the text says of the lossless path: a port's
class, MTU, rate, FEC, table, bond, that the port is there, buffers. Where only other facts changed
(routing, services) and exit is 0, this is printed as a number, by damage and by what changed: of a
text that is whole in its form and says another value than it did, no reader can know the old one.
A damage that leaves all facts equal (a comment, a block or a server twice) may pass.

Prints each clean bill as `SYSTEM DAMAGE: what changed`; ends with RESULT lines, exit 1 where
one is short.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from difflib import unified_diff
from pathlib import Path
from typing import cast

from deploy.audits.gathered import gathered
from switch_configs import dialect, render
from switch_configs.readback.facts import PortFacts, SwitchFacts
from tests.switch_configs.sites import DIALECTS, small
from validation.audit import audit as auditing
from validation.audit.audit import Audit, audit
from validation.audit.box import Box, NotRead

from .audit_damages import CARRIERS, HEALTHY_CARRIERS, TEXT_DAMAGES, as_folder
from .results import result

TRIES = 10_000
_MOST_PAIRS = 3
_MOST_SHOWN = 60
_MOST_LINES = 14
_WHOLE = "whole/"


@dataclass(frozen=True, slots=True)
class Site:
    """A few switches of one system, and their facts."""

    system: str
    texts: dict[str, dict[str, bytes]]
    facts: dict[str, SwitchFacts]


def sites() -> list[Site]:
    """One of each system; an AssertionError where one is not called good undamaged."""
    out = []
    for system in DIALECTS:
        plan = small(system)
        roles: dict[str, list[str]] = {}
        for one in plan.switches:
            roles.setdefault(f"{one.plane} {one.tier}", []).append(one.name)
        pairs = [of_role[:2] for of_role in roles.values() if of_role[1:]][:_MOST_PAIRS]
        names = [name for pair in pairs for name in pair]
        made = {name: render(plan, name) for name in names}
        texts = {
            name: {file.path: file.text.encode() for file in one.files}
            for name, one in made.items()
        }
        facts = {name: dialect(system).readback(one) for name, one in made.items()}
        out.append(Site(system, texts, facts))
    return out


def lossless(facts: SwitchFacts | None) -> object:
    """What a text says of the lossless path."""
    if facts is None:
        return None
    ports = [replace(port, description="", addresses=()) for port in facts.ports]
    return ports, facts.buffers, facts.bonds, facts.pair


def changed(old: SwitchFacts, new: SwitchFacts | None) -> str:
    """Which facts differ, in one line; "" for none but those for people."""
    if new is None:
        return "the switch is missing"
    names = [
        one.name
        for one in fields(SwitchFacts)
        if one.name not in ("ports", "unread", "hazards", "release")
        and _once(getattr(old, one.name)) != _once(getattr(new, one.name))
    ]
    before = {port.name: replace(port, description="") for port in old.ports}
    after = {port.name: replace(port, description="") for port in new.ports}
    names += sorted({f"port {kind}" for kind in _ports(before, after)})
    return ", ".join(names)


def _once(value: object) -> object:
    """What stands twice is said once: a server, a network or a route that a block repeats."""
    if isinstance(value, tuple):
        return tuple(dict.fromkeys(map(_once, value)))
    if is_dataclass(value):
        return tuple(_once(getattr(value, one.name)) for one in fields(value))
    return value


def _ports(before: dict[str, PortFacts], after: dict[str, PortFacts]) -> list[str]:
    out = ["lost"] * bool(before.keys() - after.keys())
    out += ["added"] * bool(after.keys() - before.keys())
    for name in before.keys() & after.keys():
        out += [
            one.name
            for one in fields(PortFacts)
            if _once(getattr(before[name], one.name)) != _once(getattr(after[name], one.name))
        ]
    return out


@dataclass
class Tried:
    """What came of all trials."""

    by: Counter[str]
    tracebacks: list[str]
    clean: list[str]
    unseen: Counter[str]
    passed: int = 0


def trial(site: Site, draw: random.Random, folder: Path, tried: Tried) -> None:
    """One damage of one switch."""
    name = draw.choice(sorted(site.texts))
    files = dict(site.texts[name])
    carrier = draw.choice(CARRIERS)
    path = draw.choice(sorted(files))
    how = carrier.__name__
    if carrier in HEALTHY_CARRIERS:
        damage = draw.choice(TEXT_DAMAGES)
        other = draw.choice([one for one in site.texts if one != name])
        like = site.texts[other].get(path, b"\n")
        files[path] = damage(files[path] or b"\n", like, draw)
        how = damage.__name__
    tried.by[how] += 1
    with tempfile.TemporaryDirectory(dir=folder) as made:
        top = Path(made)
        carrier(top, name, files, draw)
        try:
            found = _audited(top, site, name)
        except Exception:  # noqa: BLE001  any one is what is looked for
            tried.tracebacks.append(f"{site.system} {how}\n{traceback.format_exc()}")
            return
    if found.exit_code:
        return
    tried.passed += 1
    box = next((b for b in found.network.boxes if not min(b.texts).startswith(_WHOLE)), None)
    now = box.facts if box else None
    what = changed(site.facts[name], now)
    if lossless(site.facts[name]) != lossless(now):
        lines = _differing(site.texts[name][path], files[path])
        tried.clean.append(f"{site.system} {how} of {name}{path}: {what}\n{lines}")
    elif what:
        tried.unseen[f"{how}: {what}"] += 1


def _differing(old: bytes, new: bytes) -> str:
    """The first lines that a damage took or added."""
    before, after = (data.decode("utf-8", "replace").splitlines() for data in (old, new))
    lines = list(unified_diff(before, after, n=1, lineterm=""))[2:]
    return "\n".join(f"      {one}" for one in lines[:_MOST_LINES])


def _audited(top: Path, site: Site, damaged: str) -> Audit:
    """Both the damaged switch and, undamaged, all others."""
    found = gathered(top)
    others = {
        f"{_WHOLE}{site.system}/{name}": {path: data.decode() for path, data in files.items()}
        for name, files in site.texts.items()
        if name != damaged
    }
    return audit({**others, **found.texts}, found.refused)


def _read_once() -> None:
    """The undamaged switches are the same in every trial."""
    read, kept = vars(auditing)["box"], dict[str, Box | NotRead]()

    def box(source: str, texts: Mapping[str, str]) -> Box | NotRead:
        if not source.startswith(_WHOLE):
            return cast("Box | NotRead", read(source, texts))
        if source not in kept:
            kept[source] = read(source, texts)
        return kept[source]

    vars(auditing)["box"] = box


def main() -> int:
    """Try, tell what came short, end with the results."""
    tries = int(sys.argv[1]) if len(sys.argv) > 1 else TRIES
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(10**6)
    print(f"seed {seed}")
    draw, began = random.Random(seed), time.perf_counter()
    _read_once()
    every = sites()
    tried = Tried(Counter(), [], [], Counter())
    with tempfile.TemporaryDirectory() as folder:
        healthy = [one.system for one in every if _refused_whole(one, Path(folder))]
        for at in range(tries):
            trial(every[at % len(every)], draw, Path(folder), tried)
    for one in tried.tracebacks[:3]:
        print(one)
    for one, count in Counter(tried.clean).most_common(_MOST_SHOWN):
        print(f"  clean bill x{count}: {one}")
    print(f"passed {tried.passed}; of these other facts than the lossless path's changed in "
          f"{tried.unseen.total()}, which no rule of today sees:")  # fmt: skip
    for one, count in tried.unseen.most_common(_MOST_SHOWN):
        print(f"  x{count}: {one}")
    print(f"{dict(sorted(tried.by.items()))} in {time.perf_counter() - began:.0f} s")
    print(f"healthy ones refused: {', '.join(healthy) or 'none'}")
    lines = [
        result("audit_damages_tried", tried.by.total(), "damages", tries, most=False),
        result("audit_damage_tracebacks", len(tried.tracebacks), "damages", 0),
        result("audit_damage_clean_bills", len(tried.clean), "damages", 0),
        result("audit_damage_healthy_refused", len(healthy), "systems", 0),
    ]
    print(*lines, sep="\n")
    return int(any(one.endswith("short") for one in lines))


def _refused_whole(site: Site, folder: Path) -> bool:
    name = min(site.texts)
    with tempfile.TemporaryDirectory(dir=folder) as made:
        as_folder(Path(made), name, site.texts[name], random.Random(0))
        found = _audited(Path(made), site, name)
    if found.exit_code:
        print(site.system, found.inconclusive[:3], [one.rule for one in found.problems][:5])
    return found.exit_code != 0


if __name__ == "__main__":
    sys.exit(main())
