"""Runs a dialect's steps on a session, phase by phase, and writes each phase down."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from switch_configs.intent import Impact, Phase, Rendered, Step
from switch_configs.shown.said import said
from switch_configs.shown.secrets import WORD

from .push_result import StepOutcome, worst_impact
from .push_secrets import Secrets
from .push_session import DeviceUnreachable, PushStopped, Reply, Session, StepRefused

_DETAIL_CHARS = 400


@dataclass
class StepRunner:
    """The steps of one push. `note(phase, impact, detail)` returns when it is written.

    `secrets` go into files as they are sent, and `kept` (the switch's own lines) behind those that
    keep them; no step has either in its command. `planned` is what files may say that is shown,
    where they are of no plan.
    """

    steps: tuple[Step, ...]
    note: Callable[[str, Impact, str], None]
    secrets: Secrets
    kept: str = field(default="", repr=False)
    planned: Rendered | None = None
    outcomes: list[StepOutcome] = field(default_factory=list)

    def phase(self, session: Session, phase: Phase) -> None:
        """All steps of one phase; the first that does not hold raises PushStopped."""
        steps = [one for one in self.steps if one.phase == phase]
        if not steps:
            return
        impact = worst_impact(one.impact for one in steps)
        names = ", ".join(one.name for one in steps)
        self.note(phase, impact, f"begins: {names}")
        try:
            for step in steps:
                self._step(session, step)
        except PushStopped as error:
            self.note(phase, impact, f"failed: {error}")
            raise
        self.note(phase, impact, f"done: {names}")

    @property
    def has_changed(self) -> bool:
        """Whether a step before `arm` changes what runs, and so what the device goes back to."""
        return any(one.phase == "checkpoint" and one.impact != "none" for one in self.steps)

    def take_back(self, session: Session) -> None:
        """Undo the steps that were begun, last first, as far as the session carries."""
        begun = {outcome.name for outcome in self.outcomes}
        for step in reversed(self.steps):
            if step.name not in begun or not step.undo:
                continue
            try:
                session.run(step.undo, step.timeout_s)
            except DeviceUnreachable:
                return
            self.outcomes.append(StepOutcome(step.name, step.phase, "undone"))

    def _step(self, session: Session, step: Step) -> None:
        try:
            words = self._do(session, step)
        except PushStopped as error:
            self.outcomes.append(StepOutcome(step.name, step.phase, "failed", str(error)))
            raise
        self.outcomes.append(StepOutcome(step.name, step.phase, "done", words))

    def _ours(self, step: Step) -> str:
        """What a switch may repeat: the command, and files in which words stand for secrets."""
        sent = [one.file for one in self.steps if one.file]
        ours = self.planned.files if self.planned else sent
        return "\n".join([step.command, *(file.text for file in ours)])

    def _do(self, session: Session, step: Step) -> str:
        if WORD.search(step.command):
            raise PushStopped(f"{step.name}: a secret would stand in a command")
        words = ""
        if step.file is not None:
            file = self.secrets.put_into(step.file)
            if step.keeps:
                file = replace(file, text=file.text + self.kept)
            words = self._judged(step, session.send(file, step.timeout_s))
        if step.command:
            words = self._judged(step, session.run(step.command, step.timeout_s))
        return words

    def _judged(self, step: Step, reply: Reply) -> str:
        output = reply.stdout + reply.stderr
        words = said(self.secrets.hidden(output.strip())[-_DETAIL_CHARS:], self._ours(step))
        if reply.exit_status != 0:
            raise StepRefused(f"{step.name}: exit status {reply.exit_status}: {words}")
        if step.expect and not re.search(step.expect, output):
            raise PushStopped(f"{step.name}: no '{step.expect}' in the answer: {words}")
        return words
