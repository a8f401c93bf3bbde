"""No token of an frr.conf with tables of users, or of a drained spine, can change unseen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inventory.plan import Timers
from switch_configs.frr import Printing, Reading, frr_conf, read
from switch_configs.intent import SwitchIntent
from tests.switch_configs.intents import base
from tests.switch_configs.test_token_mutations import mutants, says_the_same

from .test_frr_conf import OTHER, PLAIN, READING, vrf_leaf

DRAINED = replace(base("linux_frr", "spine-p1-1"), drained=True)
CASES = [(vrf_leaf(), PLAIN, Reading()), (DRAINED, OTHER, READING)]


def without_defaults(made: SwitchIntent) -> SwitchIntent:
    """No value is FRR's default, and no neighbour is a typing error away from another one."""
    switch = made.switch
    far = tuple(one for one in switch.sessions if not one.port.endswith("7"))
    timers = Timers(5, 15, 7, bfd_interval_ms=400, bfd_multiplier=5)
    return replace(made, switch=replace(switch, timers=timers, ecmp_width=8, sessions=far))


@pytest.mark.parametrize(("made", "printing", "reading"), CASES, ids=["tables", "drained"])
def test_no_token_can_change_unseen(
    made: SwitchIntent, printing: Printing, reading: Reading
) -> None:
    text = frr_conf(without_defaults(made), printing)
    facts, lines = read(text, reading), text.splitlines()
    unseen = []
    for number, line in enumerate(lines):
        for mutant in mutants(line) if line.strip() and not line.strip().startswith("! ") else ():
            changed = "\n".join([*lines[:number], mutant, *lines[number + 1 :]])
            if read(changed, reading) == facts:
                unseen.append((line.strip(), mutant.strip()))
    assert not [one for one in unseen if not says_the_same(*one)]
