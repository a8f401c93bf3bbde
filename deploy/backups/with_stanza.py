"""The trial of `accept`: the site with a new stanza, loaded, rendered, proved and compared.

In a folder of its own: nothing is written that does not end as it shall.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from deploy.context import Context
from deploy.errors import RailbedError
from deploy.record.site_key import showing
from deploy.rollout.preconditions import refuse_unproved
from deploy.rollout.survey import recognised_in
from deploy.rollout.switch_wave import window_s
from deploy.switches.push_session import Whole
from deploy.switches.render import proved
from deploy.switches.syntax_run import Programs
from inventory import InventoryError, open_site
from switch_configs import dialect, intent
from switch_configs.changes import planned_words
from switch_configs.changes.apart import Apart, apart, as_it_runs
from switch_configs.diff import masked, said
from switch_configs.errors import DialectError
from switch_configs.intent import Rendered, Step
from switch_configs.shown.foreign import Chain, is_comment
from validation.evidence.aside import scratch

FABRIC = "fabric.yml"
FRR = "/frr.conf"
SHOWN = 5
REVERT = "`railbed apply` brings it back; or change the site's own word for it"


@dataclass(frozen=True)
class Beside:
    """A switch as it runs, beside a plan."""

    context: Context
    whole: Whole
    asked: Rendered = field(repr=False)
    running: Rendered = field(repr=False)

    @classmethod
    def of(cls, context: Context, whole: Whole) -> Beside:
        """Beside the plan of this context."""
        asked = context.render(whole.running.device)
        return cls(context, whole, asked, recognised_in(context, whole.running, asked))

    @property
    def name(self) -> str:
        """The switch's."""
        return self.asked.device

    def apart(self) -> dict[str, Apart]:
        """By section, what differs."""
        return apart(self.running, self.asked, intent(self.context.plan, self.name))

    def steps(self, running: Rendered) -> tuple[Step, ...]:
        """What a push would do to a switch that runs this."""
        tongue = dialect(self.asked.dialect)
        return tongue.push_steps(running, self.asked, window_s(self.context.plan))

    def told(self, path: str, chains: Iterable[Chain]) -> str:
        """Lines as they may be shown."""
        text = next((one.text for one in self.asked.files if one.path == path), "")
        words = planned_words(path, text, showing(self.context.state_dir))
        shown = [words.names(tuple(masked(part.strip()) for part in one)) for one in chains]
        more = [f"and {len(shown) - SHOWN} more"] if len(shown) > SHOWN else []
        return "; ".join((*shown[:SHOWN], *more))


def try_site(
    context: Context, path: Path, text: str, switches: Sequence[Beside], section: str
) -> tuple[bool, tuple[str, ...]]:
    """Load, render, prove and compare the site with this text; RailbedError for what is not so.

    Returns as `_refuse_left`, and what nobody could judge.
    """
    with scratch("railbed-accept") as made:
        for each in path.parent.iterdir():
            if each.name != FABRIC:
                (made / each.name).symlink_to(each.resolve())
        (made / FABRIC).write_text(text, encoding="utf-8")
        try:
            plan = open_site(made, context.state_dir)
        except InventoryError as error:
            why = str(error).replace(str(made), str(path.parent))
            raise RailbedError(f"with these lines the site does not hold:\n{why}", "", 1) from None
        try:
            tried = replace(context, plan=plan, rendered={})
            unproved = _prove(tried, [one.name for one in switches])
            then = [Beside.of(tried, one.whole) for one in switches]
            pairs = zip(switches, then, strict=True)
            laid = [_refuse_left(one, after, section) for one, after in pairs]
            return any(laid), unproved
        except DialectError as error:
            raise RailbedError(error.message, error.hint, exit_code=1) from None


def _prove(context: Context, names: Sequence[str]) -> tuple[str, ...]:
    """RailbedError where the text contradicts the plan, or the fabric; else what nobody judged."""
    found = proved(context.plan, names, Programs())
    wrong = [f"{one.rendered.device} {line}" for one in found for line in one.wrong]
    if wrong:
        raise RailbedError(
            "these lines contradict the plan:\n  " + "\n  ".join(wrong[:SHOWN]),
            f"no raw line says otherwise than the plan: {REVERT}",
            exit_code=1,
        )
    refuse_unproved(context.plan)
    return tuple(f"{one.rendered.device} {line}" for one in found for line in one.strange)


def _refuse_left(one: Beside, after: Beside, section: str) -> bool:
    """RailbedError where the section would still differ, or anything more than before.

    Returns whether a push would lay a file of FRR anew, in which no statement differs.
    """
    old, new = one.apart(), after.apart()
    none = Apart("")
    for name, found in new.items():
        was = old.get(name, none)
        more = [c for c in found.added if c not in was.added]
        gone = [c for c in found.lost if c not in was.lost]
        left = [*found.added, *found.lost] if name == section else [*more, *gone]
        if left:
            raise RailbedError(
                f"{one.name}, {name or 'no section'}: would still differ: "
                f"{after.told(found.path, left)}",
                REVERT,
                exit_code=1,
            )
    _refuse_form(one, after, section)
    if after.steps(_but_for(after, new)):
        raise RailbedError(
            f"{one.name}, {section}: the same lines in another order or form would be pushed again",
            "on the switch they stand where no raw line can: put them last in their section there",
            exit_code=1,
        )
    return not new and bool(after.steps(after.running))


def _but_for(one: Beside, left: Mapping[str, Apart]) -> Rendered:
    """What would run without what is `left` in other sections, each stanza in its own order.

    FRR's text is the plan's: it says the same, and has no comment with a reason.
    """
    planned = {file.path: file for file in one.asked.files}
    made = []
    for file in one.running.files:
        like = planned.get(file.path, file).text
        if file.path.endswith(FRR):
            made.append(planned.get(file.path, file))
        elif left:
            made.append(replace(file, text=as_it_runs(file.path, like, file.text)))
        else:
            made.append(file)
    return replace(one.running, files=tuple(made))


def _refuse_form(one: Beside, after: Beside, section: str) -> None:
    """Files that are laid whole have the reason as a comment, which nobody typed there."""
    held = {file.path: said(file).text.splitlines() for file in one.running.files}
    before = {file.path: said(file).text.splitlines() for file in one.asked.files}
    for file in after.asked.files:
        new = set(said(file).text.splitlines()) - set(before.get(file.path, ()))
        if any(is_comment(line) and line not in held.get(file.path, ()) for line in new):
            raise RailbedError(
                f"{one.name}, {section}: {file.path} is laid whole, with the reason as a comment: "
                "it would still differ",
                f"write the stanza into {FABRIC} by hand, and `railbed apply`",
                exit_code=1,
            )
