"""`railbed diff FOLDER [FOLDER]`: configurations in folders, against each other or the plan.

A folder holds what `railbed render --out` writes (a folder a switch), or one file a switch,
named after it: leaf-p1-r0.cfg, as a collector of running configurations saves them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.text import Text

from inventory.plan import Plan
from inventory.visible import one_line
from switch_configs import dialect, render
from switch_configs.changes import IMPACTS, Change, changes, of_own, worst
from switch_configs.intent import ConfigFile, Impact, Own, Rendered

from .errors import RailbedError
from .show.words import print_line

_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Compared:
    """One switch: its changes, and what was not compared (`unseen`, a sentence each)."""

    device: str
    changes: tuple[Change, ...]
    unseen: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Side:
    """A configuration of one side, and the files that a folder says nothing of.

    `own` is what the switch keeps as its own; a plan allows, beside what it names, what is shipped.
    """

    rendered: Rendered
    own: tuple[Own, ...]
    unsaid: tuple[str, ...] = ()
    is_plan: bool = False


def compare(plan: Plan, old: Path, new: Path | None) -> tuple[Compared, ...]:
    """Every switch that either side has; without `new` the plan is the other side.

    A switch or file that only one side has is no difference and no agreement: it is unseen.
    """
    before = _read(plan, old)
    if new is not None:
        after = _read(plan, new)
    else:
        every = sorted({**plan.switch, **plan.oob_switch})
        after = {name: _planned(render(plan, name)) for name in every}
    names = sorted({*before, *after})
    return tuple(_compared(name, before.get(name), after.get(name)) for name in names)


def _compared(name: str, before: _Side | None, after: _Side | None) -> Compared:
    if before is None or after is None:
        return Compared(name, (), (f"not in the {'first' if before is None else 'second'} folder",))
    unsaid = {*before.unsaid, *after.unsaid}
    old, new = (_without(one.rendered, unsaid) for one in (before, after))
    found = (*changes(old, new, dialect(new.dialect)), *of_own(*_own(before, after)))
    return Compared(name, found, tuple(f"{path} is not there" for path in sorted(unsaid)))


def _planned(rendered: Rendered) -> _Side:
    return _Side(rendered, dialect(rendered.dialect).own(rendered), is_plan=True)


def _own(before: _Side, after: _Side) -> tuple[tuple[Own, ...], tuple[Own, ...]]:
    """What both sides keep; beside a plan, without what systems are shipped with."""
    if not after.is_plan:
        return before.own, after.own
    old, new = (tuple(one for one in side.own if not one.shipped) for side in (before, after))
    return old, new


def _without(rendered: Rendered, paths: set[str]) -> Rendered:
    return replace(rendered, files=tuple(one for one in rendered.files if one.path not in paths))


def _read(plan: Plan, folder: Path) -> dict[str, _Side]:
    """The configurations of a folder, by switch; RailbedError where it has none of the site's."""
    if not folder.is_dir():
        raise RailbedError(f"{folder}: not a folder", hint="what `railbed render --out DIR` wrote")
    every = {*plan.switch, *plan.oob_switch}
    # What is hidden, and a README, is no switch's.
    found = {
        one.name if one.is_dir() else one.stem: one
        for one in sorted(folder.iterdir())
        if not one.name.startswith((".", "README"))
    }
    strangers = sorted(set(found) - every)
    if strangers:
        shown = ", ".join(strangers[:_SHOWN])
        raise RailbedError(
            f"{folder}: no switches of {plan.site}: {shown}",
            hint="one folder or file a switch, named after it; is it another --site?",
        )
    if not found:
        raise RailbedError(f"{folder}: empty", hint="one folder or file a switch, named after it")
    return {name: _rendered(plan, name, path) for name, path in found.items()}


def _rendered(plan: Plan, name: str, path: Path) -> _Side:
    """What lies in a folder, with the owners and modes that it shall have: files say text only."""
    wanted = render(plan, name)
    try:
        if path.is_dir():
            texts = {
                f"/{one.relative_to(path)}": one.read_text(encoding="utf-8")
                for one in sorted(path.rglob("*"))
                if one.is_file()
            }
        else:
            texts = {_place(wanted, path): path.read_text(encoding="utf-8")}
    except (OSError, UnicodeDecodeError) as error:
        raise RailbedError(f"{path} cannot be read: {error}") from None
    known = {one.path: one for one in wanted.files}
    files = tuple(_file(known.get(where), where, text) for where, text in sorted(texts.items()))
    # One file a switch says nothing of the others that the switch has.
    unsaid = () if path.is_dir() else tuple(sorted(set(known) - set(texts)))
    saved = Rendered(name, wanted.dialect, files)
    tongue = dialect(wanted.dialect)
    return _Side(tongue.tidied(saved, wanted), tongue.own(saved), unsaid)


def _place(wanted: Rendered, path: Path) -> str:
    """The file of the switch that a lone file stands for: the only one, or that of its suffix."""
    same = [one.path for one in wanted.files if Path(one.path).suffix == path.suffix]
    candidates = same or [one.path for one in wanted.files]
    if len(candidates) != 1:
        names = ", ".join(one.path for one in wanted.files)
        raise RailbedError(
            f"{path}: {wanted.device} has several files", hint=f"a folder with {names}"
        )
    return candidates[0]


def _file(known: ConfigFile | None, path: str, text: str) -> ConfigFile:
    if known is None:
        return ConfigFile(path, text, "root", "root", "0644", "none")
    return ConfigFile(path, text, known.owner, known.group, known.mode, known.impact)


def compared_text(found: tuple[Compared, ...], out: Console) -> None:
    """Device by device, section by section, each with its impact; a sum at the end."""
    for one in found:
        if one.changes:
            title = one_line(f"{one.device}  {worst(one.changes)}")
            out.rule(Text(title, "rule.text"), align="left")
        for change in one.changes:
            head = f"{change.path}  {change.section}"
            print_line(out, f"{head}  [{change.impact}]")
            for line in change.lines:
                print_line(out, f"  {line}")
    unseen = [f"{one.device}: {', '.join(one.unseen)}" for one in found if one.unseen]
    if unseen:
        print_line(out, f"not compared: {len(unseen)}")
    for line in unseen[:_SHOWN]:
        print_line(out, f"  {line}")
    print_line(out, _sum(found))


def exit_status(found: tuple[Compared, ...]) -> int:
    """1 when anything differs, else 3 when something was not compared, else 0."""
    if any(one.changes for one in found):
        return 1
    return 3 if any(one.unseen for one in found) else 0


def _sum(found: tuple[Compared, ...]) -> str:
    impacts: dict[Impact, int] = {}
    for one in found:
        for change in one.changes:
            impacts[change.impact] = impacts.get(change.impact, 0) + 1
    differ = sum(bool(one.changes) for one in found)
    compared = sum(not one.unseen or bool(one.changes) for one in found)
    parts = [f"{impacts[one]} {one}" for one in IMPACTS if one in impacts]
    said = f": {', '.join(parts)}" if parts else ""
    return f"{differ} of {compared} compared switches differ{said}"


def compared_json(found: tuple[Compared, ...]) -> object:
    """The same for machines."""
    return [
        {
            "device": one.device,
            "unseen": list(one.unseen),
            "impact": worst(one.changes),
            "changes": [
                {
                    "file": change.path,
                    "section": change.section,
                    "impact": change.impact,
                    "lines": list(change.lines),
                }
                for change in one.changes
            ],
        }
        for one in found
    ]
