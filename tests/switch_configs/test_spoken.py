"""What each system's words are for is there: facts, and rules of the audit."""

from __future__ import annotations

from dataclasses import fields

import pytest

from switch_configs import dialects
from switch_configs.readback.facts import SwitchFacts
from switch_configs.readback.spoken import spoken
from switch_configs.readback.wanted import PARTS
from validation.audit.hosts.facts import HostFacts, NicFacts
from validation.audit.rules import rules

# What servers set besides their NICs, by the last word of its name.
SETTINGS = {
    "NCCL_IB_TC", "NCCL_IB_GID_INDEX", "NCCL_IB_HCA", "arp_announce", "arp_ignore", "rp_filter",
}  # fmt: skip
# Of a line, and of no fact that is kept.
BESIDE = {"port.global_pause", "session.own_as", "bfd.timers", "policy.permits", "redistributes"}


def facts() -> set[str]:
    known = {field.name for field in fields(SwitchFacts)}
    for kind, part in PARTS.items():
        known |= {f"{part}{field.name}" for field in fields(kind)}
    return known | BESIDE


@pytest.mark.parametrize("system", dialects())
def test_words_are_for_facts_and_fixes_for_rules(system):
    words = spoken(system)
    assert set(words.places) <= facts()
    assert set(words.fixes) <= {rule.id for rule in rules()}
    assert all(
        text.strip() == text.lower().strip() for one in words.places.values() for text in one
    )


def test_a_fact_without_words_has_its_own():
    assert spoken("no such system").of("port.ip_mtu_bytes") == ("ip mtu",)
    assert spoken("no such system").fixes == {}


def test_rules_point_at_facts_and_need_facts():
    known = facts() | {"reserved.rooms", "reserved.pools"}
    known |= {f"nic.{field.name}" for field in fields(NicFacts)}
    known |= {f"host.{field.name}" for field in fields(HostFacts)}
    known |= {f"host.{name}" for name in SETTINGS}
    assert {rule.of for rule in rules() if rule.of} <= facts()
    assert {fact for rule in rules() for fact in rule.needs} <= known
