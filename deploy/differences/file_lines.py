"""A file of a server by its lines: read where it differs, and shown as far as it may be.

What is read stays in memory: the plan's words are shown, of a foreign line only what
`switch_configs.shown.foreign` allows.
"""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable, Mapping
from itertools import chain

from inventory.plan import Plan
from switch_configs.changes import SECRET_CHANGED
from switch_configs.diff import masked
from switch_configs.shown.foreign import Chain, Planned, Showing, below
from validation.evidence.gather import Ask, Transport, gather

# More is no configuration that a person reads line by line.
MOST_BYTES = 256 * 1024
ONLY_BLANKS = "only blanks differ"
_NAME = "railbed-text "


def texts(
    plan: Plan, transport: Transport, wanted: Mapping[str, Iterable[str]]
) -> dict[tuple[str, str], bytes]:
    """The files that differ, by device and path, in one trip to each; too large ones are left out.

    A file that cannot be read is not there: it is told by what the first trip said of it.
    """
    asks = {device: [_ask(path) for path in sorted(paths)] for device, paths in wanted.items()}
    found = gather(plan, transport, asks).frames
    return {
        (frame.device, frame.command.removeprefix(_NAME)): frame.payload
        for frame in found
        if frame.command.startswith(_NAME)
        and frame.exit_status == 0
        and len(frame.payload) <= MOST_BYTES
    }


def _ask(path: str) -> Ask:
    return Ask(f"{_NAME}{path}", f"exec head -c {MOST_BYTES + 1} -- {shlex.quote(path)}")


def lines(found: str, wanted: str, showing: Showing, earlier: str = "") -> tuple[str, ...]:
    """What goes (`- `) and what comes (`+ `), in the file's order.

    Lines of the plan and of the `earlier` plan are shown. Two that differ in a secret alone are
    one sentence, and which secret it is nobody is told.
    """
    old, new = _chains(found), _chains(wanted)
    planned = Planned(chain(new, _chains(earlier)), showing)
    opcodes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    out: list[str] = []
    for tag, a, b, c, d in opcodes:
        if tag != "equal":
            out += [f"- {planned.line(one)}" for one in old[a:b]]
            out += [f"+ {one[-1]}" for one in new[c:d]]
    if out:
        return tuple(out)
    left, right = (text.split() for text in (found, wanted))
    return (ONLY_BLANKS if left == right else SECRET_CHANGED,)


def _chains(text: str) -> list[Chain]:
    """Each line in its place, without blanks, secrets masked."""
    kept = (masked(line).rstrip() for line in text.splitlines())
    return [one for one in below("\n".join(kept)) if one[-1].strip()]
