"""What Arista EOS answers, and how it is asked."""

from __future__ import annotations

from switch_configs.answers.contract import EVERY, Answers, Counters, Modules, Ratios

from . import ask, counters, modules
from .clocks import CLOCKS
from .frames import FRAMES
from .routing import EOS
from .steady import STEADY

ANSWERS = Answers(
    system=EOS,
    counters=Counters(
        ask.carried,
        counters.carried,
        ask.ports,
        counters.ports,
        tells=EVERY - {"global_pause", "group_drops"},
    ),
    modules=Modules(
        line=lambda _port: ask.MODULES,
        module=modules.module,
        told=modules.ports,
        ratios=Ratios(lambda _port: (ask.PHYS,), lambda texts, port: modules.link(texts[0], port)),
    ),
    steady=STEADY,
    frames=FRAMES,
    clocks=CLOCKS,
)
