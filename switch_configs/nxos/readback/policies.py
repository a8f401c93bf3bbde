"""Prefix lists, community lists and route maps: what a policy lets pass."""

from __future__ import annotations

from ipaddress import AddressValueError, IPv4Network, NetmaskValueError

from switch_configs.readback.facts import PermitFacts, PolicyFacts

from .reading import Entry, NxosReading
from .tree import Node, number

_SHUTDOWN = "65535:0"
_WELL_KNOWN = {"graceful-shutdown": _SHUTDOWN}
_ALL = PermitFacts("0.0.0.0/0", 0, 32)


def line(node: Node, found: NxosReading) -> bool:
    """Take a line of a list or a route map with what is below it."""
    match node.words:
        case ["ip", "prefix-list", name, "seq", at, "permit", prefix, *lengths] if number(at):
            permit = _permit(prefix, lengths)
            if permit is not None:
                found.prefix_lists.setdefault(name, {})[int(at)] = permit
            return permit is not None
        case ["ip", "community-list", "standard", name, "seq", _, "permit", value]:
            _once(found.community_lists.setdefault(name, []), value)
        case ["route-map", name, "permit" | "deny" as action, at] if number(at) is not None:
            entry = found.maps.setdefault(name, {}).setdefault(int(at), Entry(action))
            for one in node.children:
                if not _inside(entry, one.words):
                    found.unread += one.paths()
        case _:
            return False
    return True


def _permit(prefix: str, lengths: list[str]) -> PermitFacts | None:
    """`eq`, or `ge` and `le`, of which one alone opens one side."""
    try:
        network = IPv4Network(prefix, strict=False)  # NX-OS takes the bits of a host off
    except (AddressValueError, NetmaskValueError, ValueError):
        return None
    bounds = dict(zip(lengths[::2], map(number, lengths[1::2]), strict=False))
    if len(bounds) * 2 != len(lengths) or None in bounds.values():
        return None
    if not set(bounds) <= {"ge", "le"} and set(bounds) != {"eq"}:
        return None
    own = network.prefixlen
    shortest = bounds.get("eq", bounds.get("ge", own))
    longest = bounds.get("eq", bounds.get("le", 32 if "ge" in bounds else own))
    return PermitFacts(str(network), shortest or 0, longest or 0)


def _inside(entry: Entry, words: list[str]) -> bool:
    match words:
        case ["match", "ip", "address", "prefix-list", *names] if names:
            _once(entry.prefix_lists, *names)
        case ["match", "community", name]:
            _once(entry.community_lists, name)
        case ["set", "local-preference", value] if number(value) is not None:
            entry.preference = int(value)
        case ["set", "community", *values, "additive"] if values:
            _once(entry.adds, *values)
        case ["set", "community", *values] if values:
            _once(entry.adds, *values)
            entry.replaces = True
        case _:
            return False
    return True


def _once(held: list[str], *words: str) -> None:
    """What is said twice is held once, well-known communities by their numbers."""
    held += [one for word in words if (one := _WELL_KNOWN.get(word, word)) not in held]


def policies(found: NxosReading) -> tuple[PolicyFacts, ...]:
    """Every route map as what it lets pass."""
    return tuple(_policy(name, found) for name in sorted(found.maps))


def _policy(name: str, found: NxosReading) -> PolicyFacts:
    """Entries in order: what is refused, what is used last, and then the rest."""
    refuses: list[str] = []
    plain: Entry | None = None
    last: Entry | None = None
    for at, entry in sorted(found.maps[name].items()):
        if plain is not None:
            found.unread.append(f"route-map {name} {at}: comes after what permits the rest")
        elif entry.action == "deny":
            if not entry.community_lists and not entry.prefix_lists:
                break
            refuses += _refused(name, at, entry, last, found)
        elif entry.community_lists:
            last = _last(name, at, entry, last, found)
        else:
            plain = entry
    permits = _permits(name, plain, found) if plain else ()
    if last is not None and (plain is None or _same(last, plain) is False):
        found.unread.append(f"route-map {name}: routes to be used last differ from the others")
    if plain is not None and (plain.replaces or plain.preference is not None):
        found.hazards.append(f"policy {name} changes more than the communities it adds")
    return PolicyFacts(
        name,
        tuple(sorted(permits)),
        tuple(plain.adds) if plain else (),
        tuple(refuses),
        last is not None,
    )


def _refused(name: str, at: int, entry: Entry, last: Entry | None, found: NxosReading) -> list[str]:
    if entry.prefix_lists or last is not None:
        found.unread.append(f"route-map {name} {at}: refuses other than by community, first")
        return []
    return [value for one in entry.community_lists for value in _values(name, one, found)]


def _last(
    name: str, at: int, entry: Entry, before: Entry | None, found: NxosReading
) -> Entry | None:
    values = [value for own in entry.community_lists for value in _values(name, own, found)]
    if values != [_SHUTDOWN] or entry.preference != 0 or before is not None:
        found.unread.append(f"route-map {name} {at}: not the least preference for {_SHUTDOWN}")
        return before
    return entry


def _values(name: str, community_list: str, found: NxosReading) -> list[str]:
    if community_list not in found.community_lists:
        found.hazards.append(f"policy {name} asks community list {community_list}: not defined")
    return found.community_lists.get(community_list, [])


def _same(one: Entry, other: Entry) -> bool:
    return (one.prefix_lists, one.adds, one.replaces) == (
        other.prefix_lists,
        other.adds,
        other.replaces,
    )


def _permits(name: str, entry: Entry, found: NxosReading) -> tuple[PermitFacts, ...]:
    if not entry.prefix_lists:
        return (_ALL,)
    out: list[PermitFacts] = []
    for one in entry.prefix_lists:
        if one not in found.prefix_lists:
            found.hazards.append(f"policy {name} asks prefix list {one}, which is not defined")
        out += [permit for _, permit in sorted(found.prefix_lists.get(one, {}).items())]
    return tuple(out)
