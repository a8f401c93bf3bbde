"""Sessions, policies and announcements: who learns which way."""

from __future__ import annotations

from collections.abc import Iterator

from switch_configs.readback.facts import SessionFacts, SwitchFacts

from .form import Field, Said, fields_said, told

_AGAIN = "the session begins anew, and its routes are gone meanwhile (RFC 4271)"
_SESSION = {
    "peer_asn": Field("expects AS", _AGAIN, "forwarding"),
    "description": Field("another description", "nothing", "none", quoted=False),
    "policy_in": Field("policy in", "another choice of what is learnt", "control"),
    "policy_out": Field("policy out", "another choice of what neighbours learn", "control"),
    "keepalive_s": Field("keepalive in s", "agreed anew when the session begins", "control"),
    "hold_s": Field("hold time in s", "a dead neighbour is noticed after another time", "control"),
    "connect_s": Field("retry in s", "a lost session comes back sooner or later", "control"),
    "bfd": Field("BFD", "dead links are noticed in milliseconds, or by BGP's hold time", "control"),
    "bfd_interval_ms": Field("BFD interval in ms", "dead links are noticed otherwise", "control"),
    "bfd_multiplier": Field("BFD multiplier", "dead links are noticed otherwise", "control"),
    "maximum_prefix": Field("maximum of prefixes", "a leak is stopped sooner or later", "control"),
    "over_maximum": Field("over the maximum", "a leak ends the session, or is told", "control"),
    "carries_ipv4": Field("carries IPv4", "its IPv4 routes come or go", "forwarding"),
}
_TABLE = {
    "originates": Field("announces", "others gain or lose a way there", "forwarding"),
    "ecmp_width": Field("paths of one prefix", "flows are spread over more or fewer", "forwarding"),
}
_SWITCH = {
    "asn": Field("AS", "every session begins anew", "forwarding"),
    "router_id": Field("router id", "every session begins anew", "forwarding"),
    "originates": _TABLE["originates"],
    "discards": Field("drops what has no longer prefix", "a summary attracts and drops", "control"),
    "ecmp_width": _TABLE["ecmp_width"],
    "ebgp_requires_policy": Field(
        "sessions need a policy (RFC 8212)", "one without passes nothing, or all", "control"
    ),
    "drained": Field("drained (RFC 8326)", "others go around it while they can", "forwarding"),
    "hash_seed": Field("hash seed", "flows take other paths; equal tiers polarise", "forwarding"),
}
_POLICY = {
    "permits": Field("lets pass", "routes appear or disappear at neighbours", "control"),
    "adds": Field("marks routes with", "policies elsewhere may refuse or prefer them", "control"),
    "refuses": Field("refuses routes marked", "routes appear or disappear", "control"),
    "drained_last": Field("uses drained routes last", "a drain works, or not", "control"),
}


def routes(old: SwitchFacts, new: SwitchFacts) -> Iterator[Said]:
    """What differs of BGP."""
    yield from fields_said("", old, new, _SWITCH)
    yield from _sessions(old, new)
    yield from _policies(old, new)
    tables = ({one.vrf: one for one in side.tables} for side in (old, new))
    before, after = tables
    for vrf in sorted({*before, *after}):
        if vrf in before and vrf in after:
            yield from fields_said(f"table {vrf}", before[vrf], after[vrf], _TABLE)
        else:
            is_new = vrf in after
            what = "is there" if is_new else "is gone"
            yield Said(f"table {vrf}", what, "its routes come or go with it", "forwarding")


def _key(session: SessionFacts) -> str:
    return f"session {session.key} in {session.vrf}" if session.vrf else f"session {session.key}"


def _sessions(old: SwitchFacts, new: SwitchFacts) -> Iterator[Said]:
    before, after = ({_key(one): one for one in side.sessions} for side in (old, new))
    for key in sorted({*before, *after}):
        if key not in after:
            yield Said(key, "is gone", "what was learnt over it is lost", "forwarding")
        elif key not in before:
            yield Said(key, f"is there, to {told(after[key].peer_asn)}", "new ways", "forwarding")
        else:
            yield from fields_said(key, before[key], after[key], _SESSION)


def _policies(old: SwitchFacts, new: SwitchFacts) -> Iterator[Said]:
    before, after = ({one.name: one for one in side.policies} for side in (old, new))
    for name in sorted({*before, *after}):
        subject = f"policy {name}"
        if name in before and name in after:
            yield from fields_said(subject, before[name], after[name], _POLICY)
        else:
            what = "is there" if name in after else "is gone"
            effect = "sessions that name it pass otherwise"
            yield Said(subject, what, effect, "control")
