"""`accept`: what a switch runs in a section and nobody planned becomes raw lines of its site.

Only what was added can: a line that was lost, or a planned value that another stands for, has no
raw line. Nothing is written before the site with the stanza was loaded, rendered, proved, and
compared with what runs, and nothing differs in that section any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from deploy.context import Context, no_journal
from deploy.errors import RailbedError
from deploy.files import write_atomically
from deploy.record.site_key import showing
from deploy.rollout.preconditions import refuse_unproved
from deploy.rollout.survey import recognised_in
from deploy.rollout.switch_wave import window_s
from deploy.session import Selection, open_context, open_plan
from deploy.switches.push_session import PushStopped, Whole
from deploy.switches.render import proved
from deploy.switches.syntax_run import Programs
from inventory import InventoryError, open_site, site_folder
from inventory.load.files import text_of
from inventory.load.raw_added import Stanza, with_raw
from inventory.problems import Problem, close_to
from switch_configs import dialect, intent
from switch_configs.changes import planned_words, unplanned
from switch_configs.changes.apart import Apart, apart, as_it_runs, lines
from switch_configs.diff import masked, said
from switch_configs.errors import DialectError
from switch_configs.intent import Rendered, Step
from switch_configs.readback import accounts
from switch_configs.shown.foreign import Chain, is_comment
from switch_configs.shown.writable import known_words, may_hold_secret
from validation.evidence.aside import scratch

from .taken import fetcher, switches_of

FABRIC = "fabric.yml"
FRR = "/frr.conf"
_SHOWN = 5
_BY_REFERENCE = (
    "the inventory has words for logins and servers, with an entry of `credentials` for each "
    "secret (`switch_services`); or `railbed apply` takes the line away"
)
_REVERT = "`railbed apply` brings it back; or change the site's own word for it"


@dataclass(frozen=True, slots=True)
class Accepted:
    """What came into the site, or would: no `lines` where there is nothing to accept.

    `anew` says that the next push lays a file of FRR with the reason in it, and no statement
    differs; `unproved` are lines whose meaning nobody here can judge. `elsewhere` are other
    sections in which some of the switches run what nobody planned.
    """

    path: Path
    devices: tuple[str, ...]
    section: str
    lines: tuple[str, ...] = ()
    written: bool = False
    anew: bool = False
    unproved: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()

    @property
    def stanza(self) -> str:
        """As it stands in the file."""
        return "".join(f"{line}\n" for line in self.lines)


@dataclass(frozen=True, slots=True)
class Wish:
    """Which switches and section, why, and whether it is only asked."""

    names: tuple[str, ...]
    section: str
    reason: str
    dry_run: bool = False


@dataclass(frozen=True)
class _Switch:
    """A switch as it runs, beside a plan."""

    context: Context
    whole: Whole
    asked: Rendered = field(repr=False)
    running: Rendered = field(repr=False)

    @classmethod
    def of(cls, context: Context, whole: Whole) -> _Switch:
        asked = context.render(whole.running.device)
        return cls(context, whole, asked, recognised_in(context, whole.running, asked))

    @property
    def name(self) -> str:
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
        more = [f"and {len(shown) - _SHOWN} more"] if len(shown) > _SHOWN else []
        return "; ".join((*shown[:_SHOWN], *more))


def accept_of_site(selection: Selection, wish: Wish) -> Accepted:
    """Ask the switches, and write what they run of a section into the site's file."""
    plan = open_plan(selection)
    try:
        names = switches_of(plan, wish.names)
    except RailbedError as error:
        raise RailbedError(error.message.removeprefix("--device "), error.hint) from None
    for name in names:
        known = dialect(plan.any_switch[name].dialect).sections
        if wish.section not in known:
            near = close_to(wish.section, known) or f"there are: {', '.join(known)}"
            raise RailbedError(f"--section {wish.section}: {name} has no such section", near)
    context = open_context(selection, lambda _: None, no_journal, plan)
    return accept(context, replace(wish, names=names))


def accept(context: Context, wish: Wish) -> Accepted:
    """As `accept_of_site`, of switches and a section that there are. RailbedError refuses."""
    path = site_folder(context.site) / FABRIC
    before = _text(path)
    switches = _asked(context, wish.names)
    differ = {one.name: one.apart() for one in switches}
    nothing = Accepted(path, wish.names, wish.section, elsewhere=_elsewhere(wish, differ))
    if not any(wish.section in found for found in differ.values()):
        _refuse_own(switches, wish.section, differ)
        return nothing
    for one in switches:
        _refuse(one, differ[one.name].get(wish.section), wish.section)
    mine = {
        one.name: lines(differ[one.name][wish.section], wish.section, one.asked.dialect)
        for one in switches
    }
    first = mine[wish.names[0]]
    if others := [name for name, one in mine.items() if one != first]:
        raise RailbedError(
            f"{', '.join(others)}: not the same lines as {wish.names[0]} in {wish.section}",
            "accept them switch by switch",
            exit_code=1,
        )
    stanza: Stanza = {
        "devices": list(wish.names),
        "section": wish.section,
        "lines": list(first),
        "reason": wish.reason,
    }
    text, added = with_raw(before, stanza)
    anew, unproved = _try(context, path, text, switches, wish.section)
    if not wish.dry_run:
        if _text(path) != before:
            raise RailbedError(f"{path} was changed meanwhile; nothing is written", "once more")
        write_atomically(path, text)
    return replace(
        nothing,
        lines=tuple(added.strip("\n").split("\n")),
        written=not wish.dry_run,
        anew=anew,
        unproved=unproved,
    )


def _text(path: Path) -> str:
    problems: list[Problem] = []
    text = text_of(path, problems, "a YAML file")
    if text is None:
        raise InventoryError(problems)
    return text


def _asked(context: Context, names: Sequence[str]) -> tuple[_Switch, ...]:
    read, found = fetcher(context), list[_Switch]()
    for name in names:
        try:
            one = _Switch.of(context, read(name))
        except (PushStopped, DialectError) as error:
            why = error.message if name in error.message else f"{name}: {error.message}"
            raise RailbedError(why, error.hint, exit_code=3) from None
        paths = {file.path for file in one.asked.files}
        for file in one.running.files:
            if file.path not in paths:
                raise RailbedError(
                    f"{name}: {file.text.strip()}: what may be gone after a restart is not "
                    "accepted",
                    "save it on the switch, or end what waits there; then accept",
                    exit_code=1,
                )
        found.append(one)
    return tuple(found)


def _elsewhere(wish: Wish, differ: dict[str, dict[str, Apart]]) -> tuple[str, ...]:
    found = {section for one in differ.values() for section, what in one.items() if what.added}
    return tuple(sorted(found - {wish.section, ""}))


# -- what no raw line can say -----------------------------------------------------------------


def _refuse_own(
    switches: Sequence[_Switch], section: str, differ: dict[str, dict[str, Apart]]
) -> None:
    """Where nothing else is to accept, what the switch keeps as its own is what was meant."""
    for one in switches:
        switch = one.context.plan.any_switch[one.name]
        tongue, logins = dialect(switch.dialect), accounts.planned(one.context.plan, one.name)
        strays = unplanned(one.whole.held, one.asked, tongue, logins)
        is_known = any(raw.section == section for raw in switch.raw)
        if strays and not differ[one.name] and not is_known:
            raise RailbedError(
                f"{one.name}: {'; '.join(strays)}: the switch's own, which no raw line is for",
                "no push touches it: take it away on the switch, or name a login under "
                "`switch_services.accounts`",
                exit_code=1,
            )


def _refuse(one: _Switch, found: Apart | None, section: str) -> None:
    """RailbedError where the section of a switch is none that raw lines alone make whole."""
    if found is None:
        raise RailbedError(
            f"{one.name}: runs nothing in {section} that nobody planned", "leave it out", 1
        )
    where = f"{one.name}, {section}"
    known = known_words(file.text for file in one.asked.files)
    hold = [chain for chain in found.added if may_hold_secret(chain, known)]
    if hold:
        raise RailbedError(
            f"{where}: may hold a secret, and is never written: {one.told(found.path, hold)}",
            _BY_REFERENCE,
            exit_code=1,
        )
    if found.changed:
        places = (" ".join(place) for place in found.changed)
        raise RailbedError(
            f"{where}: another value runs than is planned, which no raw line can say: "
            f"{'; '.join(list(places)[:_SHOWN])}",
            _REVERT,
            exit_code=1,
        )
    if found.lost:
        raise RailbedError(
            f"{where}: planned, and it does not run: {one.told(found.path, found.lost)}",
            _REVERT,
            exit_code=1,
        )


# -- the trial --------------------------------------------------------------------------------


def _try(
    context: Context, path: Path, text: str, switches: Sequence[_Switch], section: str
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
            then = [_Switch.of(tried, one.whole) for one in switches]
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
            "these lines contradict the plan:\n  " + "\n  ".join(wrong[:_SHOWN]),
            f"no raw line says otherwise than the plan: {_REVERT}",
            exit_code=1,
        )
    refuse_unproved(context.plan)
    return tuple(f"{one.rendered.device} {line}" for one in found for line in one.strange)


def _refuse_left(one: _Switch, after: _Switch, section: str) -> bool:
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
                _REVERT,
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


def _but_for(one: _Switch, left: Mapping[str, Apart]) -> Rendered:
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


def _refuse_form(one: _Switch, after: _Switch, section: str) -> None:
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
