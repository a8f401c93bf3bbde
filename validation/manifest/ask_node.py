"""What stage 30 asks of a server besides its manifest: the lines, and the readers."""

from __future__ import annotations

from dataclasses import dataclass

from testinfra.host import Host

from inventory.reading.fields import Unreadable
from switch_configs.answers.linux import chrony
from switch_configs.answers.linux.chrony import Clock, seconds_since, tracking
from switch_configs.shown.said import why
from validation.parse.host.node_tools import failed_units, limit_bytes, most_locked_bytes
from validation.parse.host.policy import Hop, Rule, rules, tables

from .differences import Answer, Read

# Logs of two nodes fit together to a tenth of a second: below any timeout that they are read
# for.
CLOCK_S = 0.1
RULES = "ip -j -4 rule show"
TABLES = "ip -j -4 route show table all"
TRACKING = chrony.TRACKING
FAILED = "systemctl list-units --failed --plain --no-legend --no-pager"
DATE = "date +%s"
LOGIN_LIMIT = "ulimit -l"
SERVICE_LIMIT = "systemctl show --property=DefaultLimitMEMLOCK"
# Nobody has more than the first process, unless it may raise limits (capabilities(7)).
FIRST_PROCESS = "cat /proc/1/status /proc/1/limits"
_KIB = 1024


def state(host: Host) -> Read:
    """A reader of the frames of the state probe."""

    def read(line: str) -> Answer:
        told = host.run(line)
        return Answer(int(told.rc), bytes(told.stdout_bytes), str(told.stderr))

    return read


def _answer(host: Host, line: str) -> str:
    told = host.run(line)
    if told.rc != 0:
        said = why(told.stderr, told.stdout, line)
        raise Unreadable(f"`{line}` ended with status {told.rc} and said: {said}")
    return str(told.stdout)


def policy(host: Host) -> tuple[tuple[Rule, ...], dict[tuple[str, str], Hop]]:
    """The rules, and the routes of all tables."""
    return rules(_answer(host, RULES)), tables(_answer(host, TABLES))


def failed(host: Host) -> tuple[str, ...]:
    """The units that have failed."""
    return failed_units(_answer(host, FAILED))


def clock(host: Host) -> Clock:
    """What chrony believes of the clock."""
    return tracking(_answer(host, TRACKING))


def untold_s(host: Host, clock: Clock) -> float:
    """How long no source has told the clock anything, in seconds."""
    return seconds_since(clock, _answer(host, DATE))


@dataclass(frozen=True, slots=True)
class Memlock:
    """Bytes that a login really may lock, that services get, and that the machine has to give.

    UNLIMITED is -1. `most` is less than that only for a container that may not raise limits.
    """

    login: int
    service: int
    most: int


def memlock(host: Host) -> Memlock:
    """How much memory may be locked."""
    return Memlock(
        limit_bytes(_answer(host, LOGIN_LIMIT), _KIB),
        limit_bytes(_answer(host, SERVICE_LIMIT), 1),
        most_locked_bytes(_answer(host, FIRST_PROCESS)),
    )
