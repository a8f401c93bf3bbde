"""All boxes by all rules: worst first, and what could not be judged. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from .box import Box, NotRead, box
from .hosts.host import Host, host
from .hosts.known import doubts
from .hosts.known import not_judged as not_judged_servers
from .known import NotJudged, known, not_judged, unseen_trunks
from .links import Cable
from .lost import lost
from .network import Network, network
from .rule import SEVERITIES, Problem, Rule
from .rules import rules

# Lines of these topics are beside the path of packets. A line of another topic that nobody here
# understands may be of it, a word that is misspelt too: then nothing is called good.
_BESIDE = frozenset({"users", "SNMP", "telemetry", "multicast"})
# What a file is, and no part of its device's name: `10.0.0.1.cfg`.
_SUFFIX = re.compile(r"\.[A-Za-z]\w*$")


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found. `unread` counts lines by box and topic that nobody here understands.

    `not_judged` are rules that say nothing of some boxes, which is no praise of them.
    """

    network: Network
    problems: tuple[Problem, ...]
    not_read: tuple[NotRead, ...]
    unread: Mapping[tuple[str, str], int]
    not_judged: tuple[NotJudged, ...] = ()

    @property
    def unseen_ends(self) -> Mapping[str, tuple[str, ...]]:
        """By box, the ports that lead somewhere and whose other end is in no text."""
        return self.network.unseen_ends

    @property
    def unseen_sessions(self) -> Mapping[str, tuple[str, ...]]:
        """By box, the sessions whose other end is in no text."""
        return self.network.unseen_sessions

    @property
    def inconclusive(self) -> tuple[str, ...]:
        """Why nobody may call these configurations good, where nothing was found."""
        why = [f"{one.source}: {one.why}" for one in self.not_read]
        why += [
            f"{one.name}: {file}: {reason}"
            for one in self.network.hosts
            for file, reason in one.facts.unread
        ]
        why += [
            f"{one.name}: nothing here says what its NICs do with RoCE"
            for one in self.network.hosts
            if not one.facts.roce_nics and not one.facts.settings
        ]
        why += doubts(self.network)
        why += [
            f"{name}: {count} lines on {topic} are not understood here"
            for (name, topic), count in sorted(self.unread.items())
            if self.concerns(topic)
        ]
        is_empty = not self.network.boxes and not self.network.hosts
        return (*why, *(("no configuration was read",) if is_empty else ()))

    def concerns(self, topic: str) -> bool:
        """Whether lines on this may be of the lossless path."""
        return topic not in _BESIDE

    @property
    def exit_code(self) -> int:
        """1 where something is wrong, 3 where nothing is known to be and not all is known."""
        return 1 if self.problems else 3 if self.inconclusive else 0


def audit(
    sources: Mapping[str, Mapping[str, str]],
    refused: Iterable[NotRead] = (),
    cables: Iterable[Cable] = (),
) -> Audit:
    """Judge the texts of each switch and server: by path on it, or of a lone file by any name.

    `refused` are files that are no text, `cables` what other sources list.
    """
    read: list[Box | Host | NotRead] = []
    names: set[str] = set()
    for source, found in _named(sources):
        one = found
        if not isinstance(one, NotRead) and one.name in names:
            why = "another text has the same hostname: which of them runs is not known"
            one = NotRead(source, why)
        read.append(one)
        names |= set() if isinstance(one, NotRead) else {one.name}
    seen = network(
        (one for one in read if isinstance(one, Box)),
        (one for one in read if isinstance(one, Host)),
        cables,
    )
    return judged(seen, (*refused, *(one for one in read if isinstance(one, NotRead))))


def _named(
    sources: Mapping[str, Mapping[str, str]],
) -> Iterator[tuple[str, Box | Host | NotRead]]:
    """What each source is; without a hostname, files may have names that differ behind a dot."""
    found: list[tuple[str, Box | Host | NotRead]] = []
    for source, texts in sorted(sources.items()):
        said = box(source, texts)
        found.append((source, host(source, texts, is_switch=isinstance(said, Box)) or said))
    whole: dict[str, list[str]] = defaultdict(list)
    for source, one in found:
        if not isinstance(one, NotRead):
            whole[one.name].append(_SUFFIX.sub("", source.rpartition("/")[2]))
    differ = {name for name, files in whole.items() if _differ(files)}
    for source, one in found:
        if isinstance(one, Box) and one.facts.hostname is None and one.name in differ:
            yield source, replace(one, name=_SUFFIX.sub("", source.rpartition("/")[2]))
        else:
            yield source, one


def _differ(names: Sequence[str]) -> bool:
    """Whether names of files are of as many devices: `leaf.old` is another text of `leaf`."""
    # What begins with a name comes behind it.
    dotted = sorted(f"{name}." for name in names)
    return len(names) > 1 and not any(b.startswith(a) for a, b in pairwise(dotted))


def judged(seen: Network, not_read: tuple[NotRead, ...] = ()) -> Audit:
    """A network by all rules, and what of it is not understood."""
    unread = Counter(
        (each.name, line.topic)
        for each in seen.boxes
        for line in each.facts.unread
        if not line.by_form
    )
    unread += Counter(
        (each.name, line.topic) for each in seen.hosts for line in each.facts.unread_lines
    )
    missing = (*not_read, *lost(seen))
    met = {link.box.name for link in seen.nic_links}
    silent = (
        *not_judged(seen.boxes, met),
        *unseen_trunks(seen),
        *not_judged_servers(seen.hosts),
    )
    return Audit(seen, problems(seen), missing, unread, silent)


def problems(seen: Network) -> tuple[Problem, ...]:
    """What every rule finds wrong with boxes, links and paths, worst first."""
    found: list[Problem] = []
    systems = {box.system: box for box in seen.boxes}
    parts = {frozenset(systems): seen}  # one for many rules: what it derives is derived once
    for rule in rules():
        spoken = frozenset(name for name, box in systems.items() if _judges(rule, box))
        if spoken not in parts:
            parts[spoken] = seen.of({box.name for box in seen.boxes if box.system in spoken})
        part = parts[spoken]
        found += _each(rule, "of_box", part.boxes)
        found += _each(rule, "of_link", part.links)
        found += _each(rule, "of_host", seen.hosts)
        found += _each(rule, "of_nic", part.nic_links)
        found += rule.of_network(part)
    order = {name: at for at, name in enumerate(SEVERITIES)}
    return tuple(sorted(found, key=lambda one: (order[one.severity], one.rule, one.subject)))


def _each(rule: Rule, name: str, things: Iterable[object]) -> Iterator[Problem]:
    """What a rule says of each thing; a rule that has no word on such things asks none of them."""
    if getattr(type(rule), name) is not getattr(Rule, name):
        of_one = getattr(rule, name)
        for one in things:
            yield from of_one(one)


def _judges(rule: Rule, box: Box) -> bool:
    """Whether the configuration of a box's system says what a rule needs."""
    return known(rule, box.system).by_texts
