"""What of each rule can be set and read back in each dialect: a table for people.

Nothing is decided here. How a rule is set is in each dialect's `abilities.yml`, what a
configuration never says in its `unsaid`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inventory.switches.abilities import FEATURES, RULES, cannot, how, of

from . import dialect, dialects

# The fact that shows a rule of the lossless class, as `Dialect.unsaid` calls it.
SHOWN_BY = {
    "DSCP to class": "class.dscps",
    "PFC priority": "qos.pfc_priorities",
    "cable length": "qos.cable_m",
    "headroom": "qos.headroom",
    "buffer pools": "buffers.headroom_pool_bytes",
    "over-subscribed headroom": "buffers.over_subscription",
    "alpha": "buffers.alpha",
    "ECN thresholds": "class.ecn",
    "watchdog detection": "watchdog.detect_ms",
    "watchdog restoration": "watchdog.restore_ms",
    "class weights": "class.weight_percent",
    "CNP rate cap": "class.rate_cap_percent",
}

_ADAPTIVE = "port.adaptive_routing"
_ACCOUNTS = "local accounts"
# Facts beside the lossless class that a reviewer asks for, and how a person says them.
ROUTING = {
    "IP MTU of ports": "port.ip_mtu_bytes",
    "rate of ports": "port.rate_gbps",
    "FEC of ports": "port.fec",
    "adaptive routing": _ADAPTIVE,
    "hash seed by tier": "hash_seed",
    "ECMP width": "ecmp_width",
    "BGP connect timer": "session.connect_s",
    "BFD timers": "session.bfd_interval_ms",
    "maximum prefixes": "session.maximum_prefix",
    "no route without a policy (RFC 8212)": "ebgp_requires_policy",
    "drain (RFC 8326)": "drained",
    "isolated ports": "isolated_ports",
    "LLDP hold time": "lldp_hold_s",
    "release": "release",
}


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A rule, and by dialect what can be done about it."""

    rule: str
    cells: tuple[str, ...]


def table() -> tuple[RuleRow, ...]:
    """The lossless class, routing, features, and the push; a cell for each of `dialects()`."""
    pushed = RuleRow("push", tuple(map(_pushed, dialects())))
    return (*_lossless(), *_routing(), *_features(), pushed)


def _lossless() -> Iterator[RuleRow]:
    for rule in RULES:
        yield RuleRow(rule, tuple(_cell(rule, name) for name in dialects()))


def _cell(rule: str, name: str) -> str:
    setting = how(rule, name)
    if setting is None:
        return "not known"
    if setting.how != "set":
        return f"{setting.how}; {setting.shown_by}" if setting.shown_by else setting.how
    return "set, not read back" if _is_unsaid(SHOWN_BY[rule], name) else "set, read back"


def _is_unsaid(fact: str, name: str) -> bool:
    """A fact is unsaid by itself, or with all of its part."""
    unsaid = dialect(name).unsaid
    return fact in unsaid or fact.partition(".")[0] in unsaid


def _routing() -> Iterator[RuleRow]:
    for rule, fact in ROUTING.items():
        yield RuleRow(rule, tuple(_said(fact, name) for name in dialects()))


def _said(fact: str, name: str) -> str:
    if fact == _ADAPTIVE and not of(name).adaptive_routing:
        return "refused"
    return "not known" if _is_unsaid(fact, name) else "set, read back"


def _features() -> Iterator[RuleRow]:
    for feature in FEATURES:
        refused = (cannot(feature, one) for one in dialects())
        done = "compared" if feature == _ACCOUNTS else "rendered"
        yield RuleRow(feature, tuple("refused" if no else done for no in refused))


def _pushed(name: str) -> str:
    said = of(name)
    if not said.pushed:
        return "no"
    where = {"lab": "tried in the lab", "model": "tried on a model only"}.get(said.tried or "")
    return "; ".join(
        ["yes", where or "never tried", *(f"{one} on a switch" for one in said.trials)]
    )
