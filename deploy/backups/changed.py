"""What changed between two looks at a switch, by section; accounts, keys and secrets always."""

from __future__ import annotations

from deploy.switches.push_session import Whole
from switch_configs import dialect
from switch_configs.changes import SECRET_CHANGED, Change, changes, of_own, secret_changed
from switch_configs.changes.commands import BrokenText
from switch_configs.diff import diff
from switch_configs.intent import Rendered
from switch_configs.shown.foreign import Showing

SECRETS = "secrets"


def changed(
    old: Whole, new: Whole, asked: Rendered, showing: Showing | None = None
) -> tuple[Change, ...]:
    """All that differs; lines are shown as far as `asked`, which is planned, has them too.

    What a switch keeps as its own (logins, keys, banners) is told in numbers.
    """
    return (*configured(old.running, new.running, asked, showing), *kept_aside(old, new, asked))


def kept_aside(old: Whole, new: Whole, asked: Rendered) -> tuple[Change, ...]:
    """What differs of what no plan says: a switch's own, in numbers, and values of secrets.

    What is said where `asked`, which is planned, says something too is no switch's own.
    """
    tongue = dialect(new.running.dialect)
    named = {one.place for one in tongue.own(asked)} - {""}
    before, after = (
        tuple(one for one in tongue.own(held) if one.place not in named)
        for held in (old.held, new.held)
    )
    own = of_own(before, after)
    if own or not secret_changed(old.held, new.held):
        return own
    return (Change(SECRETS, "all files", "none", (SECRET_CHANGED,)),)


def configured(
    old: Rendered, new: Rendered, asked: Rendered, showing: Showing | None = None
) -> tuple[Change, ...]:
    """What differs of all that a plan could say; a text that is no commands is one section."""
    try:
        return changes(old, new, dialect(new.dialect), asked, showing)
    except BrokenText:
        found = diff(old, new, showing, asked)
        return tuple(
            Change(one.path, "file", one.impact, tuple(_signed(one.text.splitlines()[2:])))
            for one in found
        )


def _signed(lines: list[str]) -> list[str]:
    return [f"{one[0]} {one[1:]}" for one in lines if one[:1] in ("+", "-")]
