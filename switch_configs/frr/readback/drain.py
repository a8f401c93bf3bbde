"""What the drain of a whole instance does to its policies (RFC 8326)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from switch_configs.readback.facts import PolicyFacts, SessionFacts

from .reading import FrrReading

_GRACEFUL_SHUTDOWN = "65535:0"


def with_drain(
    by_table: Mapping[str, bool],
    sessions: list[SessionFacts],
    policies: list[PolicyFacts],
    found: FrrReading,
) -> tuple[list[PolicyFacts], bool]:
    """The policies as they act, and whether all that is said is to be used last.

    A drained instance marks what it says after its route maps (bgpd, bgp_route.c,
    `subgroup_announce_check`).
    """
    marked = {
        session.policy_out
        for session in sessions
        if by_table.get(session.vrf) and session.policy_out
    }
    acting = [_marked(policy) if policy.name in marked else policy for policy in policies]
    says = {session.policy_out for session in sessions}
    marks = {
        policy.name
        for policy in acting
        if _GRACEFUL_SHUTDOWN in policy.adds and policy.name in says
    }
    drained = bool(says) and marks == says
    if marks and not drained:
        found.hazard("only a part of what is said is to be used last: half a drain")
    return acting, drained or bool(by_table and all(by_table.values()))


def _marked(one: PolicyFacts) -> PolicyFacts:
    return replace(one, adds=tuple(sorted({*one.adds, _GRACEFUL_SHUTDOWN})))
