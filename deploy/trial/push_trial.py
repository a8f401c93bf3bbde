"""The trial: nothing, a change that nobody confirms, the same confirmed, and back.

The change is the least there is, the words that say what one data port is for. All goes by the
safe push of every rollout, over what the switch runs and not over its plan: so the session, the
timer, the confirmation and the way back are tried before anything that matters is sent.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from deploy.backups.goal import goal
from deploy.errors import RailbedError
from deploy.record.site_key import showing
from deploy.switches.push_flow import Push
from deploy.switches.push_result import PushResult, worst_impact
from deploy.switches.push_session import DeviceUnreachable, PushStopped, Session, Whole, look
from deploy.switches.transcript import Part, Recorder
from switch_configs.diff import diff, unplanned
from switch_configs.errors import DialectError
from switch_configs.intent import Dialect, Rendered
from switch_configs.shown.secrets import HELD

WORDS = "railbed-push-trial"
NOTHING, ALONE, KEPT, BACK = "nothing", "left alone", "confirmed", "back"
_MARGIN_S = 5.0


@dataclass
class PushTrial:
    """A trial on one switch. `push` is that of its plan: never run, each part is a copy of it.

    `ask` is a person's word before each part; where it is no, the trial ends.
    """

    push: Push
    recorder: Recorder
    ask: Callable[[str], bool]
    say: Callable[[str], None]
    parts: list[Part] = field(default_factory=list)
    _is_cut: bool = field(default=False, init=False)

    @cached_property
    def planned(self) -> Rendered:
        """What may be shown: the plan's, with the words of the trial. What else runs is others'."""
        try:
            return self.push.dialect.described(self.push.new, WORDS)
        except DialectError:
            return self.push.new

    def run(self) -> bool:
        """Do all parts, as far as each ends as it must and a person lets it go on.

        RailbedError, DialectError or PushStopped where the switch is in no state for a trial: then
        nothing was sent.
        """
        held = self._held()
        changed = self.push.dialect.described(held, WORDS)
        if changed == held:
            raise RailbedError(
                f"{held.device} has the words of a trial still: one was cut off",
                hint="`railbed runs` names its run, and `railbed rollback RUN` ends it",
                exit_code=1,
            )
        if not self._part(NOTHING, "Read all of it and send nothing?", lambda: self._nothing(held)):
            return False
        impact = self._shown(held, changed)
        after = f"after {self.push.pace.window_s} s and what its system takes"
        alone = (
            f"Change that, and confirm nothing? It must go back by itself, {after}. "
            f"Impact, there and back: {impact}"
        )
        kept, back = f"Change it and confirm? Impact: {impact}", f"Change it back? Impact: {impact}"
        return (
            self._part(ALONE, alone, lambda: self._left_alone(held, changed))
            and self._part(KEPT, kept, lambda: self._to(changed))
            and self._part(BACK, back, lambda: self._to(held))
        )

    @property
    def is_as_before(self) -> bool:
        """Whether the switch was seen to run what it ran before."""
        ended_so = all(part.ok and part.name != KEPT for part in self.parts[-1:])
        return ended_so and not self._is_cut

    def _part(self, name: str, question: str, do: Callable[[], str]) -> bool:
        """Whether a part was let begin, and ended as it must; `do` says what went otherwise."""
        if not self.ask(question):
            return False
        self.recorder.part = name
        self._is_cut = name != NOTHING  # until it has ended
        wrong = do()
        self._is_cut = False
        said = wrong or "as it must be"
        self.parts.append(Part(name, not wrong, said))
        self.say(f"{name}: {said}")
        return not wrong

    # -- before ---------------------------------------------------------------------------------

    def _held(self) -> Rendered:
        """What it runs, as it is pushed. RailbedError where that could not be brought back whole.

        A secret that it takes back as it shows it stays as it is, whatever the site's own is.
        """
        self.recorder.part = "before"
        session = self.push.connect()
        try:
            whole = self._whole(session)
        finally:
            session.close()
        held = self.push.secrets.recognised(whole.running, self.push.new)
        _refuse_unfit(self.push.dialect, held, self.push.new)
        made = goal(whole, self.push.new, self.push.secrets)
        self.push = replace(self.push, secrets=made.secrets)
        self.recorder.clean = made.secrets.hidden
        said = {one.path: one.text for one in made.rendered.files}
        every = (replace(one, text=said.get(one.path, one.text)) for one in whole.running.files)
        return replace(whole.running, files=tuple(every))

    def _whole(self, session: Session) -> Whole:
        name, tongue = self.push.switch, self.push.dialect
        text = look(session, tongue.fetch_command())
        try:
            whole = Whole(tongue.running(name, text), tongue.held(name, text))
        except DialectError as error:  # in the middle of a reload it says half of it
            raise PushStopped(error.message, error.hint) from None
        self.recorder.unplanned |= unplanned(whole.held, self.planned)
        return whole

    def _shown(self, held: Rendered, changed: Rendered) -> str:
        """Show the change and its steps; returns the worst that they do to traffic."""
        steps = self.push.dialect.push_steps(held, changed, self.push.pace.window_s)
        shown = showing(self.push.context.state_dir)
        for one in diff(held, changed, shown, self.planned):
            self.say(one.text)
        self.say(f"steps: {', '.join(step.name for step in steps)}")
        return worst_impact(step.impact for step in steps)

    # -- the parts ------------------------------------------------------------------------------

    def _nothing(self, held: Rendered) -> str:
        result = self._push(held, dry_run=True).run()
        return "" if result.ok and not result.changed else _words(result)

    def _left_alone(self, held: Rendered, changed: Rendered) -> str:
        def is_back(session: Session) -> bool:
            running = self.push.secrets.recognised(self._whole(session).running, held)
            return set(held.files) <= set(running.files)

        absent = _Absent(self.push.connect, is_back, _alone_s(self.push))
        result = self._push(changed, connect=absent.connect).run()
        if result.rolled_back and not _is_applied(result):
            return f"it did not take the change: {_words(result)}"
        if result.rolled_back:
            return "" if absent.was_back else "it went back when it was asked, and not by itself"
        return f"it did not go back: {_words(result)}"

    def _to(self, wanted: Rendered) -> str:
        result = self._push(wanted).run()
        return "" if result.ok and result.confirmed else _words(result)

    def _push(self, new: Rendered, **other: Any) -> Push:
        return replace(self.push, new=new, planned=self.planned, **other)


@dataclass
class _Absent:
    """Reaches the switch once, and then not before it may have gone back by itself.

    `alone_s` is when it is looked at first, and when it must be back at the latest: `was_back` says
    whether it was.
    """

    reach: Callable[[], Session]
    is_back: Callable[[Session], bool]
    alone_s: tuple[float, float]
    was_back: bool = field(default=False, init=False)
    _calls: int = field(default=0, init=False)
    _since: float = field(default=0.0, init=False)
    _is_over: bool = field(default=False, init=False)

    def connect(self) -> Session:
        self._calls += 1
        if self._calls == 1:
            return self.reach()
        now, (first_s, last_s) = time.monotonic(), self.alone_s
        self._since = now if self._calls == 2 else self._since
        if now < self._since + first_s:
            raise DeviceUnreachable("left alone on purpose, until it may have gone back")
        session = self.reach()
        if not self._is_over:
            try:
                self.was_back = self.is_back(session)
            except PushStopped:
                session.close()
                raise
            self._is_over = self.was_back or now >= self._since + last_s
            if not self._is_over:
                session.close()
                raise DeviceUnreachable("it is not back yet")
        return session


def _alone_s(push: Push) -> tuple[float, float]:
    """When it may be back, and when it must be: where its system applies long, so is its timer."""
    return push.pace.window_s, push.pace.window_s + push.dialect.reload_s + _MARGIN_S


def _is_applied(result: PushResult) -> bool:
    """Whether each step that changes what runs was done: only then there is a way back to see."""
    applied = [one.outcome == "done" for one in result.steps if one.phase == "apply"]
    return bool(applied) and all(applied)


def _words(result: PushResult) -> str:
    return f"{result.message}; {result.hint}" if result.hint else result.message


def _refuse_unfit(tongue: Dialect, held: Rendered, asked: Rendered) -> None:
    """RailbedError where what runs is not all known, or not what a restart brings."""
    runs, planned = tongue.readback(held).release or "", tongue.readback(asked).release or ""
    # One may say less of a release than the other: 10.5(3) of 10.5(3)F.
    is_same = runs.startswith(planned) or planned.startswith(runs)
    beside = sorted({one.path for one in held.files} - {one.path for one in asked.files})
    hidden = sum(HELD in line for one in held.files for line in one.text.splitlines())
    problems = [
        *([f"beside what runs there is {', '.join(beside)}"] if beside else []),
        *([f"it hides {hidden} secrets that the site does not name"] if hidden else []),
        *([] if is_same else [f"it runs release {runs}, and the plan says {planned}"]),
    ]
    if problems:
        raise RailbedError(
            f"{held.device} is in no state for a trial: {'; '.join(problems)}",
            hint="a trial pushes what the switch runs, for its release: save that, and name its "
            "secrets in the site or take them away for the trial",
            exit_code=1,
        )
