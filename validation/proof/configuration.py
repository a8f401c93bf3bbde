"""The proof of one rendered configuration, from text alone: its language, and what it says.

A configuration is proved when a grammar of its system's language takes every line, and when a
parser that shares nothing with the templates reads back exactly what the plan asks. Raw lines of
a site are judged like all others: they may add what nobody here can read, which is then said to
be unproved, but not change what the plan says. What is wanted is made by code that renderers use
too, so the lossless class is judged a second time, by the sums of `paused`, and routes by `valley`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

from switch_configs import dialect, reserved
from switch_configs.intent import OobIntent, Rendered, SwitchIntent
from switch_configs.readback.facts import SwitchFacts
from switch_configs.readback.wanted import wanted
from validation.paused.judge import otherwise
from validation.routing.valley import passes

from .syntax import syntax

_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Proof:
    """What is known of one device's text.

    `wrong` are sentences; `unproved` are raw lines of the site that nobody here can read, of
    `raw_lines` in all.
    """

    device: str
    wrong: tuple[str, ...]
    unproved: tuple[str, ...]
    raw_lines: int


def proof(asked: SwitchIntent | OobIntent, made: Rendered, plain: Rendered | None) -> Proof:
    """Judge a rendered configuration against its language and its intent, as `proof_and_facts`."""
    return proof_and_facts(asked, made, plain)[0]


def proof_and_facts(
    asked: SwitchIntent | OobIntent, made: Rendered, plain: Rendered | None
) -> tuple[Proof, SwitchFacts]:
    """The judgement of one rendered configuration, and what it says.

    `plain` is the same without the site's raw lines; None where it has none.
    """
    text = syntax(made, asked.switch.release, plain)
    tongue = dialect(made.dialect)
    want = wanted(asked, tongue.unsaid)
    found = tongue.readback(made)
    wrong = list(differences(found, want))
    if isinstance(asked, SwitchIntent):
        wrong += otherwise(asked, found, reserved(made), tongue.unsaid)
        wrong += passes(asked, found)
    strange: list[str] = []
    if plain is not None:
        usual = set(differences(tongue.readback(plain), want))
        strange = [one for one in wrong if one not in usual and one.startswith("unread: ")]
        wrong = [one for one in wrong if one not in strange]
    said = Proof(
        device=made.device,
        wrong=(*text.wrong, *wrong),
        unproved=tuple(sorted({*text.raw, *strange})),
        raw_lines=sum(len(stanza.lines) for stanza in asked.switch.raw),
    )
    return said, found


def differences(found: SwitchFacts, want: SwitchFacts) -> Iterator[str]:
    """What a configuration says otherwise than the plan, a sentence for each fact."""
    for field in fields(SwitchFacts):
        held, asked = getattr(found, field.name), getattr(want, field.name)
        if held == asked:
            continue
        if isinstance(held, tuple) and isinstance(asked, tuple):
            yield from _of_lists(field.name, held, asked)
        else:
            yield _said(field.name, held, asked)


def _of_lists(name: str, held: tuple[object, ...], asked: tuple[object, ...]) -> Iterator[str]:
    if name in ("unread", "hazards"):
        yield from (f"{name}: {one}" for one in held if one not in asked)
        return
    before = {_key(one): one for one in held}
    after = {_key(one): one for one in asked}
    if before == after:  # one thing twice, or another order
        yield _said(name, held, asked)
    for key in sorted({*before, *after}):
        if before.get(key) != after.get(key):
            yield from _of_one(f"{name} {key}", before.get(key), after.get(key))


def _of_one(name: str, held: object, asked: object) -> Iterator[str]:
    """Of two facts of one name only the fields that differ."""
    if type(held) is not type(asked) or isinstance(held, str | tuple):
        yield _said(name, held, asked)
        return
    for field in fields(held):  # type: ignore[arg-type] # of one type, and no text: a fact
        mine, other = getattr(held, field.name), getattr(asked, field.name)
        if mine != other:
            yield _said(f"{name} {field.name}", mine, other)


def _key(one: object) -> str:
    """What a fact is called among its kind."""
    for name in ("id", "number", "name", "key", "vrf"):
        if hasattr(one, name):
            vrf = getattr(one, "vrf", "") if name == "key" else ""
            return " ".join(filter(None, (str(getattr(one, name)), str(vrf))))
    return str(one)


def _said(name: str, held: object, asked: object) -> str:
    text = f"{name}: found {_short(held)}, the plan says {_short(asked)}"
    return text.replace("None", "nothing")


def _short(value: object) -> str:
    text = repr(value) if not isinstance(value, str) else f"`{value}`"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
