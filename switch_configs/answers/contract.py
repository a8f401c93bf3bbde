"""How a switch system is asked, and how its answers are read: what each `answers` package gives.

`ANSWERS` of a system's package `answers` is one `Answers`. What it leaves out nobody reads, and
the stages that need it say so. Readers raise Unreadable for an answer that proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from inventory.reading.sections import Section

from .carried import Carried
from .frames import Counted
from .linux.routing import LINUX
from .lossless import PortLossless
from .module_form import Link, Module
from .port_counters import Ports
from .routing import System
from .steady import Held
from .timekeeping import Clocks

Asked = Mapping[str, str]  # a section's name -> the shell that prints it, or lines that are typed
Sections = Mapping[str, Section]


EVERY = frozenset(
    {"ecn_marked", "global_pause", "group_drops", "queue_drops", "rx_pause", "storms", "tx_pause"}
)
"""What `Counters.tells` of a system whose ports tell all of the lossless class."""


@dataclass(frozen=True, slots=True)
class Counters:
    """The counters of ports, as two shell texts and their readers.

    `ask_carried` prints the bytes of at least these ports and the device's clock, of which a fabric
    of ten thousand uplinks is asked twice a round; `ask_ports` all that the system tells of classes
    besides. What makes counters fresh is part of both (`carried.py`). `refresh` waits until what
    has just happened is in counters that are polled; empty where they are not. `tells` names the
    fields of `PortCounters` that the system fills besides bytes.
    """

    ask_carried: Callable[[Sequence[str]], Asked]
    carried: Callable[[Sections], Carried]
    ask_ports: Callable[[Sequence[str]], Asked]
    ports: Callable[[Sections], Ports]
    refresh: Asked = field(default_factory=dict)
    tells: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Ratios:
    """The error ratios of links: `link` reads the answers to a port's `lines`, in their order."""

    lines: Callable[[str], Sequence[str]]
    link: Callable[[Sequence[str], str], Link]


@dataclass(frozen=True, slots=True)
class Modules:
    """The modules in ports, and how well their links work.

    `line` asks for the module of a port, `module` reads it of the answer, and `told` names the
    ports of an answer; None where a line asks for one port alone. `ratios` is None where the system
    tells none in a form that could be sourced.
    """

    line: Callable[[str], str]
    module: Callable[[str, str], Module]
    told: Callable[[str], Sequence[str]] | None
    ratios: Ratios | None


@dataclass(frozen=True, slots=True)
class Lossless:
    """What ports pause. `tells` is what the system says beside PFC itself: trust, dscps, rooms.

    `ports` reads the answers to `lines`, in their order: each asked port, or why it is not known.
    `hints` say what to type for each thing that is found wrong; `{port}` is the port.
    """

    lines: Sequence[str]
    tells: frozenset[str]
    ports: Callable[[Sequence[str], Iterable[str]], dict[str, PortLossless | str]]
    hints: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Steady:
    """What must stay as it is while a switch without a shell is watched; `read` reads it."""

    ask: Asked
    read: Callable[[Sections], Held]


@dataclass(frozen=True, slots=True)
class FrameCounts:
    """What ports count of whole frames; what makes counters fresh is part of `ask`."""

    ask: Callable[[Sequence[str]], Asked]
    read: Callable[[Sections], Counted]


@dataclass(frozen=True, slots=True)
class Files:
    """Files that the system runs as they lie: `owned` ones whole, three of them by their programs.

    `frr` is read by FRR, `filters` by nft(8), `settings` by sysctl(8).
    """

    owned: tuple[str, ...]
    frr: str
    filters: str
    settings: str


@dataclass(frozen=True, slots=True)
class Answers:
    """One system."""

    system: System = LINUX
    counters: Counters | None = None
    modules: Modules | None = None
    lossless: Lossless | None = None
    files: Files | None = None
    steady: Steady | None = None
    frames: FrameCounts | None = None
    clocks: Clocks | None = None
