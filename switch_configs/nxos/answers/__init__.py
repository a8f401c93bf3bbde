"""What Cisco NX-OS answers, and how it is asked."""

from __future__ import annotations

from inventory.reading.sections import shell
from switch_configs.answers.contract import Answers, Counters, Lossless

from . import ask, counters, lossless
from .routing import NXOS

ANSWERS = Answers(
    system=NXOS,
    mac=ask.mac,
    counters=Counters(ask.carried, counters.carried, ask.ports, counters.ports),
    lossless=Lossless(
        lines=(shell(lossless.LINES),),
        tells=frozenset(),
        ports=lossless.told,
        hints=lossless.HINTS,
    ),
)
