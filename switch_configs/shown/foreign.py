"""Lines that nobody planned: shown as far as they cannot hold a secret.

Such a line is somebody else's, and no list of words knows all that may hold a secret. So what is
shown of it comes from the plan: a foreign line shows its words as long as a planned line in the
same place has the same. A word may differ from the planned one in its numbers, be another address,
or another word of the closed list in `unread`: a place where the plan has a number, an address or
such a word takes nothing else. From the first word that does not fit, all is hidden; of a line
with none that fits, its topic and kind are told. A digest says which lines are the same.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from ipaddress import ip_address

from .unread import SHARED, unread

Chain = tuple[str, ...]
"""A line below the lines that it stands in, outermost first; or the keys of a tree and a value."""

_Words = dict[str, "_Words"]
_HIDDEN = "*"
_KEY = secrets.token_bytes(32)
# No word of a configuration is one of these.
_END, _CLOSED, _A_NUMBER, AN_ADDRESS = "\n", "\n closed", "\n number", "\n address"
_BETWEEN = re.compile(r"""(\s+|["'=,;{}\[\]]|:(?=[\s"]|$))""")
_TAKES_AWAY = re.compile(r"\s*(?:no |default )?")
_ADDRESS = re.compile(r"[0-9a-fA-F]*[:.][0-9a-fA-F:.]*(/[0-9]+)?")
_MAC = re.compile(r"(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}|(?:[0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}")


@dataclass(frozen=True, slots=True)
class Showing:
    """How foreign lines are shown: by digests of this `key`, or `whole`, as a person asked.

    A short secret could be guessed from a digest, so the key is the site's and is never shown;
    without one it is this process's.
    """

    key: bytes = field(default_factory=lambda: _KEY, repr=False)
    whole: bool = False


class Planned:
    """What a plan says in one file, and so what may be shown of that file on a device."""

    def __init__(self, chains: Iterable[Chain], showing: Showing) -> None:
        # Each chain with what may follow it: most lines stand below others that are planned.
        self._after: dict[Chain, _Words] = {(): {}}
        self._showing = showing
        for chain in chains:
            self._plan(chain)

    def _plan(self, chain: Chain) -> _Words:
        found = self._after.get(chain)
        if found is None:
            at = self._plan(chain[:-1])
            for word in filter(None, _BETWEEN.split(_stripped(chain[-1]))[::2]):
                if word in SHARED:
                    at.setdefault(_CLOSED, {})
                at = at.setdefault(_kind(word), {})
            found = self._after[chain] = at.setdefault(_END, {})
        return found

    def line(self, chain: Chain, named: int | None = None) -> str:
        """The last of a chain (all after the first `named`), as it may be shown."""
        said, is_whole = self.fitting(chain)
        first = len(chain) - 1 if named is None else named
        if is_whole:
            return written(chain[first:])
        inward = chain[-1][: _inward(chain[-1])] if named is None else ""
        shown = ".".join(said[first:]).strip() or self._about(chain)
        return f"{inward}{shown} {self._digest(chain)}"

    def names(self, chain: Chain) -> str:
        """All of a chain on one line, as it may be shown."""
        said, is_whole = self.fitting(chain)
        if is_whole:
            return " ".join(chain)
        return f"{' '.join(said) or self._about(chain)} {self._digest(chain)}"

    def fitting(self, chain: Chain) -> tuple[Chain, bool]:
        """The parts of a chain as far as they fit, and whether that is all of it.

        The part that ceases to fit has `*` for its rest, and is left out where nothing of it fits.
        """
        if self._showing.whole:
            return chain, True
        if chain in self._after:
            return tuple(filter(None, chain)), True
        above = chain[:-1] if chain[:-1] in self._after else ()
        said = [*filter(None, above)]
        at: _Words | None = {_END: self._after[above]}
        for one in chain[len(above) :]:
            shown, at = _walked(one, at[_END]) if at and _END in at else ("", None)
            said += [shown] if shown else []
            if at is None:
                return tuple(said), len(said) == len(chain) and shown == one
        return tuple(said), True

    def _about(self, chain: Chain) -> str:
        """The topic in its place; the kind of the line alone."""
        return f"{unread(' '.join(chain)).topic}: {unread(chain[-1]).kind}"

    def _digest(self, chain: Chain) -> str:
        text = "\n".join(one.strip() for one in chain)
        data = text.encode("utf-8", "replace")
        return f"#{blake2b(data, digest_size=4, key=self._showing.key).hexdigest()}"


def words_of(text: str) -> Iterator[tuple[str, str]]:
    """The words of a text, each with what is the same in all that may stand for it."""
    for word in filter(None, _BETWEEN.split(text)[::2]):
        yield word, _kind(word)


def written(chain: Chain) -> str:
    """Keys and a value on one line; a line alone as it is."""
    *keys, value = chain
    return f"{'.'.join(keys)}: {value}" if keys else value


def below(text: str) -> Iterator[Chain]:
    """Each line of a text under the lines that it stands in, by how far in they begin.

    Nothing stands in a comment: one between the lines of a stanza does not end it.
    """
    above: list[str] = []
    begins: list[int] = []
    for line in text.splitlines():
        if not line.strip() or is_comment(line):
            yield (line,)
            continue
        inward = _inward(line)
        while begins and begins[-1] >= inward:
            begins.pop()
            above.pop()
        yield (*above, line)
        above.append(line)
        begins.append(inward)


def is_comment(line: str) -> bool:
    """Whether a line is for people: `!` of command lines, `#` of most files on Linux."""
    return line.lstrip().startswith(("!", "#"))


def _inward(line: str) -> int:
    return len(line) - len(line.lstrip())


def _stripped(part: str) -> str:
    """Without what takes a command away: it stands for the same one."""
    return _TAKES_AWAY.sub("", part, count=1)


def _walked(part: str, at: _Words) -> tuple[str, _Words | None]:
    """As much of a part as fits, and where it leads; None where a word did not fit or was replaced.

    Empty where no word fits at all.
    """
    rest = _stripped(part)
    shown = part[: len(part) - len(rest)]
    pieces = _BETWEEN.split(rest)
    words = [number for number, piece in enumerate(pieces) if piece and number % 2 == 0]
    until = 0
    for number in words:
        piece, further = pieces[number], at.get(_kind(pieces[number]))
        if further is None and not (number == words[-1] and _is_closed(piece, at)):
            return (f"{shown}{''.join(pieces[:until])} {_HIDDEN}" if until else ""), None
        if further is None:
            return part, None
        at, until = further, number + 1
    return part, at


def _is_closed(word: str, at: _Words) -> bool:
    return word in SHARED and _CLOSED in at


@lru_cache(maxsize=65536)
def _kind(word: str) -> str:
    """What two words have in common where one may stand for the other."""
    if _MAC.fullmatch(word):
        return AN_ADDRESS
    if _ADDRESS.fullmatch(word):
        address, _, length = word.partition("/")
        try:
            if int(length or 0) <= ip_address(address).max_prefixlen:
                return AN_ADDRESS
        except ValueError:
            pass
    return re.sub(r"[0-9]+", _A_NUMBER, word)
