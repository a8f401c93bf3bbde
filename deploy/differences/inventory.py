"""Which value of the inventory changed: that of the last apply beside today's.

An apply leaves a copy of the site's files in its state, and of those before. So a later plan can
say what changed, and whether a device has what the earlier plan wanted or something of its own.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock

from deploy.errors import RailbedError
from deploy.files import write_atomically
from inventory import InventoryError, open_site, site_folder
from inventory.files import yaml_mapping
from inventory.marked import Marked, dotted
from inventory.plan import Plan
from switch_configs.diff import masked
from validation.aside import aside

_KEPT, _NOW, _BEFORE = "applied", "now", "before"
_DIGEST, _SITE = "plan.digest", "site"
_FILES = frozenset({".yml", ".yaml", ".csv", ".xml"})
_WORD = re.compile(r"[\w.:/@+-]+")
# Such a value says what it is about; `1` or `true` stands in too many places.
_TELLING = re.compile(r"\S{3,60}")
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Value:
    """A value as it is written, and the line of its file."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A value that changed; `old` or `new` is empty where it was, or is, not there."""

    where: str
    old: str
    new: str

    def __str__(self) -> str:
        old, new = (_shown(self.where, one) for one in (self.old, self.new))
        return f"{self.where}: {old} -> {new}"


def _shown(where: str, text: str) -> str:
    """A value; not one that could be a secret, or a sentence."""
    if not text:
        return "none"
    said = f"{where.rpartition('.')[2]} {text}"
    is_plain = _WORD.fullmatch(text) and masked(said) == said and "credentials" not in where
    return text if is_plain else "(not shown)"


Values = Mapping[str, Value]


def values(folder: Path) -> dict[str, Value]:
    """Every value of fabric.yml and asbuilt.csv, by its place; empty where a file is broken."""
    marked = yaml_mapping(folder / "fabric.yml", [])
    found = dict(_leaves(marked, marked.value, ())) if marked else {}
    return found | dict(_cells(folder / "asbuilt.csv"))


def _leaves(
    marked: Marked, value: object, path: tuple[str | int, ...]
) -> Iterator[tuple[str, Value]]:
    if isinstance(value, dict | list) and value:
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in pairs:
            yield from _leaves(marked, one, (*path, key))
    elif path:
        yield dotted(path), Value(marked.value_place(path).line, str(value))


def _cells(path: Path) -> Iterator[tuple[str, Value]]:
    try:
        rows = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return
    for number, row in enumerate(rows[1:], start=2):
        name, _, rest = row.partition(",")
        yield f"asbuilt.csv {name}", Value(number, rest)


def moved(before: Values, now: Values) -> tuple[Moved, ...]:
    """What changed, in the order of today's lines; what is gone comes last."""
    gone = before.keys() - now.keys()
    names = [*sorted(now, key=lambda one: now[one].line), *sorted(gone)]
    pairs = ((one, before.get(one), now.get(one)) for one in names)
    return tuple(
        Moved(_place(name, new), old.text if old else "", new.text if new else "")
        for name, old, new in pairs
        if (old.text if old else None) != (new.text if new else None)
    )


def _place(name: str, value: Value | None) -> str:
    if name.startswith("asbuilt.csv "):
        return name
    return f"fabric.yml:{value.line} {name}" if value else f"fabric.yml {name}"


@dataclass
class Causes:
    """What may be said of why something differs; nothing is read before it is asked for."""

    site: str
    state: Path
    digest: str
    _lock: Lock = field(default_factory=Lock)

    @cached_property
    def _earlier(self) -> Path | None:
        """The files of the last apply that was of another plan than today's."""
        for folder in (self.state / _KEPT / _NOW, self.state / _KEPT / _BEFORE):
            if _digest_of(folder) not in ("", self.digest):
                return folder / _SITE
        return None

    @cached_property
    def _now(self) -> dict[str, Value]:
        return values(site_folder(self.site))

    @cached_property
    def moved(self) -> tuple[Moved, ...] | None:
        """The values that changed since; None where no earlier inventory is known."""
        return None if self._earlier is None else moved(values(self._earlier), self._now)

    @cached_property
    def _plan(self) -> Plan | None:
        try:
            return open_site(self._earlier, self.state) if self._earlier else None
        except InventoryError:
            return None

    @property
    def plan(self) -> Plan | None:
        """The earlier plan, as today's program makes it of the files; None where it cannot."""
        with self._lock:
            return self._plan

    def of(self, gone: Iterable[str], come: Iterable[str], is_earlier: bool | None) -> str:
        """Why: by the words that go and come, and whether the device has what was planned before.

        Empty where nothing is known.
        """
        old, new = _words(gone), _words(come)
        changed = self.moved
        if changed is None:
            return self._by_value(old, new)
        both = [one for one in changed if one.new in new - old and one.old in old - new]
        if is_earlier is False:
            both = [one for one in both if _TELLING.fullmatch(one.new)]
            unlike = "not known: the device does not hold what the last apply wanted"
            return "; ".join(map(str, both[:_SHOWN])) or unlike
        telling = [one for one in changed if _TELLING.fullmatch(one.new or one.old)]
        fits = both or [one for one in telling if one.new in new - old or one.old in old - new]
        if is_earlier is None and not fits:
            return ""
        fits = fits or list(changed if len(changed) == 1 else ())
        if fits:
            return "; ".join(map(str, fits[:_SHOWN]))
        if changed:
            return f"one of {len(changed)} changed values of the inventory, the first {changed[0]}"
        return "no value of the inventory changed: a profile, or code of a role or dialect"

    def _by_value(self, old: set[str], new: set[str]) -> str:
        """The places in the inventory of words that come, where a few alone have them."""
        come = {one for one in new - old if _TELLING.fullmatch(one)}
        named = [name for name, one in self._now.items() if one.text in come]
        if not 0 < len(named) <= _SHOWN:
            return ""
        told = ((one, self._now[one]) for one in named)
        return "; ".join(f"{_place(name, one)} is {_shown(name, one.text)}" for name, one in told)


def _words(some: Iterable[str]) -> set[str]:
    """Words, and the parts of assignments: `MTUBytes=4200` has 4200."""
    return {word for one in some for word in _WORD.findall(one)}


def keep(site: str, state: Path, digest: str) -> None:
    """Keep the files of a site whose plan is about to be applied, and those of the plan before."""
    kept = state / _KEPT
    if _digest_of(kept / _NOW) == digest:
        return
    try:
        kept.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = aside(kept / _NOW)
        made.mkdir(mode=0o700)
        shutil.copytree(site_folder(site), made / _SITE, ignore=_others)
        write_atomically(made / _DIGEST, digest + "\n", mode=0o600)
        if (kept / _NOW).is_dir():
            shutil.rmtree(kept / _BEFORE, ignore_errors=True)
            (kept / _NOW).rename(kept / _BEFORE)
        made.rename(kept / _NOW)
    except OSError as error:
        if _digest_of(kept / _NOW) != digest:  # else another apply was faster
            raise RailbedError(f"{kept} cannot be written: {error}") from None


def _digest_of(folder: Path) -> str:
    """Of which plan the kept files are; empty where there are none."""
    try:
        return (folder / _DIGEST).read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _others(folder: str, names: list[str]) -> set[str]:
    """What is no file of an inventory, hidden, or a link that may lead anywhere."""
    paths = (Path(folder, name) for name in names)
    return {
        path.name
        for path in paths
        if path.name.startswith(".")
        or path.is_symlink()
        or not (path.is_dir() or path.suffix in _FILES)
    }
