"""Which value of the inventory changed: that of the last apply beside today's.

An apply leaves a copy of the site's files in its state, and of those before. So a later plan can
say what changed, and whether a device has what the earlier plan wanted or something of its own.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from threading import Lock

from deploy.errors import RailbedError
from deploy.files import write_atomically
from inventory import InventoryError, open_site, site_folder
from inventory.load.files import yaml_mapping
from inventory.load.yaml_positions import Marked, dotted
from inventory.plan import Plan
from switch_configs.diff import masked
from validation.evidence.aside import aside

_KEPT, _NOW, _BEFORE = "applied", "now", "before"
_DIGEST, _SITE = "plan.digest", "site"
_FILES = frozenset({".yml", ".yaml", ".csv", ".xml"})
_WORD = re.compile(r"[\w.:/@+-]+")
# Such a value says what it is about; `1` or `true` stands in too many places.
_TELLING = re.compile(r"\S{3,60}")
# Without the value before, a word alone tells only with a digit: `permit` stands in many texts.
_ALONE = re.compile(r"(?=\S*\d)\S{3,60}")
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


_Path = tuple[str | int, ...]
_NOTHING: object = object()


def values(folder: Path) -> dict[str, Value]:
    """Every value of fabric.yml and asbuilt.csv, by its place; empty where a file is broken."""
    marked = yaml_mapping(folder / "fabric.yml", [])
    found = dict(_leaves(marked, marked.value)) if marked else {}
    return found | dict(_cells(folder / "asbuilt.csv"))


def _leaves(marked: Marked, value: object) -> Iterator[tuple[str, Value]]:
    for _, path, _, text in _paired(_NOTHING, value):
        yield dotted(path), Value(marked.value_place(path).line, text)


def _cells(path: Path) -> Iterator[tuple[str, Value]]:
    try:
        rows = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return
    for number, row in enumerate(rows[1:], start=2):
        name, _, rest = row.partition(",")
        yield f"asbuilt.csv {name}", Value(number, rest)


def moved(before: Path, now: Path) -> tuple[Moved, ...]:
    """What changed between two folders, in the order of today's lines; what is gone comes last.

    An entry of a list that only stands at another index is no change.
    """
    was, marked = (yaml_mapping(one / "fabric.yml", []) for one in (before, now))
    found = list[tuple[int, Moved]]()
    for old_path, path, old, new in _paired(was and was.value, marked and marked.value):
        line = marked.value_place(path).line if marked and new else 0
        place = f"fabric.yml:{line} {dotted(path)}" if line else f"fabric.yml {dotted(old_path)}"
        found.append((line, Moved(place, old, new)))
    fabric = [one for _, one in sorted(found, key=lambda pair: (not pair[0], pair[0]))]
    cells = [dict(_cells(one / "asbuilt.csv")) for one in (before, now)]
    rows = (
        Moved(name, *(one[name].text if name in one else "" for one in cells))
        for name in sorted({*cells[0], *cells[1]})
    )
    return (*fabric, *(row for row in rows if row.old != row.new))


def _paired(
    old: object, new: object, was: _Path = (), now: _Path = ()
) -> Iterator[tuple[_Path, _Path, str, str]]:
    """The leaves that differ: both paths and both texts, empty where one is not there."""
    if old == new and type(old) is type(new):
        return
    one = old if new is _NOTHING else new
    if isinstance(one, dict) and (old is _NOTHING or isinstance(old, dict)):
        left, right = _dict(old), _dict(new)
        for key in {**right, **left}:
            each = left.get(key, _NOTHING), right.get(key, _NOTHING)
            yield from _paired(*each, (*was, key), (*now, key))
    elif isinstance(one, list) and (old is _NOTHING or isinstance(old, list)):
        for a, b, old_one, new_one in _entries(_list(old), _list(new)):
            yield from _paired(old_one, new_one, (*was, a), (*now, b))
    else:
        old_text, new_text = ("" if one is _NOTHING else str(one) for one in (old, new))
        yield was, now, old_text, new_text


def _dict(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _entries(old: list[object], new: list[object]) -> Iterator[tuple[int, int, object, object]]:
    """Entries that differ, with the index of each: what stayed is found by its content."""
    left, right = ([json.dumps(one, sort_keys=True) for one in some] for some in (old, new))
    blocks = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    for tag, a, b, c, d in blocks:
        if tag != "equal":
            for n, m in zip_longest(range(a, b), range(c, d)):
                yield (
                    n if n is not None else a,
                    m if m is not None else c,
                    _NOTHING if n is None else old[n],
                    _NOTHING if m is None else new[m],
                )


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
        return None if self._earlier is None else moved(self._earlier, site_folder(self.site))

    @cached_property
    def _plan(self) -> Plan | None:
        return _opened(self._earlier, self.state) if self._earlier else None

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
        if is_earlier is None:
            both = [one for one in both if _TELLING.fullmatch(one.new)]
        # What has a value on one side alone: came, or went.
        alone = [one for one in changed if _is_alone(one, old - new, new - old)]
        fits = both or alone
        if is_earlier is None and not fits:
            return ""
        fits = fits or list(changed if len(changed) == 1 else ())
        if fits:
            return "; ".join(map(str, fits[:_SHOWN]))
        if changed:
            return f"one of {len(changed)} changed values of the inventory, the first {changed[0]}"
        return "no value of the inventory changed: a profile, or code of a role or dialect"

    def _by_value(self, old: set[str], new: set[str]) -> str:
        """The place in the inventory of each word that comes, where it is the only one.

        A value of two places (an MTU of two planes) could come from either, so nothing is said.
        """
        come = {one for one in new - old if _ALONE.fullmatch(one)}
        places = {word: [at for at, one in self._now.items() if one.text == word] for word in come}
        named = sorted(at[0] for at in places.values() if len(at) == 1)
        if not 0 < len(named) <= _SHOWN:
            return ""
        told = ((one, self._now[one]) for one in named)
        return "; ".join(
            f"fabric.yml:{one.line} {name} is {_shown(name, one.text)}" for name, one in told
        )


def _is_alone(one: Moved, gone: set[str], come: set[str]) -> bool:
    """Whether a value that came, or went, is among such words."""
    text, words = (one.new, come) if not one.old else (one.old, gone)
    return not (one.old and one.new) and bool(_ALONE.fullmatch(text)) and text in words


def _words(some: Iterable[str]) -> set[str]:
    """Words, and the parts of assignments: `MTUBytes=4200` has 4200."""
    return {word for one in some for word in _WORD.findall(one)}


def kept_plan(state: Path, digest: str) -> Plan | None:
    """A plan that was applied, as today's program makes it of its files; None where it cannot."""
    folders = (state / _KEPT / _NOW, state / _KEPT / _BEFORE)
    found = next((one for one in folders if _digest_of(one) == digest), None)
    return _opened(found / _SITE, state) if found else None


def _opened(folder: Path, state: Path) -> Plan | None:
    try:
        return open_site(folder, state)
    except InventoryError:
        return None


def keep(site: str, state: Path, digest: str, held: Collection[str] = ()) -> None:
    """Keep the files of a site whose plan is about to be applied, and those of the plan before.

    `held` are plans that devices are at: one of them is kept rather than one that reached none.
    """
    kept = state / _KEPT
    if _digest_of(kept / _NOW) == digest:
        return
    try:
        kept.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = aside(kept / _NOW)
        made.mkdir(mode=0o700)
        shutil.copytree(site_folder(site), made / _SITE, ignore=_others)
        write_atomically(made / _DIGEST, digest + "\n", mode=0o600)
        if _digest_of(kept / _BEFORE) in held and _digest_of(kept / _NOW) not in held:
            shutil.rmtree(kept / _NOW)
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
