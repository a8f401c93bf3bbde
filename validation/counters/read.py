"""From what a switch printed to `Carried` and `PortCounters`, by dialect."""

from __future__ import annotations

from inventory.reading.fields import Unreadable
from inventory.reading.sections import needed, sections
from switch_configs.answers import answers
from switch_configs.answers.carried import Carried, settled
from switch_configs.answers.contract import Counters
from switch_configs.answers.port_counters import Ports


def is_read(dialect: str) -> bool:
    """Whether anything here reads the counters of a dialect's ports."""
    return answers(dialect).counters is not None


def carried(dialect: str, text: str) -> Carried:
    """The bytes of every port that is told, and is fresh. Raises Unreadable."""
    return _reader(dialect).carried(sections(text))


def ports(dialect: str, text: str, last: bool = False) -> Ports:
    """The counters of every port that is told. Raises Unreadable.

    `last` as in `ask.port_counters`: polled counters that were not waited for are unreadable,
    because a loss that is not yet in them would be no loss.
    """
    found, reader = sections(text), _reader(dialect)
    if last and reader.refresh:
        settled(needed(found, "refresh"))
    return reader.ports(found)


def _reader(dialect: str) -> Counters:
    known = answers(dialect).counters
    if known is None:
        raise Unreadable(f"nothing here reads the port counters of dialect {dialect}")
    return known
