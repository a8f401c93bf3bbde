"""Configurations in a folder: a folder a switch, or one file a switch, named after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from deploy.errors import RailbedError
from inventory.plan import Plan
from switch_configs import dialect, places_of, render
from switch_configs.changes.commands import broken_at
from switch_configs.errors import DialectError
from switch_configs.intent import ConfigFile, Own, Rendered

_SHOWN = 6
_WHOLE = "compare whole configurations, as the switch shows them"
_HINT = "one folder or file a switch, named after it"


@dataclass(frozen=True, slots=True)
class Side:
    """A configuration of one side, and the files that a folder says nothing of.

    `own` is what the switch keeps as its own; a plan allows, beside what it names, what is shipped.
    `saved` is what lay in the folder, secrets and all; None of a plan, which has words for them.
    `planned` is what the plan says of a switch of this name and system, if it knows one, and
    `sources` where the text of each file comes from.
    """

    rendered: Rendered
    own: tuple[Own, ...]
    unsaid: tuple[str, ...] = ()
    saved: Rendered | None = None
    planned: Rendered | None = None
    sources: Mapping[str, Path] = field(default_factory=dict)


def of_plan(rendered: Rendered) -> Side:
    """What the plan says of a switch."""
    own = dialect(rendered.dialect).own(rendered)
    return Side(rendered, own, planned=rendered)


def of_folder(plan: Plan, folder: Path, *, with_strangers: bool) -> dict[str, Side | None]:
    """The configurations of a folder, by switch; None for one of no system that is known.

    RailbedError where one is no switch of the site's, unless strangers are welcome.
    """
    if not folder.is_dir():
        raise RailbedError(f"{folder}: not a folder", hint="what `railbed render --out DIR` wrote")
    found = _by_name(folder)
    strangers = sorted(set(found) - {*plan.switch, *plan.oob_switch})
    if strangers and not with_strangers:
        shown = ", ".join(strangers[:_SHOWN])
        raise RailbedError(
            f"{folder}: no switches of {plan.site}: {shown}",
            hint=f"{_HINT}; is it another --site? Two folders may be of any switches",
        )
    if not found:
        raise RailbedError(f"{folder}: empty", hint=_HINT)
    return {
        name: _side(plan, name, path, with_strangers=with_strangers) for name, path in found.items()
    }


def _by_name(folder: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if path.name.startswith((".", "README")):  # what is hidden, and a README, is no switch's
            continue
        name = path.name if path.is_dir() else path.stem
        if name in found:
            both = f"{found[name].name} and {path.name}"
            raise RailbedError(f"{folder}: {both} are both of {name}", hint=_HINT)
        found[name] = path
    return found


def _side(plan: Plan, name: str, path: Path, *, with_strangers: bool) -> Side | None:
    texts = _texts(path)
    is_ours = name in plan.switch or name in plan.oob_switch
    wanted = render(plan, name) if is_ours else None
    if not with_strangers:
        return None if wanted is None else _known(wanted, path, texts)
    system, place = _recognised(texts)
    # A stranger may have the name of one of ours.
    if wanted is not None and system in ("", wanted.dialect):
        return _known(wanted, path, texts)
    if not system:
        return None
    if path.is_file():
        texts = {place: texts[path.suffix]}
    files = tuple(_file(None, where, text) for where, text in sorted(texts.items()))
    return _read(Rendered(name, system, files), None, path, ())


def _texts(path: Path) -> dict[str, str]:
    """By their places on a switch; of a file alone, by the end of its name."""
    try:
        if path.is_dir():
            return {
                f"/{one.relative_to(path)}": one.read_text(encoding="utf-8")
                for one in sorted(path.rglob("*"))
                if one.is_file()
            }
        return {path.suffix: path.read_text(encoding="utf-8")}
    except (OSError, UnicodeDecodeError) as error:
        raise RailbedError(f"{path} cannot be read: {error}") from None


def _recognised(texts: Mapping[str, str]) -> tuple[str, str]:
    """The system that some texts are of, and where on it its text lies; empty where none knows it.

    Where several do (FRR's text is that of many), one at its own place counts more.
    """
    found = [
        (place != where, system, place)
        for where, text in texts.items()
        for system, place in places_of(text).items()
    ]
    _, system, place = min(found, default=(True, "", ""))
    return system, place


def _known(wanted: Rendered, path: Path, texts: Mapping[str, str]) -> Side:
    """A switch of the site, with the owners and modes that its files shall have: text says none."""
    if path.is_file():
        texts = {_place(wanted, path): texts[path.suffix]}
    known = {file.path: file for file in wanted.files}
    files = tuple(_file(known.get(where), where, text) for where, text in sorted(texts.items()))
    # One file a switch says nothing of the others that the switch has.
    unsaid = () if path.is_dir() else tuple(sorted(set(known) - set(texts)))
    return _read(Rendered(wanted.device, wanted.dialect, files), wanted, path, unsaid)


def _read(saved: Rendered, wanted: Rendered | None, path: Path, unsaid: tuple[str, ...]) -> Side:
    sources = {
        file.path: path / file.path.lstrip("/") if path.is_dir() else path for file in saved.files
    }
    tongue = dialect(saved.dialect)
    try:
        tidied, own = tongue.tidied(saved, wanted or saved), tongue.own(saved)
    except DialectError:
        raise
    except ValueError:
        found = broken_in(saved, sources)
        raise found or RailbedError(f"{path}: cannot be understood", hint=_WHOLE) from None
    return Side(tidied, own, unsaid, saved, planned=wanted, sources=sources)


def broken_in(rendered: Rendered, sources: Mapping[str, Path]) -> RailbedError | None:
    """Where hier_config gives a configuration up; what it says itself may hold a secret."""
    platform = dialect(rendered.dialect).hier_platform
    for file in rendered.files if platform else ():
        if number := broken_at(file.text, platform):
            line = file.text.splitlines()[number - 1].strip()
            source = sources.get(file.path, Path(file.path))
            lines = source.read_text(encoding="utf-8").splitlines() if source.is_file() else []
            # What is compared is tidied: its lines have other numbers in the file.
            same = [at for at, one in enumerate(lines, start=1) if one.strip() == line]
            return RailbedError(
                f"{source}:{same[-1] if same else number}: a banner without its end, or a section"
                " that is there twice",
                hint=_WHOLE,
            )
    return None


def _place(wanted: Rendered, path: Path) -> str:
    """The file of the switch that a lone file stands for: the only one, or that of its suffix."""
    same = [file.path for file in wanted.files if Path(file.path).suffix == path.suffix]
    candidates = same or [file.path for file in wanted.files]
    if len(candidates) != 1:
        names = ", ".join(file.path for file in wanted.files)
        raise RailbedError(
            f"{path}: {wanted.device} has several files", hint=f"a folder with {names}"
        )
    return candidates[0]


def _file(known: ConfigFile | None, path: str, text: str) -> ConfigFile:
    if known is None:
        return ConfigFile(path, text, "root", "root", "0644", "none")
    return ConfigFile(path, text, known.owner, known.group, known.mode, known.impact)
