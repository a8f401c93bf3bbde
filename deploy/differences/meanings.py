"""What a change of a switch's configuration does to traffic, out of both texts."""

from __future__ import annotations

from dataclasses import replace

from switch_configs import DialectError, dialect
from switch_configs.intent import Rendered
from validation.meaning import Meaning, meaning
from validation.meaning.renamed import renamed


def meanings(before: Rendered, after: Rendered) -> tuple[Meaning, ...]:
    """Every difference in meaning; of two systems, in what both can say.

    Where one text cannot be understood there are none: its lines are all that is known of it.
    """
    old, new = dialect(before.dialect), dialect(after.dialect)
    unsaid = frozenset() if old is new else frozenset({*old.unsaid, *new.unsaid})
    try:
        held = {one.path for one in after.files}
        files = tuple(one for one in before.files if one.path in held or not one.is_mark)
        was, now = old.readback(replace(before, files=files)), new.readback(after)
        return meaning(was if old is new else renamed(was, now), now, unsaid)
    except (DialectError, ValueError, KeyError, RecursionError):
        return ()
