"""Two configurations in commands, compared by hier_config: what would be entered, and where."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from hier_config import HConfig, Platform, WorkflowRemediation, get_hconfig, get_hconfig_driver
from hier_config.child import HConfigChild
from hier_config.exceptions import DuplicateChildError

from switch_configs.shown.foreign import Chain, below

from .line import Line, Section


class BrokenText(ValueError):
    """A text that hier_config cannot read. It says nothing more: a line of it may hold a secret."""


def sections(before: str, after: str, platform: str) -> Iterator[Section]:
    """Top-level sections in the order of entry; `- ` lines take away, `+ ` lines add."""
    kind = Platform[platform]
    try:
        work = WorkflowRemediation(_read(kind, before), _read(kind, after))
    except (ValueError, DuplicateChildError):
        raise BrokenText from None
    words = _Words.of(kind)
    for top in work.remediation_config.all_children_sorted():
        if top.depth() == 1:
            yield (words.kept(top.text).removeprefix("no "),), tuple(_lines(top, words))


@dataclass(frozen=True, slots=True)
class _Words:
    """What begins a line that takes another one away, and what that one began with, if anything."""

    takes: tuple[str, ...]
    makes: str

    @classmethod
    def of(cls, kind: Platform) -> _Words:
        """Those of a system, as hier_config knows them: `no `, or `delete ` for `set `."""
        driver = get_hconfig_driver(kind)
        return cls((driver.negation_prefix, "default "), driver.declaration_prefix)

    def sign(self, text: str) -> str:
        """Whether a line takes away or adds."""
        return "-" if text.startswith(self.takes) else "+"

    def kept(self, text: str) -> str:
        """The line; where a system has a word for what is there, the line that goes."""
        goes = self.makes and text.startswith(self.takes[0])
        return self.makes + text.removeprefix(self.takes[0]) if goes else text


def broken_at(text: str, platform: str) -> int:
    """The number of the line at which hier_config gives a text up; 0 where it reads all of it.

    It gives up where a banner has no end (ValueError), and at a stanza that is there twice.
    """
    kind, lines = Platform[platform], text.splitlines()
    why = _refusal(kind, lines)
    if why is ValueError:
        banners = (number for number, line in enumerate(lines) if line.startswith("banner "))
        opened = (one for one in banners if _refusal(kind, lines[:one]) is not ValueError)
        return max(opened, default=0) + 1
    if why is DuplicateChildError:
        counts = range(len(lines) + 1)
        return bisect_left(counts, True, key=lambda one: _refusal(kind, lines[:one]) is why)
    return 0


def _refusal(kind: Platform, lines: list[str]) -> type[Exception] | None:
    try:
        _read(kind, "\n".join(lines))
    except (ValueError, DuplicateChildError) as error:
        return type(error)
    return None


def _read(kind: Platform, text: str) -> HConfig:
    """Comments are not entered, and so not compared; a line that is there twice is entered once."""
    kept = [line for line in text.splitlines() if not line.lstrip().startswith("!")]
    if not any(line.startswith("banner ") for line in kept):
        kept = list(_once("\n".join(kept)))
    return get_hconfig(kind, "\n".join(kept))


def _once(text: str) -> Iterator[str]:
    """Without the lines that say again, in the same place, what was said; heads of stanzas stay.

    hier_config refuses such, and where secrets are hidden two lines may look the same.
    """
    chains: list[Chain] = list(below(text))
    seen: set[Chain] = set()
    for chain, after in zip(chains, [*chains[1:], ("",)], strict=True):
        if len(after) > len(chain) or chain not in seen:
            yield chain[-1]
        seen.add(chain)


def _lines(top: HConfigChild, words: _Words) -> Iterator[Line]:
    for child in (top, *top.all_children_sorted()):
        if child.is_leaf or child.depth() == 1:
            chain = tuple(words.kept(each.text) for each in child.lineage())
            # The head of a stanza is where its lines stand: alone it says that all of it goes.
            place = () if child is top and not child.is_leaf else chain
            inward = "  " * (child.depth() - 1)
            yield Line(place, words.sign(child.text), (*chain[:-1], f"{inward}{chain[-1]}"))
