"""What hier_config would enter to come from one configuration to another leads there.

hier_config reads both systems by its own rules of blocks, negation and order, and knows nothing of
our templates: a line that stands in a wrong block, or takes another one away, shows here.
"""

from __future__ import annotations

from itertools import permutations

import pytest
from hier_config import HConfig, Platform, WorkflowRemediation, get_hconfig

from switch_configs import dialect, intent
from tests.switch_configs.sites import small

# Devices of one role: a leaf is not turned into a spine by commands.
ROLES = (
    ("leaf-p1-r0", "leaf-p2-r1"),
    ("spine-p1-1", "spine-p2-2"),
    ("superspine-g1-1", "superspine-g2-2"),
    ("storage-leaf-b1-1", "storage-leaf-b2-2"),
    ("oob-p1-1", "oob-p2-1"),
)


def text(system: str, name: str, *, drained: bool = False) -> str:
    (file,) = dialect(system).render(intent(small(system), name, drained=drained)).files
    return file.text


def lines(config: HConfig) -> set[tuple[str, ...]]:
    return {tuple(one.text for one in each.lineage()) for each in config.all_children()}


def missed(system: str, before: str, after: str) -> set[tuple[str, ...]]:
    """Lines that are there and should not be, or the other way round, once all is entered."""
    kind = Platform[dialect(system).hier_platform]
    old, new = get_hconfig(kind, before), get_hconfig(kind, after)
    entered = WorkflowRemediation(old, new).remediation_config
    return lines(old.future(entered)) ^ lines(new)


@pytest.mark.parametrize("system", ["eos", "nxos"])
@pytest.mark.parametrize("role", ROLES, ids=lambda names: names[0])
def test_one_switch_becomes_another(system, role):
    for one, other in permutations(role):
        assert missed(system, text(system, one), text(system, other)) == set()


@pytest.mark.parametrize("system", ["eos", "nxos"])
@pytest.mark.parametrize("name", ["spine-p1-1", "superspine-g1-1", "leaf-p1-r0"])
def test_a_drain_is_entered_and_taken_back(system, name):
    live, drained = text(system, name), text(system, name, drained=True)
    assert live != drained
    assert missed(system, live, drained) == missed(system, drained, live) == set()
