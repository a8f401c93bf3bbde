"""The same said in the words of two releases: one meaning, so no difference, and no mixture.

5.15 words anew what 5.14 said ("New and Changed NVUE Commands"), and 5.16 changed no word of it
("New and Removed NVUE Commands"). Earlier words (5.10 to 5.13, "What's New") are read as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .kept import without_kept
from .tree import Leaf, Tree, paths

_BFD = "fabric"
_ANEW = 15
_ON = {"on": "enabled", "off": "disabled"}
# A path of before 5.15 and the same path since; values are those of `_value`.
_PATHS = (
    (r"interface (\S+) ip vrf", r"interface \1 vrf"),
    (r"interface (\S+) ip (.* )?vrr state (up|down)", r"interface \1 ip \2vrr vrr-state \3"),
    (r"interface (\S+) ip ((?:vrr )?address \S*:.*|gateway \S*:.*)", r"interface \1 ipv6 \2"),
    (r"interface (\S+) ip ((?:address|gateway|vrr)\b.*)", r"interface \1 ipv4 \2"),
    (r"service (lldp|snmp-server) (.*)", r"system \1 \2"),
    (r"service (ntp|syslog) (\S+) (server .*)", r"system \1 \3"),
)
_RULES = tuple((re.compile(old), new) for old, new in _PATHS)
_SWITCHED = re.compile(r"(.* )enable")
_TIMERS = re.compile(r"(vrf \S+ router bgp (?:peer-group|neighbor) \S+ bfd) (?!profile)(\S+)")
_ALL_TIMERS = ("enable", "detect-multiplier", "min-rx-interval", "min-tx-interval")
# How every path begins that is worded anew by more than its `on` or `off`.
_OLD = re.compile(r"interface \S+ ip |service |system aaa |vrf \S+ router bgp ")
_ORDER = re.compile(r"system aaa authentication-order (\d+) (\S+)")
_TACACS = re.compile(r"system aaa tacacs server (\d+) (\S+)")
# What only 5.15 and later say of the above; `state` is an older word of other things.
_SINCE = re.compile(
    r"interface \S+ (?:vrf|ipv[46] (?:address|gateway|vrr)\b.*)|system (?:lldp|ntp)\b.*"
    r"|(?:mlag|router (?:bgp|bfd|vrr)|vrf \S+ router .*|interface \S+ bond mlag) state"
    r"|router bfd profile .*|vrf .* bfd profile|system aaa authentication order"
)


def alike(tree: Tree, like: Tree) -> Tree:
    """The tree, in the words of `like` where both mean the same."""
    mine, wanted = _meaning(tree), _meaning(like)
    means = {new for some in mine.values() for new in some}
    by_number = any(_TACACS.fullmatch(" ".join(path)) for path, _ in mine)
    same = [
        one
        for one, some in wanted.items()
        if one in mine or (means.issuperset(some) and (some or not by_number))
    ]
    said = {new for one in same for new in wanted[one]}
    return _tree([*same, *(one for one, some in mine.items() if not said.issuperset(some))])


def mixed(tree: Tree, release: str = "") -> tuple[str, ...]:
    """Places that say it in words which the release has not, or has beside its own; else none.

    Of no known release, it is those in the words of 5.15, where others have those of before.
    """
    means = _meaning(without_kept(tree))
    before = tuple(" ".join(one[0]) for one, some in means.items() if some != (one,))
    number = re.match(r"5\.(\d+)", release)
    if (number and int(number[1]) >= _ANEW) or not (number or before):
        return before
    return tuple(one for path, _ in means if _SINCE.fullmatch(one := " ".join(path)))


def _tree(leaves: Iterable[Leaf]) -> Tree:
    out: Tree = {}
    for path, value in leaves:
        at = out
        for key in path[:-1]:
            at = at.setdefault(key, {})
        at[path[-1]] = {} if value is None else value
    return out


def _meaning(tree: Tree) -> dict[Leaf, tuple[Leaf, ...]]:
    """Each leaf, and what 5.16 says for it; () where that goes without saying."""
    leaves = dict.fromkeys(paths(tree))
    texts = {" ".join(path): value or "" for path, value in leaves}
    return {leaf: tuple(_one(leaf, texts)) for leaf in leaves}


def _one(leaf: Leaf, texts: dict[str, str]) -> Iterator[Leaf]:
    path, value = " ".join(leaf[0]), leaf[1]
    if value not in _ON and not _OLD.match(path):
        yield leaf
        return
    timers = _TIMERS.fullmatch(path)
    if timers and all(f"{timers[1]} {one}" in texts for one in _ALL_TIMERS):
        yield _leaf(f"{timers[1]} profile", _BFD)
        yield _leaf("router bfd state", "enabled")
        if timers[2] != "enable":
            yield _leaf(f"router bfd profile {_BFD} {timers[2]}", value)
        elif value != "on":
            yield leaf
    elif _ORDER.fullmatch(path):
        order = sorted(found.groups() for text in texts if (found := _ORDER.fullmatch(text)))
        yield _leaf("system aaa authentication order", ",".join(name for _, name in order))
    elif server := _TACACS.fullmatch(path):
        host = texts.get(f"system aaa tacacs server {server[1]} host", server[1])
        at = f"system aaa tacacs server {host}"
        is_host = server[2] == "host"
        yield _leaf(f"{at} {'priority' if is_host else server[2]}", server[1] if is_host else value)
    elif path == "system aaa tacacs enable" and value == "on":
        return
    else:
        yield from _renamed(leaf, path, value)


def _renamed(leaf: Leaf, path: str, value: str | None) -> Iterator[Leaf]:
    new = path
    for old, words in _RULES:
        new = old.sub(words, new) if old.fullmatch(new) else new
    if served := re.fullmatch(r"service (ntp|syslog) (\S+) server (\S+).*", path):
        at = "system ntp" if served[1] == "ntp" else f"system syslog server {served[3]}"
        yield _leaf(f"{at} vrf", served[2])
        if served[1] == "ntp":
            yield _leaf("system ntp state", "enabled")
        elif value is None:
            return
    if value in _ON and path.rpartition(" ")[2] != "fec":
        switched = _SWITCHED.fullmatch(new)
        new, value = f"{switched[1]}state" if switched else new, _ON[value]
    # Keys may hold blanks in what nobody words anew.
    yield leaf if (new, value) == (path, leaf[1]) else _leaf(new, value)


def _leaf(path: str, value: str | None) -> Leaf:
    return tuple(path.split(" ")), value
