"""Lines known by form: of features that no plan of ours has, each recognised as a whole.

A form is a whole line, or the whole path to a leaf, with typed values: `evpn vni <number>`. That a
line has a known form says that it is nothing of the lossless path and what it is about; it does
not say that it is wanted, so it is told as a difference from a plan as every unread line is. What
is shown of it is the form itself, never a value. Forms are the data of each system's
`readback/forms.py`.

How a form is written: words as they stand; `a|b` is one word or another; `[a b]` may be missing;
`<kind>` is a value, also as a part of a word (`Vlan<number>`). Kinds: `number`; `ip` (an address
or prefix of either family); `mac` (also as `aaaa.bbbb.cccc`); `rd` (route distinguisher or
target); `on` (a word of yes or no); `name` (one word that somebody chose); `secret` (one word);
`text` (all that follows, or nothing, at the end of a form only).

No form may swallow what bears on the lossless path. A form cannot spell its own words (PFC, ECN,
MTU ...): building it raises ValueError. Words that are also others' (`priority`, `buffer`) fit
only where the form spells them, never as a value.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from switch_configs.shown.unread import Unread, digest, unread

_IP4 = r"\d{1,3}(?:\.\d{1,3}){3}"
_IP6 = r"(?=[0-9a-fA-F.]*:)[0-9a-fA-F:.]*:[0-9a-fA-F:.]*"
_KINDS = {
    "number": r"-?\d{1,19}",
    "ip": rf"(?:{_IP4}|{_IP6})(?:/\d{{1,3}})?",
    "mac": r"(?:[0-9a-fA-F]{1,2}:){5}[0-9a-fA-F]{1,2}|(?:[0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}",
    "rd": rf"(?:\d+|{_IP4}):\d+",
    "on": "on|off|enabled?|disabled?|true|false|yes|no|up|down",
    "name": r"[\w$.][\w$.:/@+,%-]*",
    "secret": r"\S+",
    "text": r"(?s:.*)",
}
_OF_LOSSLESS = (
    r"qos|pfc|roce|ecn|wred|dscp|dot1p|mtu|jumbo|pause|flow-?controls?|lossless|lossy|headroom"
    r"|xon|xoff|random-detect|traffic-?(?:class|pool)e?s?|switch-priorit(?:y|ies)|tc|dcbx?"
    r"|schedulers?|congestion|alpha|rewrite|pfc_?wd|buffer_(?:pg|queue|profile|port_[a-z]+)"
    r"|buffer_(?:max_param|pool(?!_watermark)|model)"
)
_ALSO_OTHERS = (
    r"priorit(?:y|ies)|cos|tos|buffers?|buffered|queues?|queuing|queueing|shapers?|shape|trust"
    r"|watchdog|bandwidth|polic(?:e|er)|service-policy|policy-map|class-map|weights?|drop"
    r"|pg|thresholds?|remark"
)


def _said(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?i)(?:^|[^a-z])(?:{words})(?![a-z])")


_NEVER, _SPELT = _said(_OF_LOSSLESS), _said(f"{_OF_LOSSLESS}|{_ALSO_OTHERS}")


@dataclass(frozen=True, slots=True)
class Form:
    """One form; `text` is as it was written, `words` are those that it spells."""

    topic: str
    text: str
    pattern: re.Pattern[str]
    words: frozenset[str]

    def fits(self, line: str) -> bool:
        """Whether a line is wholly of this form, and no value in it names the lossless path."""
        if not self.pattern.fullmatch(line):
            return False
        return all(one in self.words for one in line.split() if _SPELT.search(one))


@dataclass(frozen=True)
class Forms:
    """The forms of a system, found by their first word; `written` are they by topic, one a line."""

    written: Mapping[str, str]

    @cached_property
    def all(self) -> tuple[Form, ...]:
        """Every form, made when first asked for; ValueError for one that cannot be."""
        return tuple(
            form(topic, line)
            for topic, lines in self.written.items()
            for line in map(str.strip, lines.splitlines())
            if line
        )

    @cached_property
    def _by_word(self) -> dict[str, list[Form]]:
        found: dict[str, list[Form]] = defaultdict(list)
        for one in self.all:
            first = one.text.split()[0]
            for word in [""] if "<" in first else first.split("|"):
                found[word].append(one)
        return found

    def read(self, line: str) -> Unread:
        """What is kept of a line that no reader took: its form where one fits, else its topic."""
        words = line.split(maxsplit=1)
        for one in (*self._by_word.get(words[0] if words else "", ()), *self._by_word.get("", ())):
            if one.fits(line):
                return Unread(one.topic, one.text, digest(line), by_form=True)
        return unread(line)


def form(topic: str, text: str) -> Form:
    """A form from how it is written; ValueError where it is none, or is of the lossless path."""
    if text.startswith("["):
        raise ValueError(f"a form begins with a word that must be there: {text}")
    if _NEVER.search(text):
        raise ValueError(f"a form of the lossless path would hide what must be judged: {text}")
    spelt: set[str] = set()
    out = ""
    for at, token in enumerate(text.split()):
        word = token.strip("[]")
        opened = len(token) - len(token.lstrip("["))
        closed = len(token) - len(token.rstrip("]"))
        out += "(?:" * opened + (" " if at else "") + _word(word, spelt) + ")?" * closed
    return Form(topic, text, re.compile(out), frozenset(spelt))


def _word(word: str, spelt: set[str]) -> str:
    """One word of a form; what it spells as a whole is put into `spelt`."""
    out = []
    for way in word.split("|"):
        parts = re.split(r"<([a-z0-9]+)>", way)
        if len(parts) == 1:
            spelt.add(way)
        unknown = set(parts[1::2]) - set(_KINDS)
        if unknown:
            raise ValueError(f"there is no kind of value {sorted(unknown)}: {word}")
        out.append(
            "".join(
                f"(?:{_KINDS[one]})" if at % 2 else re.escape(one) for at, one in enumerate(parts)
            )
        )
    return f"(?:{'|'.join(out)})"
