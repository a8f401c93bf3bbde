"""OS-neutral words between the plan and a dialect: what goes in, and how it is pushed.

`SwitchIntent` and `OobIntent` are what a dialect prints. They know no switch OS; what comes
back from a configuration is in `facts`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from inventory.plan import AccountRole, Lossless, OobSwitch, Switch, SwitchServices, Zone

from .readback.facts import SwitchFacts

Impact = Literal[
    "none", "runtime", "daemon restart", "link flap", "driver reload", "reload", "reboot"
]
"""From harmless to worst. A driver that is loaded again takes its links and connections down."""
Phase = Literal[
    "stage", "check", "checkpoint", "arm", "apply", "verify", "confirm", "save", "undo", "rest"
]
"""A step of `verify` asks, over a new connection, for what the device applies by itself: what it
begins may cut us off. It is asked again until it answers as expected or fails, and the change is
confirmed over another connection that comes after. A step of `rest` does nothing: it says that a
second push, for what is left, comes after this."""


@dataclass(frozen=True, slots=True)
class SwitchIntent:
    """All that a dialect may use to render one switch of a data plane.

    A `drained` switch asks its neighbours to use it last (RFC 8326), and is the same else.
    """

    site: str
    plan_digest: str
    switch: Switch
    lossless: Lossless
    services: SwitchServices
    drained: bool = False


@dataclass(frozen=True, slots=True)
class OobIntent:
    """All that a dialect may use to render one switch of the OOB plane.

    It has no routing: a VLAN for each zone, isolated ports towards devices, trunks to others,
    and its own management address in the zone of `switch.management`.
    """

    site: str
    plan_digest: str
    switch: OobSwitch
    zones: tuple[Zone, ...]
    services: SwitchServices


@dataclass(frozen=True, slots=True, order=True)
class ConfigFile:
    """One file of a device's configuration, as it must lie on the device.

    `impact` is what changing this file does to traffic.
    """

    path: str
    text: str
    owner: str
    group: str
    mode: str
    impact: Impact

    @property
    def is_mark(self) -> bool:
        """Whether it is no file: it stands for what a switch says besides, as "not saved"."""
        return not (self.owner or self.group or self.mode)


@dataclass(frozen=True, slots=True)
class Rendered:
    """A device's whole configuration, files sorted by path."""

    device: str
    dialect: str
    files: tuple[ConfigFile, ...]


@dataclass(frozen=True, slots=True)
class Bundle:
    """Where a system's files lie in a bundle that it writes of itself, and on the switch.

    `folder` begins the name of the bundle. `files` are the paths on the switch, the first of which
    no other system has; `instead` has the paths at which others of them may lie, best first.
    """

    folder: str
    files: tuple[str, ...]
    instead: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class RawTree:
    """How a site's raw lines are said where a system's file is a tree: `RAW_TREE` of its package.

    `sections` are those that stand in the tree. `section_of` gives, for a switch, the one that a
    key of the tree's top belongs to, "" for none; `lines` are a part of the tree as raw lines of
    a section: each of its leaves is the text that the tree has there, or a list of such.
    """

    sections: tuple[str, ...]
    section_of: Callable[[SwitchIntent | OobIntent], Callable[[str], str]]
    lines: Callable[[str, dict[str, Any]], tuple[str, ...]]


@dataclass(frozen=True, slots=True, order=True)
class Own:
    """A statement that a switch keeps as its own: no push touches it.

    `kind` is what it is about ("users", "banners"). `shipped` says that the maker documents it,
    word for word, as what a new switch holds; all else that no plan names is told by `railbed
    diff`, the survey and stage 25, as far as what they read shows it. `text` may hold a secret: it
    is compared, and never shown. `place` is where a plan may name it, and then it is the plan's;
    "" where none can.
    """

    kind: str
    text: str = field(repr=False)
    shipped: bool = False
    place: str = ""


@dataclass(frozen=True, slots=True)
class Account:
    """A local login as a switch has it; `lines` are the texts of the `Own`s that make it.

    `role` is None where it is of no role that a plan names, or more is said of it than a login of
    that role needs: that it needs no password, a shell, a second role.
    """

    name: str
    role: AccountRole | None
    ssh_keys: int
    lines: frozenset[str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do on a device during a push.

    `command` runs in the device's shell, or `file` is sent; the step holds when the exit
    status is 0 and `expect` (a regular expression, may be empty) is found in the output.
    `undo` is the command that takes it back ("" where nothing is to be taken back).
    On a system without a shell `Cli` says how commands are typed and files are read; `keeps`
    then adds what the switch keeps as its own (`Cli.kept`) to the file as it is sent.
    """

    name: str
    phase: Phase
    command: str
    file: ConfigFile | None
    expect: str
    undo: str
    impact: Impact
    timeout_s: int
    keeps: bool = False


def typed_step(
    name: str,
    phase: Phase,
    command: str,
    timeout_s: int,
    expect: str = "",
    impact: Impact = "none",
    undo: str = "",
) -> Step:
    """Lines that are typed at a command line, and the pattern that their answer must match."""
    return Step(name, phase, command, None, expect, undo, impact, timeout_s)


@dataclass(frozen=True, slots=True)
class Looks:
    """How evidence is asked for at a command line.

    `boot` reads a name of this boot and the switch's own clock (Unix seconds) from the answer to
    `ask_boot`, and raises `DialectError`. Nothing but lines that `allowed` matches is typed. An
    answer to a line that `secret` matches may hold secrets: it goes through `mask`, one command of
    sh, before anything else sees it.
    """

    ask_boot: str
    boot: Callable[[str], tuple[str, int]]
    allowed: re.Pattern[str]
    secret: re.Pattern[str]
    mask: str


@dataclass(frozen=True, slots=True)
class Cli:
    """How a system is spoken to that is reached by its own command line, and by no shell.

    The package of its dialect has one as `CLI`. Commands of that dialect are then lines, typed one
    after the other at the privileged prompt; one holds when no line of its answer matches
    `refused`. A file is typed after the lines `opens` (`{path}` is its path), up to Ctrl-D, and
    `closes` leads back to the prompt. Where `digest` is set, a file goes by SCP instead, and this
    line must print its MD5. `proofs` are how commands begin and what their answers must hold, for
    a refusal in words that nobody knows.

    `identity` reads hostname and MAC from the answer to `ask_identity(port)`; `pending` reads the
    names of railbed's changes that nobody confirmed from that to `pending_command`, and `undo`
    takes these back; `kept` reads the lines that every push must leave from that to
    `fetch_command`. All four raise `DialectError` for an answer that lets no push go on.
    """

    refused: re.Pattern[str]
    opens: tuple[str, ...]
    closes: tuple[str, ...]
    ask_identity: Callable[[str], str]
    identity: Callable[[str], tuple[str, str]]
    pending: Callable[[str], tuple[str, ...]]
    undo: Callable[[tuple[str, ...]], str]
    kept: Callable[[str], str]
    looks: Looks
    digest: str = ""
    proofs: tuple[tuple[str, re.Pattern[str]], ...] = ()


class Dialect(Protocol):
    """All there is about one switch OS. Pure: it prints and reads text, nothing else.

    `sections` are the names under which a site may add raw lines. `unsaid` are the facts that
    its configuration never says, as paths of `facts` ("port.fec"): a readback leaves them out.
    `hier_platform` is the system's name in hier_config, "" where that does not know it. `reload_s`
    is how long applying, and going back, may take beyond the window of a push. Where it
    `keeps_drain`, a push of what `render` gives for a drained switch runs and is confirmed as any
    other, but no startup file ever says that the switch is drained. Where it `drills_by_push`, a
    port is switched off by `shut`, and `link_command` says in its words what that pushes.
    """

    name: str
    platform: str
    releases: tuple[str, ...]
    sections: tuple[str, ...]
    unsaid: frozenset[str]
    hier_platform: str
    reload_s: int
    keeps_drain: bool
    drills_by_push: bool

    def render(self, intent: SwitchIntent | OobIntent) -> Rendered:
        """The whole configuration of one switch; deterministic."""

    def fetch_command(self) -> str:
        """One shell command that prints the running configuration, read-only; or lines of `Cli`."""

    def state_command(self) -> str:
        """One read-only line of POSIX sh: what `running` reads, secrets taken out on the switch.

        It needs no input and ends within 15 s; what fails there is nothing that `running` reads.
        Of a system of `Cli`, lines for it. "" where other checks read what runs.
        """

    def running(self, device: str, fetched: str) -> Rendered:
        """The output of `fetch_command` or `state_command` as files, comparable with `render`."""

    def held(self, device: str, fetched: str) -> Rendered:
        """The same output as files that leave nothing out, for `own`; not comparable otherwise."""

    def tidied(self, saved: Rendered, like: Rendered) -> Rendered:
        """A saved running configuration without what is the system's own, and without secrets.

        `like` is what the plan renders: of tables that the system fills, what it names stays.
        """

    def own(self, saved: Rendered) -> tuple[Own, ...]:
        """What `tidied` and `running` leave out of a configuration that somebody could have set."""

    def accounts(self, saved: Rendered) -> tuple[Account, ...]:
        """The local logins among `own`; () where its configuration holds none."""

    def readback(self, rendered: Rendered) -> SwitchFacts:
        """A configuration in neutral words, by code that shares nothing with `render`."""

    def impact(self, path: str, where: tuple[str, ...]) -> Impact:
        """What changing this place of a file does to traffic.

        `where` are the lines or keys that it stands in, outermost first, and itself: a line that
        goes may begin with `no `.
        """

    def push_steps(self, old: Rendered, new: Rendered, window_s: int) -> tuple[Step, ...]:
        """The steps from old to new, in order; empty when nothing differs."""

    def described(self, held: Rendered, words: str) -> Rendered:
        """What a switch runs (`running`), with other words for what one data port is for.

        The least that a push can change. `DialectError` where it names no such port.
        """

    def drain_command(self, intent: SwitchIntent, drained: bool) -> str:
        """Starts (or ends) the drain of a running switch at once; changes no startup file.

        Of a system of `Cli`, lines for it. "" where nobody has tried it.
        """

    def link_command(self, port: str, *, up: bool) -> str:
        """Switches a data port off or on, in what runs only; "" as above."""

    def shut(self, held: Rendered, port: str) -> Rendered | None:
        """What a switch runs with this data port off, for a push that is never confirmed.

        None where it does not drill by push. `DialectError` where it runs no such port.
        """

    def silence_command(self, port: str, *, silent: bool) -> str:
        """Lets nothing more in at a port whose light stays on, or lets it in again; "" as above."""

    def pending_command(self) -> str:
        """Read-only: prints a line when a push is on the device and not confirmed, else nothing."""

    def undo_command(self) -> str:
        """Takes an unconfirmed push back now, as the timer would; harmless when none is."""
