"""What Cisco NX-OS answers, and how it is asked."""

from __future__ import annotations

from switch_configs.answers.contract import EVERY, Answers, Counters, Lossless, Modules
from switch_configs.answers.typed import in_parts

from . import ask, counters, lossless, modules
from .clocks import CLOCKS
from .frames import FRAMES
from .routing import NXOS
from .steady import STEADY

ANSWERS = Answers(
    system=NXOS,
    counters=Counters(
        ask.carried,
        counters.carried,
        ask.ports,
        counters.ports,
        tells=(EVERY - {"global_pause", "group_drops"}) | {"ingress_drops"},
    ),
    modules=Modules(
        line=lambda _port: modules.LINE,
        module=modules.module,
        told=modules.ports,
        ratios=None,
    ),
    lossless=Lossless(
        lines=(in_parts(lossless.LINES),),
        tells=frozenset(),
        ports=lossless.told,
        hints=lossless.HINTS,
    ),
    steady=STEADY,
    frames=FRAMES,
    clocks=CLOCKS,
)
