"""What a server says otherwise than its plan: each file that a role writes there, and what runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from inventory.plan import Plan

from .facts import HostFacts, NicFacts
from .fold import agree
from .host import Host, readings
from .planned import planned_host

_SHOWN = 80
_NOTHING = frozenset({None, "", ()})


def host_differences(plan: Plan, host: Host) -> tuple[str, ...]:
    """What is not as planned, and what is not understood, of the node of this name; () if nothing.

    Of files that the roles write, those that are here must say what they are to say and no more;
    of all other texts, what they say of a planned fact must be the plan's. KeyError for a name
    that is no node's.
    """
    return differences(planned_host(plan, host.name), host)


def differences(planned: Host, host: Host) -> tuple[str, ...]:
    """The same, of a node as it was read from its plan before."""
    written = {path.partition("/")[2]: text for path, text in planned.texts.items()}
    found = [why for path, text in host.texts.items() for why in _of_file(path, text, written)]
    found += _of_facts(planned.facts, host.facts)
    found += (f"{one.key}: {one.written}, and {one.other}" for one in host.facts.disputes)
    found += (f"{file}: {why}" for file, why in host.facts.unread)
    return tuple(dict.fromkeys(found))


def _of_file(path: str, text: str, written: dict[str, str]) -> Iterator[str]:
    name = next((one for one in written if path.endswith(f"/{one}")), None)
    if name is None:
        return
    mine, theirs = readings(f"/{name}", text)[0], readings(f"/{name}", written[name])[0]
    want = {(one.nic, one.what, one.value) for one in theirs}
    have = {(one.nic, one.what, one.value): one.line for one in mine}
    for one in mine:
        if (one.nic, one.what, one.value) not in want:
            yield f"{path}:{one.line}: not planned: {_told(one.nic, one.what, one.value)}"
    for nic, what, value in sorted(want - have.keys(), key=str):
        yield f"{path}: not said: {_told(nic, what, value)}"


def _told(nic: str, what: str, value: object) -> str:
    return f"{nic or 'server'} {what.partition(':')[2] or what} {value}"[:_SHOWN]


def _of_facts(planned: HostFacts, said: HostFacts) -> Iterator[str]:
    """Facts that both say, whatever text says them."""
    mine = {nic.name: nic for nic in said.nics}
    for nic in planned.nics:
        other = mine.get(nic.name)
        for one in fields(NicFacts) if other else ():
            want, have = getattr(nic, one.name), getattr(other, one.name)
            both = one.name != "options" and _NOTHING.isdisjoint((want, have))
            if both and not agree(one.name, want, have):
                yield f"{nic.name}.{one.name}: {have}, planned {want}"[: 2 * _SHOWN]
    for name in planned.settings.keys() & said.settings.keys():
        if planned.settings[name] != said.settings[name]:
            yield f"{name}: {said.settings[name]}, planned {planned.settings[name]}"
    for name in planned.sysctls.keys() & said.sysctls.keys():
        if planned.sysctls[name] != said.sysctls[name]:
            yield f"{name}: {said.sysctls[name]}, planned {planned.sysctls[name]}"
