"""Backups of one device at several times: told apart by dates in their paths, the newest taken.

RANCID and Oxidized keep one file a device, and its history in Git or CVS (their documentation);
stores with dated copies have the date in a folder's or a file's name.
"""

from __future__ import annotations

import re

_DATE = re.compile(
    r"(?<!\d)(?P<y>20\d\d)([-_.]?)(?P<m>0[1-9]|1[0-2])\2(?P<d>0[1-9]|[12]\d|3[01])"
    r"(?:[T_ .-]?(?P<H>[01]\d|2[0-3])[-:_.h]?(?P<M>[0-5]\d)(?:[-:_.m]?(?P<S>[0-5]\d))?[Zs]?)?"
    r"(?!\d)"
)
_OLD = re.compile(r"(?:\.(?:old|orig|bak|backup|prev|save)|~)$", re.IGNORECASE)
_LOOSE = re.compile(r"^[-_. @]+|[-_. @]+(?=\.|/|$)|(?<=/)[-_. @]+")


def date_of(name: str) -> str:
    """The date and time in a path as digits that sort, the last in it; "" for none."""
    found = list(_DATE.finditer(name))
    if not found:
        return ""
    return "".join(found[-1][part] or "00" for part in ("y", "m", "d", "H", "M", "S"))


def device_of(name: str) -> str:
    """The path without its dates: equal for all backups of a device."""
    bare = _OLD.sub("", _DATE.sub("", name))
    bare = _LOOSE.sub("", bare)
    parts = [part for part in bare.split("/") if part.strip("._- @")]
    # `leaf1/2024-11-01.cfg` leaves `.cfg`, which `strip` above keeps as a part of its own.
    return "/".join(part for part in parts if not re.fullmatch(r"\.\w{1,6}", part))


def age_of(name: str) -> tuple[bool, str, str]:
    """What sorts the backups of a device, the newest last; one without a date is what is now."""
    date = date_of(name)
    return (not date and not _OLD.search(name), date, name)


def shown_date(name: str) -> str:
    """`2024-11-01`, or "" for a name without a date."""
    date = date_of(name)
    return f"{date[:4]}-{date[4:6]}-{date[6:8]}" if date else ""
