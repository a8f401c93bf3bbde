"""Change any one word of a rendered configuration, and the readback sees it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from switch_configs import dialect, intent
from switch_configs.intent import OobIntent, SwitchIntent
from switch_configs.readback.wanted import wanted
from tests.switch_configs.cumulus.mutants import lines, mutants, with_line
from tests.switch_configs.shapes import one_of_each, sections
from tests.switch_configs.sites import small

TONGUE = dialect("cumulus")
CASES = ("superspine-g1-1", "storage-leaf-b1-1", "oob-p1-1")

# What says again what is so without it, or names only: NVUE knows a port's type by its name, and
# these are its defaults.
AGAIN = (
    r"type: \w+", r"enable: on", r"mode: lacp", r"address-family: ipv4-unicast", r"iburst: on",
    r"(source|destination)-(ip|port): on", r"ip-protocol: on", r"aspath-ignore: on",
    r"regular: on", r"(tx|rx): enable", r"red: disable", r"ecn: enable", r"vlan: \d+",
    r"tx-interval: 10", r"tx-hold-multiplier: 4", r"trust: port", r"port-default-sp: 0",
    r"nvue-api-version: nvue_v1", r"rev-id: 1.0", r"source-ip: ANY", r"dest-ip: ANY",
    r"polling-interval: 100", r"min-threshold: 150000", r"mode: dwrr", r"lanes-per-port: \d",
    r"state: disabled", r"auto-save:", r"priority: \d+", r"secret: .*", r"'?<<secret.*",
    r"state: enabled", r"'300': \{\}", r"max-prefix-len: 32",
)  # fmt: skip


def said_again(line: str, mutant: str) -> bool:
    """Whether a mutant that nobody sees may mean what the line meant."""
    words = line.strip()
    if not mutant:
        return any(re.fullmatch(one, words) for one in AGAIN)
    return names_only(line) == names_only(mutant)


def names_only(line: str) -> str:
    """A line without what only names or numbers a rule, a server's rank or a secret."""
    line = re.sub(r"^(\s*)'\d+':$", r"\1N:", line)
    line = re.sub(r"^(\s*)'\d+': local$", r"\1N: local", line)
    ranks = "nvue-api-version|rev-id|priority|secret|lanes-per-port|port-default-sp"
    return re.sub(r"<<secre.*", "", re.sub(rf"({ranks}):.*", r"\1", line))


def slower(made: SwitchIntent | OobIntent) -> SwitchIntent | OobIntent:
    """At the defaults a timer that is dropped says nothing."""
    if isinstance(made, OobIntent):
        return made
    timers = replace(
        made.switch.timers, bgp_keepalive_s=4, bgp_hold_s=12, bgp_connect_s=11,
        bfd_interval_ms=400, bfd_multiplier=5,
    )  # fmt: skip
    return replace(made, switch=replace(made.switch, timers=timers))


@pytest.mark.parametrize("name", CASES)
def test_no_word_can_change_unseen(name, rng, is_full):
    """In the CI tier one change of each shape of lines, drawn by the seed."""
    made = slower(intent(small("cumulus"), name))
    rendered, expected = TONGUE.render(made), wanted(made, TONGUE.unsaid)
    assert TONGUE.readback(rendered) == expected
    tried, unseen = 0, []
    every = list(lines(rendered))
    assert sum(len(list(mutants(line))) for *_, line in every) > 200
    within = {file.path: sections(file.text) for file in rendered.files}
    some = one_of_each(every, lambda place: within[place[0]][place[1]], rng)
    for path, number, line in every if is_full else some:
        ways = list(mutants(line))
        for mutant in ways if is_full else [rng.choice(ways)]:
            tried += 1
            if TONGUE.readback(with_line(rendered, path, number, mutant)) == expected:
                unseen.append((line.strip(), mutant.strip()))
    assert tried > (200 if is_full else 60)
    assert not [one for one in unseen if not said_again(*one)]
