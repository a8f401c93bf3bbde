"""What the drain of a whole instance does to its policies (RFC 8326)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from switch_configs.readback.facts import PolicyFacts, SessionFacts

from .found import Found

_GRACEFUL_SHUTDOWN = "65535:0"


def with_drain(
    by_table: Mapping[str, bool],
    sessions: list[SessionFacts],
    policies: list[PolicyFacts],
    found: Found,
) -> tuple[list[PolicyFacts], bool]:
    """The policies as they act, and whether all that is said is to be used last.

    A drained instance marks what it says after its route maps (bgpd, bgp_route.c,
    `subgroup_announce_check`).
    """
    marked = {one.policy_out for one in sessions if by_table.get(one.vrf) and one.policy_out}
    acting = [_marked(one) if one.name in marked else one for one in policies]
    says = {one.policy_out for one in sessions}
    marks = {one.name for one in acting if _GRACEFUL_SHUTDOWN in one.adds and one.name in says}
    drained = bool(says) and marks == says
    if marks and not drained:
        found.hazard("only a part of what is said is to be used last: half a drain")
    return acting, drained or bool(by_table and all(by_table.values()))


def _marked(one: PolicyFacts) -> PolicyFacts:
    return replace(one, adds=tuple(sorted({*one.adds, _GRACEFUL_SHUTDOWN})))
