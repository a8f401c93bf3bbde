"""Whose time a switch has that runs systemd-timesyncd, and how far its clock is off.

`timedatectl show-timesync` says which server answered it, `timedatectl show` whether the kernel's
clock is synchronised (timedatectl(1), org.freedesktop.timesync1(5)). How far off the clock is
timesyncd tells nobody in a form for programs, so each server is asked for the time beside it.
In a container timesyncd does not start (its unit's ConditionVirtualization), and the clock is that
of the host: there only what is measured counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from ipaddress import ip_address

from inventory.reading.fields import Unreadable
from inventory.reading.sections import Section, needed, sections, shell
from switch_configs.answers.said import Said, ended_well
from switch_configs.answers.timekeeping import Clocks, Timekeeping, TimeSource

from . import ntp

_CONTAINER, _TIMESYNC, _KERNEL, _MEASURED = "container", "timesync", "kernel", "measured:"
_NO_CONTAINER = "none"  # systemd-detect-virt(1), which ends with a status of its own then
# Nothing is asked there: timedatectl starts the bus, and waits 25 s for what never starts.
_OUTSIDE = "systemd-detect-virt --container --quiet || timedatectl"
_VIRTUAL = re.compile(r"[a-z-]{2,30}")
_SERVER = re.compile(r"(?m)^ServerAddress=(\S*)$")
_ANSWERED = re.compile(r"(?m)^NTPMessage=\{.*\bIgnored=no\b.*\}$")
_SYNCHRONISED = re.compile(r"(?m)^NTPSynchronized=(yes|no)$")


def _line(servers: Sequence[str]) -> str:
    asked = {
        _CONTAINER: "systemd-detect-virt --container",
        _TIMESYNC: f"{_OUTSIDE} show-timesync --property=ServerAddress --property=NTPMessage",
        _KERNEL: f"{_OUTSIDE} show --property=NTPSynchronized",
    }
    asked |= {f"{_MEASURED}{one}": ntp.measured(ip_address(one)) for one in servers}
    return shell(asked)


def _read(said: Said) -> Timekeeping:
    found = sections(ended_well(said))
    where = found[_CONTAINER].text.strip() if _CONTAINER in found else ""
    if not _VIRTUAL.fullmatch(where):
        raise Unreadable(f"systemd-detect-virt printed: {where[:60] or 'nothing'}")
    sets = where == _NO_CONTAINER
    followed = _followed(found) if sets else ""
    every = tuple(_sources(found, followed))
    return Timekeeping(every, sets)


def _followed(found: dict[str, Section]) -> str:
    """The server that the clock follows, "" where it follows none."""
    told = needed(found, _TIMESYNC)
    server, kernel = _SERVER.search(told), _SYNCHRONISED.search(needed(found, _KERNEL))
    if server is None or kernel is None:
        raise Unreadable("timedatectl does not say whom it asks, or whether the clock follows")
    follows = kernel[1] == "yes" and _ANSWERED.search(told) is not None
    return server[1] if follows else ""


def _sources(found: dict[str, Section], followed: str) -> Iterator[TimeSource]:
    asked = [name for name in found if name.startswith(_MEASURED)]
    for name in asked:
        server, ahead = name.removeprefix(_MEASURED), ntp.ahead(found[name])
        known = (ahead.ahead_s, ahead.within_s) if ahead else (None, 0.0)
        yield TimeSource(server, server == followed, ahead is not None, *known)
    if followed and f"{_MEASURED}{followed}" not in asked:
        yield TimeSource(followed, is_followed=True, answers=True, ahead_s=None)


TIMESYNCD = Clocks(_line, _read, see="timedatectl timesync-status")
