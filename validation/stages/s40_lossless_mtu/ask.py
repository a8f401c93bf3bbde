"""The lines that show the lossless class of a switch's ports, and what came of them.

Only systems that tell of all ports at once are asked.
"""

from __future__ import annotations

from collections.abc import Iterable

from testinfra.host import Host

from inventory.reading.fields import Unreadable
from switch_configs.answers import answers
from switch_configs.answers.lossless import PortLossless
from validation.evidence.reading import answers as all_answers

Seen = dict[str, PortLossless | str]


def seen(host: Host, dialect: str, ports: Iterable[str]) -> Seen:
    """What each of `ports` does, or why that is not known.

    Raises MissingEvidence or Unreadable where nothing is known of any.
    """
    known = answers(dialect).lossless
    if known is None:
        raise Unreadable(f"nothing here reads the lossless class of dialect {dialect}")
    return known.ports(all_answers(host, known.lines), ports)
