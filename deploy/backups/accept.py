"""`accept`: what a switch runs in a section and nobody planned becomes raw lines of its site.

Only what was added can: a line that was lost, or a planned value that another stands for, has no
raw line. Nothing is written before the site with the stanza was loaded, rendered, proved, and
compared with what runs, and nothing differs in that section any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from deploy.context import Context, no_journal
from deploy.errors import RailbedError
from deploy.files import write_atomically
from deploy.session import Selection, open_context, open_plan
from deploy.switches.push_session import PushStopped
from inventory import InventoryError, site_folder
from inventory.load.files import text_of
from inventory.load.raw_added import Stanza, with_raw
from inventory.problems import Problem, close_to
from switch_configs import dialect
from switch_configs.changes import unplanned
from switch_configs.changes.apart import Apart, lines
from switch_configs.changes.off import switched_off
from switch_configs.errors import DialectError
from switch_configs.readback import accounts
from switch_configs.shown.writable import known_words, may_hold_secret

from .taken import fetcher, switches_of
from .with_stanza import FABRIC, REVERT, SHOWN, Beside, try_site

_BY_REFERENCE = (
    "the inventory has words for logins and servers, with an entry of `credentials` for each "
    "secret (`switch_services`); or `railbed apply` takes the line away"
)


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
    anew, unproved = try_site(context, path, text, switches, wish.section)
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


def _asked(context: Context, names: Sequence[str]) -> tuple[Beside, ...]:
    read, found = fetcher(context), list[Beside]()
    for name in names:
        try:
            one = Beside.of(context, read(name))
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
    switches: Sequence[Beside], section: str, differ: dict[str, dict[str, Apart]]
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


def _refuse(one: Beside, found: Apart | None, section: str) -> None:
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
    if off := switched_off(found.added, one.context.plan.any_switch[one.name]):
        raise RailbedError(
            f"{where}: switches off what the plan uses: {one.told(found.path, off)}",
            "`railbed apply` takes the line away; or take the port out of the plan",
            exit_code=1,
        )
    if found.changed:
        places = (" ".join(place) for place in found.changed)
        raise RailbedError(
            f"{where}: another value runs than is planned, which no raw line can say: "
            f"{'; '.join(list(places)[:SHOWN])}",
            REVERT,
            exit_code=1,
        )
    if found.lost:
        raise RailbedError(
            f"{where}: planned, and it does not run: {one.told(found.path, found.lost)}",
            REVERT,
            exit_code=1,
        )
