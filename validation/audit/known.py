"""Which rule is judged of which system by its configuration, by what runs, or by nothing at all.

A rule `needs` facts; those that a system's configuration never says are in `Dialect.unsaid`. What
runs may tell them all the same: abilities.yml names the command, and stages ask for what the
system's `answers` read. Servers stand beside the systems: their facts are `nic.` and `host.`.
Nothing that is not judged is called good.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from inventory.switches.abilities import how as setting
from switch_configs import dialect, dialects, package
from switch_configs.answers import answers
from switch_configs.answers.typed import script
from switch_configs.readback.facts import SwitchFacts
from switch_configs.rules import SHOWN_BY

from .box import Box
from .network import Network
from .rule import Rule
from .rules import rules

How = Literal["configuration", "run time", "unknowable", "-"]
"""`-`: the rule asks nothing of it."""
SERVERS = "servers"
OF_SERVERS = ("nic.", "host.")
# Facts of NICs that no file of a server sets: only the running one tells them.
_RUN_TIME = frozenset({"nic.gids", "nic.rate_gbps", "nic.fec", "nic.autoneg", "nic.roce_mtu_bytes"})
# What the reader of a running port tells (`answers.Lossless`), by its word for it.
_TOLD = {"dscps": "class.dscps", "rooms": "reserved.rooms"}
_RULE_OF = {fact: rule for rule, fact in SHOWN_BY.items()}
_ROOMS = "reserved."


@dataclass(frozen=True, slots=True)
class Known:
    """How a rule is known of a system, and why not by its configuration ("" where it is)."""

    how: How
    why: str = ""

    @property
    def by_texts(self) -> bool:
        """Whether nothing but texts has to be asked."""
        return self.how in ("configuration", "-")


@dataclass(frozen=True, slots=True)
class NotJudged:
    """A rule that says nothing of some boxes of a system, or NICs of servers, and why."""

    rule: str
    system: str
    how: How | Literal["not said"]
    why: str
    boxes: tuple[str, ...]


@cache
def known(rule: Rule, system: str) -> Known:
    """How a rule is known of a system, or of `SERVERS`."""
    is_server = system == SERVERS
    needs = {fact for fact in rule.needs if fact.startswith(OF_SERVERS) is is_server}
    if not needs and (is_server or rule.needs):
        return Known("-")
    if is_server:
        late = ", ".join(sorted(needs & _RUN_TIME))
        return Known("run time", f"no file sets {late}") if late else Known("configuration")
    silent = sorted(fact for fact in needs if _is_unsaid(fact, system))
    if not silent:
        return Known("configuration")
    shown = {fact: _shown(fact, system) for fact in silent}
    if all(shown.values()):
        return Known("run time", "; ".join(f"{fact}: {by}" for fact, by in shown.items()))
    never = ", ".join(fact for fact, by in shown.items() if not by)
    return Known("unknowable", f"its configuration never says {never}, and nothing shows it")


def table() -> Iterator[tuple[str, tuple[How, ...]]]:
    """Each rule with how it is known of each of `dialects()`, and of servers."""
    for rule in rules():
        yield rule.id, tuple(known(rule, name).how for name in (*dialects(), SERVERS))


def not_judged(boxes: Iterable[Box], met: Collection[str] = ()) -> Iterator[NotJudged]:
    """What no rule could say, by rule and system: its facts are never said, or no box says them.

    `met` are the boxes that NICs of servers are cabled to: rules on both ask no others.
    """
    systems: dict[str, list[Box]] = {}
    seen: dict[tuple[str, str], bool] = {}
    for box in boxes:
        systems.setdefault(box.system, []).append(box)
    for rule in rules():
        of_nics = known(rule, SERVERS).how != "-"
        for system, every in sorted(systems.items()):
            one = known(rule, system)
            some = [box for box in every if not of_nics or box.name in met]
            if not some or one.how == "-":
                continue
            if one.how != "configuration":
                names = tuple(box.name for box in some)
                yield NotJudged(rule.id, system, one.how, one.why, names)
                continue
            silent = {box.name: fact for box in some if (fact := _silent(rule, box, seen))}
            if silent:
                facts = ", ".join(sorted(set(silent.values())))
                yield NotJudged(rule.id, system, "not said", f"{facts} is not said", tuple(silent))


def unseen_trunks(network: Network) -> Iterator[NotJudged]:
    """Trunks that skip spanning tree, where what they lead to is in no text: hosts, perhaps."""
    for box in network.boxes:
        trunks = [one.about for one in box.facts.hazards if one.kind == "trunk-to-switch"]
        unseen = [one for one in trunks if network.leads_to_switch(box, one) is None]
        if unseen:
            more = f" and {len(unseen) - 1} more" if len(unseen) > 1 else ""
            why = f"no text says if trunks that skip spanning tree lead to hosts: {unseen[0]}{more}"
            yield NotJudged("hazard", box.system, "not said", why, (box.name,))


def _is_unsaid(fact: str, system: str) -> bool:
    if fact.startswith(_ROOMS):
        return not hasattr(package(system), "reserved")
    unsaid = dialect(system).unsaid
    return fact in unsaid or fact.partition(".")[0] in unsaid


def _shown(fact: str, system: str) -> str:
    """What shows a fact of a running system; "" where nothing does."""
    rule = _RULE_OF.get("qos.headroom" if fact.startswith(_ROOMS) else fact)
    said = setting(rule, system) if rule else None
    if said and said.shown_by:
        return said.shown_by
    lossless = answers(system).lossless
    told = {_TOLD.get(one, one) for one in lossless.tells} if lossless else set()
    if lossless and (fact in told or fact == "qos.pfc_priorities"):
        typed = script(lossless.lines[:1]).strip()
        return f"`{typed}`" if typed else "what its ports run"
    return ""


# None is no "none" here: the text leaves it to the system.
_UNKNOWN_IF_NONE = frozenset(
    {"port.ip_mtu_bytes", "port.rate_gbps", "port.fec", "port.autoneg", "qos.cable_m"}
    | {"watchdog.detect_ms", "watchdog.restore_ms", "watchdog.action", "session.peer_asn"}
    | {"session.hold_s", "session.bfd_interval_ms", "hash_seed", "ecmp_width", "release"}
)


def _silent(rule: Rule, box: Box, seen: dict[tuple[str, str], bool]) -> str:
    """A fact of a rule that has places in a box and is None in all of them; "" where none is."""
    for fact in sorted(rule.needs & _UNKNOWN_IF_NONE):
        key = box.name, fact
        if key not in seen:
            said = list(_values(box.facts, fact))
            seen[key] = bool(said) and all(one is None for one in said)
        if seen[key]:
            return fact
    return ""


def _values(facts: SwitchFacts, fact: str) -> Iterator[object]:
    """A fact of every place that has it: ports, sessions, the switch."""
    part, _, name = fact.rpartition(".")
    for port in facts.ports if part in ("port", "qos", "watchdog") else ():
        dog = port.qos.watchdog if port.qos else None
        holder: object = {"port": port, "qos": port.qos, "watchdog": dog}[part]
        if holder is not None:
            yield getattr(holder, name)
    if part == "session":
        yield from (getattr(one, name) for one in facts.sessions)
    if not part:
        yield getattr(facts, name)
