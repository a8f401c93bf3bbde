"""What Cisco NX-OS answers, and how it is asked."""

from __future__ import annotations

from switch_configs.answers.contract import Answers, Counters, Lossless
from switch_configs.answers.typed import in_parts

from . import ask, counters, lossless
from .routing import NXOS

ANSWERS = Answers(
    system=NXOS,
    counters=Counters(ask.carried, counters.carried, ask.ports, counters.ports),
    lossless=Lossless(
        lines=(in_parts(lossless.LINES),),
        tells=frozenset(),
        ports=lossless.told,
        hints=lossless.HINTS,
    ),
)
