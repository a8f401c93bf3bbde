"""From a network to a proposed site, opened and measured; what does not open is left out."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from inventory.plan import Plan
from inventory.problems import Problem
from inventory.topology.wiring import COLUMNS, DEVICE, PORT
from validation.audit.box import NotRead
from validation.audit.network import Network

from .guess import Guess, Notes, Shelf
from .measure import Measured, measure, planned_names
from .planes import Fabrics, fabrics
from .seen import End, groups
from .site import site
from .text import fabric_yaml, profiles_yaml

Section = dict[str, Any]
Opened = Plan | tuple[Problem, ...]
Opener = Callable[[Mapping[str, str]], Opened]
ASBUILT_CSV = "device,port,mac,serial\n"
_TRIES = 12
# What a site can be without: from the outermost inwards.
_SPARE = ("racks", "business", "storage", "servers", "switch_services")


@dataclass(frozen=True)
class Learned:
    """A proposal: the files by name, the guesses in them, what they could not express.

    `measured` is None where no plan came of them; `problems` then says why.
    """

    files: Mapping[str, str]
    guesses: tuple[Guess, ...]
    unsaid: tuple[str, ...]
    measured: Measured | None
    problems: tuple[str, ...]


def learn(
    network: Network,
    name: str,
    shelf: Shelf,
    opened: Opener,
    refused: Iterable[NotRead] = (),
) -> Learned:
    """Propose a site. `opened` says what files, by name, open as.

    `refused` are files of which nothing is known.
    """
    shelf = replace(shelf, switches=dict(shelf.switches))
    notes = Notes(unsaid=[*_unread(network, refused)])
    pairs = [(cable.a, cable.b) for cable in network.cables]
    ends: dict[End, End] = {end: far for pair in pairs for end, far in (pair, pair[::-1])}
    found_groups = groups(network, ends)
    if not found_groups:
        why = "no configuration has BGP: nothing shows leaves and spines"
        return Learned({}, (), (*notes.unsaid, why), None, (why,))
    found = fabrics(network, found_groups, shelf, notes)
    for one in found.by_plane.values():
        if not one.leaf_profile:
            why = f"{one.word}: no profile of switches is of the leaves' system"
            return Learned({}, tuple(notes.guesses), (*notes.unsaid, why), None, (why,))
    sections = site(name, network, found, shelf, notes)
    names: Mapping[str, str] = {}
    plan, problems = _until_it_opens(sections, opened, notes)
    if plan is not None:
        names = planned_names(network, found, plan)
        sections, plan = _with_overrides(network, names, sections, plan, opened, notes)
    files = _files(sections, notes.guesses, notes)
    if wires := _cables(found, notes):
        files["cables.csv"] = wires
    measured = measure(network, plan, names) if plan else None
    said = tuple(dict.fromkeys(notes.unsaid))
    return Learned(files, tuple(notes.guesses), said, measured, tuple(map(str, problems)))


def _files(sections: Section, guesses: Iterable[Guess], notes: Notes) -> dict[str, str]:
    files = {"fabric.yml": fabric_yaml(sections, guesses), "asbuilt.csv": ASBUILT_CSV}
    if notes.profiles:
        own = {name: profile for name, (_, profile) in notes.profiles.items()}
        files["profiles/switches.yml"] = profiles_yaml(own)
    return files


def _unread(network: Network, refused: Iterable[NotRead]) -> Iterator[str]:
    """What no reader here understands."""
    yield from (f"{one.source}: {one.why}" for one in refused)
    for box in network.boxes:
        topics = Counter(line.topic for line in box.facts.unread if not line.by_form)
        if topics:
            said = ", ".join(f"{count} on {topic}" for topic, count in sorted(topics.items()))
            yield f"{box.name}: lines that are not understood here: {said}"


def _until_it_opens(
    sections: Section, opened: Opener, notes: Notes
) -> tuple[Plan | None, tuple[Problem, ...]]:
    """Leave out what is refused, section by section, and say so."""
    problems: tuple[Problem, ...] = ()
    for _ in range(_TRIES):
        found = opened(_files(sections, (), notes))
        if isinstance(found, Plan):
            return found, ()
        problems = found
        if not _leave_out(sections, problems, notes):
            break
    return None, problems


def _leave_out(sections: Section, problems: tuple[Problem, ...], notes: Notes) -> bool:
    """Take out the least that a problem speaks of; False where nothing can be spared."""
    if _own_values(sections.get("overrides", {}), problems, notes):
        return True
    if any(name in str(one) for name in notes.profiles for one in problems):
        _our_releases(sections, notes, problems)
        return True
    words = {problem.path.replace("[", ".").split(".")[0]: problem for problem in problems}
    for word in ("oob", *_SPARE):
        if word == "oob" and word in words and sections["oob"].pop("switches", None):
            notes.unsaid.append(f"switches of the management plane: {_why(words[word])}")
            return True
        if word != "oob" and word in words and word in sections:
            notes.unsaid.append(f"section {word}: {_why(words[word])}")
            sections.pop(word)
            if word == "storage" and sections.get("business", {}).get("switches") == "storage":
                sections.pop("business")
            return True
    return _smaller(sections["topology"], problems, notes)


def _our_releases(sections: Section, notes: Notes, problems: tuple[Problem, ...]) -> None:
    """Take our own profiles for those with another release, which somebody refuses."""
    for own, (ours, profile) in notes.profiles.items():
        notes.unsaid.append(f"release {profile.release} of {ours}: {_why(problems[0])}")
        for section in _sections(sections):
            section |= {key: ours for key, value in section.items() if value == own}
    notes.profiles.clear()


def _sections(section: Section) -> Iterator[Section]:
    """A section and all in it."""
    yield section
    for one in section.values():
        if isinstance(one, dict):
            yield from _sections(one)


def _smaller(topology: Section, problems: tuple[Problem, ...], notes: Notes) -> bool:
    """The site as built, without room to grow; then with one node a pod: ports may be too few."""
    why, most = _why(problems[0]), topology["maxima"]
    built = {key: topology[key] for key in ("pods", "nodes_per_pod", "spines")}
    if any(most[key] != value for key, value in built.items()):
        most |= built
        for key in ("server_groups", "servers_per_group", "nodes_per_unit"):
            most.pop(key, None)
        notes.unsaid.append(f"room to grow: {why}")
        return True
    if topology["nodes_per_pod"] > 1:
        topology["nodes_per_pod"] = most["nodes_per_pod"] = 1
        notes.unsaid.append(f"all nodes of a pod but one: {why}")
        return True
    return False


def _own_values(own: Section, problems: tuple[Problem, ...], notes: Notes) -> bool:
    """Take out the overrides that problems speak of; False where none does."""
    found = False
    for problem in problems:
        first, *rest = problem.path.split(".")
        if first != "overrides" or not rest or rest[0] not in own:
            continue
        name, keys = rest[0], rest[1:2] or list(own[rest[0]])
        for key in keys:
            if (value := own[name].pop(key, None)) is not None:
                notes.unsaid.append(f"{name}: its own {key}, {value}: {_why(problem)}")
                found = True
        if not own[name]:
            own.pop(name)
    return found


def _why(problem: Problem) -> str:
    return f"{problem.path}: {problem.found}, expected {problem.expected}"


def _with_overrides(
    network: Network,
    names: Mapping[str, str],
    sections: Section,
    plan: Plan,
    opened: Opener,
    notes: Notes,
) -> tuple[Section, Plan]:
    """Where one switch differs from the formulas, say so for it alone, as far as that opens."""
    own: Section = {}
    for here, there in names.items():
        facts, switch = network.box[here].facts, plan.switch.get(there)
        address = (facts.services.management_address or "").partition("/")[0]
        reached = switch.management if switch else plan.oob_switch[there].management
        wishes: Section = {}
        if switch and facts.asn not in (None, switch.asn):
            wishes["asn"] = facts.asn
        if switch and facts.router_id not in (None, str(switch.loopback)):
            wishes["loopback"] = facts.router_id
        if address and address != str(reached.address.ip):
            wishes["management_address"] = address
        if wishes:
            own[there] = wishes
    if not own:
        return sections, plan
    trial = deepcopy(sections)
    trial["overrides"] = own
    for _ in range(sum(map(len, own.values())) + 1):
        again = opened(_files(trial, (), notes))
        if isinstance(again, Plan):
            return trial, again
        if not _leave_out(trial, again, notes):
            break
    return sections, plan


def _cables(found: Fabrics, notes: Notes) -> str:
    """`cables.csv`: every cable that was understood; "" where there is none."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    rows, strange = [], []
    for word, one in found.by_plane.items():
        pairs = [(wire.low, wire.high) for wire in (*one.group.wires, *one.group.peers)]
        pairs += [((e.box, e.port.name), (e.host, e.nic)) for e in one.group.hosts if e.nic]
        for low, high in pairs:
            a, b = sorted((low, high))
            fits = all(DEVICE.fullmatch(end[0]) and PORT.fullmatch(end[1]) for end in (a, b))
            if fits:
                rows.append((*a, *b, word))
            else:
                strange.append(f"{':'.join(a)} -- {':'.join(b)}")
    if strange:
        some = ", ".join(strange[:2])
        notes.unsaid.append(f"{len(strange)} cables between names that no site may have ({some})")
    if rows:
        out.writerows([COLUMNS, *sorted(set(rows))])
    return text.getvalue()
