"""A validation: what a plan expects, judged from evidence, gathered where that is allowed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path

import pytest

from inventory.plan import Plan
from validation.expect import expectations
from validation.stages.s30_node_state.expect import StateExpected

from .evidence import learned as lessons
from .evidence.gather import WORKERS, Ask, Transport, gather
from .evidence.lookup import PROBE, Book
from .evidence.store import EvidenceStore
from .evidence.trust import MissingEvidence, Trust
from .expectation import Expectation
from .host_state import ask as host_ask
from .host_state.expect import SignalExpected
from .ladder import STAGES, folders, number_of, whole_ladder
from .manifest import node_state
from .manifest.device import manifests
from .pairing.matchings import asked_in
from .plugin import Item, Judge, StagePlugin
from .stage import Check, StageError
from .verdict import Figure, Finding, Verdict

MOST_TRIPS = 4
# `unraisableexception` collects all garbage five times at each end: seconds in a large process.
# The rest is nothing to a stage file, and half of what it takes to begin.
_QUIET = (
    "cacheprovider",
    "terminal",
    "faulthandler",
    "logging",
    "warnings",
    "junitxml",
    "threadexception",
    "unraisableexception",
    "doctest",
    "legacypath",
    "pastebin",
    "recwarn",
    "setuponly",
    "setupplan",
    "stepwise",
    "unittest",
)


@dataclass(frozen=True)
class ValidationResult:
    """The answers to every expectation, sorted, and what they cost.

    `trips` counts script runs by device; `items` tells which frames each answer needed.
    """

    plan_digest: str
    through: int
    findings: tuple[Finding, ...]
    trips: Mapping[str, int]
    items: tuple[Item, ...]

    def having(self, verdict: Verdict) -> tuple[Finding, ...]:
        """The findings with this verdict."""
        return tuple(finding for finding in self.findings if finding.verdict is verdict)

    @property
    def passed(self) -> frozenset[str]:
        """The ids that pass: what a later gate calls worked before."""
        return frozenset(finding.expectation for finding in self.having(Verdict.PASS))


@dataclass
class _Gatherer:
    """Fetches what a book noted, one trip per device and round, `MOST_TRIPS` at most."""

    plan: Plan
    book: Book
    transport: Transport | None
    workers: int
    trips: dict[str, int] = field(default_factory=dict)
    rounds: int = 0
    dead: set[str] = field(default_factory=set)

    def fetch(self, wanted: Mapping[str, Sequence[str]]) -> bool:
        """One round; False where nothing was left that may be asked."""
        asks = {
            device: [asked(self.plan, device, line) for line in sorted(lines)]
            for device, lines in wanted.items()
            if lines and device not in self.dead
        }
        if self.transport is None or not asks or self.rounds >= MOST_TRIPS:
            return False
        self.rounds += 1
        for device in asks:
            self.trips[device] = self.trips.get(device, 0) + 1
        found = gather(self.plan, self.transport, asks, workers=self.workers)
        self.dead |= set(found.errors) - {frame.device for frame in found.frames}
        self.book.add(found)
        return True

    def noted(self) -> bool:
        """Fetch everything that was asked in vain."""
        wanted: dict[str, list[str]] = {}
        for device, line in self.book.noted:
            if not line.startswith(PROBE):
                wanted.setdefault(device, []).append(line)
        return self.fetch(wanted)

    def learnt(self, wanted: Sequence[Expectation], known: lessons.Learned) -> None:
        """The first trip: what states need, and all that devices of these kinds were asked."""
        lines: dict[str, set[str]] = {}
        for device in sorted({one.device for one in wanted if isinstance(one, StateExpected)}):
            lines[device] = set(node_state.lines(manifests(self.plan).of(device)))
        for device in sorted({one.device for one in wanted if isinstance(one, SignalExpected)}):
            lines.setdefault(device, set()).add(host_ask.HOST_STATE)
        for stage, device in sorted(
            {(expectation.stage, expectation.device) for expectation in wanted}
        ):
            kinds = known.get(stage, {})
            lines.setdefault(device, set()).update(
                kinds.get(lessons.kind_of(self.plan, device), ())
            )
        self.fetch({device: sorted(self._unknown(device, some)) for device, some in lines.items()})

    def _unknown(self, device: str, lines: set[str]) -> set[str]:
        return {line for line in lines if not self._known(device, line)}

    def _known(self, device: str, line: str) -> bool:
        try:
            self.book.read(device, line)
        except MissingEvidence:
            return False
        return True


def asked(plan: Plan, device: str, line: str) -> Ask:
    """The question behind a line that a stage reads: most lines are their own."""
    if line in node_state.LINES:
        return node_state.ask(manifests(plan).of(device), line)
    if line == host_ask.HOST_STATE:
        return host_ask.ask(plan.node.get(device))
    return Ask.line(line)


def stage_files(
    through: int, own: Path | None = None, leave_out: frozenset[int] = frozenset()
) -> tuple[Path, ...]:
    """The files with checks up to and with stage `through`, in order, without those left out."""
    return tuple(
        path / "checks.py"
        for path in folders(own)
        if number_of(path) <= through and number_of(path) not in leave_out
        if (path / "checks.py").is_file()
    )


def validate(
    plan: Plan,
    through: int,
    store: EvidenceStore,
    transport: Transport | None,
    configured: frozenset[str],
    learned: Path | None = None,
    *,
    changed: Mapping[str, datetime] | None = None,
    since: datetime | None = None,
    leave_out: frozenset[int] = frozenset(),
    checks: frozenset[str] | None = None,
    trust: Trust | None = None,
    history: Mapping[str, tuple[Figure, ...]] | None = None,
    own: Path | None = None,
    of: frozenset[str] | None = None,
    unconfirmed: frozenset[str] = frozenset(),
    workers: int = WORKERS,
) -> ValidationResult:
    """Judge everything that must be true once `configured` is in place, stage by stage.

    Without a transport only the store's evidence counts, and its folder stays as it is; with
    one, what is missing in it is gathered and saved into it. `changed` is each device's last
    change (UTC), `since` when a lost record was begun anew: older evidence proves nothing.
    `leave_out` are stages that these machines cannot show (a network namespace has no units):
    their files are not read. `of` names the devices that are judged, where not all of `configured`
    are, and `unconfirmed` those whose change may wait for its confirmation. `own` has stages and
    checks of the site's own.
    `checks` are those that the evidence can answer
    at all (None: any), and `trust` another one than the plan gives. `history` has the figures that
    expectations passed with in earlier runs, for limits of trend. What the store says that its run
    was asked is due, too. Raises StageError when a stage file cannot be used, EvidenceError where
    nobody can say what was asked. One at a time in a process: pytest runs inside.
    """
    whole_ladder(own)  # what is wrong with a site's own stages is told first
    due = expectations(plan, configured, through, leave_out, asked_in(store), own, of, store.asked)
    wanted = tuple(
        expectation
        for expectation in due
        if (checks is None or expectation.check in checks)
        and not (expectation.saved and expectation.device in unconfirmed)
    )
    book = Book(store, trust or Trust.of(plan, changed or {}, since))
    gatherer = _Gatherer(plan, book, transport, workers)
    known = lessons.load(learned)
    if transport is not None:
        gatherer.learnt(wanted, known)
    judge = Judge(plan, book, wanted, history or {}, unconfirmed)
    _run_stages(judge, gatherer.noted, stage_files(through, own, leave_out), own)
    if transport is not None:
        store.save()
    if transport is not None and learned is not None:
        lessons.save(learned, lessons.learn(plan, _asked(judge.items), known))
    findings = (*judge.findings, *_unjudged(wanted, judge.findings))
    done = tuple(sorted(findings, key=lambda one: (one.stage, one.expectation)))
    items = tuple(sorted(judge.items, key=lambda one: (one.stage, one.check, one.device)))
    return ValidationResult(plan.digest, through, done, gatherer.trips, items)


def _asked(items: Sequence[Item]) -> dict[tuple[int, str], frozenset[str]]:
    whole: dict[tuple[int, str], frozenset[str]] = {}
    partly = {(item.stage, item.device) for item in items if not item.complete}
    for one in items:
        key = (one.stage, one.device)
        lines = {line for device, line in one.frames if device == one.device}
        lines = {line for line in lines if not line.startswith(PROBE)}
        whole[key] = whole.get(key, frozenset()) | lines
    return {key: lines for key, lines in whole.items() if key not in partly}


def _unjudged(wanted: Sequence[Expectation], found: Sequence[Finding]) -> Iterator[Finding]:
    answered = {finding.expectation for finding in found}
    for expectation in wanted:
        if expectation.id not in answered:
            why = f"no check judges {expectation.check!r}"
            yield Finding(
                expectation.stage,
                expectation.check,
                expectation.device,
                expectation.id,
                Verdict.INCONCLUSIVE,
                "",
                why,
                expectation.says,
            )


def _run_stages(
    judge: Judge, gather: Callable[[], bool], files: tuple[Path, ...], own: Path | None
) -> None:
    if not files:
        return
    with _own_pytest(own):
        checks = _collected(files) if own else _shipped(files)
        try:
            judge.in_rounds(checks, gather)
        except Exception as error:  # whoever asked goes back by what it knows, not by a traceback
            why = f"{type(error).__name__}: {error}"
            raise StageError(f"the stage files could not be run: {why}") from error


@cache
def _shipped(files: tuple[Path, ...]) -> tuple[type[Check], ...]:
    """The checks of our own files, which stay what they are: a rollout judges them at each gate."""
    return _collected(files)


def _collected(files: Sequence[Path]) -> tuple[type[Check], ...]:
    """The checks of stage files in order, as pytest collects them. Raises StageError."""
    plugin = StagePlugin()
    quiet = [part for name in _QUIET for part in ("-p", f"no:{name}")]
    options = ["-c", str(STAGES / "pytest.ini"), "--rootdir", str(STAGES), "--capture=no"]
    options += ["--collect-only", "--import-mode=importlib"]
    status = pytest.main([*quiet, *options, *map(str, files)], plugins=[plugin])
    plugin.check_broken()
    if status is not pytest.ExitCode.OK:
        raise StageError(f"the stage files could not be read: pytest ended with {status!r}")
    return plugin.checks


@contextmanager
def _own_pytest(own: Path | None) -> Iterator[None]:
    """Keep the caller's pytest settings and plugins out of the stages, and theirs in place.

    A site's own stages are forgotten after: two sites may use one name.
    """
    ours = {"PYTEST_ADDOPTS": "", "PYTEST_PLUGINS": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    names = (*ours, "PYTEST_CURRENT_TEST", "PYTEST_VERSION")
    before = {name: os.environ.get(name) for name in names}
    modules = set(sys.modules)
    os.environ.update(ours)
    try:
        yield
    finally:
        for name in set(sys.modules) - modules if own else ():
            if own in Path(getattr(sys.modules[name], "__file__", None) or "").parents:
                del sys.modules[name]
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
