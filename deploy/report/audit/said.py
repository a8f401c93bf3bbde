"""The sentences of an audit that the terminal, Markdown and the page have alike."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from validation.audit.rule import SEVERITIES

from .baseline import Known
from .story import Story, Unread

_FIRST = 3


def many(count: int, word: str) -> str:
    """`1 switch`, `1,860 switches`."""
    ends = {"switch": "switches", "entry": "entries"}
    return f"{count:,} {word if count == 1 else ends.get(word, f'{word}s')}"


def sentence(story: Story) -> str:
    """The verdict."""
    if story.findings:
        new = "new " if story.against_baseline else ""
        told = many(len(story.findings), f"{new}finding")
        worst = next(name for name in SEVERITIES if story.severities[name][0])
        below = "" if story.exit_code == 1 else f"; none is {story.fail_on} or worse"
        return f"{told}, the worst is {worst}{below}"
    if not story.audit.network.boxes and not story.hosts:
        return "nothing was read of which anything is known"
    none = "nothing new is wrong" if story.against_baseline else "nothing is wrong"
    known = f"{none} that these rules know"
    return f"{known}, and not all is known" if story.audit.inconclusive else known


def by_rule(earlier: Iterable[Known]) -> Iterator[str]:
    """`mtu-ends, 2 places: leaf1:swp1, leaf1:swp2`: places of a baseline, a line each rule."""
    found = defaultdict[str, list[str]](list)
    for one in earlier:
        found[one.rule].append(one.subject)
    for rule, subjects in found.items():
        more = f" and {len(subjects) - _FIRST:,} more" if len(subjects) > _FIRST else ""
        places = many(len(subjects), "place")
        yield f"{rule}, {places}: {', '.join(subjects[:_FIRST])}{more}"


def not_judged(story: Story) -> Iterator[str]:
    """`hash-seed: run time on cumulus; unknowable on eos, nxos`, a line each rule."""
    found = defaultdict[str, dict[str, list[str]]](lambda: defaultdict(list))
    for one in story.not_judged:
        if one.system not in found[one.rule][one.how]:
            found[one.rule][one.how].append(one.system)
    for rule, ways in found.items():
        told = (f"{how} on {', '.join(names)}" for how, names in ways.items())
        yield f"{rule}: {'; '.join(told)}"


def not_known(story: Story) -> tuple[str, ...]:
    """Why nobody may call these configurations good: lines with their files come last."""
    lines = {
        f"{one.box}: {one.lines} lines on {one.topic} are not understood here": unread(one)
        for one in story.unread
        if one.concern
    }
    rest = (why for why in story.audit.inconclusive if why not in lines)
    return (*rest, *lines.values())


def unread(one: Unread) -> str:
    """`2 lines on QoS of leaf1 are not understood: leaf1.cfg`."""
    more = f" and {len(one.files) - _FIRST} more" if len(one.files) > _FIRST else ""
    are = "are" if one.lines > 1 else "is"
    told = f"{many(one.lines, 'line')} on {one.topic} of {one.box} {are} not understood"
    return f"{told}: {', '.join(one.files[:_FIRST])}{more}"


def summary(story: Story) -> Iterator[tuple[str, str]]:
    """What was read, what was found, and what was not: a name and a line each."""
    network = story.audit.network
    systems = ", ".join(f"{count:,} {system}" for system, count in story.systems.items())
    switches = many(len(network.boxes), "switch")
    hosts = f"; {many(len(story.hosts), 'host')}" if story.hosts else ""
    yield "read", f"{switches} ({systems or 'none'}){hosts}; {many(len(network.links), 'link')}"
    counts = (f"{count:,} {name}" for name, (count, _) in story.severities.items())
    places = sum(places for _, places in story.severities.values())
    yield "findings", f"{', '.join(counts)}; {many(places, 'place')}"
    yield from _beside(story)
    files = {file for box in network.boxes for file in box.texts}
    doubts = [one for one in story.audit.not_read if one.source in files]
    if lost := len(story.audit.not_read) - len(doubts):
        yield "not read", f"{many(lost, 'source')}, each named below"
    if doubts:
        of = many(len({one.source for one in doubts}), "file")
        yield "in doubt", f"{many(len(doubts), 'sign')} that lines of {of} are missing, named below"
    if story.unread:
        topics = Counter[str]()
        for one in story.unread:
            topics[one.topic] += one.lines
        lines = ", ".join(f"{count:,} on {topic}" for topic, count in topics.most_common())
        whose = {one.box for one in story.unread}
        boxes = many(len(whose), "switch" if whose <= network.box.keys() else "device")
        yield "not understood", f"lines of {boxes}: {lines}"
    if story.not_judged:
        named = sorted({one.rule for one in story.not_judged})
        more = f" and {len(named) - _FIRST} more" if len(named) > _FIRST else ""
        rules = f"{many(len(named), 'rule')}: {', '.join(named[:_FIRST])}{more}"
        yield "not judged", f"{rules}; the facts are not in the texts of every system or server"
    if story.open_ports:
        ports = sum(map(len, story.open_ports.values()))
        boxes = many(len(story.open_ports), "switch")
        yield "open ends", f"{many(ports, 'port')} of {boxes} lead to nothing that was read"


def _beside(story: Story) -> Iterator[tuple[str, str]]:
    if story.suppressed:
        places = sum(len(one.places) for _, mine in story.suppressed for one in mine)
        yield "suppressed", f"{many(places, 'place')} by {many(len(story.suppressed), 'entry')}"
    if story.against_baseline:
        known = sum(len(one.places) for one in story.known)
        gone = len(story.since.gone)
        told = f"{many(known, 'place')} known before, {len(story.since.mended):,} mended"
        yield "baseline", told + (f", {gone:,} of what was not read now" if gone else "")
