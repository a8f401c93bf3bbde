"""The one command that shows what a switch holds, and what comes back from it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from switch_configs.readback.framed import Held, answer, question

from .files import NAMED, NAMED_SOON, OWNED, PENDING

_COMMANDS = {
    "db": "timeout 60 sonic-cfggen -d --print-data",
    "frr": "timeout 30 docker exec bgp vtysh -c 'show running-config'",
}


@dataclass(frozen=True, slots=True)
class Fetched:
    """All owned paths that are there, sorted; what CONFIG_DB and FRR hold, None if not known.

    `named` is the text of NAMED, "" where no push was confirmed; while one waits, of NAMED_SOON.
    """

    held: tuple[Held, ...]
    database: str | None
    frr: str | None
    named: str


def fetch_command() -> str:
    """One read-only POSIX shell command; its output is for `parse`."""
    return question((*OWNED, PENDING, NAMED, NAMED_SOON), _COMMANDS, "%u %g")


def parse(device: str, output: str) -> Fetched:
    """The parts of an answer; `DialectError` when it is cut, doubled or was changed on its way."""
    found = answer(device, output, frozenset(_COMMANDS))
    notes = {one.path: one.text for one in found.held if one.path in (NAMED, NAMED_SOON)}
    waits = any(one.path == PENDING for one in found.held)
    named = notes.get(NAMED_SOON if waits else NAMED, notes.get(NAMED, ""))
    held = (
        replace(one, owner=_name(one.owner), group=_name(one.group))
        for one in found.held
        if one.path not in notes
    )
    return Fetched(tuple(held), found.outputs["db"], found.outputs["frr"], named)


def _name(number: str) -> str:
    """Numbers, because the host does not name the users of its containers."""
    return "root" if number == "0" else number
