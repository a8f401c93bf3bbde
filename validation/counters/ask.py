"""The shell text that prints the port counters of a switch, by dialect. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from inventory.reading.sections import shell
from switch_configs.answers import answers


def carried(dialect: str, ports: Sequence[str]) -> str | None:
    """POSIX sh that prints the bytes of at least `ports`; None where no form is known."""
    known = answers(dialect).counters
    return shell(known.ask_carried(sorted(ports))) if known else None


def port_counters(dialect: str, ports: Sequence[str], last: bool = False) -> str | None:
    """POSIX sh that prints the counters of at least `ports`; None where no form is known.

    `last`: what has just happened must be in them, so those that are polled are waited for.
    """
    known = answers(dialect).counters
    if known is None:
        return None
    return shell({**(known.refresh if last else {}), **known.ask_ports(sorted(ports))})
