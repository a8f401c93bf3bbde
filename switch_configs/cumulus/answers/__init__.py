"""What Cumulus Linux answers, and how it is asked."""

from __future__ import annotations

from switch_configs.answers.contract import EVERY, Answers, Counters, Modules, Ratios
from switch_configs.answers.linux import ethtool_module

from . import ask, counters, phy
from .clocks import CLOCKS
from .frames import FRAMES

ANSWERS = Answers(
    counters=Counters(ask.carried, counters.carried, ask.ports, counters.ports, ask.REFRESH, EVERY),
    modules=Modules(
        line=ethtool_module.line,
        module=lambda text, _port: ethtool_module.module(text),
        told=None,
        ratios=Ratios(lambda port: (ask.phy(port),), lambda texts, _port: phy.link(texts[0])),
    ),
    frames=FRAMES,
    clocks=CLOCKS,
)
