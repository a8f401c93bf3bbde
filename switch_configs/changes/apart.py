"""What a switch runs that nobody planned, and what it has lost, by the sections of raw lines.

Of a tree a key of its top says the section. Of a text its place does: a new line stands in the
section of the planned lines beside it, and one below a planned line in that one's. Where sections
begin and end is known by what `render` gives with a mark at the end of each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, cast

from inventory.plan import RawStanza
from switch_configs import dialect, package
from switch_configs.frr.compare import is_statement
from switch_configs.intent import OobIntent, RawTree, Rendered, SwitchIntent
from switch_configs.shown.foreign import Chain, below, is_comment

from . import TREES, trees

_MARK = "railbed-section-ends "
# What only ends a block is no statement.
_AROUND = re.compile(r"exit(-\S+)?|end")


@dataclass(slots=True)
class Apart:
    """One section of one file; each line or leaf under what it stands in.

    `added` runs and is not planned, `lost` is planned and does not run. A leaf of a tree with
    another value than the plan's is in both, and in `changed` by its place.
    """

    path: str
    added: list[Chain] = field(default_factory=list)
    lost: list[Chain] = field(default_factory=list)

    @property
    def changed(self) -> list[Chain]:
        """Places in a tree where another value runs than is planned; none in a text."""
        if not self.path.endswith(TREES):
            return []
        held = {one[:-1] for one in self.added}
        return [one[:-1] for one in self.lost if one[:-1] in held]


def apart(running: Rendered, asked: Rendered, wanted: SwitchIntent | OobIntent) -> dict[str, Apart]:
    """By section, what differs; `asked` is the render of `wanted`. "" has what is in no section."""
    tree = _tree(asked.dialect)
    marked = _marked(wanted, asked.dialect, tree)
    runs = {file.path: file.text for file in running.files}
    found: dict[str, Apart] = {}
    for file in asked.files:
        held = runs.get(file.path, "")
        if not file.path.endswith(TREES):
            _of_text(file.path, held, file.text, marked.get(file.path, file.text), found)
        elif tree:
            _of_tree(file.path, held, file.text, tree, wanted, found)
    return found


def lines(one: Apart, section: str, dialect_name: str) -> tuple[str, ...]:
    """What was added, as raw lines of a site."""
    if not one.path.endswith(TREES):
        return tuple(_written(one.added))
    whole: dict[str, Any] = {}
    for *keys, value in one.added:
        at = whole
        for key in keys[:-1]:
            at = at.setdefault(key, {})
        at[keys[-1]] = json.loads(value)
    tree = _tree(dialect_name)
    assert tree is not None  # noqa: S101 # else no file of it is a tree
    return tree.lines(section, whole)


def as_it_runs(path: str, asked: str, held: str) -> str:
    """A planned text, each stanza that says the same as what runs in the order in which it runs."""
    if path.endswith(TREES):
        return asked
    runs, out = _stanzas(held), list[str]()
    for head, planned in _stanzas(asked).items():
        mine = runs.get(head, planned)
        same = sorted(map(str.strip, mine)) == sorted(map(str.strip, planned))
        out += [head, *(mine if same else planned)]
    return "".join(f"{line}\n" for line in out)


def _stanzas(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for head, *inner in below(text):
        found.setdefault(head, []).extend(inner[-1:])
    return found


def _tree(dialect_name: str) -> RawTree | None:
    return cast("RawTree | None", getattr(package(dialect_name), "RAW_TREE", None))


def _marked(wanted: SwitchIntent | OobIntent, name: str, tree: RawTree | None) -> dict[str, str]:
    """The texts with a mark at the end of each section that may have raw lines."""
    tongue = dialect(name)
    ours = [one for one in tongue.sections if tree is None or one not in tree.sections]
    marks = tuple(RawStanza(one, (f"{_MARK}{one}",), "a mark") for one in ours)
    made: SwitchIntent | OobIntent
    if isinstance(wanted, SwitchIntent):
        switch = wanted.switch
        made = replace(wanted, switch=replace(switch, raw=(*switch.raw, *marks)))
    else:
        below_it = wanted.switch
        made = replace(wanted, switch=replace(below_it, raw=(*below_it.raw, *marks)))
    return {file.path: file.text for file in tongue.render(made).files}


def _stripped(chain: Chain) -> Chain:
    return tuple(one.strip() for one in chain)


# -- texts --------------------------------------------------------------------------------


def _is_said(line: str) -> bool:
    return bool(line) and not is_comment(line) and not _AROUND.fullmatch(line)


def _statements(text: str, is_said: Callable[[str], bool]) -> list[Chain]:
    """The lines that say something, each under those that it stands in, as they are written."""
    return [chain for chain in below(text) if is_said(chain[-1].strip())]


def _of_text(path: str, held: str, asked: str, marked: str, found: dict[str, Apart]) -> None:
    sections, order = _sections(marked)
    is_said = is_statement if path.endswith("/frr.conf") else _is_said
    wanted = {_stripped(one) for one in _statements(asked, is_said)}
    runs = _statements(held, is_said)
    said = {_stripped(one) for one in runs}
    for chain in runs:
        if _stripped(chain) not in wanted:
            for section in _places(chain, runs, sections, order):
                found.setdefault(section, Apart(path)).added.append(chain)
    for chain in _statements(asked, is_said):
        if _stripped(chain) not in said:
            section = sections.get(_stripped(chain)[:1], "")
            found.setdefault(section, Apart(path)).lost.append(chain)


def _sections(marked: str) -> tuple[dict[Chain, str], list[str]]:
    """The section of each line at the top, and all in their order."""
    found: dict[Chain, str] = {}
    order: list[str] = []
    waiting: list[Chain] = []
    for chain in map(_stripped, _statements(marked, _is_said)):
        if chain[-1].startswith(_MARK):
            order.append(chain[-1].removeprefix(_MARK))
            found |= {one: order[-1] for one in waiting if one not in found}
            waiting = []
        elif len(chain) == 1:
            waiting.append(chain)
    return found, order


def _places(
    chain: Chain, runs: list[Chain], sections: dict[Chain, str], order: list[str]
) -> tuple[str, ...]:
    """Where a new line may belong: one section where that is known, else those at its place."""
    top = chain[:1]
    if (planned := sections.get(_stripped(top))) is not None:
        return (planned,)
    words = top[0].split()
    for many in range(len(words), 0, -1):
        alike = {
            section for (line,), section in sections.items() if line.split()[:many] == words[:many]
        }
        if len(alike) == 1:
            return tuple(alike)
        if alike:
            break
    tops = [one for one in runs if len(one) == 1]
    at = next(number for number, one in enumerate(tops) if one == top)
    before = next((s for one in tops[at::-1] if (s := sections.get(_stripped(one)))), None)
    after = next((s for one in tops[at:] if (s := sections.get(_stripped(one)))), None)
    first = order.index(before) if before else 0
    last = order.index(after) if after else len(order) - 1
    return tuple(order[first : last + 1]) or tuple(order[first : first + 1]) or ("",)


def _written(chains: list[Chain]) -> Iterator[str]:
    """Lines with the heads that they stand below, each head once."""
    opened: Chain = ()
    for chain in chains:
        shared = 0
        while shared < len(chain) - 1 and chain[: shared + 1] == opened[: shared + 1]:
            shared += 1
        yield from (one.rstrip() for one in chain[shared:])
        opened = chain


# -- trees --------------------------------------------------------------------------------


def _of_tree(
    path: str,
    held: str,
    asked: str,
    tree: RawTree,
    wanted: SwitchIntent | OobIntent,
    found: dict[str, Apart],
) -> None:
    section_of = tree.section_of(wanted)
    runs, planned = list(trees.chains(held)), list(trees.chains(asked))
    for chain in sorted(set(runs) - set(planned)):
        found.setdefault(section_of(chain[0]), Apart(path)).added.append(chain)
    inner = {one[:at] for one in runs for at in range(1, len(one))}
    for chain in sorted(set(planned) - set(runs)):
        # A key that said all by being there has something below it now: that is no loss.
        if not (chain[-1] == "{}" and chain[:-1] in inner):
            found.setdefault(section_of(chain[0]), Apart(path)).lost.append(chain)
