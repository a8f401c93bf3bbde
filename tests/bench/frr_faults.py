"""What is done to the texts of a random site before FRR and the simulation read them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from inventory.plan import Plan

Texts = dict[str, dict[str, str]]
_FRR, _PORTS = "/etc/frr/frr.conf", "/etc/network/interfaces"
_NEIGHBOUR = re.compile(r"^ neighbor (\S+)(?: interface)? remote-as (\d+)$", re.MULTILINE)


def damaged(draw: random.Random, plan: Plan, texts: Texts) -> list[str]:
    """Change texts in place by none to three faults; their names."""
    chosen = draw.sample(sorted(FAULTS), draw.choice((0, 1, 1, 2, 2, 3)))
    for name in chosen:
        FAULTS[name](draw, plan, texts)
    return chosen


def _edit(texts: Texts, name: str, old: str, new: str, count: int = 1) -> None:
    texts[name][_FRR] = re.sub(old, new, texts[name][_FRR], count=count, flags=re.MULTILINE)


def _of(plan: Plan, tier: str) -> list[str]:
    return sorted(name for name, one in plan.switch.items() if one.tier == tier)


def _neighbour(draw: random.Random, texts: Texts, name: str) -> str:
    return str(draw.choice(_NEIGHBOUR.findall(texts[name][_FRR]))[0])


def _wrong_asn(draw: random.Random, plan: Plan, texts: Texts) -> None:
    name = draw.choice(sorted(plan.switch))
    key = _neighbour(draw, texts, name)
    _edit(texts, name, rf"^( neighbor {re.escape(key)}(?: interface)? remote-as) \d+$", r"\1 64999")


def _no_policy(draw: random.Random, plan: Plan, texts: Texts) -> None:
    name, way = draw.choice(sorted(plan.switch)), draw.choice(("in", "out"))
    key = _neighbour(draw, texts, name)
    _edit(texts, name, rf"^  neighbor {re.escape(key)} route-map \S+ {way}\n", "")


def _no_policy_needed(draw: random.Random, plan: Plan, texts: Texts) -> None:
    name = draw.choice(sorted(plan.switch))
    said = " bgp log-neighbor-changes"
    _edit(texts, name, rf"^{said}$", f"{said}\n no bgp ebgp-requires-policy")
    key = _neighbour(draw, texts, name)
    _edit(texts, name, rf"^  neighbor {re.escape(key)} route-map \S+ (in|out)\n", "", 2)


def _narrow(draw: random.Random, plan: Plan, texts: Texts) -> None:
    name = draw.choice(sorted(plan.switch))
    _edit(texts, name, r"^  maximum-paths \d+$", "  maximum-paths 1")


def _renumber(plan: Plan, texts: Texts, name: str, asn: int) -> None:
    """Give a switch another AS, and tell its neighbours."""
    own = plan.switch[name].asn
    _edit(texts, name, rf"^router bgp {own}$", f"router bgp {asn}")
    for port in plan.fabric_ports[name]:
        peer = port.peer.device
        for session in plan.switch[peer].sessions:
            if session.peer.device == name:
                key = re.escape(str(session.key))
                old = rf"^( neighbor {key}(?: interface)? remote-as) \d+$"
                _edit(texts, peer, old, rf"\g<1> {asn}")


def _clash(draw: random.Random, plan: Plan, texts: Texts) -> None:
    first, second = draw.sample(_of(plan, "leaf"), 2)
    _renumber(plan, texts, second, plan.switch[first].asn)


def _asn_each(draw: random.Random, plan: Plan, texts: Texts) -> None:
    for at, name in enumerate(_of(plan, "spine") + _of(plan, "superspine")):
        _renumber(plan, texts, name, 65100 + at)


def _leak(draw: random.Random, plan: Plan, texts: Texts) -> None:
    _asn_each(draw, plan, texts)
    for name in draw.sample(_of(plan, "leaf"), draw.choice((1, 2))):
        said = "ip prefix-list own seq "
        _edit(texts, name, f"^{said}5 ", f"{said}3 permit any\n{said}5 ")


def _no_route(draw: random.Random, plan: Plan, texts: Texts) -> None:
    name = draw.choice(_of(plan, "leaf"))
    _edit(texts, name, r"^ip route \S+ blackhole\n", "")


def _drained(draw: random.Random, plan: Plan, texts: Texts) -> None:
    name = draw.choice(sorted(plan.switch))
    _edit(texts, name, r"^router bgp ", "bgp graceful-shutdown\nrouter bgp ")


def _drained_unheard(draw: random.Random, plan: Plan, texts: Texts) -> None:
    """A spine is drained, and a leaf's policy does not say to use it last."""
    _edit(
        texts,
        draw.choice(_of(plan, "spine")),
        r"^router bgp ",
        "bgp graceful-shutdown\nrouter bgp ",
    )
    old = r"^route-map up-in permit 10\n(?: .*\n)*exit\n"
    _edit(texts, draw.choice(_of(plan, "leaf")), old, "")


def _one_sided(draw: random.Random, plan: Plan, texts: Texts) -> None:
    name = draw.choice(sorted(plan.switch))
    key = _neighbour(draw, texts, name)
    _edit(texts, name, rf"^ +neighbor {re.escape(key)} .*\n", "", 0)


def _not_relaxed(draw: random.Random, plan: Plan, texts: Texts) -> None:
    _asn_each(draw, plan, texts)
    for name in draw.sample(sorted(plan.switch), 2):
        _edit(texts, name, r"^ bgp bestpath as-path multipath-relax\n", "")


def _external(draw: random.Random, plan: Plan, texts: Texts) -> None:
    name = draw.choice(sorted(plan.switch))
    _edit(texts, name, r"^( neighbor \S+(?: interface)? remote-as) \d+$", r"\1 external", 0)


def _prefix_missing(draw: random.Random, plan: Plan, texts: Texts) -> None:
    name = draw.choice(sorted(plan.switch))
    _edit(texts, name, r"^ip prefix-list fabric seq 5 .*\n", "")


def _wrong_address(draw: random.Random, plan: Plan, texts: Texts) -> None:
    """The address of a numbered uplink is another one's."""
    name = draw.choice(_of(plan, "leaf"))
    ports = [port for port in plan.fabric_ports[name] if port.address]
    if ports:
        old = str(draw.choice(ports).address)
        texts[name][_PORTS] = texts[name][_PORTS].replace(f" {old}", " 10.199.0.1/31")


FAULTS: dict[str, Callable[[random.Random, Plan, Texts], None]] = {
    "wrong ASN": _wrong_asn,
    "policy missing": _no_policy,
    "policy neither there nor needed": _no_policy_needed,
    "narrow ECMP": _narrow,
    "AS of two leaves": _clash,
    "AS of its own for each spine": _asn_each,
    "leak": _leak,
    "announced without a route": _no_route,
    "drained": _drained,
    "drained, not heard": _drained_unheard,
    "session at one end": _one_sided,
    "not relaxed": _not_relaxed,
    "external": _external,
    "prefix missing": _prefix_missing,
    "wrong address": _wrong_address,
}
