"""A switch as its configuration says it: recognised by content, read back without a plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from switch_configs import DialectError, dialect, places_of, reserved
from switch_configs.intent import ConfigFile, Rendered
from switch_configs.readback.facts import LOOPBACK, PortFacts, ReservedFacts, SwitchFacts
from switch_configs.readback.spoken import spoken

from .outline import Outline

# What is said of one port or session alone; all else may stand anywhere in the text.
_OF_ONE = ("port.", "session.")


class Text(str):
    """A text, and the name of the file that it was found in, where its place does not say it."""

    __slots__ = ("file",)
    file: str


def text_of(file: str, text: str) -> Text:
    """The text of a file."""
    made = Text(text)
    made.file = file
    return made


@dataclass(frozen=True)
class Box:
    """One switch: its facts, and its texts by the names of the files that they came in."""

    name: str
    system: str
    facts: SwitchFacts
    texts: Mapping[str, str]

    reserved: ReservedFacts | None = None

    @cached_property
    def ports(self) -> Mapping[str, PortFacts]:
        """Its ports by name."""
        return {port.name: port for port in self.facts.ports}

    @cached_property
    def unread_qos(self) -> int:
        """Lines on QoS that nobody here understands: what is said of classes may be otherwise."""
        return sum(line.topic == "QoS" and not line.by_form for line in self.facts.unread)

    @cached_property
    def subinterfaces(self) -> Mapping[str, dict[str, PortFacts]]:
        """By port, its subinterfaces by what stands behind the dot."""
        found: dict[str, dict[str, PortFacts]] = {}
        for port in self.facts.ports:
            main, dot, tag = port.name.rpartition(".")
            if dot and main in self.ports:
                found.setdefault(main, {})[tag] = port
        return found

    @cached_property
    def outline(self) -> Outline:
        """Its lines, each with what it stands in."""
        return Outline(self.texts)

    def port(self, name: str) -> PortFacts | None:
        """The facts of a port of this name."""
        return self.ports.get(name)

    def said(self, at: str, fact: str, values: Iterable[str] = ()) -> tuple[str, ...]:
        """`file:line` of all lines in which a port or session, or "" the box, says a fact.

        Those with one of the values come first. Facts are named as in `Dialect.unsaid`; how they
        are said is in each system's folder.
        """
        if not at and not values and not self._may_say(fact):
            return ()
        topics, follow = spoken(self.system).of(fact), not fact.startswith("port.")
        return tuple(self.outline.speaks(at, topics, values, follow=follow))

    @cached_property
    def _small(self) -> str:
        return "\n".join(self.texts.values()).lower()

    def _may_say(self, fact: str) -> bool:
        """Whether all words of a fact are anywhere at all: far quicker than to look where."""
        return any(
            all(word in self._small for word in topic.split())
            for topic in spoken(self.system).of(fact)
        )

    def place(self, at: str, fact: str = "", values: Iterable[str] = ()) -> str:
        """`file:line` of the line that says a fact; where none does, of what it would stand in."""
        known = tuple(values)
        if at == LOOPBACK:  # a name of ours: each system has its own
            at = ""
        if fact and (found := self.said(at, fact, known)):
            return found[0]
        if fact and not fact.startswith(_OF_ONE) and (found := self.said("", fact, known)):
            return found[0]
        named = self.outline.head(at or self.name)
        return named or (f"{min(self.texts)}:1" if self.texts else "")


@dataclass(frozen=True, slots=True)
class NotRead:
    """A file or folder of which nothing is known, and why."""

    source: str
    why: str


def box(source: str, texts: Mapping[str, str]) -> Box | NotRead:
    """What one switch's texts say, by the path of each on the switch or, of a lone file, anyhow.

    Never raises on text: what cannot be understood is a `NotRead`.
    """
    found = [
        (place != path, system, place, path)
        for path, text in texts.items()
        for system, place in places_of(text).items()
    ]
    if not found:
        return NotRead(source, "no system that is known here: is it a whole configuration?")
    _, system, place, path = min(found)
    placed = {place if where == path and len(texts) == 1 else where: where for where in texts}
    files = tuple(
        ConfigFile(where, str(texts[placed[where]]), "root", "root", "0644", "none")
        for where in sorted(placed)
    )
    rendered = Rendered(source, system, files)
    try:
        facts, room = _in_force(system, dialect(system).readback(rendered)), reserved(rendered)
    except DialectError as error:
        return NotRead(source, f"{system}: {error.message}")
    except (ValueError, KeyError, RecursionError) as error:
        return NotRead(source, f"{system}: it cannot be understood ({type(error).__name__})")
    name = facts.hostname or source.rpartition("/")[2].partition(".")[0]
    shown = {_shown(source, path, text): text for path, text in texts.items()}
    return Box(name, system, facts, shown, room)


def _in_force(system: str, facts: SwitchFacts) -> SwitchFacts:
    """The same with the MTU that a routed switch gives its ports where its text says none."""
    mtu = spoken(system).mtu_bytes
    if mtu is None or facts.asn is None:
        return facts
    return replace(facts, ports=tuple(
        replace(port, ip_mtu_bytes=mtu)
        if port.ip_mtu_bytes is None and port.name != LOOPBACK else port
        for port in facts.ports
    ))  # fmt: skip


def _shown(source: str, path: str, text: str) -> str:
    if isinstance(text, Text):
        return text.file
    return f"{source}{path}" if path[0] == "/" else path
