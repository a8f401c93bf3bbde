"""The switch that a push meets: who answers, what it runs, what waits there, whether it is drained.

Opens nothing itself, and waits for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from inventory.plan import Plan
from switch_configs import intent
from switch_configs.errors import DialectError
from switch_configs.intent import Cli, Dialect, Impact, Rendered, Step, SwitchIntent
from switch_configs.shown.said import said

from .push_result import DRAINED, is_at_least, worst_impact
from .push_secrets import Secrets
from .push_session import LOOK_S, PushStopped, Session, StepRefused, Whole, look, require_identity

_ANYWAY = "--accept-loss changes it with the traffic that it carries"


class StillDrained(PushStopped):
    """It asks to be used last in words that no line of ours takes back."""


@dataclass(frozen=True, slots=True)
class Drain:
    """What a push of the impact `least` or worse begins with: traffic is led past the switch.

    `drained` is its plan's configuration with the drain in it; where no drain would help, it is
    None and `why` says so. `idle` waits until nothing crosses the switch and returns what was
    counted; PushStopped where something still does, or nobody knows: then the push stops, but with
    `anyway`.
    """

    least: Impact
    why: str
    drained: Rendered | None
    idle: Callable[[], str]
    anyway: bool = False

    def pushed(self, old: Rendered, new: Rendered) -> Rendered:
        """What is sent, so that it stays drained; a file that is as planned stays as it is."""
        held = {file.path: file for file in old.files}
        files = self.drained.files if self.drained else ()
        same = {file.path: file for file in new.files if held.get(file.path) == file}
        return replace(new, files=tuple(same.get(file.path, file) for file in files))


@dataclass
class PushDevice:
    """One switch; `new` is its plan's configuration. All calls may raise PushStopped.

    `kept` are the switch's own lines, and `found` is all that it ran, as they were read last.
    """

    plan: Plan
    name: str
    dialect: Dialect
    new: Rendered
    connect: Callable[[], Session]
    secrets: Secrets
    cli: Cli | None
    kept: str = field(default="", repr=False)
    found: Whole | None = field(default=None, init=False, repr=False)

    def open(self) -> Session:
        """A new session, from TCP up, to the right device."""
        fresh = self.connect()
        try:
            self.require_identity(fresh)
        except PushStopped:
            fresh.close()
            raise
        return fresh

    def require_identity(self, session: Session) -> None:
        """As `push_session.require_identity`."""
        require_identity(session, self.plan.any_switch[self.name], self.cli)

    def fetch(self, session: Session) -> Rendered:
        """What it runs, secrets as the plan's words for them."""
        text = look(session, self.dialect.fetch_command())
        try:
            running = self.dialect.running(self.name, text)
            self.kept = self.cli.kept(text) if self.cli else ""
            self.found = Whole(running, self.dialect.held(self.name, text))
        except DialectError as error:
            raise PushStopped(error.message, error.hint) from None
        return self.secrets.recognised(running, self.new)

    def pending(self, session: Session) -> str:
        """What names the changes of ours that nobody confirmed; "" where there is none."""
        text = look(session, self.dialect.pending_command())
        if self.cli is None:
            return text.strip()
        try:
            return " ".join(self.cli.pending(text))
        except DialectError as error:
            raise PushStopped(error.message, error.hint) from None

    def undo(self, session: Session, pending: str, timeout_s: float) -> None:
        """Ask it to take these changes back."""
        names = tuple(pending.split())
        command = self.cli.undo(names) if self.cli else self.dialect.undo_command()
        session.run(command, timeout_s)

    def is_drained(self, state: Rendered) -> bool:
        """Whether all that it says asks to be used last, and the plan says nothing of the kind."""
        read = self.dialect.readback
        return read(state).drained and not read(self.new).drained

    def drain(self, session: Session, *, drained: bool) -> None:
        """Start or end a drain, in what runs only."""
        asked = intent(self.plan, self.name)
        if not isinstance(asked, SwitchIntent):
            raise PushStopped("a switch of the OOB plane routes nothing")
        command = self.dialect.drain_command(asked, drained)
        reply = session.run(command, LOOK_S)
        if reply.exit_status:
            words = said((reply.stderr or reply.stdout).strip(), command)[-200:]
            raise StepRefused(f"it refused to {'start' if drained else 'end'} its drain: {words}")

    def require_drained(self, session: Session) -> None:
        """It says so itself."""
        if not self.is_drained(self.fetch(session)):
            raise PushStopped("it does not ask its neighbours to use it last")

    def takes_drain(self, state: Rendered) -> bool:
        """Whether a drain has something to mark: typed lines name the plan's policies."""
        read = self.dialect.readback
        planned, runs = (
            {session.policy_out for session in read(one).sessions} for one in (self.new, state)
        )
        return self.cli is None or planned == runs

    def undrained(self, session: Session, state: Rendered) -> Rendered:
        """End a drain and see it gone: what it runs then, where it ran `state`. StillDrained."""
        if self.takes_drain(state):
            self.drain(session, drained=False)
            state = self.fetch(session)
        if self.is_drained(state):
            raise StillDrained("it still asks its neighbours to use it last")
        return state


@dataclass
class Draining:
    """The drain of one push; `is_on` while the switch may be drained.

    `told` says that it was drained before the change, or why it was not; "" where none is asked.
    `is_configured`: it was before, in words that the change takes out and a way back brings again.
    """

    device: PushDevice
    asked: Drain | None
    note: Callable[[str, Impact, str], None]
    say: Callable[[str], None]
    is_on: bool = False
    is_configured: bool = False
    told: str = ""

    def first(self, session: Session, old: Rendered, steps: tuple[Step, ...]) -> Rendered | None:
        """Lead traffic past the switch and see it idle, where these steps ask for it.

        What is to be sent instead of the plan's configuration; None where it is not drained.
        """
        asked = self.asked
        applied = [step.impact for step in steps if step.phase == "apply"]
        if asked is None or not applied or not is_at_least(worst_impact(applied), asked.least):
            return None
        takes = self.device.takes_drain(old)
        if asked.drained is None or not takes:
            why = asked.why if takes else "its policies are not the plan's, which a drain marks"
            self.told = f"not drained: {why}"
            self.say(self.told)
            self.note("drain", "none", self.told)
            return None
        self.say(f"is drained first: {asked.why}")
        with self._noted("drain", "its neighbours are asked to use it last") as told:
            self.is_on = True
            try:
                self.device.drain(session, drained=True)
                self.device.require_drained(session)
                told.append(asked.idle())
            except PushStopped as error:
                if not asked.anyway:
                    raise PushStopped(error.message, error.hint or _ANYWAY) from None
                told.append(f"not idle, and changed anyway: {error}")
        self.told = f"{DRAINED}{told[0]}"
        self.say(self.told)
        return asked.pushed(old, self.device.new)

    def again(self, session: Session) -> None:
        """Where a change made routing begin anew, it has forgotten its drain: FRR keeps none."""
        if self.is_on and self.device.cli is None:
            try:
                self.device.drain(session, drained=True)
            except StepRefused as error:  # zebra answers before bgpd does: it is asked again
                raise PushStopped(error.message, error.hint) from None

    def end(self, session: Session) -> None:
        """It is confirmed: traffic may come back, and nothing drained is saved."""
        if not self.is_on:
            return
        with self._noted("undrain", "its neighbours may use it again") as told:
            try:
                self.device.undrained(session, self.device.new)
            except PushStopped as error:
                raise PushStopped(f"its drain did not end: {error}", error.hint) from None
            told.append("it asks nobody any more to use it last")
        self.is_on = False

    def found(self, session: Session, state: Rendered) -> Rendered:
        """End a drain that nobody has ended, or leave it to the change; what the switch runs then.

        A person's may be in other words than ours.
        """
        with self._noted("drain", "it is drained, and nobody has ended that") as told:
            try:
                state = self.device.undrained(session, state)
                told.append("it is not drained any more")
            except StillDrained:
                self.is_configured, state = True, self.device.fetch(session)
                told.append("that is in its configuration, and goes with the change")
        return state

    def without(self, session: Session, state: Rendered) -> Rendered:
        """What a switch that runs `state` runs undrained: after a push that went back."""
        if self.is_on or self.device.is_drained(state):
            try:
                state = self.device.undrained(session, state)
            except StillDrained:
                if self.is_on and not self.is_configured:
                    raise
                state = self.device.fetch(session)
        self.is_on = False
        return state

    @contextmanager
    def _noted(self, phase: str, begins: str) -> Iterator[list[str]]:
        """Its begin and its end on record; what is told of its end goes into the list."""
        self.note(phase, "none", f"begins: {begins}")
        told: list[str] = []
        try:
            yield told
        except PushStopped as error:
            self.note(phase, "none", f"failed: {error}")
            raise
        self.note(phase, "none", f"done: {'; '.join(told)}")
