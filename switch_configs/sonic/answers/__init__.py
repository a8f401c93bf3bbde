"""What SONiC answers, and how it is asked."""

from __future__ import annotations

from switch_configs.answers.contract import EVERY, Answers, Counters, Lossless, Modules, Ratios

from . import ask, counters, lossless, modules
from .clocks import CLOCKS
from .frames import FRAMES

ANSWERS = Answers(
    counters=Counters(
        ask.carried, counters.carried, ask.ports, counters.ports, ask.refresh(ask.CLASSES), EVERY
    ),
    modules=Modules(
        line=lambda _port: ask.MODULES,
        module=modules.module,
        told=modules.ports,
        ratios=Ratios(
            lambda _port: (ask.RATES, ask.NAMES),
            lambda texts, port: modules.link(texts[0], texts[1], port),
        ),
    ),
    lossless=Lossless(
        lines=tuple(lossless.LINES.values()),
        tells=frozenset({"trust", "dscps", "rooms"}),
        ports=lossless.ports,
        hints=lossless.HINTS,
    ),
    frames=FRAMES,
    clocks=CLOCKS,
)
