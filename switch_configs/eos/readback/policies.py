"""Prefix lists, community lists and route maps (EOS User Manual, Route Maps)."""

from __future__ import annotations

from ipaddress import IPv4Network

from switch_configs.readback.facts import PermitFacts, PolicyFacts

from .reading import Entry, EosReading
from .tree import Node

_GSHUT = "65535:0"
# RFC 8326 and RFC 1997 give these communities names.
_NAMES = {"GSHUT": _GSHUT, "no-export": "65535:65281", "no-advertise": "65535:65282"}
_EVERYTHING = ("0.0.0.0/0", 0, 32)


def prefix_list(node: Node, found: EosReading) -> bool:
    """`ip prefix-list NAME`, as a block or as one line."""
    words = node.words
    rules = found.prefix_lists.setdefault(words[2], {})
    if len(words) > 3:
        return _rule(rules, words[3:])
    found.unread += [one.path for one in node.below if not _rule(rules, one.words)]
    return True


def _rule(rules: dict[int, PermitFacts | None], words: list[str]) -> bool:
    match words:
        case ["seq", number, action, prefix, *lengths] if number.isdecimal():
            permit = _permit(prefix, lengths)
            if permit is None:
                return False
            if action == "deny":
                rules[int(number)] = None
                whole = (permit.prefix, permit.shortest_bits, permit.longest_bits)
                return whole == _EVERYTHING
            rules[int(number)] = permit
            return action == "permit"
    return False


def _permit(prefix: str, lengths: list[str]) -> PermitFacts | None:
    try:
        network = IPv4Network(prefix, strict=False)  # EOS takes the bits of a host off
    except ValueError:
        return None
    own = network.prefixlen
    match lengths:
        case []:
            return PermitFacts(str(network), own, own)
        case ["eq", bits] if bits.isdecimal():
            return PermitFacts(str(network), int(bits), int(bits))
        case ["le", bits] if bits.isdecimal():
            return PermitFacts(str(network), own, int(bits))
        case ["ge", bits] if bits.isdecimal():
            return PermitFacts(str(network), int(bits), 32)
        case ["ge", low, "le", high] if low.isdecimal() and high.isdecimal():
            return PermitFacts(str(network), int(low), int(high))
    return None


def community_list(words: list[str], found: EosReading) -> bool:
    """The words after `ip community-list`."""
    match words:
        case [name, "permit", community]:
            _once(found.community_lists.setdefault(name, []), community_of(community))
            return True
    return False


def _once(held: list[str], word: str) -> None:
    """What is said twice is held once."""
    if word not in held:
        held.append(word)


def community_of(word: str) -> str:
    """A community as two numbers, where it has a name."""
    return _NAMES.get(word, word)


def route_map(node: Node, found: EosReading) -> bool:
    """One entry of a route map."""
    match node.words:
        case ["route-map", name, "permit" | "deny" as action, number] if number.isdecimal():
            entry = found.route_maps.setdefault(name, {}).setdefault(int(number), Entry(action))
            found.unread += [one.path for one in node.below if not _entry(entry, one.words)]
            return True
    return False


def _entry(entry: Entry, words: list[str]) -> bool:
    match words:
        case ["match", "ip", "address", "prefix-list", name]:
            _once(entry.prefix_lists, name)
        case ["match", "community", name]:
            _once(entry.communities, name)
        case ["set", "local-preference", number] if number.isdecimal():
            entry.preference = int(number)
        case ["set", "community", *words, "additive"] if words:
            for word in words:
                _once(entry.adds, community_of(word))
        case ["description", *_]:
            pass
        case _:
            return False
    return True


def policies(found: EosReading) -> tuple[PolicyFacts, ...]:
    """What each route map lets pass, by name."""
    return tuple(_policy(name, found) for name in sorted(found.route_maps))


def _policy(name: str, found: EosReading) -> PolicyFacts:
    permits: list[PermitFacts] = []
    adds: tuple[str, ...] = ()
    refuses: list[str] = []
    last: Entry | None = None
    for number, one in sorted(found.route_maps[name].items()):
        where = f"route-map {name} {one.action} {number}"
        if one.action == "deny":
            refuses += _refused(one, where, bool(permits or last), found)
        elif one.communities and permits:  # the first entry that matches decides
            found.hazards.append(f"policy {name} does not use all routes last that ask for it")
        elif one.communities:
            if _communities(one, found, where) != [_GSHUT] or one.preference != 0 or last:
                found.unread.append(where)
            last = one
        else:
            if one.preference is not None or (permits and adds != tuple(one.adds)):
                found.unread.append(where)
            permits += _permits(one, where, found)
            adds = tuple(one.adds)
            if last and (last.prefix_lists, last.adds) != (one.prefix_lists, one.adds):
                found.unread.append(f"{where}: another list than for what is drained")
    if last and not permits:
        found.unread.append(f"route-map {name} lets only pass what is drained")
    return PolicyFacts(name, tuple(sorted(set(permits))), adds, tuple(refuses), last is not None)


def _refused(one: Entry, where: str, is_late: bool, found: EosReading) -> list[str]:
    """A deny before all else drops what carries a community."""
    if is_late or one.prefix_lists or one.adds or one.preference is not None:
        found.unread.append(where)
    if not one.communities:
        found.unread.append(where)
    return _communities(one, found, where)


def _communities(one: Entry, found: EosReading, where: str) -> list[str]:
    for name in one.communities:
        if name not in found.community_lists:
            found.hazards.append(f"{where} asks community list {name}, which is not defined")
    if len(one.communities) > 1:
        found.unread.append(where)
    return [each for name in one.communities for each in found.community_lists.get(name, [])]


def _permits(one: Entry, where: str, found: EosReading) -> list[PermitFacts]:
    if not one.prefix_lists:
        return [PermitFacts(*_EVERYTHING)]
    if len(one.prefix_lists) > 1:
        found.unread.append(where)
    rules = found.prefix_lists.get(one.prefix_lists[0])
    if rules is None:
        found.hazards.append(f"{where} asks prefix list {one.prefix_lists[0]}, not defined")
        return []
    out: list[PermitFacts] = []
    for number in sorted(rules):
        rule = rules[number]
        if rule is None:
            break
        out.append(rule)
    return out
