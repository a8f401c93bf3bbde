"""What Linux with FRR answers, and how it is asked."""

from __future__ import annotations

from switch_configs.answers.contract import Answers, Counters, Files, Modules
from switch_configs.answers.linux import ask, counters, ethtool_module
from switch_configs.answers.linux.timesyncd import TIMESYNCD
from switch_configs.linux_frr.files import FRR, NFTABLES, OWNED, SYSCTL

ANSWERS = Answers(
    counters=Counters(
        ask.carried,
        counters.carried,
        lambda _ports: {"links": ask.LINKS, "queues": ask.QUEUES},
        counters.ports,
        tells=frozenset({"ecn_marked"}),
    ),
    modules=Modules(
        line=ethtool_module.line,
        module=lambda text, _port: ethtool_module.module(text),
        told=None,
        ratios=None,
    ),
    files=Files(OWNED, frr=FRR, filters=NFTABLES, settings=SYSCTL),
    clocks=TIMESYNCD,
)
