"""What changes between two configurations of a device, section by section, with its impact.

Files that are trees (JSON, YAML) are compared as trees; EOS and NX-OS by hier_config, which
knows their commands; all others line by line. Lines that nobody planned are shown as
`switch_configs.shown.foreign` says; in planned ones values that look like secrets are not shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

from inventory.plan import SwitchAccount
from switch_configs.diff import HIDDEN, masked, said
from switch_configs.idle import used
from switch_configs.intent import ConfigFile, Dialect, Impact, Own, Rendered
from switch_configs.readback.accounts import otherwise, unnamed
from switch_configs.shown.foreign import Chain, Planned, Showing, below, is_comment
from switch_configs.shown.secrets import WORD

from . import commands, texts, trees
from .line import Line, Section

_SECRET = "<<held>>"
TREES = (".json", ".yaml", ".yml")
SECRET_CHANGED = "a secret changed"
# From harmless to worst.
IMPACTS: tuple[Impact, ...] = get_args(Impact)


@dataclass(frozen=True, slots=True)
class Change:
    """One section of one file that differs; `lines` begin with `+ ` or `- `."""

    path: str
    section: str
    impact: Impact
    lines: tuple[str, ...]


def changes(
    old: Rendered,
    new: Rendered,
    dialect: Dialect,
    planned: Rendered | None = None,
    showing: Showing | None = None,
) -> tuple[Change, ...]:
    """All that differs, by file and section; empty exactly when nothing does.

    `planned` is what the plan says of the device, `new` where it is not named.
    """
    texts = {file.path: file.text for file in (planned or new).files}
    before = {file.path: said(file) for file in old.files}
    after = {file.path: said(file) for file in new.files}
    return tuple(
        change
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path)
        for change in _of_file(
            path,
            before.get(path),
            after.get(path),
            dialect,
            planned_words(path, texts.get(path, ""), showing or Showing()),
        )
    )


def of_own(old: tuple[Own, ...], new: tuple[Own, ...]) -> tuple[Change, ...]:
    """What switches keep as their own, kind by kind, in numbers: each line could hold a secret."""
    before, after = set(old) - set(new), set(new) - set(old)
    return tuple(
        Change("the switch's own", kind, "none", tuple(_numbers(kind, before, after)))
        for kind in sorted({one.kind for one in before | after})
    )


def _numbers(kind: str, before: set[Own], after: set[Own]) -> Iterator[str]:
    for sign, side in (("-", before), ("+", after)):
        count = sum(one.kind == kind for one in side)
        if count:
            yield f"{sign} {count} of {kind} that the other side has not; no push touches them"


def of_accounts(said: tuple[str, ...]) -> tuple[Change, ...]:
    """Sentences on planned logins as a change; none of none."""
    lines = tuple(f"- {one}; no push makes or changes it" for one in said)
    return (Change("the switch's own", "accounts", "none", lines),) if lines else ()


def unshipped(own: tuple[Own, ...]) -> tuple[Own, ...]:
    """What a plan beside it allows only by naming it: all but what systems are shipped with."""
    return tuple(one for one in own if not one.shipped)


def unplanned(
    held: Rendered, asked: Rendered, dialect: Dialect, logins: tuple[SwitchAccount, ...]
) -> tuple[str, ...]:
    """A sentence a kind, of what a switch keeps as its own and neither plan nor maker names.

    `held` is of `Dialect.held`, `asked` what the plan renders; a sentence each of the `logins` that
    it names and that are otherwise.
    """
    accounts = dialect.accounts(held)
    found = set(unshipped(unnamed(dialect.own(held), accounts, logins))) - set(dialect.own(asked))
    kinds = sorted(one.kind for one in found)
    strays = (f"{kinds.count(one)} of {one} that nobody planned" for one in dict.fromkeys(kinds))
    return (*strays, *otherwise(accounts, logins))


def worst(found: tuple[Change, ...]) -> Impact:
    """The worst impact of some changes; "none" of none."""
    return max((change.impact for change in found), key=IMPACTS.index, default="none")


def _of_file(
    path: str,
    old: ConfigFile | None,
    new: ConfigFile | None,
    dialect: Dialect,
    planned: Planned,
) -> Iterator[Change]:
    if old is not None and old.is_mark and new is None:
        yield Change(path, "what runs", "none", (f"- {old.text.strip()}",))
        return
    # A secret stands as a word on one side and in some encoding on the other: never compared.
    before, after = (WORD.sub(_SECRET, file.text) if file else "" for file in (old, new))
    found, secrets, busy = False, list[Impact](), used(before)
    both = _hidden(before) & _hidden(after)
    for where, lines in _sections(path, before, after, dialect):
        found = True
        places = _places(path, lines) or [where]
        impacts = (busy.impact(place, dialect.impact(path, place)) for place in places)
        impact = max(impacts, key=IMPACTS.index)
        shown = _shown(lines, planned, both)
        if shown == (SECRET_CHANGED,):
            secrets.append(impact)
            continue
        yield Change(path, masked(planned.names(_masked(where))), impact, shown)
    if secrets:
        # Where it stands would say which it is.
        yield Change(path, "secrets", max(secrets, key=IMPACTS.index), (SECRET_CHANGED,))
    is_moved = old is not None and new is not None and _words(old) != _words(new)
    if (is_moved or not found) and (beside := _beside_text(old, new)):
        yield Change(path, "file", "none", (beside,))


def _places(path: str, lines: tuple[Line, ...]) -> list[tuple[str, ...]]:
    """What is changed. A stanza's head has no place: its lines say what they do.

    Rows of JSON are written whole: a leaf that comes or goes makes another row of what it is in.
    """
    places = [line.place for line in lines if line.place]
    if not path.endswith(".json"):
        return places
    sides = Counter(places)
    return [place if sides[place] > 1 else place[:-1] or place for place in places]


def planned_words(path: str, text: str, showing: Showing) -> Planned:
    """What a plan says in a file, secrets left out: what may be shown of it on a device."""
    text = WORD.sub(_SECRET, text)
    chains = trees.chains(text) if path.endswith(TREES) else below(text)
    return Planned(map(_masked, chains), showing)


def _masked(chain: Chain) -> Chain:
    return tuple(map(masked, chain))


def _hidden(text: str) -> set[str]:
    """What is left of the lines that have a secret."""
    shown = (masked(line).strip() for line in text.splitlines())
    return {line for line in shown if HIDDEN in line}


def _shown(lines: tuple[Line, ...], planned: Planned, both: set[str]) -> tuple[str, ...]:
    """Lines for people; two that differ in a secret alone are one sentence.

    `both` is what is left of lines with secrets that both sides have: of such a line a system's
    commands may enter the new one alone.
    """
    left = [masked(line.text)[2:] for line in lines]
    said = [
        text.replace("no ", "", 1) if one.sign == "-" else text
        for one, text in zip(lines, left, strict=True)
    ]
    sides = [
        {text for one, text in zip(lines, said, strict=True) if one.sign == sign} for sign in "-+"
    ]
    same = {one for one in sides[0] & sides[1] if HIDDEN in one}
    same |= {one for one in sides[0] | sides[1] if one.strip() in both}
    shown = [
        masked(f"{one.sign} {planned.line(_masked(one.chain), one.named)}")
        for one, text in zip(lines, said, strict=True)
        if text not in same
    ]
    return (*shown, *([SECRET_CHANGED] if same else []))


def secret_changed(old: Rendered, new: Rendered) -> bool:
    """Whether a line of two saved configurations, as they stand, differs in its secret alone.

    Systems show theirs encoded, each in a way that stays: so a plan's words are never compared.
    """
    before, after = _secrets(old), _secrets(new)
    both = ((before[key], after[key]) for key in before.keys() & after.keys())
    return any(not (mine <= others or others <= mine) for mine, others in both)


def _secrets(rendered: Rendered) -> dict[tuple[str, str], set[str]]:
    """The lines with secrets, by file and what is left of them."""
    found: dict[tuple[str, str], set[str]] = {}
    for file in rendered.files:
        for line in file.text.splitlines():
            if HIDDEN in (left := masked(line)):
                found.setdefault((file.path, left), set()).add(line)
    return found


def _sections(path: str, before: str, after: str, dialect: Dialect) -> Iterator[Section]:
    """Where something differs, and the lines that say how."""
    if path.endswith(TREES):
        yield from trees.sections(before, after)
    elif dialect.hier_platform:
        yield from commands.sections(before, after, dialect.hier_platform)
    else:
        yield from texts.sections(before, after)


def _beside_text(old: ConfigFile | None, new: ConfigFile | None) -> str:
    """What differs where no line does that may be shown: an owner, a mode, blanks or a secret.

    Empty where nothing does.
    """
    before, after = _words(old), _words(new)
    if before != after:
        return f"{before} becomes {after}"
    if old is None or new is None or old.text == new.text:
        return ""
    texts = [WORD.sub(_SECRET, file.text) for file in (old, new)]
    if texts[0] == texts[1]:
        return ""
    words = [WORD.findall(file.text) for file in (old, new)]
    if words[0] != words[1]:
        return "secrets are held, which nobody can compare with the plan's words for them"
    if _without_comments(texts[0]) == _without_comments(texts[1]):
        return "only blanks or comments differ"
    secret = [_secrets_of(file.path, file.text) for file in (old, new)]
    return (
        SECRET_CHANGED if secret[0] != secret[1] else "only the order or the form of lines differs"
    )


def _without_comments(text: str) -> list[str]:
    return [word for line in text.splitlines() if not is_comment(line) for word in line.split()]


def _secrets_of(path: str, text: str) -> list[str]:
    """All that looks like a secret, sorted: it is compared, and never shown."""
    if path.endswith(TREES):
        return trees.secrets(text)
    kept = (line.strip() for line in text.splitlines() if not is_comment(line))
    return sorted(line for line in kept if HIDDEN in masked(line))


def _words(file: ConfigFile | None) -> str:
    """What a file is beside its text."""
    return f"{file.owner}:{file.group} {file.mode}" if file else "no file"
