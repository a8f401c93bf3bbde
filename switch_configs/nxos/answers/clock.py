"""Since when a switch runs, and what time it has, by two shows.

`show system uptime | json`: `sys_st_time`, and how long the kernel runs as `kn_up_days` to
`kn_up_secs`, in digits or as numbers (microsoft/arc-switch, src/SwitchOutput/Cisco/Nexus/10,
system-uptime). Its two answers, seven seconds apart, tell the same start, so that is kept and not
reckoned. `show clock` is a line of text (networktocode/ntc-templates, tests/cisco_nxos/show_clock),
whose zone is a name that somebody gave: only UTC, which a switch has unless it is told otherwise,
says by itself what time it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from inventory.reading.fields import document, mapping, text_of
from inventory.reading.numbers import count as counter
from switch_configs.answers.said import count
from switch_configs.errors import DialectError

UPTIME = "show system uptime | json"
ASK_BOOT = f"{UPTIME}\nshow clock"
_UNITS_S = {"kn_up_days": 86400, "kn_up_hrs": 3600, "kn_up_mins": 60, "kn_up_secs": 1}
_PART = counter("part of an uptime")
_NOW = re.compile(r"(?m)^(\d\d:\d\d:\d\d)\.\d+ (\S+) (\w{3} \w{3} +\d{1,2} \d{4})$")
_ZONE = "UTC"
_AGREES_S = 3600


def up_s(text: str) -> int:
    """For how long it runs, by the answer to `UPTIME`. Raises Unreadable."""
    return _up_s(mapping(document(text, "NX-OS"), "uptime"))


def boot(answer: str) -> tuple[str, int]:
    """A name of this boot, and the switch's own clock, by the answer to `ASK_BOOT`.

    A start that does not fit the clock is of a clock that was set later, and such a switch may tell
    the same one twice. It is then the minute that follows from the clock: none boots twice in one.
    """
    head, end, shown = answer.replace("\r", "").partition("}")
    try:
        told = mapping(document(head + end, "NX-OS"), "uptime")
        up, said = _up_s(told), text_of(told, "sys_st_time", "uptime")
        started = _seconds(said, "%a %b %d %H:%M:%S %Y")
        ((time, zone, date),) = _NOW.findall(shown)
        now = _seconds(f"{date} {time}", "%a %b %d %Y %H:%M:%S")
    except ValueError as error:
        raise DialectError(
            f"the switch does not say since when it runs ({type(error).__name__})"
        ) from None
    if zone != _ZONE:
        raise DialectError(
            "the switch's clock is in a zone of its own, which only its configuration explains",
            "`no clock timezone`, `no clock summer-time`: then it is UTC",
        )
    fits = abs(now - up - started) < _AGREES_S
    return " ".join(said.split()) if fits else f"minute {round((now - up) / 60)}", now


def _up_s(told: Mapping[str, object]) -> int:
    return sum(count(told, key, "uptime", _PART) * unit for key, unit in _UNITS_S.items())


def _seconds(said: str, form: str) -> int:
    return round(datetime.strptime(said, form).replace(tzinfo=UTC).timestamp())
