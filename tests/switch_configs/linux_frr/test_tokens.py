"""Change any one token of what is not FRR's, and the readback sees it.

The mutants come from the text: every token is dropped, and its last character changed; every
line is dropped.
"""

from __future__ import annotations

import re

import pytest

from switch_configs import dialect, intent, render
from switch_configs.readback.wanted import wanted
from tests.switch_configs.sites import small
from tests.switch_configs.test_token_mutations import mutants, statements, with_line

DIALECT = dialect("linux_frr")
SWITCHES = ("business-leaf-b1-1", "leaf-p1-r0", "oob-aggregation1", "oob-p1-net1")

# Names of chains and of the unit mean nothing outside their file. The address of an OOB switch
# is in no fact that all systems share. The rest are sizes of tc that only say how much room
# there is, or the place of a filter among its like.
NO_FACT = (
    r"table (inet|bridge) \S* \{",
    r"chain (input|forward|access|untrusted) \{",
    r"Description=.*",
    r"address 172\.16\.0\.\d+/20",
    r"gateway 172\.16\.\S+",
    r"filter replace dev \S+ ingress pref \d+ .*",
    r"qdisc replace dev \S+ parent 1:1 handle 11: tbf .*",
    r"qdisc replace dev \S+ parent 1:2 handle 12: red .*",
    r"qdisc replace dev \S+ root handle 1: ets .*",
)
SIZES = re.compile(r"\b(pref|filter_handle|limit|burst|mtu|bandwidth|rate|peakrate) \S+")


def without_sizes(line: str) -> str:
    if line.startswith("filter "):
        # tc-flower(8): any handle but 0 names a filter.
        line = re.sub(r"\bhandle (?=[1-9]\b)", "filter_handle ", line)
    return re.sub(r"\b(\d0)00\d\b", r"\1000", SIZES.sub(r"\1", line))


def says_the_same(line: str, mutant: str) -> bool:
    """Whether a mutant that nobody sees means what the line meant, or what no fact says."""
    if line.startswith("Description="):
        return True
    if not mutant or not any(re.fullmatch(one, line) for one in NO_FACT):
        return False
    if " replace " in line:
        return without_sizes(line) == without_sizes(mutant)
    return True


@pytest.mark.parametrize("name", SWITCHES)
def test_no_token_can_change_unseen(name):
    plan = small("linux_frr")
    rendered, facts = render(plan, name), wanted(intent(plan, name), DIALECT.unsaid)
    tried, unseen = 0, []
    for path, number, line in statements(rendered):
        if path.startswith("/etc/frr/") or _is_another_port(path, line):
            continue
        for mutant in mutants(line):
            tried += 1
            if DIALECT.readback(with_line(rendered, path, number, mutant)) == facts:
                unseen.append((path, line.strip(), mutant.strip()))
    assert tried > 400
    assert not [one for one in unseen if not says_the_same(one[1], one[2])]


def _is_another_port(path: str, line: str) -> bool:
    """Lines of one port are like those of the next: one is enough."""
    return path.endswith(".tc") and " dev swp1s0 " not in line
