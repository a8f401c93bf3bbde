"""The one command that shows what a switch holds, and what comes back from it."""

from __future__ import annotations

from dataclasses import dataclass

from switch_configs.readback.framed import Held, answer, question

from .files import OWNED, PENDING

_COMMANDS = {
    "running": "VTYSH_HISTFILE=/dev/null timeout 20 vtysh -c 'show running-config'",
}


@dataclass(frozen=True, slots=True)
class Fetched:
    """All owned paths that are there, sorted, and FRR's running configuration or None."""

    held: tuple[Held, ...]
    running: str | None


def fetch_command() -> str:
    """One read-only POSIX shell command; its output is for `parse`."""
    return question((*OWNED, PENDING), _COMMANDS, "%U %G")


def parse(device: str, output: str) -> Fetched:
    """The parts of an answer; `DialectError` when it is cut, doubled or was changed on its way."""
    found = answer(device, output, frozenset(_COMMANDS))
    return Fetched(found.held, found.outputs["running"])
