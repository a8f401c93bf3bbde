"""The safe push over any session. Opens nothing itself.

Find an unconfirmed push and take it back, fetch running, diff and impact, prove offline, drain
where others' traffic crosses the switch, candidate files, the device's own check, checkpoint,
persistent timer, apply, prove over a NEW connection that the device is still ours and that the
fabric works through it, confirm, end the drain, save, read back. Until `confirm` the device
itself brings its old configuration back, also through a restart; a drain is never saved.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace

from deploy.context import Context
from deploy.record.site_key import showing
from switch_configs.diff import FileDiff, diff
from switch_configs.errors import DialectError
from switch_configs.intent import Cli, Dialect, Impact, Phase, Rendered, Step

from . import push_result
from .push_device import Drain, Draining, PushDevice
from .push_result import PushResult, digest, lines_changed, stage_of, worst_impact
from .push_secrets import Secrets
from .push_session import (
    FabricProof,
    Pace,
    PushStopped,
    Session,
    Snapshot,
    StepRefused,
    SyntaxProof,
    unasked,
    unkept,
)
from .push_steps import StepRunner

LOG = logging.getLogger(__name__)

_BEFORE_ARM: tuple[Phase, ...] = ("stage", "check", "checkpoint")
_AFTER_VERIFY: tuple[Phase, ...] = ("confirm", "save")


@dataclass
class Push:
    """One push to one switch. Use once: `Push(...).run()`.

    `prove` names what is wrong with a rendered configuration, offline; `connect` makes a
    new session from TCP up. `new` has words where `secrets` go. `cli` is that of a system
    without a shell. Nothing is confirmed while `works` names anything. With a `drain` the switch
    is drained from before the change until it is confirmed. `snapshot` keeps what runs before it
    is changed. Where `new` is no plan's, `planned` is: what may be shown comes from it.
    """

    context: Context
    switch: str
    dialect: Dialect
    new: Rendered
    prove: SyntaxProof
    connect: Callable[[], Session]
    dry_run: bool
    pace: Pace
    secrets: Secrets = field(default_factory=Secrets)
    cli: Cli | None = None
    works: FabricProof = unasked
    drain: Drain | None = None
    snapshot: Snapshot = unkept
    planned: Rendered | None = None
    _device: PushDevice = field(init=False)
    _drain: Draining = field(init=False)
    _sent: Rendered = field(init=False)
    _old: Rendered | None = field(default=None, init=False)
    _diffs: tuple[FileDiff, ...] = field(default=(), init=False)
    _runner: StepRunner = field(init=False)
    _is_halfway: bool = field(default=False, init=False)

    def run(self) -> PushResult:
        """Do the whole push. Whatever the device does, the answer is a result."""
        self._runner = StepRunner((), self._note, self.secrets)
        self._sent = self.new
        self._device = PushDevice(
            self.context.plan, self.switch, self.dialect, self.new, self.connect,
            self.secrets, self.cli,
        )  # fmt: skip
        self._drain = Draining(self._device, self.drain, self._note, self._say)
        try:
            session = self.connect()
        except PushStopped as error:
            return self._stopped("not reached", error)
        try:
            self._device.require_identity(session)
            unfinished = self._device.pending(session)
            if unfinished and not self.dry_run:
                session.close()
                self._take_back(unfinished)
                session = self._device.open()
            return self._rest(self._from(session, unfinished))
        except PushStopped as error:
            return self._stopped("nothing changed", error)
        finally:
            session.close()

    def _from(self, session: Session, unfinished: str) -> PushResult:
        self._old = self._device.fetch(session)
        found = f"an unconfirmed push was on the device ({unfinished})" if unfinished else ""
        if self._device.is_drained(self._old) and not self.dry_run:
            found = found or "a drain that nobody had ended was on the device"
            self._old = self._drain.found(session, self._old)
        steps = self._steps(self._old)
        self._runner = self._stepped(steps)
        if not steps:
            return self._result(ok=True, message=found or "nothing to change")
        shown = showing(self.context.state_dir)
        differs = diff(self._old, self.new, shown, self.planned)
        self._diffs = push_result.as_steps_say(differs, self._old, steps)
        for one in self._diffs:
            self._say(f"{one.path} {lines_changed(one)} (impact: {one.impact})")
        problems = self.prove(self.new)
        if problems:
            raise PushStopped("refused by the offline proof: " + "; ".join(problems))
        if self.dry_run:
            return self._result(ok=True, message=found or "dry run: nothing sent")
        return self._change(session)

    def _rest(self, first: PushResult) -> PushResult:
        """What a system cannot take in one change comes in two: the second, where one is left."""
        if not first.confirmed or self._is_whole:
            return first
        self._say("the first of two parts is confirmed")
        self._is_halfway = True
        try:
            session = self._device.open()
            try:
                second = self._from(session, "")
            finally:
                session.close()
        except PushStopped as error:
            second = self._stopped("the first of two parts is confirmed", error)
        impact = worst_impact((first.impact, second.impact))
        steps, diffs = (*first.steps, *second.steps), (*first.diffs, *second.diffs)
        return replace(second, changed=True, diffs=diffs, impact=impact, steps=steps)

    @property
    def _is_whole(self) -> bool:
        return all(step.phase != "rest" for step in self._runner.steps)

    # -- looking --------------------------------------------------------------------------

    def _steps(self, old: Rendered) -> tuple[Step, ...]:
        try:
            return self.dialect.push_steps(old, self._sent, self.pace.window_s)
        except DialectError as error:
            raise PushStopped(error.message, error.hint) from None

    def _stepped(self, steps: tuple[Step, ...]) -> StepRunner:
        return StepRunner(steps, self._note, self.secrets, self._device.kept, self.planned)

    # -- changing -------------------------------------------------------------------------

    def _change(self, session: Session) -> PushResult:
        self.snapshot(self._device.found)
        for one in self._diffs:
            self._note("diff", one.impact, one.text)
        try:
            if sent := self._drain.first(session, self._old or self.new, self._runner.steps):
                self._sent = sent
                self._runner = self._stepped(self._steps(self._old or self.new))
            for phase in _BEFORE_ARM:
                self._runner.phase(session, phase)
            if self._runner.has_changed:
                self._old = self._device.fetch(session)
        except PushStopped as error:
            self._runner.take_back(session)
            return self._stopped("stopped before anything was applied", self._freed(error))
        try:
            self._runner.phase(session, "arm")
            armed_at = time.monotonic()  # the timer runs since just now, or begins with the change
            self._runner.phase(session, "apply")
            fresh = self._verify(armed_at)
        except PushStopped as error:
            return self._go_back(error)
        try:
            for phase in _AFTER_VERIFY:
                if self.cli:  # before the save too: a timer may have been quicker than we
                    self._require_as_typed(fresh)
                self._runner.phase(fresh, phase)
                if phase == "confirm":  # before anything is saved
                    self._drain.end(fresh)
                    self._sent = self.new
            return self._read_back(fresh)
        except PushStopped as error:
            return self._go_back(error)
        finally:
            fresh.close()

    def _verify(self, armed_at: float) -> Session:
        """Get a new session to the same device, early enough to confirm over it.

        One that begins before the device has applied all proves nothing.
        """
        self._note("verify", "none", "begins: a new connection")
        deadline = armed_at + self.pace.window_s * self.pace.verify_share
        if any(step.phase == "verify" for step in self._runner.steps):
            self._until(deadline + self.dialect.reload_s, self._applied).close()
        # Applied by now: what that took is none of the fabric's time, and no more than that is.
        deadline += min(time.monotonic() - armed_at, self.dialect.reload_s)
        fresh = self._until(deadline, lambda: self._over(self._drain.again))
        if missing := self.works(deadline, whole=self._is_whole):
            fresh.close()
            self._note("verify", "none", f"failed: {'; '.join(missing)}")
            raise PushStopped(f"the fabric does not work with it: {'; '.join(missing)}")
        done = "done: the same device over a new connection, and what must work does"
        self._note("verify", "none", done)
        return fresh

    def _applied(self) -> Session:
        return self._over(lambda session: self._runner.phase(session, "verify"))

    def _over(self, does: Callable[[Session], None]) -> Session:
        """A new session, over which this was done."""
        session = self._device.open()
        try:
            does(session)
        except PushStopped:
            session.close()
            raise
        return session

    def _until(self, deadline: float, attempt: Callable[[], Session]) -> Session:
        """Try again where the device is not reached, or not yet the right one."""
        while True:
            try:
                return attempt()
            except PushStopped as error:
                if isinstance(error, StepRefused) or (
                    time.monotonic() + self.pace.poll_s > deadline
                ):
                    self._note("verify", "none", f"failed: {error}")
                    raise PushStopped(
                        f"not verified over a new connection: {error}", error.hint
                    ) from None
                LOG.info("%s: no new session yet, trying again", self.switch)
                time.sleep(self.pace.poll_s)

    def _require_as_typed(self, session: Session) -> None:
        """A terminal has no checksum: what runs must be what was typed before it is confirmed."""
        if not self._is_planned(self._device.fetch(session)):
            self._note("verify", "none", "failed: the device runs something else")
            raise PushStopped("what it runs now is not what was sent")

    def _read_back(self, session: Session) -> PushResult:
        state = self._device.fetch(session)
        if not self._is_planned(state):
            paths = ", ".join(one.path for one in diff(state, self.new))
            return self._result(
                ok=False, confirmed=True, message=f"confirmed, but {paths} reads back otherwise"
            )
        return self._result(ok=True, confirmed=True, message="confirmed and read back")

    def _is_planned(self, state: Rendered) -> bool:
        """Whether it runs what is planned: two texts may say the same."""
        if self.cli:
            # Without what stands for a change that waits, or is not saved.
            planned = {one.path for one in self.new.files}
            state = replace(state, files=tuple(one for one in state.files if one.path in planned))
        try:
            return not self._steps(state)
        except PushStopped:
            return False

    def _freed(self, why: PushStopped) -> PushStopped:
        """Why a push stopped before its change, once its drain has ended, or does not end."""
        deadline = time.monotonic() + self.pace.window_s + self.pace.boot_s
        while self._drain.is_on:
            try:
                with closing(self._device.open()) as fresh:
                    self._drain.without(fresh, self._device.fetch(fresh))
            except PushStopped as error:
                if time.monotonic() > deadline:
                    return PushStopped(f"{why}; its drain does not end: {error}", error.hint)
                time.sleep(self.pace.poll_s)
        return why

    # -- going back -----------------------------------------------------------------------

    @property
    def _back_s(self) -> float:
        """How long going back may take: its timer, what still applies, and the change in return."""
        return self.pace.window_s + self.pace.boot_s + 2 * self.dialect.reload_s

    def _take_back(self, unfinished: str) -> None:
        """Take a push back that was cut off before anybody confirmed it."""
        self._say(f"an unconfirmed push is on the device ({unfinished}): taking it back")
        self._note("undo", "runtime", f"begins: an unconfirmed push ({unfinished})")
        deadline = time.monotonic() + self._back_s
        while self._state_after() is None:
            if time.monotonic() > deadline:
                self._note("undo", "runtime", "failed: it does not go back")
                raise PushStopped(
                    f"an unconfirmed push ({unfinished}) does not go back",
                    hint="look at the device over its console",
                )
            time.sleep(self.pace.poll_s)
        self._note("undo", "runtime", push_result.TAKEN_BACK)

    def _go_back(self, why: PushStopped) -> PushResult:
        """Ask the device to go back at once; where it cannot be asked, wait for its timer."""
        self._say(f"{why}; waiting for the device to go back")
        self._note("undo", "runtime", f"begins: {why}")
        deadline = time.monotonic() + self._back_s
        while (state := self._state_after()) is None and time.monotonic() < deadline:
            time.sleep(self.pace.poll_s)  # the last look comes when its time is over
        if state is not None:
            return self._end(state, why)
        seen = "its drain does not end" if self._drain.is_on else "it was not seen to go back"
        self._note("undo", "runtime", f"failed: {seen}")
        return self._result(
            ok=False,
            message=f"{why}; {seen}",
            hint="look at it over its console before anything else is changed",
        )

    def _state_after(self) -> Rendered | None:
        """Read what the device holds once nothing is pending; None while that is not known."""
        try:
            with closing(self._device.open()) as session:
                if pending := self._device.pending(session):
                    self._device.undo(session, pending, self.pace.window_s + self.pace.boot_s)
                if self._device.pending(session):
                    return None
                self._sent = self.new
                if not self._runner.has_applied:
                    self._runner.take_back(session)  # what is staged holds secrets
                return self._drain.without(session, self._device.fetch(session))
        except PushStopped:
            return None

    def _end(self, state: Rendered, why: PushStopped) -> PushResult:
        is_old = self._old is not None and push_result.holds(state, self._old, self.new)
        rolled_back = is_old and not self._is_halfway
        confirmed = self._is_planned(state)
        if rolled_back:
            end = push_result.OLD_AGAIN
        elif confirmed:
            end = push_result.NEW_KEPT
        else:
            end = push_result.NEITHER
        self._note("undo", "runtime", end)
        return self._result(
            ok=False,
            message=f"{why}; {end.removeprefix('done: ')}",
            hint=why.hint,
            rolled_back=rolled_back,
            confirmed=confirmed,
        )

    # -- words ----------------------------------------------------------------------------

    def _say(self, text: str) -> None:
        self.context.say(f"{self.switch}: {self.secrets.hidden(text)}")

    def _note(self, phase: str, impact: Impact, detail: str) -> None:
        LOG.info("%s: push: %s, %s, impact %s", self.switch, phase, stage_of(detail), impact)
        before = digest(self._old) if self._old else ""
        after = digest(self.new)
        self.context.journal(self.switch, phase, impact, before, after, self.secrets.hidden(detail))

    def _stopped(self, what: str, error: PushStopped) -> PushResult:
        return self._result(ok=False, message=f"{what}: {error}", hint=error.hint)

    def _result(
        self,
        *,
        ok: bool,
        message: str,
        hint: str = "",
        confirmed: bool = False,
        rolled_back: bool = False,
    ) -> PushResult:
        state = "confirmed" if confirmed else "rolled back" if rolled_back else "not confirmed"
        LOG.info("%s: push ended %s, %s", self.switch, "well" if ok else "badly", state)
        return PushResult(
            device=self.switch,
            ok=ok,
            changed=bool(self._runner.steps),
            diffs=self._diffs,
            impact=worst_impact(step.impact for step in self._runner.steps),
            steps=tuple(self._runner.outcomes),
            confirmed=confirmed,
            rolled_back=rolled_back,
            message=self.secrets.hidden(message),
            hint=hint,
            drain=self._drain.told,
        )
