"""What a text itself shows of being cut, glued or damaged.

EOS ends a configuration with `end`; JSON closes what it opens. The others have no end mark: there
only a last line without its end shows a cut, and lines lost whole are for rules that compare.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from switch_configs import places_of
from switch_configs.readback.spoken import Whole, spoken

_LAST = re.compile(r"(?m)^end[ \t]*$")
_AFTER = re.compile(r"[A-Za-z][\w.@:~-]*(?:\([\w.-]+\))?[#>$].*|!.*")
_BANNER = re.compile(r"(?ms)^banner (?:login|motd)[ \t]*$.*?^EOF[ \t]*$\n?")
_ONE_EACH = re.compile(
    r" +(description|mtu|speed|service-profile|error-correction|fec|vrf member|channel-group"
    r"|priority-flow-control mode|no switchport)\b"
)
_OPENS = re.compile(r"(router bgp|interface|vrf|route-map|bfd) .*|bfd")


def doubts(place: str, text: str) -> Iterator[str]:
    """Why a text may not be all that its device said; none where nothing shows it.

    `place` is its path on the switch, if it is known by that and not by what it says alone.
    """
    systems = [*places_of(text)]
    if len(systems) > 1:
        yield f"it has lines of {' and '.join(sorted(systems))}: texts of two systems in one?"
    if place.endswith(".json"):
        yield from _json(text)
        return
    for system in systems[:1]:
        whole = spoken(system).whole
        for form in whole.shows:
            yield from _FORMS[form](text)
        yield from _by_words(whole, text)
    if not systems and place.startswith("/"):
        yield from _line_end(text)


def _by_words(whole: Whole, text: str) -> Iterator[str]:
    plain = _BANNER.sub("", text)
    for rule in whole.once:
        found = re.findall(rf"(?m)^{rule}", plain)
        if len(found) > 1:
            yield f"it says {' '.join(found[:2])}: two configurations in one text?"
    if whole.named and not re.search(rf"(?m)^{whole.named}", plain):
        yield "it has no hostname: is its beginning lost?"
    if whole.alone and (below := re.search(rf"(?m)^({whole.alone})\n +\S", plain)):
        yield f"a line stands below `{below[1]}`, where none does: are lines lost?"


def _said_twice(text: str) -> Iterator[str]:
    """Of interfaces, each is one block and says such things once, as a switch prints them."""
    heads: set[str] = set()
    said: set[str] = set()
    inside = False
    for line in text.split("\n"):
        if line.startswith("interface "):
            if line in heads:
                yield "an interface is there twice: are lines doubled or moved?"
                return
            heads.add(line)
            said, inside = set(), True
        elif line[:1] == " " and inside and (one := _ONE_EACH.match(line)):
            if one[1] in said:
                yield f"an interface says `{one[1]}` twice: are lines doubled or lost?"
                return
            said.add(one[1])
        elif line[:1].isalpha():
            inside = False


def _end(text: str) -> Iterator[str]:
    plain = _BANNER.sub("", text)
    ends = list(_LAST.finditer(plain))
    if not ends:
        yield "it has no `end`: cut off?"
        return
    after = plain[ends[-1].end() :].split("\n")
    if len(ends) > 1 or any(one.strip() and not _AFTER.fullmatch(one.strip()) for one in after):
        yield "it goes on after `end`: two texts in one?"


def _json(text: str) -> Iterator[str]:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        yield f"no whole JSON (line {error.lineno}): cut or damaged"
    except RecursionError:
        yield "no JSON that anybody wrote: too deep"


def _line_end(text: str) -> Iterator[str]:
    if not text.endswith("\n"):
        yield "its last line has no line end: if nothing is missing, add one"


def _exits(text: str) -> Iterator[str]:
    """Where any block is closed by `exit` (FRR from 8 on), each is."""
    if not re.search(r"(?m)^exit$", text):
        return
    is_open = ""
    for line in text.split("\n"):
        if line in ("exit", "exit-vrf"):
            is_open = ""
        elif _OPENS.fullmatch(line):
            if is_open:
                break
            is_open = line
    if is_open:
        yield "a block of it has no `exit`: cut off, or lines are lost"


_FORMS = {
    "line-end": _line_end, "end": _end, "one-each": _said_twice, "exits": _exits, "json": _json,
}  # fmt: skip
