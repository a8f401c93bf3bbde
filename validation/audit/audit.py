"""All boxes by all rules: worst first, and what could not be judged. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .box import Box, NotRead, box
from .hosts.host import Host, host
from .network import Network, network
from .rule import SEVERITIES, Problem
from .rules import rules

# Lines of these topics may be of the lossless path: unread, nothing here is called good.
_CONCERNS = frozenset({"QoS"})


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found. `unread` counts lines by box and topic that nobody here understands."""

    network: Network
    problems: tuple[Problem, ...]
    not_read: tuple[NotRead, ...]
    unread: Mapping[tuple[str, str], int]

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
        why += [
            f"{name}: {count} lines on {topic} are not understood here"
            for (name, topic), count in sorted(self.unread.items())
            if topic in _CONCERNS
        ]
        is_empty = not self.network.boxes and not self.network.hosts
        return (*why, *(("no configuration was read",) if is_empty else ()))

    @property
    def exit_code(self) -> int:
        """1 where something is wrong, 3 where nothing is known to be and not all is known."""
        return 1 if self.problems else 3 if self.inconclusive else 0


def audit(sources: Mapping[str, Mapping[str, str]], refused: Iterable[NotRead] = ()) -> Audit:
    """Judge the texts of each switch and server: by path on it, or of a lone file by any name.

    `refused` are files that are no text.
    """
    read: list[Box | Host | NotRead] = []
    for source, texts in sorted(sources.items()):
        one: Box | Host | NotRead = box(source, texts)
        one = host(source, texts, is_switch=isinstance(one, Box)) or one
        twin = not isinstance(one, NotRead) and any(
            not isinstance(other, NotRead) and other.name == one.name for other in read
        )
        why = "another text has the same hostname: which of them runs is not known"
        read.append(NotRead(source, why) if twin else one)
    seen = network(
        (one for one in read if isinstance(one, Box)),
        (one for one in read if isinstance(one, Host)),
    )
    unread = Counter(
        (each.name, line.topic)
        for each in seen.boxes
        for line in each.facts.unread
        if not line.by_form
    )
    return Audit(
        seen,
        problems(seen),
        (*refused, *(one for one in read if isinstance(one, NotRead))),
        unread,
    )


def problems(seen: Network) -> tuple[Problem, ...]:
    """What every rule finds wrong with boxes, links and paths, worst first."""
    found: list[Problem] = []
    for rule in rules():
        found += (problem for box in seen.boxes for problem in rule.of_box(box))
        found += (problem for link in seen.links for problem in rule.of_link(link))
        found += (problem for server in seen.hosts for problem in rule.of_host(server))
        found += (problem for link in seen.nic_links for problem in rule.of_nic(link))
        found += rule.of_network(seen)
    order = {name: at for at, name in enumerate(SEVERITIES)}
    return tuple(sorted(found, key=lambda one: (order[one.severity], one.rule, one.subject)))
