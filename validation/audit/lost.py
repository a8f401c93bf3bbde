"""What texts show of lines that are missing from them: cut files, lost blocks, two texts in one.

No rule judges what is not there, and not every system marks the end of its configuration. So what
one part of a text, or a neighbour's, says of another part must be there.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import IPv4Interface, ip_address
from itertools import permutations

from switch_configs.readback.facts import PortFacts, QosFacts

from .box import Box, NotRead
from .network import Network

_LINK_BITS = (30, 31)
_SAID = {"ip_mtu_bytes": "MTU", "rate_gbps": "speed", "fec": "FEC", "qos": "QoS"}
_FEW = 3  # one in so many, at most, is an oversight or a line lost, and no kind of its own
_NAME = re.compile(r"[A-Za-z][\w.-]*\d[\w.-]*")
_STEM = re.compile(r"[A-Za-z][A-Za-z-]*(?=\d)")


def lost(network: Network) -> Iterator[NotRead]:
    """Why a text may lack lines that its switch has, each box by itself and by its neighbours."""
    known = {str(net.ip) for box in network.boxes for one in box.facts.ports for net in _nets(one)}
    named = _named(network)
    for box in network.boxes:
        doubts = (*_alone(box, known), *_beside(box, named[box.name]), *_one_sided(box, network))
        for why in doubts:
            yield NotRead(min(box.texts, default=box.name), why)
    for box, why in (*_unlike_others(network), *_without_a_host(network)):
        yield NotRead(min(box.texts, default=box.name), why)


def _alone(box: Box, known: set[str]) -> Iterator[str]:
    ports = {port.name for port in box.facts.ports}
    vlans = {f"vlan{vlan.id}" for vlan in box.facts.vlans}
    if not ports - {"lo"}:
        yield "it says of no port: is it cut, or are the files of its ports not here?"
        return
    hazards = box.facts.hazards
    yield from (f"{one}: two switches in one?" for one in hazards if one.kind == "two-switches")
    yield from (f"{one}: are lines lost?" for one in hazards if one.kind == "lines-lost")
    twice = [name for name, count in Counter(one.name for one in box.facts.ports).items()
             if count > 1]  # fmt: skip
    if twice:
        yield f"port {twice[0]} is there twice: two texts in one?"
    nets = [net.network for port in box.facts.ports for net in _nets(port)]
    nets += [net.network for vlan in box.facts.vlans if vlan.address
             for net in _interfaces(vlan.address)]  # fmt: skip
    for one in box.facts.sessions:
        if _is_address(one.key):
            near = any(ip_address(one.key) in net for net in nets if net.prefixlen < 32)
            if not near and one.key not in known and not _is_far(box, one.key):
                yield f"a session with {one.key}, which no port of it reaches: are lines lost?"
        elif ":" not in one.key and not _is_there(one.key, ports, vlans):
            yield f"a session over {one.key}, which it says nothing else of: are lines lost?"
    yield from _unlike(box)
    yield from _tables(box)


def _is_there(key: str, ports: set[str], vlans: set[str]) -> bool:
    return key in ports or key.lower() in vlans or not _STEM.match(key)


def _unlike(box: Box) -> Iterator[str]:
    """Ports that say nothing of what most ports with a like name and description say."""
    like: dict[str, list[PortFacts]] = defaultdict(list)
    named: dict[str, list[PortFacts]] = defaultdict(list)
    for port in box.facts.ports:
        like[_form(f"{port.name} {port.description}")].append(port)
        named[_form(port.name)].append(port)
        if "." in port.name and (port.fec or port.rate_gbps):
            yield f"{port.name} has a speed, as only a whole port has: are its lines another's?"
    used = _used(box)
    for ports in like.values():
        for fact, word in _SAID.items():
            bare = [port.name for port in ports if getattr(port, fact) is None]
            if bare and len(bare) * 2 <= len(ports):
                yield f"{bare[0]} has no {word}, unlike its like: are lines lost?"
        is_named = bool(ports[0].description)
        if is_named and len({port.ip_mtu_bytes for port in ports}) > 1:
            bare = [one.name for one in ports if not box.said(one.name, "port.ip_mtu_bytes")]
            if bare and len(bare) * 2 <= len(ports):
                yield f"{bare[0]} has no line on its MTU, unlike its like: are lines lost?"
        mute = [port.name for port in ports if not _speaks(box, port)]
        if is_named and mute and len(mute) * 2 <= len(ports):
            yield f"{mute[0]} has no session, unlike its like: are lines lost?"
        idle = [port.name for port in ports if port.description and port.name not in used]
        if idle and len(idle) * 2 <= len(ports):
            yield f"{idle[0]} is in no network and no bond, unlike its like: are lines lost?"
    for ports in named.values():
        bare = [one.name for one in ports if not one.description and one.rate_gbps is None]
        if bare and len(bare) * _FEW <= len(ports):
            yield f"{bare[0]} has neither description nor speed, unlike its like: are lines lost?"
        bare = [one.name for one in ports if not one.description and one.fec is None]
        if (
            bare
            and len(bare) == len([one for one in ports if one.fec is None]) <= len(ports) // _FEW
        ):
            yield f"{bare[0]} has neither description nor FEC, unlike its like: are lines lost?"


def _speaks(box: Box, port: PortFacts) -> bool:
    """Whether a session goes over a port."""
    nets = [net.network for net in _nets(port)]
    return any(
        one.key == port.name
        or (_is_address(one.key) and any(ip_address(one.key) in net for net in nets))
        for one in box.facts.sessions
    )


def _used(box: Box) -> set[str]:
    """Ports that packets may go by: by an address, a VLAN, a bond, a session or a tag."""
    found = {one.key for one in box.facts.sessions} | set(box.subinterfaces)
    found |= set(box.facts.pair.ports if box.facts.pair else ())
    return found | {
        port.name
        for port in box.facts.ports
        if port.addresses or port.vlans or port.bond is not None
    }


def _tables(box: Box) -> Iterator[str]:
    """Subinterfaces of one VLAN are in one table; and a router's id is an address of its own."""
    tables: dict[str, dict[str, str]] = defaultdict(dict)
    for port in box.facts.ports:
        if "." in port.name:
            tables[port.name.rpartition(".")[2]].setdefault(port.vrf, port.name)
    for vlan, found in tables.items():
        if len(found) > 1 and "" in found:
            yield f"{found['']} is in no VRF, as others of VLAN {vlan} are: are lines lost?"
    own = {str(net.ip) for port in box.facts.ports for net in _nets(port)}
    if box.facts.router_id and box.facts.sessions and box.facts.router_id not in own:
        yield f"its router id {box.facts.router_id} is no address of its own: are lines lost?"


def _unlike_others(network: Network) -> Iterator[tuple[Box, str]]:
    """Boxes of like names whose classes differ at ports of one rate."""
    alike: dict[tuple[str, str], list[Box]] = defaultdict(list)
    for box in network.boxes:
        alike[box.system, _form(box.name)].append(box)
    for boxes in alike.values():
        count = Counter(one for box in boxes for one in _classes(box))
        for box in boxes:
            if len(boxes) > 1 and any(count[one] == 1 for one in _classes(box)):
                yield box, "its classes differ from those of boxes with like names: lines lost?"


def _without_a_host(network: Network) -> Iterator[tuple[Box, str]]:
    """Boxes that lack a port before others, where one of a like name has it and these lead alike.

    At the end of a row a port may be missing because there are fewer hosts.
    """
    hosts = {box.name: _hosts(network, box) for box in network.boxes}
    leads: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for box in network.boxes:
        for port, host in hosts[box.name].items():
            leads[_form(f"{box.system} {box.name}"), port, host].append(box.name)
    alike: dict[tuple[str, str], set[str]] = defaultdict(set)
    for (_, port, _), names in leads.items():
        for pair in permutations(names, 2):
            alike[pair].add(port)
    for (mine, name), ports in alike.items():
        other, row = network.box[name], [*hosts[mine]]
        before = row[: max(map(row.index, ports))]
        missing = [port for port in before if port not in other.ports]
        if missing and len(missing) * _FEW <= len(ports):
            why = f"{mine}:{missing[0]} leads to {hosts[mine][missing[0]]}, and it has no such port"
            yield other, f"{why}: are lines lost?"


def _hosts(network: Network, box: Box) -> dict[str, str]:
    """Ports to what has no text here: the first word with a number that no other port has too."""
    words = {
        port.name: _NAME.findall(port.description)
        for port in box.facts.ports
        if (box.name, port.name) not in network.far_end
    }
    count = Counter(one for some in words.values() for one in some)
    first = {port: next((w for w in some if count[w] == 1), "") for port, some in words.items()}
    return {port: host for port, host in first.items() if host}


def _classes(box: Box) -> frozenset[tuple[float | None, QosFacts]]:
    plain = ((port.rate_gbps, port.qos) for port in box.facts.ports)
    return frozenset(
        (rate, replace(qos, cable_m=None, headroom=None)) for rate, qos in plain if qos
    )


def _form(words: str) -> str:
    return re.sub(r"\d+", "0", words)


def _is_far(box: Box, key: str) -> bool:
    """Whether sessions between loopbacks are usual in a box: several have addresses of no port."""
    own = [one for one in box.facts.ports if one.name == "lo"]
    return any("/32" in text for one in own for text in one.addresses) and not any(
        _is_beside(box, key, port) for port in box.facts.ports
    )


def _is_beside(box: Box, key: str, port: PortFacts) -> bool:
    """Whether an address is of the size of network that links of the box have, next to one."""
    return any(
        net.network.prefixlen in _LINK_BITS
        and abs(int(ip_address(key)) - int(net.ip)) <= 2 * len(box.facts.ports)
        for net in _nets(port)
    )


Named = tuple[Box, PortFacts, list[str]]


def _named(network: Network) -> dict[str, list[Named]]:
    """By box the ports of others whose descriptions name it, and the words of these."""
    out: dict[str, list[Named]] = defaultdict(list)
    names = {box.name for box in network.boxes}
    for other in network.boxes:
        for port in other.facts.ports:
            words = re.split(r"[\s,;():]+", port.description)
            for name in names.intersection(words) - {other.name}:
                out[name].append((other, port, words))
    return out


def _beside(box: Box, named: list[Named]) -> Iterator[str]:
    """What neighbours say of a box and its own text does not; the first of each kind."""
    ports = {port.name for port in box.facts.ports}
    forms = {*map(_form, ports)}
    addresses = {str(net.ip) for port in box.facts.ports for net in _nets(port)}
    for other, port, words in named:
        far = [one for one in words if _STEM.match(one) and _form(one) in forms]
        if far and not ports.intersection(far):
            yield f"{other.name} names its port {far[0]}, which it lacks: are lines lost?"
            return
        for net in _nets(port):
            if net.network.prefixlen not in _LINK_BITS:
                continue
            if addresses.isdisjoint(str(one) for one in net.network if one != net.ip):
                yield f"{other.name}:{port.name} has {net} to it, and it has no end of that"
                return


def _one_sided(box: Box, network: Network) -> Iterator[str]:
    for link in network.links_of.get(box.name, ()):
        mine, theirs = (link.a, link.b) if link.a.box is box else (link.b, link.a)
        if theirs.session and not mine.session:
            yield f"{theirs} has a session with {mine.port.name}, which has none: are lines lost?"
            return


def _nets(port: PortFacts) -> Iterator[IPv4Interface]:
    for text in port.addresses:
        yield from _interfaces(text)


def _interfaces(text: str) -> Iterator[IPv4Interface]:
    try:
        yield IPv4Interface(text)
    except ValueError:
        return


def _is_address(key: str) -> bool:
    try:
        return ip_address(key).version == 4
    except ValueError:
        return False
