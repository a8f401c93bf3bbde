"""How much of what was read a proposed plan says too: fact by fact, and what it does not say.

A fact is one field of one thing of a switch that its configuration says: the MTU of a port, the
hold time of a session, what a policy lets pass.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from ipaddress import IPv4Network
from typing import Any

from inventory.plan import OobSwitch, Plan, Switch
from switch_configs import DialectError, dialect, intent
from switch_configs.readback.facts import SwitchFacts
from switch_configs.readback.wanted import wanted
from validation.audit.box import Box
from validation.audit.network import Network
from validation.proof.configuration import differences

from .maxima import Maxima
from .networks import quarter_indexes
from .planes import Fabrics
from .seen import far_of

Fact = tuple[str, str, str]
_HOST_BITS = 32
_NO_FACTS = frozenset({"unread", "hazards"})
_INSIDE = frozenset({"qos", "services", "buffers", "pair"})
_KEYS = ("name", "key", "vrf", "id", "number")


@dataclass(frozen=True)
class Measured:
    """What the plan says of what was read. `planned` is each box's name in the plan.

    `missed` are facts by box and kind, `sentences` say them as the proof of a render does;
    `beyond` counts what the plan says and the configuration does not, by box; `absent` are
    switches of the plan that no configuration was read of, `strangers` boxes without a place.
    """

    reproduced: int
    facts: int
    planned: Mapping[str, str]
    missed: Mapping[tuple[str, str], int]
    sentences: Mapping[str, tuple[str, ...]]
    beyond: Mapping[str, int]
    absent: tuple[str, ...]
    strangers: tuple[str, ...]

    @property
    def percent(self) -> float:
        """Of facts that were read, how many of a hundred the plan says too."""
        return 100 * self.reproduced / self.facts if self.facts else 0.0


def measure(network: Network, plan: Plan, names: Mapping[str, str]) -> Measured:
    """Compare every box with the switch of the plan in its place, by `names`."""
    hosts = planned_hosts(network, plan, names)
    renamed = {there: here for here, there in {**names, **hosts}.items()}
    counts, beyond, sentences = Counter[tuple[str, str]](), Counter[str](), {}
    total = good = 0
    for box in network.boxes:
        held = facts_of(box.facts)
        total += len(held)
        want = _wanted(plan, names.get(box.name), box, renamed)
        said = facts_of(want) if want else {}
        missed = [fact for fact, value in held.items() if said.get(fact, _NONE) != value]
        good += len(held) - len(missed)
        counts.update((box.name, kind) for kind, _, _ in missed)
        beyond[box.name] = len(said.keys() - held.keys()) if want else 0
        if want and (missed or beyond[box.name]):
            sentences[box.name] = tuple(differences(box.facts, want))
    absent = sorted({*plan.switch, *plan.oob_switch} - set(names.values()))
    strangers = sorted({box.name for box in network.boxes} - names.keys())
    return Measured(good, total, names, counts, sentences, +beyond, tuple(absent), tuple(strangers))


_NONE = object()


def facts_of(facts: SwitchFacts) -> dict[Fact, Any]:
    """What a configuration says, by kind, thing and field; what is empty says nothing."""
    return {
        (kind, key, field): value
        for kind, key, field, value in _flat(facts)
        if value not in (None, (), "", False)
    }


def _flat(facts: SwitchFacts) -> Iterator[tuple[str, str, str, Any]]:
    for field in fields(SwitchFacts):
        value = getattr(facts, field.name)
        if field.name in _NO_FACTS:
            continue
        if isinstance(value, tuple) and value and is_dataclass(value[0]):
            for one in value:
                yield from _inside(field.name, _key(one), one)
        elif is_dataclass(value):
            yield from _inside(field.name, "", value)
        else:
            yield field.name, "", "", value


def _inside(kind: str, key: str, one: Any) -> Iterator[tuple[str, str, str, Any]]:
    for field in fields(one):
        value = getattr(one, field.name)
        if field.name in _INSIDE and is_dataclass(value):
            yield from _inside(f"{kind}.{field.name}", key, value)
        elif not (field.name in _KEYS[:2] and len(fields(one)) > 1) or field.name == "vrf":
            yield kind, key, field.name, value


def _key(one: Any) -> str:
    for name in _KEYS:
        if hasattr(one, name):
            return f"{getattr(one, name)} {getattr(one, 'vrf', '')}".strip()
    return str(one)


def _wanted(
    plan: Plan, name: str | None, box: Box, renamed: Mapping[str, str]
) -> SwitchFacts | None:
    if name is None:
        return None
    try:
        want = wanted(intent(plan, name), dialect(box.system).unsaid)
    except (DialectError, ValueError, KeyError):
        return None
    ports = tuple(
        replace(port, description=_told(port.description, renamed)) for port in want.ports
    )
    sessions = tuple(
        replace(one, description=_told(one.description, renamed)) for one in want.sessions
    )
    return replace(want, ports=ports, sessions=sessions)


def _told(description: str, renamed: Mapping[str, str]) -> str:
    """A description with the names of the network in place of the plan's."""
    said = far_of_text(description)
    return description.replace(said, renamed.get(said, said), 1) if said else description


def far_of_text(description: str) -> str:
    """The device that a description of the plan names."""
    return description.removeprefix("to ").partition(":")[0]


def planned_names(network: Network, found: Fabrics, plan: Plan) -> dict[str, str]:
    """By box, the switch in its place, of a plan without overrides: its loopbacks are counted."""
    out: dict[str, str] = {}
    for word, one in found.by_plane.items():
        mine = [switch for switch in plan.switches if switch.plane == word]
        pool = _loopback_pool(mine)
        places = one.places
        most = found.most[word]
        here: dict[str, Mapping[str, int]] = {
            "leaf": places.leaf,
            "spine": {n: _spine(most, one.nic_planes, at) for n, at in places.spine.items()},
            "superspine": {n: _top(most, at) for n, at in places.superspine.items()},
        }
        for quarter, (tier, indexes) in enumerate(here.items()):
            there = _by_index([s for s in mine if s.tier == tier], pool, quarter)
            out |= {name: there[index] for name, index in indexes.items() if index in there}
    own = {switch.name for switch in plan.oob_switches}
    by_address = {str(one.management.address): one.name for one in plan.oob_switches}
    for box in network.boxes:
        reached = by_address.get(box.facts.services.management_address or "", "")
        name = box.name if box.name in own else reached
        if box.name not in out and name:
            out[box.name] = name
    for box in network.boxes:
        below = [out[far[0]] for port in box.facts.ports if (far := far_of(port)) and far[0] in out]
        name = _above(plan, below, own - set(out.values()))
        if box.name not in out and name:
            out[box.name] = name
    return out


def _above(plan: Plan, below: Iterable[str], free: Collection[str]) -> str:
    """The free switch of the management plane on which most of these hang; "" for none."""
    votes: Counter[str] = Counter(
        port.peer.device
        for name in below
        if name in plan.oob_switch
        for port in plan.oob_switch[name].ports
        if port.peer.device in free
    )
    return votes.most_common(1)[0][0] if votes else ""


def _loopback_pool(switches: Iterable[Switch]) -> IPv4Network | None:
    learns = (net for one in switches for net, bits in one.tables[0].learns if bits == _HOST_BITS)
    return next(learns, None)


def _by_index(switches: list[Switch], pool: IPv4Network | None, quarter: int) -> dict[int, str]:
    """Switches of a tier by index: their loopback's, for the first plan has no overrides."""
    found = quarter_indexes({one.name: str(one.loopback) for one in switches}, pool, quarter)
    return {index: name for name, index in found.items()}


def _spine(most: Maxima, planes: int, at: tuple[int, int, int]) -> int:
    return ((max(at[0], 1) - 1) * planes + at[1]) * most.spines + at[2] - 1


def _top(most: Maxima, at: tuple[int, int, int]) -> int:
    return (at[0] * most.spines + at[1] - 1) * most.superspines + at[2] - 1


def planned_hosts(network: Network, plan: Plan, names: Mapping[str, str]) -> dict[str, str]:
    """By host, the plan's name of what is plugged into the same ports."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for here, there in names.items():
        switch: Switch | OobSwitch = plan.switch.get(there) or plan.oob_switch[there]
        peers = {port.name: port.peer.device for port in switch.ports}
        for port in network.box[here].facts.ports:
            far = far_of(port)
            if far and port.name in peers and far[0] not in network.box:
                votes[far[0]][peers[port.name]] += 1
    return {host: seen.most_common(1)[0][0] for host, seen in votes.items()}
