"""What a machine shows of itself once it has come to rest, and waiting until it shows it again."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from deploy.errors import RailbedError

from .machines import machine
from .spec import ACCESS

LIMIT_S = 120.0
_POLL_S = 0.5
_SHOWN = 4
_MARK = "== "
_ASK = rf"""
ask() {{
    echo "{_MARK}$1"
    shift
    ! command -v "$1" > /dev/null || "$@" 2> /dev/null || :
}}
"""
# By the first words of what they show. What comes last needs what is before it, and costs most to
# ask: a session is up when its routes are there, and vtysh starts for as long as all of `ip`.
_ASKED = (
    (
        ("name", "system", "link", "address"),
        """ask name hostname
ask address ip -j address show
ask state systemctl is-system-running
""",
    ),
    (
        ("route", "rule"),
        """ask route ip -j route show table all
ask route6 ip -6 -j route show table all
ask rule ip -j rule show
""",
    ),
    (
        ("clock", "lldp", "bgp", "bfd"),
        """ask clock chronyc -n -c tracking
ask lldp lldpcli -f keyvalue show neighbors
ask bgp vtysh -c 'show bgp summary json'
ask bfd vtysh -c 'show bfd peers json'
""",
    ),
)
_TELL = """
! lldpcli -f keyvalue show chassis 2> /dev/null | grep -qx 'local-chassis.chassis.name=localhost' ||
    systemctl restart lldpd
"""
_FIRST_WORD = re.compile(r"[a-z]*")
Facts = frozenset[str]


def shown(lab: str, name: str) -> Facts:
    """What a machine shows now: name, addresses, routes, rules, clock, neighbours, sessions."""
    return _told(lab, name, "".join(script for _, script in _ASKED))


def _told(lab: str, name: str, script: str) -> Facts:
    done = machine.inside(lab, name, ["sh", "-c", _ASK + script], timeout_s=60)
    said: dict[str, str] = {}
    for part in done.stdout.decode(errors="replace").split(_MARK)[1:]:
        what, _, text = part.partition("\n")
        said[what] = text.strip()
    return frozenset(_facts(said))


def at_rest(lab: str, names: Iterable[str], limit_s: float = LIMIT_S) -> dict[str, Facts]:
    """What each machine shows, once it has its name and two looks in a row show the same.

    RailbedError names the machines that do not come to rest.
    """
    before: dict[str, Facts] = {}
    give_up = time.monotonic() + limit_s
    while True:
        found = {name: shown(lab, name) for name in sorted(names)}
        moving = [
            name for name in found if found[name] != before.get(name) or not _is_up(found, name)
        ]
        if not moving:
            return found
        if time.monotonic() > give_up:
            said = f"not at rest after {limit_s:g} s: {', '.join(moving)}"
            raise RailbedError(f"lab {lab} cannot be kept: {said}", exit_code=1)
        before = found
        time.sleep(_POLL_S)


def _is_up(found: Mapping[str, Facts], name: str) -> bool:
    return f"name {name}" in found[name] and "system starting" not in found[name]


def wait(lab: str, wanted: Mapping[str, Iterable[str]], limit_s: float = LIMIT_S) -> None:
    """Wait until all machines, in one look, show all that is wanted of them, and nothing else.

    RailbedError names the machines that do not come to it, and what is missing or too much.
    """
    every = {name: frozenset(facts) for name, facts in wanted.items()}
    waiting = every
    give_up = time.monotonic() + limit_s
    while True:
        found = {name: _unlike(lab, name, facts) for name, facts in waiting.items()}
        waiting = {name: every[name] for name, (lacks, has) in found.items() if lacks or has}
        lacking = frozenset[str]().union(*(lacks for lacks, _ in found.values()))
        if lacking and all(fact.startswith("lldp") for fact in lacking):
            _announce(lab, wanted)
        if not waiting:
            if len(found) == len(every):
                return
            waiting = every  # What came last may have moved others, as an lldpd that starts anew.
            continue
        if time.monotonic() > give_up:
            why = "; ".join(f"{name}: {_words_of(*found[name])}" for name in sorted(waiting))
            raise RailbedError(f"lab {lab} has not settled after {limit_s:g} s: {why}", exit_code=1)
        time.sleep(_POLL_S)


def _unlike(lab: str, name: str, wanted: Facts) -> tuple[Facts, Facts]:
    """What a machine lacks and what it has too much, of the first that is not as wanted."""
    for words, script in _ASKED:
        part = frozenset(fact for fact in wanted if _first_word(fact) in words)
        found = _told(lab, name, script)
        if found != part:
            return part - found, found - part
    return frozenset(), frozenset()


def _first_word(fact: str) -> str:
    found = _FIRST_WORD.match(fact)
    return found[0] if found else ""


def _announce(lab: str, names: Iterable[str]) -> None:
    """Start lldpd anew where it began before the lease: it asks for its name each half minute."""
    for name in names:
        machine.inside(lab, name, ["sh", "-c", _TELL])


def _words_of(lacks: Facts, has: Facts) -> str:
    sides = (("lacks", sorted(lacks)), ("has", sorted(has)))
    return ", ".join(f"{word} {_first(facts)}" for word, facts in sides if facts)


def _first(facts: list[str]) -> str:
    rest = len(facts) - _SHOWN
    return ", ".join(facts[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def _facts(said: Mapping[str, str]) -> Iterator[str]:
    if "name" in said:
        yield f"name {said['name']}"
        yield f"system {said.get('state', '')}"
    yield from _links(_json(said, "address"))
    for family in ("route", "route6"):
        yield from filter(None, map(_route, _json(said, family)))
    for one in _json(said, "rule"):
        yield f"rule {_words(one)}"
    # A chronyd that does not run yet is a sentence on standard output (chronyc: `506 Cannot ...`).
    if "," in (told := said.get("clock", "")):
        _, source, *_, leap = told.split(",")
        yield f"clock {leap} by {source}"
    for line in said.get("lldp", "").splitlines():
        key, _, value = line.partition("=")
        if key.endswith((".chassis.name", ".port.ifname")):
            yield f"{key} {value}"
    yield from _sessions(_json(said, "bgp"))
    for one in _json(said, "bfd"):
        peer = one.get("interface") if str(one.get("peer")).startswith("fe80:") else one.get("peer")
        yield f"bfd {peer} {one.get('status')}"


def _links(found: Any) -> Iterator[str]:
    for link in found:
        name = link.get("ifname")
        if name == ACCESS:  # its address is the slot's
            continue
        # A veth without its peer is the one or the other, as it happened to be switched on.
        state = str(link.get("operstate")).replace("LOWERLAYERDOWN", "DOWN")
        yield f"link {name} {link.get('address')} mtu {link.get('mtu')} {state}"
        for one in link.get("addr_info", ()):
            state = "tentative " * bool(one.get("tentative") or one.get("dadfailed"))
            yield f"address {state}{one.get('local')}/{one.get('prefixlen')} {name}"


def _route(found: dict[str, Any]) -> str:
    hops = found.get("nexthops") or [found]
    ways = sorted(f"{_via(hop)} {hop.get('dev')}" for hop in hops)
    if any(hop.get("dev") == ACCESS for hop in hops):
        return ""
    where = f"{found.get('type', 'unicast')} {found.get('dst')} table {found.get('table', 'main')}"
    return f"route {where} {found.get('protocol')} {found.get('metric', '')} {' and '.join(ways)}"


def _via(hop: dict[str, Any]) -> str:
    via = hop.get("via")
    return str(via.get("host")) if isinstance(via, dict) else str(hop.get("gateway", "direct"))


def _sessions(found: Any) -> Iterator[str]:
    if isinstance(found, dict):
        for family, one in found.items():
            for peer, session in one.get("peers", {}).items():
                yield f"bgp {family} {peer} {session.get('state')} {session.get('pfxRcd')}"


def _words(found: dict[str, Any]) -> str:
    return " ".join(f"{key}={found[key]}" for key in sorted(found))


def _json(said: Mapping[str, str], what: str) -> Any:
    """What a tool said; nothing where it said none, as while it starts."""
    try:
        return json.loads(said.get(what) or "[]")
    except json.JSONDecodeError:
        return []
